//! Regions of a cluster: hbase:meta beside what servers have open.

use super::{ClusterRegion, ClusterTransition, Kind, Look, path_of};
use crate::check::finding::Finding;
use crate::check::repair::Repair;
use finback_cell::{RegionInfo, RegionState, ServerName};
use finback_proto::pb::table_state::State as TableState;
use std::collections::HashMap;

/// What is longer in transition is stuck: HBase's `hbase.metrics.rit.stuck.warning.threshold`.
const STUCK_MS: u64 = 60_000;
/// What was split waits for its daughters to be compacted, which may take as long as they are small and idle.
const LONG_SPLIT_MS: u64 = 24 * 3600 * 1000;

impl<'a> Look<'a> {
    /// What hbase:meta says, beside what is open.
    pub(super) fn regions(&mut self) {
        let cluster = self.cluster;
        for region in &cluster.regions {
            if region.was_split() {
                self.split_parent(region);
            } else {
                self.region(region);
                self.replicas(region);
            }
        }
    }

    fn split_parent(&mut self, region: &ClusterRegion) {
        // Daughters are made when their parent is split, and have that time as their number.
        let Some(since_ms) = region.daughters.iter().map(|daughter| daughter.region_id).max() else { return };
        if self.cluster.now_ms.saturating_sub(since_ms) > LONG_SPLIT_MS {
            let daughters: Vec<_> = region.daughters.iter().map(RegionInfo::encoded_name).collect();
            let message = format!(
                "was split {}, and is still there: its daughters {} refer to its files until they are compacted. finback \
                 shell: major_compact them, then catalogjanitor_run",
                since(since_ms, self.cluster.now_ms),
                daughters.join(" and ")
            );
            self.note_at(Kind::SplitParent, path_of(&region.info), message);
        }
    }

    fn region(&mut self, region: &'a ClusterRegion) {
        use RegionState::{AbnormallyClosed, Closed, FailedClose, FailedOpen, Offline, Open};
        let open = self.open_on(&region.info).to_vec();
        if open.len() > 1 {
            return self.open_twice(&region.info, region.server.as_ref(), &open);
        }
        let open = open.first().copied();
        let has_failed = matches!(region.state, Some(FailedOpen | FailedClose | AbnormallyClosed));
        if let Some(transition) = self.cluster.transitions.get(&region.info.encoded_name())
            && !has_failed
        {
            return self.transition(&region.info, transition);
        }
        match (region.state, &region.server) {
            (Some(Open), Some(server)) => self.is_open_where_it_should_be(&region.info, server, open),
            (Some(Open), None) => {
                let message = "hbase:meta says that it is OPEN, and not where. finback shell: unassign it, then assign it";
                self.note_at(Kind::ContradictingState, path_of(&region.info), message);
            }
            (None | Some(Closed | Offline | FailedOpen | FailedClose | AbnormallyClosed), _) => {
                self.is_closed(region, open);
            }
            (Some(state), _) => {
                let message = format!(
                    "hbase:meta says that it is {}, and the master has nothing going on with it. See its procedures (finback \
                     shell: list_procedures) and its log; a master that is started again goes on with what it finds",
                    state.name()
                );
                self.note_at(Kind::ContradictingState, path_of(&region.info), message);
            }
        }
    }

    fn open_twice(&mut self, region: &RegionInfo, known: Option<&ServerName>, open: &[&ServerName]) {
        let open: Vec<_> = open.iter().map(ToString::to_string).collect();
        let known = known.map_or_else(|| "none".to_owned(), ToString::to_string);
        let message = format!(
            "open on {} servers: {}; hbase:meta says {known}. Both may write: stop the server that hbase:meta does not name",
            open.len(),
            open.join(" and ")
        );
        self.note_at(Kind::OpenTwice, path_of(region), message);
    }

    fn transition(&mut self, region: &RegionInfo, transition: &ClusterTransition) {
        let now_ms = self.cluster.now_ms;
        let how_long = transition.since_ms.map_or(0, |since_ms| now_ms.saturating_sub(since_ms));
        let since = transition.since_ms.map_or_else(String::new, |ms| format!(" {}", since(ms, now_ms)));
        let (kind, next) = match how_long > STUCK_MS {
            true => (
                Kind::StuckInTransition,
                ". See what holds it up: finback shell list_procedures and list_locks, the master's log, that of the server",
            ),
            false => (Kind::RegionInTransition, ""),
        };
        self.note_at(kind, path_of(region), format!("in transition, {}{since}{next}", transition.state));
    }

