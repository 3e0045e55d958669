use crate::running_server::Place;
use finback_client::{
    ClientConfig, ColumnFamilyDescriptor, Connection, Get, Put, Scan, TableDescriptor, TableName,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A server is killed and started again, on its ports, under writers and a scan, none of which notices more than that it took
/// longer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn by_writers_and_scans_that_were_under_way() {
    let place = Place::new();
    let server = place.start();
    let ports = [
        format!("hbase.zookeeper.property.clientPort={}", server.zookeeper().port()),
        format!("hbase.master.port={}", server.master().port()),
        format!("hbase.regionserver.port={}", server.regionserver().port()),
    ];
    let config = ClientConfig::zookeeper(&server.zookeeper().to_string()).pause(Duration::from_millis(20));
    let connection = Connection::open(config.retries(1000)).await.unwrap();
    let name = TableName::parse(b"t").unwrap();
    let table = TableDescriptor::new(name).with_family(ColumnFamilyDescriptor::with_defaults(b"f"));
    connection.admin().create_table(&table, ["5"]).await.unwrap();
    let table = connection.table("t").unwrap();

    let written = Arc::new(AtomicUsize::new(0));
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let (table, written) = (table.clone(), Arc::clone(&written));
            tokio::spawn(async move {
                for number in 0..250 {
                    let put = Put::new(format!("{number:03}-{writer}")).column("f", "q", "v");
                    table.put(put).await.unwrap();
                    written.fetch_add(1, Ordering::SeqCst);
                }
            })
        })
        .collect();
    while written.load(Ordering::SeqCst) < 100 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let mut scan = table.scan(Scan::new().caching(1)).unwrap();
    let first = scan.next().await.unwrap().unwrap();
    server.kill();
    let _again = place.start_with(&ports.each_ref().map(String::as_str));
    for writer in writers {
        writer.await.unwrap();
    }
    let mut keys = vec![first.key().to_vec()];
    while let Some(row) = scan.next().await.unwrap() {
        keys.push(row.key().to_vec());
    }
    assert!(keys.is_sorted() && keys.len() >= 100, "{} rows", keys.len());
    keys.dedup();
    let there = table.exists_all(keys.iter().map(Get::new)).await.unwrap();
    assert!(there.iter().all(|there| *there));
    assert_eq!(table.scan(Scan::new()).unwrap().collect(usize::MAX).await.unwrap().len(), 1000);
}
