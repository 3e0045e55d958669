//! The master.

use crate::bean::Bean::{AssignmentManager, Balancer, Master, Snapshots};
use crate::metric::Kind::{Counter, Gauge, Histogram, Tag};
use crate::metric::Source::Master as M;
use crate::metric::{Metric, metric};
use crate::snapshot::{MasterFigures, ProcedureFigures};
use crate::value::Value;

fn procedures<'a>(
    master: &'a MasterFigures,
    kind: &str,
    of: impl Fn(&'a ProcedureFigures) -> Value<'a>,
) -> Value<'a> {
    master.procedures(kind).map_or(Value::Absent, of)
}

/// Procedures of a kind that were asked for.
macro_rules! submitted {
    ($bean:expr, $kind:literal, $label:literal) => {
        metric(
            $bean,
            &[concat!($kind, "SubmittedCount")],
            "finback_master_procedures_total",
            Counter,
            "procedures",
            "Procedures of the master, and transitions of regions, that were asked for, by kind.",
            M(|m| procedures(m, $kind, |p| p.submitted.into())),
        )
        .labelled("kind", $label)
    };
}

/// Those of them that failed.
macro_rules! failed {
    ($bean:expr, $kind:literal, $label:literal) => {
        metric(
            $bean,
            &[concat!($kind, "FailedCount")],
            "finback_master_failed_procedures_total",
            Counter,
            "procedures",
            "Those of them that failed, by kind.",
            M(|m| procedures(m, $kind, |p| p.failed.into())),
        )
        .labelled("kind", $label)
    };
}

/// How long those took that succeeded.
macro_rules! took {
    ($bean:expr, $kind:literal, $label:literal) => {
        metric(
            $bean,
            &[concat!($kind, "Time")],
            "finback_master_procedure_duration_seconds",
            Histogram,
            "ms",
            "How long procedures took, with what they waited for, by kind.",
            M(|m| procedures(m, $kind, |p| Value::Times(&p.time))),
        )
        .labelled("kind", $label)
    };
}

#[rustfmt::skip]
pub(super) const MASTER: &[Metric] = &[
    metric(Master, &["tag.serverName"], "", Tag, "", "The master's name.", M(|m| m.name.as_str().into())),
    metric(Master, &["tag.clusterId"], "", Tag, "", "The cluster's id.", M(|m| m.cluster_id.as_str().into())),
    metric(Master, &["tag.zookeeperQuorum"], "", Tag, "", "Where ZooKeeper clients find the cluster.", M(|m| m.zookeeper_quorum.as_str().into())),
    metric(Master, &["tag.isActiveMaster"], "", Tag, "", "Whether this is the active master: it is.", M(|_| "true".into())),
    metric(Master, &["tag.liveRegionServers"], "", Tag, "", "Names of live region servers.", M(|m| m.live_servers.as_str().into())),
    metric(Master, &["tag.deadRegionServers"], "", Tag, "", "Names of dead region servers.", M(|m| m.dead_servers.as_str().into())),
    metric(Master, &["masterStartTime", "masterActiveTime"], "finback_master_start_time_seconds", Gauge, "ms since the epoch", "When the master was started.", M(|m| m.start_ms.into())).milliseconds(),
    metric(Master, &["numRegionServers"], "finback_master_region_servers", Gauge, "servers", "Region servers, by whether they live.", M(|m| m.live_server_count.into())).labelled("state", "live"),
    metric(Master, &["numDeadRegionServers"], "finback_master_region_servers", Gauge, "servers", "Region servers, by whether they live.", M(|m| m.dead_server_count.into())).labelled("state", "dead"),
    metric(Master, &["averageLoad"], "finback_master_average_load", Gauge, "regions", "Regions per live region server.", M(|m| m.average_load.into())),
    metric(Master, &["clusterRequests"], "finback_master_cluster_requests_total", Counter, "requests", "Calls of ClientService, as region servers have last told.", M(|m| m.cluster_requests.into())),
    metric(Master, &["masterFinishedInitializationTime"], "finback_master_initialized_time_seconds", Gauge, "ms since the epoch", "When the master began to serve clients; 0 before.", M(|m| m.initialized_ms.into())).milliseconds(),
    submitted!(Master, "ServerCrash", "server_crash"),
    failed!(Master, "ServerCrash", "server_crash"),
    took!(Master, "ServerCrash", "server_crash"),
    metric(AssignmentManager, &["ritCount"], "finback_master_regions_in_transition", Gauge, "regions", "Regions that are on their way to be opened or closed.", M(|m| m.in_transition.into())),
    metric(AssignmentManager, &["ritOldestAge"], "finback_master_oldest_transition_age_seconds", Gauge, "ms", "How long the region has been on its way that has been so longest.", M(|m| m.oldest_transition_ms.into())).milliseconds(),
    metric(AssignmentManager, &["ritCountOverThreshold"], "finback_master_overdue_transitions", Gauge, "regions", "Regions that have been on their way for more than a minute.", M(|m| m.overdue_transitions.into())),
    metric(AssignmentManager, &["operationCount"], "", Counter, "procedures", "Procedures and transitions that were asked for.", M(|m| m.procedures.iter().map(|(_, of)| of.submitted).sum::<u64>().into())),
    metric(AssignmentManager, &["RitDuration"], "finback_master_transition_duration_seconds", Histogram, "ms", "How long regions were on their way.", M(|m| Value::Times(&m.transition_time))),
    submitted!(AssignmentManager, "Assign", "assign"),
    failed!(AssignmentManager, "Assign", "assign"),
    took!(AssignmentManager, "Assign", "assign"),
    submitted!(AssignmentManager, "Unassign", "unassign"),
    failed!(AssignmentManager, "Unassign", "unassign"),
    took!(AssignmentManager, "Unassign", "unassign"),
    submitted!(AssignmentManager, "Move", "move"),
    failed!(AssignmentManager, "Move", "move"),
    took!(AssignmentManager, "Move", "move"),
    submitted!(AssignmentManager, "Open", "open"),
    failed!(AssignmentManager, "Open", "open"),
    took!(AssignmentManager, "Open", "open"),
    submitted!(AssignmentManager, "Close", "close"),
    failed!(AssignmentManager, "Close", "close"),
    took!(AssignmentManager, "Close", "close"),
    submitted!(AssignmentManager, "Split", "split"),
    failed!(AssignmentManager, "Split", "split"),
    took!(AssignmentManager, "Split", "split"),
    submitted!(AssignmentManager, "Merge", "merge"),
    failed!(AssignmentManager, "Merge", "merge"),
    took!(AssignmentManager, "Merge", "merge"),
    metric(Balancer, &["tag.isBalancerActive"], "", Tag, "", "Whether regions are balanced: the switch of the shell.", M(|m| if m.balances { "true" } else { "false" }.into())),
    took!(Snapshots, "Snapshot", "snapshot"),
    took!(Snapshots, "SnapshotRestore", "snapshot_restore"),
    took!(Snapshots, "SnapshotClone", "snapshot_clone"),
];
