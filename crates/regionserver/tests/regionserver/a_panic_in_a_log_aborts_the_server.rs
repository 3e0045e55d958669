//! A log that a panic has closed takes nothing any more: the server ends, and the next start has what was acknowledged.

use crate::world::{LONG, World};

#[tokio::test]
async fn a_server_whose_log_was_closed_by_a_panic_aborts() {
    let world = World::new();
    let table = world.table("t").await;
    table.put("before", b"1").await.unwrap();
    world.faults.panic_in_sync();
    table.put("lost", b"1").await.unwrap_err();
    table.put("after", b"1").await.unwrap_err();
    let asked = tokio::time::timeout(LONG, world.server.stop_asked()).await.expect("the server goes on");
    let reason = asked.unwrap_err();
    assert!(reason.contains("log"), "{reason}");
    table.flush().await.unwrap_err();
    let world = world.crash();
    let table = world.table("t").await;
    assert_eq!(table.get("before").await.unwrap()[0].1, b"1");
    assert!(table.get("after").await.unwrap().is_empty());
}
