//! `status 'replication'`: what servers send to other clusters, and what they take from them.

use crate::error::{Result, ShellError};
use crate::format::java_date;
use finback_client::messages::{ClusterStatus, ReplicationLoadSink, ReplicationLoadSource};
use jiff::tz::TimeZone;

/// What is told of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Source,
    Sink,
    Both,
}

impl Part {
    pub(super) fn of(name: Option<&str>) -> Result<Self> {
        match name.unwrap_or("both").to_ascii_lowercase().as_str() {
            "source" => Ok(Self::Source),
            "sink" => Ok(Self::Sink),
            "both" => Ok(Self::Both),
            other => Err(ShellError::argument(format!(
                "status 'replication' knows 'source', 'sink' and 'both', not '{other}'"
            ))),
        }
    }
}

pub(super) fn lines(status: &ClusterStatus, part: Part, zone: &TimeZone) -> Vec<String> {
    let version = status.hbase_version.as_ref().map_or("", |version| version.version.as_str());
    let mut lines = vec![format!("version {version}"), format!("{} live servers", status.live_servers.len())];
    for server in &status.live_servers {
        // Who has not told of replication is passed over, as HBase's shell does.
        let Some(taken) = &server.server_load.repl_load_sink else { continue };
        lines.push(format!("    {}:", server.server.host_name));
        if part != Part::Sink {
            lines.extend(sources(&server.server_load.repl_load_source, zone));
        }
        if part != Part::Source {
            lines.push(sink(taken, zone));
        }
    }
    lines
}

fn sink(sink: &ReplicationLoadSink, zone: &TimeZone) -> String {
    let started = sink.timestamp_started();
    // A server that has just begun to wait says that it applied something then.
    if sink.time_stamps_of_last_applied_op == started {
        return format!("      SINK: TimeStampStarted={started}, Waiting for OPs... ");
    }
    format!(
        "      SINK: TimeStampStarted={started}, AgeOfLastAppliedOp={}, TimeStampsOfLastAppliedOp={}",
        sink.age_of_last_applied_op,
        java_date(sink.time_stamps_of_last_applied_op, zone)
    )
}

/// The queues of each cluster that is replicated to, in the order of these clusters.
fn sources(sources: &[ReplicationLoadSource], zone: &TimeZone) -> Vec<String> {
    let mut peers: Vec<&str> = Vec::new();
    for source in sources {
        if !peers.contains(&source.peer_id.as_str()) {
            peers.push(&source.peer_id);
        }
    }
    let mut text = "       SOURCE:".to_owned();
    for peer in peers {
        text += &format!(" PeerID={peer}");
        for source in sources.iter().filter(|source| source.peer_id == peer) {
            let kind = if source.recovered() { "Recovered" } else { "Normal" };
            text += &format!(
                "\n         {kind} Queue: {}\n           {}",
                source.queue_id(),
                queue(source, zone)
            );
        }
    }
    text.lines().map(str::to_owned).collect()
}

fn queue(source: &ReplicationLoadSource, zone: &TimeZone) -> String {
    if !source.running() {
        return "No Reader/Shipper threads runnning yet.".to_owned();
    }
    let shipped = match source.time_stamp_of_last_shipped_op {
        0 => "No Ops shipped since last restart".to_owned(),
        at => format!(
            "AgeOfLastShippedOp={}, TimeStampOfLastShippedOp={}",
            source.age_of_last_shipped_op,
            java_date(at, zone)
        ),
    };
    let next = match source.edits_since_restart() {
        true => {
            format!(
                "TimeStampOfNextToReplicate={}",
                java_date(source.time_stamp_of_next_to_replicate(), zone)
            )
        }
        false => "No edits for this source since it started".to_owned(),
    };
    format!(
        "{shipped}, SizeOfLogQueue={}, EditsReadFromLogQueue={}, OpsShippedToTarget={}, {next}, Replication Lag={}",
        source.size_of_log_queue,
        source.edits_read(),
        source.o_ps_shipped(),
        source.replication_lag
    )
}

#[cfg(test)]
mod tests;
