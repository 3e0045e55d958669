use crate::fake_cluster::FakeCluster;
use finback_client::{CompactionState, Connection};
use finback_rpc::exceptions;

#[tokio::test]
async fn a_region_without_a_server_is_not_asked() {
    let cluster = FakeCluster::start(1).await;
    let admin = Connection::open(cluster.config()).await.unwrap().admin();
    cluster.state.lock().unwrap().homeless = usize::MAX;
    admin.compact_table("t", None, false).await.unwrap();
    assert_eq!(admin.compaction_state_of_table("t").await.unwrap(), CompactionState::None);
    assert!(cluster.called().is_empty());
}

#[tokio::test]
async fn a_region_that_is_closed_is_not_being_compacted() {
    let cluster = FakeCluster::start(1).await;
    let admin = Connection::open(cluster.config()).await.unwrap().admin();
    cluster.next_fails(exceptions::not_serving_region("closed"));
    assert_eq!(admin.compaction_state_of_table("t").await.unwrap(), CompactionState::None);
    assert_eq!(cluster.called(), [0]);
}
