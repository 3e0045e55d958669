//! `finback check HOST[:PORT]`

mod asking;

use super::repairing::{is_wanted, nothing_to_do};
use super::telling::Told;
use crate::cli::amounts::counted;
use crate::cli::arguments::Arguments;
use crate::cli::settings;
use crate::cli::stop::{EXIT_INTERRUPTED, Stop};
use asking::{Progress, Unanswered};
use finback_client::{Admin, ClientConfig, ClusterAddress, Connection};
use finback_inspect::{CheckReport, CheckWatcher, Losses, Repair, check_cluster};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// A cluster that gives no answer for so long gives none.
const PATIENCE: Duration = Duration::from_secs(15);
/// How often what was found is looked for again: what is true for a moment only is no finding.
const LOOKS: u32 = 3;
/// Between two of them: longer than a region takes to be opened.
const BETWEEN_LOOKS: Duration = Duration::from_millis(700);
/// How often Ctrl-C is looked for.
const INTERRUPT_LOOK: Duration = Duration::from_millis(50);
/// HBase's port of masters, and of region servers.
const MASTER_PORT: &str = "16000";
const REGION_SERVER_PORT: &str = "16020";

/// Whether it could name a host, or a host and a port.
pub(super) fn is_address(text: &str) -> bool {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) => (host, port.parse::<u16>().is_ok_and(|port| port > 0)),
        None => (text, true),
    };
    let is_of_host = |character: char| character.is_ascii_alphanumeric() || ".-_[]:".contains(character);
    port && host.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '[')
        && host.chars().all(is_of_host)
}

