use crate::cluster::Cluster;
use finback_client::RegionInfo;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Nothing in these tests takes as long.
const PATIENCE: Duration = Duration::from_secs(60);

async fn check(cluster: &Cluster, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_finback"));
    command.arg("check").arg(&cluster.quorum).args(options).env("NO_COLOR", "1");
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

fn said(output: &Output) -> String {
    [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_a_sound_cluster_nothing_is_found() {
    let cluster = Cluster::start().await;
    let admin = cluster.connection.admin();
    let table = cluster.table("flowers", &["h", "p"]).await;
    cluster.table("weeds", &["h"]).await;
    admin.disable_table("weeds").await.unwrap();
    let regions = table.regions().await.unwrap();
    admin.split_region(&regions[0].region, Some(b"d")).await.unwrap();
    let output = check(&cluster, &[]).await;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains(&format!("{}: sound", cluster.quorum)), "{}", said(&output));
    let output = check(&cluster, &["--json"]).await;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = said(&output);
    assert!(text.contains("\"sound\":true") && text.contains("\"problems\":0"), "{text}");
}

/// Until the region is open somewhere, or nowhere.
async fn wait_until_open(cluster: &Cluster, region: &RegionInfo, is_wanted: bool) {
    let admin = cluster.connection.admin();
    let started = Instant::now();
    loop {
        let mut is_open = false;
        for server in admin.region_servers().await.unwrap() {
            let open = admin.regions_of_server(&server).await.unwrap();
            is_open |= open.iter().any(|one| one.encoded_name() == region.encoded_name());
        }
        if is_open == is_wanted {
            return;
        }
        assert!(started.elapsed() < PATIENCE, "open: {is_open}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_region_that_nobody_has_open_is_found_and_assigned() {
    let cluster = Cluster::start().await;
    let table = cluster.table("flowers", &["h"]).await;
    let region = table.regions().await.unwrap()[1].region.clone();
    cluster.connection.admin().unassign_region(region.name()).await.unwrap();
    wait_until_open(&cluster, &region, false).await;
    let output = check(&cluster, &[]).await;
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let wanted = format!("problem not-assigned: flowers/{}: hbase:meta says CLOSED", region.encoded_name());
    assert!(said(&output).contains(&wanted), "{}", said(&output));
    let output = check(&cluster, &["--fix", "--yes"]).await;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let repair = format!("have the master assign region {} of table flowers", region.encoded_name());
    for wanted in [format!("would {repair}"), format!("did {repair}")] {
        assert!(said(&output).contains(&wanted), "{}", said(&output));
    }
    wait_until_open(&cluster, &region, true).await;
    let output = check(&cluster, &[]).await;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

#[test]
fn what_cannot_be_a_cluster_is_refused() {
    let refused = |operands: &[&str]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_finback")).arg("check").args(operands).output().unwrap();
        (output.status.code(), said(&output))
    };
    let (code, text) = refused(&["./not-there"]);
    assert!(code == Some(1) && text.contains("HOST[:PORT]"), "{code:?} {text}");
    let (code, text) = refused(&["nothing.invalid"]);
    assert!(code == Some(1) && text.contains("nor the name of a host"), "{code:?} {text}");
    let (code, text) = refused(&["localhost:2181", "--quick"]);
    assert!(code == Some(2) && text.contains("--quick goes with a DIR"), "{code:?} {text}");
}
