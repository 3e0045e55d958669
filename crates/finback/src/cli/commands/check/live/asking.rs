//! What the servers of a cluster say.

use finback_client::{
    Admin, Error, MetaRegion, RegionInfo, Result, ServerName, StatusOption, StringBinary, TableName,
    TablePattern, messages as pb,
};
use finback_inspect::{Cluster, ClusterRegion, ClusterServer, ClusterTransition};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::task::JoinSet;

/// So many servers are asked at a time.
const AT_A_TIME: usize = 32;
/// A server that says nothing for so long is told of; the others wait for it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Questions to the master and hbase:meta: its state, the rows of hbase:meta, where that is, descriptors.
const FIRST_QUESTIONS: u64 = 4;

/// How many questions of a look are answered.
#[derive(Debug, Default)]
pub(super) struct Progress {
    answered: AtomicU64,
    /// Region servers, once they are known.
    servers: AtomicU64,
}

impl Progress {
    /// Questions that are answered, and all of them.
    pub(super) fn steps(&self) -> (u64, u64) {
        (self.answered.load(Ordering::Relaxed), FIRST_QUESTIONS + self.servers.load(Ordering::Relaxed))
    }

    fn answer(&self) {
        self.answered.fetch_add(1, Ordering::Relaxed);
    }
}

/// Who did not answer, so that nothing can be checked.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// The master, or where it is.
    Master(Error),
    /// The server that has hbase:meta, or nobody has it. The master did answer.
    Meta { error: Error, alive: Vec<ServerName>, dead: Vec<ServerName> },
}

impl From<Error> for Unanswered {
    fn from(error: Error) -> Self {
        Self::Master(error)
    }
}

impl Unanswered {
    /// What is said of it, and what to look at.
    pub(super) fn advice(&self, address: &str) -> String {
        match self {
            Self::Master(error) => format!(
                "{address} is no directory that is there, and the cluster cannot be checked: {error}. HOST[:PORT] is its \
                 ZooKeeper's; see whether its master runs"
            ),
            Self::Meta { error, alive, dead } => {
                let named = |servers: &[ServerName]| match servers {
                    [] => "none".to_owned(),
                    servers => servers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
                };
                format!(
                    "{address}: the cluster cannot be checked, since hbase:meta cannot be read: {error}. The master runs; region \
                     servers that it has for alive: {}; for dead: {}. See whether one runs; the master has it open hbase:meta",
                    named(alive),
                    named(dead)
                )
            }
        }
    }
}

/// Asks the master, hbase:meta, and every region server.
pub(super) async fn cluster(
    admin: &Admin,
    name: &str,
    progress: &Progress,
) -> std::result::Result<Cluster, Unanswered> {
    let status = admin
        .cluster_status(&[
            StatusOption::ServersName,
            StatusOption::DeadServers,
            StatusOption::RegionsInTransition,
        ])
        .await?;
    let live = names(&status.servers_name)?;
    progress.servers.store(live.len() as u64, Ordering::Relaxed);
    progress.answer();
    let dead = names(&status.dead_servers)?;
    let contents = match admin.meta_contents().await {
        Ok(contents) => contents,
        Err(error) => return Err(Unanswered::Meta { error, alive: live, dead }),
    };
    progress.answer();
    let meta = admin.regions_of_table(TableName::meta()).await?;
    progress.answer();
    let malformed = contents.malformed.iter().map(|key| format!("row {} cannot be read", StringBinary(key)));
    let described = admin.descriptors(&TablePattern::all().with_system_tables()).await?;
    progress.answer();
    Ok(Cluster {
        name: name.to_owned(),
        regions: meta.into_iter().chain(contents.regions).map(region).collect(),
        malformed: malformed.collect(),
        tables: contents.tables.into_iter().collect(),
        described: described.into_iter().map(|table| table.name).collect(),
        servers: servers(admin, live, progress).await,
        dead: dead.into_iter().collect(),
        transitions: transitions(&status)?,
        may_be_dividing: may_be_dividing(admin).await,
        now_ms: now_ms(),
    })
}

/// Whether regions are being split or merged, as far as the master says.
async fn may_be_dividing(admin: &Admin) -> bool {
    use pb::ProcedureState::{Failed, Rolledback, Success};
    let is_dividing = |procedure: &pb::Procedure| {
        let class = procedure.class_name.rsplit('.').next().unwrap_or_default();
        ["SplitTableRegionProcedure", "MergeTableRegionsProcedure"].contains(&class)
            && ![Success, Rolledback, Failed].contains(&procedure.state())
    };
    admin.procedures().await.map_or(true, |procedures| procedures.iter().any(is_dividing))
}

fn now_ms() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(now.as_millis()).unwrap_or(u64::MAX)
}

fn region(row: MetaRegion) -> ClusterRegion {
    let server = row.server().cloned();
    let others = row.replicas.into_iter().filter(|(number, ..)| *number > 0);
    ClusterRegion {
        info: row.region,
        state: row.state,
        server,
        replicas: others.map(|(number, server, _)| (number, server)).collect(),
        daughters: row.daughters,
    }
}

fn names(servers: &[pb::ServerName]) -> Result<Vec<ServerName>> {
    servers.iter().map(|server| ServerName::try_from(server).map_err(malformed)).collect()
}

fn malformed(error: impl ToString) -> Error {
    Error::Malformed { method: "GetClusterStatus", reason: error.to_string() }
}

fn transitions(status: &pb::ClusterStatus) -> Result<HashMap<String, ClusterTransition>> {
    let transition = |told: &pb::RegionInTransition| {
        let info = RegionInfo::try_from(&told.region_state.region_info).map_err(malformed)?;
        let state = told.region_state.state().as_str_name().to_owned();
        Ok((info.encoded_name(), ClusterTransition { state, since_ms: told.region_state.stamp }))
    };
    status.regions_in_transition.iter().map(transition).collect()
}

/// Has each server say which regions it has open.
async fn servers(admin: &Admin, names: Vec<ServerName>, progress: &Progress) -> Vec<ClusterServer> {
    let mut servers = Vec::with_capacity(names.len());
    for some in names.chunks(AT_A_TIME) {
        let mut asked = JoinSet::new();
        for name in some {
            let (admin, name) = (admin.clone().with_operation_timeout(PATIENCE), name.clone());
            asked.spawn(async move {
                let open = admin.regions_of_server(&name).await.map_err(|error| error.to_string());
                ClusterServer { name, open }
            });
        }
        while let Some(answer) = asked.join_next().await {
            progress.answer();
            match answer {
                Ok(server) => servers.push(server),
                Err(error) => std::panic::resume_unwind(error.into_panic()),
            }
        }
    }
    servers.sort_by(|a, b| a.name.cmp(&b.name));
    servers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error() -> Error {
        Error::Malformed { method: "Scan", reason: "nobody answers".to_owned() }
    }

    #[test]
    fn who_did_not_answer_is_named() {
        let master = Unanswered::from(error()).advice("h:1");
        assert!(
            master.contains("nobody answers") && master.ends_with("see whether its master runs"),
            "{master}"
        );
        let server = ServerName { host: "rs1".to_owned(), port: 16020, start_code: 7 };
        let meta = Unanswered::Meta { error: error(), alive: Vec::new(), dead: vec![server] }.advice("h:1");
        assert!(meta.contains("hbase:meta cannot be read") && meta.contains("nobody answers"), "{meta}");
        assert!(meta.contains("alive: none; for dead: rs1,16020,7."), "{meta}");
    }
}