pub(super) fn run(arguments: &Arguments, address: &str) -> Result<ExitCode, Stop> {
    if arguments.has("quick") {
        return Err(arguments.combination("--quick goes with a DIR: of a cluster no files are read").into());
    }
    if arguments.has("salvage") {
        return Err(arguments
            .combination("--salvage goes with a DIR: of a cluster no files are read")
            .into());
    }
    let (fixes, asks, is_json) = (arguments.has("fix"), !arguments.has("yes"), arguments.has("json"));
    let config = at(address, settings::client_config(arguments)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let mut told = Told::new(Path::new(address), is_json);
    runtime.block_on(async {
        find_host(address).await?;
        let connection =
            Connection::open_lazily(config).map_err(|error| no_cluster(address, &error.into()))?;
        let admin = connection.admin();
        let report = confirmed(&admin, address, &mut told).await;
        told.end();
        let Some(report) = report? else {
            eprintln!("{address}: interrupted before the end");
            return Ok(ExitCode::from(EXIT_INTERRUPTED));
        };
        if is_json {
            writeln!(io::stdout(), "{}", report.to_json())?;
        } else {
            report.findings.iter().try_for_each(|finding| told.finding(finding))?;
            told.summary(&report)?;
        }
        let is_sound = match fixes {
            true => repair(&admin, &report, asks, is_json, &told).await?,
            false => Some(report.is_sound()),
        };
        Ok(super::exit_code(is_sound))
    })
}

/// The settings of a client, for the cluster that has this address.
fn at(address: &str, mut config: ClientConfig) -> ClientConfig {
    config.cluster = match (address.rsplit_once(':'), &config.cluster) {
        (Some((_, MASTER_PORT)), _) => ClientConfig::masters(address).cluster,
        (Some((_, REGION_SERVER_PORT)), _) => ClientConfig::bootstrap(address).cluster,
        (_, ClusterAddress::ZooKeeper { parent, .. }) => match ClientConfig::zookeeper(address).cluster {
            ClusterAddress::ZooKeeper { quorum, .. } => {
                ClusterAddress::ZooKeeper { quorum, parent: parent.clone() }
            }
            other => other,
        },
        _ => ClientConfig::zookeeper(address).cluster,
    };
    config.operation_timeout = config.operation_timeout.min(PATIENCE);
    config.scan_timeout = config.scan_timeout.min(PATIENCE);
    config
}

/// A name that was mistyped is told at once, not after all the tries of a client.
async fn find_host(address: &str) -> Result<(), Stop> {
    let found = match address.rsplit_once(':') {
        Some(_) => tokio::net::lookup_host(address).await.map(drop),
        None => tokio::net::lookup_host((address, 0)).await.map(drop),
    };
    found.map_err(|error| {
        let reason = "neither a directory that is there, nor the name of a host";
        Stop::Failed(format!(
            "{address} is {reason}: {error}; name a root directory, or a cluster's HOST[:PORT]"
        ))
    })
}

fn no_cluster(address: &str, unanswered: &Unanswered) -> Stop {
    Stop::Failed(unanswered.advice(address))
}

/// What is found each time; none if Ctrl-C ended it.
async fn confirmed(admin: &Admin, address: &str, told: &mut Told) -> Result<Option<CheckReport>, Stop> {
    let mut found: Option<CheckReport> = None;
    for look in 0..LOOKS {
        if look > 0 && interruptible(told, tokio::time::sleep(BETWEEN_LOOKS)).await.is_none() {
            return Ok(None);
        }
        let progress = Progress::default();
        let Some(cluster) = watched(told, look, &progress, asking::cluster(admin, address, &progress)).await
        else {
            return Ok(None);
        };
        let report = check_cluster(&cluster.map_err(|error| no_cluster(address, &error))?);
        let report = match &found {
            Some(earlier) => report.confirming(earlier),
            None => report,
        };
        let is_clean = report.findings.is_empty();
        found = Some(report);
        if is_clean {
            break;
        }
    }
    Ok(found)
}

/// What comes of it, unless Ctrl-C is pressed; a bar shows how far the look is.
async fn watched<T>(
    told: &mut Told,
    look: u32,
    progress: &Progress,
    work: impl Future<Output = T>,
) -> Option<T> {
    let what = match look {
        0 => "asking the servers",
        _ => "asking them again",
    };
    let mut work = std::pin::pin!(work);
    loop {
        let (done, total) = progress.steps();
        if !told.step(what, done, total) {
            return None;
        }
        if let Ok(outcome) = tokio::time::timeout(INTERRUPT_LOOK, &mut work).await {
            return Some(outcome);
        }
    }
}

/// What comes of it, unless Ctrl-C is pressed.
async fn interruptible<T>(told: &Told, work: impl Future<Output = T>) -> Option<T> {
    let interrupted = async {
        while !told.is_interrupted() {
            tokio::time::sleep(INTERRUPT_LOOK).await;
        }
    };
    tokio::select! {
        outcome = work => Some(outcome),
        () = interrupted => None,
    }
}

/// Shows, asks if it is to, and has regions assigned. Whether nothing is wrong any more; none if Ctrl-C
/// ended it.
async fn repair(
    admin: &Admin,
    report: &CheckReport,
    asks: bool,
    is_json: bool,
    told: &Told,
) -> Result<Option<bool>, Stop> {
    let root = &report.root;
    let repairs: Vec<&Repair> = report.repairs(Losses::Refused).collect();
    if repairs.is_empty() {
        if !is_json && !report.is_sound() {
            writeln!(io::stdout(), "{}", nothing_to_do(report))?;
        }
        return Ok(Some(report.is_sound()));
    }
    if !is_json {
        for repair in &repairs {
            writeln!(io::stdout(), "would {}", repair.describe(root))?;
        }
    }
    if asks && !is_wanted(repairs.len() as u64)? {
        writeln!(io::stdout(), "nothing was changed")?;
        return Ok(Some(report.is_sound()));
    }
    let mut refused = 0u64;
    for repair in repairs {
        let Some(applied) = interruptible(told, apply(admin, repair)).await else { return Ok(None) };
        match applied {
            Ok(()) if is_json => {}
            Ok(()) => writeln!(io::stdout(), "did {}", repair.describe(root))?,
            Err(error) => {
                refused += 1;
                eprintln!("finback: cannot {}: {error}", repair.describe(root));
            }
        }
    }
    let left = refused + report.problems_without_repair(Losses::Refused);
    if !is_json && left > 0 {
        writeln!(io::stdout(), "{} cannot be repaired here", counted(left, "problem"))?;
    }
    Ok(Some(left == 0))
}

async fn apply(admin: &Admin, repair: &Repair) -> Result<(), String> {
    match repair {
        Repair::Assign { region } => {
            admin.assign_region(region.name()).await.map_err(|error| error.to_string())
        }
        other => Err(format!("{other:?} is no repair of a cluster that runs")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_told_from_paths() {
        for text in ["localhost", "localhost:2181", "10.0.0.1:16000", "[::1]:2181", "zk-1.example.org"] {
            assert!(is_address(text), "{text}");
        }
        for text in
            ["", "/data", "a/b", "./data", "host:", "host:x", "host:0", "host:70000", "-x", "a b", ".data"]
        {
            assert!(!is_address(text), "{text}");
        }
    }

    #[test]
    fn the_port_says_who_is_asked() {
        let of = |address| at(address, ClientConfig::zookeeper("elsewhere:1")).cluster;
        assert_eq!(of("h"), ClientConfig::zookeeper("h:2181").cluster);
        assert_eq!(of("h:2182"), ClientConfig::zookeeper("h:2182").cluster);
        assert_eq!(of("h:16000"), ClientConfig::masters("h:16000").cluster);
        assert_eq!(of("h:16020"), ClientConfig::bootstrap("h:16020").cluster);
        let key = ClientConfig::of_cluster_key("elsewhere:1:/own").unwrap();
        assert_eq!(at("h", key).cluster_key().unwrap(), "h:2181:/own");
    }
}
