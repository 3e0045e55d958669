use super::*;
use finback_client::messages::{HBaseVersionFileContent, LiveServerInfo, ServerLoad, ServerName};

fn source(peer: &str, queue: &str) -> ReplicationLoadSource {
    ReplicationLoadSource {
        peer_id: peer.to_owned(),
        queue_id: Some(queue.to_owned()),
        running: Some(true),
        size_of_log_queue: 2,
        replication_lag: 7,
        ..ReplicationLoadSource::default()
    }
}

fn cluster(sources: Vec<ReplicationLoadSource>, sink: Option<ReplicationLoadSink>) -> ClusterStatus {
    let server_load = ServerLoad { repl_load_source: sources, repl_load_sink: sink, ..ServerLoad::default() };
    let server = ServerName { host_name: "rs1".to_owned(), ..ServerName::default() };
    ClusterStatus {
        hbase_version: Some(HBaseVersionFileContent { version: "2.5.11".to_owned() }),
        live_servers: vec![LiveServerInfo { server, server_load }],
        ..ClusterStatus::default()
    }
}

fn idle() -> ReplicationLoadSink {
    ReplicationLoadSink {
        timestamp_started: Some(5),
        time_stamps_of_last_applied_op: 5,
        ..ReplicationLoadSink::default()
    }
}

fn told(status: &ClusterStatus, part: Option<&str>) -> Vec<String> {
    lines(status, Part::of(part).unwrap(), &TimeZone::UTC)
}

#[test]
fn a_server_that_replicates_nothing_waits() {
    let status = cluster(Vec::new(), Some(idle()));
    let (head, source, sink) = (
        ["version 2.5.11", "1 live servers", "    rs1:"],
        "       SOURCE:",
        "      SINK: TimeStampStarted=5, Waiting for OPs... ",
    );
    assert_eq!(told(&status, None), [&head[..], &[source, sink]].concat());
    assert_eq!(told(&status, Some("SOURCE")), [&head[..], &[source]].concat());
    assert_eq!(told(&status, Some("sink")), [&head[..], &[sink]].concat());
    assert!(Part::of(Some("nosuch")).is_err());
    assert_eq!(told(&cluster(Vec::new(), None), None), head[..2]);
}

#[test]
fn queues_are_told_by_their_peers() {
    let shipped = ReplicationLoadSource {
        age_of_last_shipped_op: 3,
        time_stamp_of_last_shipped_op: 1_700_000_000_000,
        edits_since_restart: Some(true),
        time_stamp_of_next_to_replicate: Some(1_700_000_001_000),
        edits_read: Some(9),
        o_ps_shipped: Some(8),
        ..source("1", "1")
    };
    let recovered = ReplicationLoadSource { recovered: Some(true), ..source("1", "1-rs2,16020,1") };
    let idle_queue = ReplicationLoadSource { running: Some(false), ..source("2", "2") };
    let applied = ReplicationLoadSink { time_stamps_of_last_applied_op: 1_700_000_000_000, ..idle() };
    let shown = told(&cluster(vec![shipped, recovered, idle_queue], Some(applied)), None);
    assert_eq!(
        shown[3..],
        [
            "       SOURCE: PeerID=1",
            "         Normal Queue: 1",
            "           AgeOfLastShippedOp=3, TimeStampOfLastShippedOp=Tue Nov 14 22:13:20 UTC 2023, SizeOfLogQueue=2, \
             EditsReadFromLogQueue=9, OpsShippedToTarget=8, TimeStampOfNextToReplicate=Tue Nov 14 22:13:21 UTC 2023, \
             Replication Lag=7",
            "         Recovered Queue: 1-rs2,16020,1",
            "           No Ops shipped since last restart, SizeOfLogQueue=2, EditsReadFromLogQueue=0, OpsShippedToTarget=0, \
             No edits for this source since it started, Replication Lag=7 PeerID=2",
            "         Normal Queue: 2",
            "           No Reader/Shipper threads runnning yet.",
            "      SINK: TimeStampStarted=5, AgeOfLastAppliedOp=0, TimeStampsOfLastAppliedOp=Tue Nov 14 22:13:20 UTC 2023",
        ]
    );
}
