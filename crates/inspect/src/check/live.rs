//! Checks a cluster that runs, by what its servers have answered: a function of those answers, which asks nothing itself.

mod cluster;
mod regions;
mod tables;
#[cfg(test)]
mod tests;

use super::finding::{Finding, FindingKind as Kind};
use super::report::CheckReport;
pub use cluster::{Cluster, ClusterRegion, ClusterServer, ClusterTransition};
use finback_cell::{RegionInfo, ServerName, TableName};
use finback_proto::pb::table_state::State as TableState;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// So many regions are named in a message that is about many.
const NAMED_REGIONS: usize = 3;

/// Says what in the answers of a cluster's servers does not fit together.
pub fn check_cluster(cluster: &Cluster) -> CheckReport {
    let mut look = Look::new(cluster);
    look.meta();
    look.servers();
    look.regions();
    look.open_regions();
    look.dead_servers();
    look.tables();
    look.report
}

/// One look at a cluster.
struct Look<'a> {
    cluster: &'a Cluster,
    /// Whether the servers that live have said which regions they have.
    answered: HashMap<&'a ServerName, bool>,
    /// Which servers have a region open, by its encoded name.
    open: HashMap<String, Vec<&'a ServerName>>,
    /// Regions that hbase:meta has on servers that do not live.
    on_the_dead: BTreeMap<&'a ServerName, Vec<&'a RegionInfo>>,
    report: CheckReport,
}

impl<'a> Look<'a> {
    fn new(cluster: &'a Cluster) -> Self {
        let mut open: HashMap<String, Vec<&ServerName>> = HashMap::new();
        for server in &cluster.servers {
            // A server that tells a region twice has it once.
            let told: HashSet<String> = server.open.iter().flatten().map(RegionInfo::encoded_name).collect();
            for region in told {
                open.entry(region).or_default().push(&server.name);
            }
        }
        let answered = cluster.servers.iter().map(|server| (&server.name, server.open.is_ok())).collect();
        let mut report = CheckReport::new(Path::new(&cluster.name));
        report.servers = cluster.servers.len() as u64;
        report.regions = cluster.regions.len() as u64;
        Self { cluster, answered, open, on_the_dead: BTreeMap::new(), report }
    }

    fn note(&mut self, finding: Finding) {
        self.report.findings.push(finding);
    }

    fn note_at(&mut self, kind: Kind, path: impl Into<PathBuf>, message: impl Into<String>) {
        self.note(Finding::new(kind, path, message));
    }

    fn state(&self, table: &TableName) -> Option<TableState> {
        match table.is_meta() {
            true => Some(TableState::Enabled),
            false => self.cluster.tables.get(table).copied(),
        }
    }

    /// The servers that have the region open.
    fn open_on(&self, region: &RegionInfo) -> &[&'a ServerName] {
        self.open.get(&region.encoded_name()).map_or(&[], Vec::as_slice)
    }

    fn meta(&mut self) {
        for problem in &self.cluster.malformed {
            self.note_at(Kind::MetaRow, TableName::meta().to_string(), problem);
        }
    }

    fn servers(&mut self) {
        for server in &self.cluster.servers {
            if let Err(error) = &server.open {
                let message = format!(
                    "the master has it for alive, and it does not tell which regions it has: {error}. Look at its log; \
                     when it has gone, its regions are assigned to others"
                );
                self.note_at(Kind::UnansweringServer, server.name.to_string(), message);
            }
        }
    }

    fn dead_servers(&mut self) {
        for (server, regions) in std::mem::take(&mut self.on_the_dead) {
            let named: Vec<_> = regions.iter().take(NAMED_REGIONS).map(|region| path_of(region)).collect();
            let more = if regions.len() > NAMED_REGIONS { ", …" } else { "" };
            let next = match self.cluster.dead.contains(server) {
                true => {
                    "The master knows that it is dead: it splits its logs, and assigns the regions then. If that does not end, see \
                     its log, and its procedures (finback shell: list_procedures)"
                }
                false => {
                    "The master knows nothing of that server. Nothing recovers its logs by itself: HBase's hbck2 has \
                     scheduleRecoveries for it; Finback's master looks after its directories of logs when it starts"
                }
            };
            let message = format!(
                "hbase:meta has {} of its regions there, and the server does not live: {}{more}. {next}",
                regions.len(),
                named.join(", ")
            );
            self.note_at(Kind::DeadServer, server.to_string(), message);
        }
    }
}

/// What a finding about a region calls it.
fn path_of(region: &RegionInfo) -> String {
    format!("{}/{}", region.table, region.encoded_name())
}
