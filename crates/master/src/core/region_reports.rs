//! What region servers report of their regions.

use finback_cell::{RegionInfo, ServerName};
use finback_rpc::{RpcException, exceptions};

use super::{Core, meta_writes::Then};
use crate::{
    meta_edit::MetaEdit,
    state::{Goal, Stage, Transition},
};

/// One region's new state, as its server reports it.
#[derive(Debug, Clone)]
pub(crate) struct RegionReport {
    pub(crate) region: RegionInfo,
    pub(crate) transition: ReportedTransition,
}

/// What happened to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportedTransition {
    Opened { open_seq_num: u64 },
    FailedOpen,
    Closed,
}

impl Core {
    /// Event: a server reports transitions. The text is for a server whose report does not fit what was asked of it.
    ///
    /// # Errors
    /// YouAreDeadException for a server that is not known as alive.
    pub(crate) fn regions_reported(
        &mut self,
        server: &ServerName,
        reports: &[RegionReport],
        now: u64,
    ) -> Result<Option<String>, RpcException> {
        self.set_time(now);
        if !self.state.servers.contains_key(server) {
            return Err(exceptions::you_are_dead(format!("{server} is not known as a live server")));
        }
        let complaints: Vec<String> =
            reports.iter().filter_map(|report| self.region_reported(server, report).err()).collect();
        self.pump();
        Ok((!complaints.is_empty()).then(|| complaints.join("; ")))
    }

    fn region_reported(&mut self, server: &ServerName, report: &RegionReport) -> Result<(), String> {
        let encoded = report.region.encoded_name();
        let wanted = match report.transition {
            ReportedTransition::Closed => Goal::Close,
            _ => Goal::Open,
        };
        let expected = |t: &&Transition| t.goal == wanted && t.server.as_ref() == Some(server);
        let Some(stage) = self.transition(&encoded).filter(expected).map(|t| t.stage) else {
            return self.unexpected(server, &encoded, report);
        };
        match (stage, report.transition) {
            (Stage::Recording, _) => {} // The server repeats itself.
            (_, ReportedTransition::Opened { open_seq_num }) => self.opened(server, &encoded, open_seq_num),
            (_, ReportedTransition::FailedOpen) => {
                let message = format!("{server} failed to open {encoded}");
                self.transition_failed(&encoded, exceptions::io(message));
            }
            (_, ReportedTransition::Closed) => self.record_closed(&encoded, report.region.clone()),
        }
        Ok(())
    }

    fn opened(&mut self, server: &ServerName, encoded: &str, open_seq_num: u64) {
        let replicas = self.state.region_replication(encoded);
        let Some(region) = self.state.regions.get_mut(encoded) else { return };
        if let Some(transition) = region.transition.as_mut() {
            transition.stage = Stage::Recording;
        }
        let edit =
            MetaEdit::Opened { region: region.info.clone(), server: server.clone(), open_seq_num, replicas };
        if region.info.is_meta() {
            // Where hbase:meta is stands nowhere but in the master.
            edit.apply(&mut self.state, self.now);
            self.region_settled(encoded, Ok(()));
        } else {
            self.write_meta(vec![edit], Then::Settled(encoded.to_owned()));
        }
    }

    fn unexpected(&self, server: &ServerName, encoded: &str, report: &RegionReport) -> Result<(), String> {
        let region = self.state.regions.get(encoded);
        let location = region.and_then(|region| region.location());
        let repeated = match report.transition {
            ReportedTransition::Opened { .. } => location == Some(server),
            ReportedTransition::FailedOpen | ReportedTransition::Closed => location != Some(server),
        };
        if repeated && region.is_some() {
            return Ok(());
        }
        tracing::warn!(%server, region = encoded, transition = ?report.transition, "unexpected report");
        Err(format!("{encoded}: {:?} on {server} was not asked for", report.transition))
    }
}
