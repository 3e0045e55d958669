//! Many clients, each with a scan open, and some that read nothing: queues are bounded, those that behave lose nothing, and
//! memory stays within its limit.

use crate::client::Client;
use crate::crowd::{Member, Tally, Target, deaf, fill};
use crate::memory_watch::MemoryWatch;
use crate::running_server::{LONG, Place};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::task::JoinSet;

const MEMBERS: usize = 200;
const DEAF: usize = MEMBERS / 10;
const ROWS: usize = 5000;
/// Memstores and cache are small, and leave room for the connections.
const LIMIT_MIB: u64 = 128;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crowd_of_scans_loses_nothing() {
    let place = Place::new();
    let server = place.start_with(&[
        "finback.memory.limit=128m",
        "hbase.regionserver.global.memstore.size=16m",
        "hfile.block.cache.size=16m",
        // So few that clients are put off.
        "hbase.regionserver.handler.count=1",
        "hbase.ipc.server.max.callqueue.length=20",
    ]);
    let memory = MemoryWatch::begin(server.pid());
    let client = Client::of(&server).await;
    let table = client.create_table("t").await;
    fill(&client, &table, ROWS).await;
    let target = Target { address: server.regionserver(), region: table.region.clone(), rows: ROWS };

    let (tally, stop) = (Arc::new(Tally::default()), Arc::new(AtomicBool::new(false)));
    let deaf = deaf(&target, DEAF);
    let mut members = JoinSet::new();
    for number in 0..MEMBERS {
        let (target, tally, stop) = (target.clone(), Arc::clone(&tally), Arc::clone(&stop));
        members.spawn(async move {
            Member::connect(&target, &tally).await.scan(1000, number, &stop).await;
        });
    }
    let all = async { while members.join_next().await.transpose().unwrap().is_some() {} };
    tokio::time::timeout(LONG, all).await.expect("they do not come to an end");
    drop(deaf);

    assert_eq!(tally.rows.load(Ordering::Relaxed), MEMBERS * ROWS);
    assert!(tally.put_off.load(Ordering::Relaxed) > 0, "no queue was full");
    let most = memory.most_mib();
    assert!(most <= LIMIT_MIB, "{most} MiB");
    server.stop();
}
