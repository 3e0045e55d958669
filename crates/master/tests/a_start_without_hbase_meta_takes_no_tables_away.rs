//! Where hbase:meta is lost, or was left out of a backup, the tables' files are all that is left.

mod cluster;

use cluster::{Cluster, store::Store, table_name};

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

/// Regions with cells, and without a row, that HBase left are no litter of a crash; what comes later is.
#[tokio::test(start_paused = true)]
async fn nor_what_lay_there_when_the_directory_was_taken_over() {
    const LOST: &str = "0123456789abcdef0123456789abcdef";
    const LITTER: &str = "fedcba9876543210fedcba9876543210";
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &[]).await.unwrap();
    cluster.master.stop();
    let (memory, store, root) = (cluster.memory.clone(), cluster.store.clone(), cluster.root());
    let put = |table: &str, region: &str| {
        let dir = root.family_dir(&table_name(table), region, b"f");
        root.fs().create_dir_all(&dir).unwrap();
        finback_fs::write_file_durably(&**root.fs(), &dir.join(FILE), b"cells").unwrap();
        dir.join(FILE)
    };
    // As HBase leaves it: without our procedures.
    root.fs().remove_file(&root.path().join("finback.procedures")).unwrap();
    let lost = [put("t", LOST), put("gone", LOST)];
    let litter = root.family_dir(&table_name("t"), LITTER, b"f").join(FILE);
    for start in 1..4 {
        let next = Cluster::on(memory.clone(), store.clone(), NOW + 1000 * start).await;
        next.server.register().await.unwrap();
        next.master.initialized().await.unwrap();
        assert!(lost.iter().all(|path| root.fs().exists(path).unwrap()), "start {start}");
        assert!(start == 1 || !root.fs().exists(&litter).unwrap(), "start {start}");
        next.create(&format!("t{start}"), &["f"], &[]).await.unwrap();
        next.master.stop();
        put("t", LITTER);
    }
}