    /// Of a region that hbase:meta says is open on `server`.
    fn is_open_where_it_should_be(
        &mut self,
        region: &'a RegionInfo,
        server: &'a ServerName,
        open: Option<&'a ServerName>,
    ) {
        match (open, self.answered.get(server)) {
            (Some(open), _) if open == server => {}
            (Some(open), _) => self.open_elsewhere(region, server, open),
            (None, None) => self.on_the_dead.entry(server).or_default().push(region),
            // That it does not answer is a finding of its own.
            (None, Some(false)) => {}
            (None, Some(true)) => {
                let message = format!(
                    "hbase:meta says that it is open on {server}, which does not have it. finback shell: unassign it, then \
                     assign it"
                );
                self.note_at(Kind::NotOpen, path_of(region), message);
            }
        }
    }

    fn open_elsewhere(&mut self, region: &RegionInfo, server: &ServerName, open: &ServerName) {
        let message = format!(
            "hbase:meta says that it is open on {server}, and it is on {open}. Clients do not find it: stop {open}, then see \
             whether it was assigned"
        );
        self.note_at(Kind::OpenElsewhere, path_of(region), message);
    }

    /// Of a region that hbase:meta says is open nowhere.
    fn is_closed(&mut self, region: &ClusterRegion, open: Option<&ServerName>) {
        // Of a table that is disabled, or in transition, or has no state, there is a finding of its own.
        if self.state(&region.info.table) != Some(TableState::Enabled) || region.info.offline {
            return;
        }
        let says = region.state.map_or("nothing of its state", RegionState::name);
        if let Some(open) = open {
            let message = format!(
                "hbase:meta says {says}, and {open} has it open. finback shell: assign it; if that is refused, stop {open}"
            );
            return self.note_at(Kind::ContradictingState, path_of(&region.info), message);
        }
        let finding = |next| {
            let message =
                format!("hbase:meta says {says}, and no server has it open: its rows cannot be read. {next}");
            Finding::new(Kind::NotAssigned, path_of(&region.info), message)
        };
        // One that does not answer may have it.
        let has_everyone_answered = self.answered.values().all(|&has_answered| has_answered);
        let finding = if !has_everyone_answered {
            finding("A server that does not answer may have it: see to that first")
        } else if self.cluster.may_be_dividing {
            // Assigned meanwhile, it would be served beside what it is split or merged into.
            finding(
                "A split or merge is under way, and may be of it: see that end first (finback shell: list_procedures)",
            )
        } else {
            finding("finback shell: assign it").repaired_by(Repair::Assign { region: region.info.clone() })
        };
        self.note(finding);
    }

    fn replicas(&mut self, region: &'a ClusterRegion) {
        if self.state(&region.info.table) != Some(TableState::Enabled) {
            return;
        }
        for (number, server) in &region.replicas {
            let replica = region.info.replica(*number);
            let open = self.open_on(&replica).to_vec();
            let Some(server) = server else { continue };
            match open.as_slice() {
                [] if self.answered.get(server) == Some(&true)
                    && !self.cluster.transitions.contains_key(&replica.encoded_name()) =>
                {
                    let message =
                        format!("hbase:meta has replica {number} on {server}, which does not have it open");
                    self.note_at(Kind::NotOpen, path_of(&replica), message);
                }
                [open] if *open != server => self.open_elsewhere(&replica, server, open),
                [] | [_] => {}
                twice => self.open_twice(&replica, Some(server), twice),
            }
        }
    }

    /// What is open, beside what hbase:meta says.
    pub(super) fn open_regions(&mut self) {
        let cluster = self.cluster;
        let known: HashMap<String, &ClusterRegion> =
            cluster.regions.iter().map(|region| (region.info.encoded_name(), region)).collect();
        for server in &cluster.servers {
            for open in server.open.iter().flatten() {
                // Where the replicas of hbase:meta are is not in hbase:meta.
                if open.is_meta() && open.replica_id > 0 {
                    continue;
                }
                let row = known.get(&open.replica(0).encoded_name());
                let is_replica_known = |row: &&&ClusterRegion| {
                    open.replica_id == 0 || row.replicas.iter().any(|(number, _)| *number == open.replica_id)
                };
                let why = match row.filter(is_replica_known) {
                    Some(row) if row.was_split() => "which was split",
                    Some(_) => continue,
                    None => "which hbase:meta does not know",
                };
                let message = format!(
                    "{} has open a region {why}. Whoever still has it for the right one writes where nobody reads: stop that \
                     server",
                    server.name
                );
                self.note_at(Kind::UnknownRegion, path_of(open), message);
            }
        }
    }
}

/// `since 2026-01-31T09:30:00Z (75 s)`
fn since(since_ms: u64, now_ms: u64) -> String {
    let seconds = now_ms.saturating_sub(since_ms) / 1000;
    let time = i64::try_from(since_ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    match time {
        Some(time) => format!("since {time:.0} ({seconds} s)"),
        None => format!("for {seconds} s"),
    }
}
