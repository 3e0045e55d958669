//! Where hbase:meta is lost, or was left out of a backup, the tables' files are all that is left.

mod cluster;

use cluster::{Cluster, store::Store};

const FILE: &str = "576d886d16ff4d8e996c75d842dfbf8b";
const NOW: u64 = 1_700_000_000_000;

#[tokio::test(start_paused = true)]
async fn however_often_it_is_tried() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &["m"]).await.unwrap();
    assert_eq!(cluster.put_store_files("t", "f", FILE), 2);
    cluster.master.stop();
    let (memory, store) = (cluster.memory.clone(), Store::default());
    for start in 1..3 {
        let next = Cluster::on(memory.clone(), store.clone(), NOW + 1000 * start).await;
        next.server.register().await.unwrap();
        let failure = next.master.initialized().await.unwrap_err();
        assert!(failure.starts_with("hbase:meta is empty, and /hbase/data has tables (t, ...)"), "{failure}");
        assert_eq!(next.files_below("data").len(), 2);
        next.master.stop();
    }
}
