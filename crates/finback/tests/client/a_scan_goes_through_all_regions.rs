use crate::cluster::Cluster;
use finback_client::{Filter, Put, Row, Scan, Table};
use std::pin::Pin;

const SPLITS: [&str; 3] = ["row-025", "row-050", "row-075"];

/// A table of four regions with the rows from 0 to 99, of five columns each.
async fn filled(cluster: &Cluster) -> Table {
    let table = cluster.table("t", &SPLITS).await;
    let put = |number: usize| {
        let put = Put::new(format!("row-{number:03}"));
        (0..5).fold(put, |put, column| put.column("f", [b'a' + column], format!("value {number}")))
    };
    table.put_all((0..100).map(put)).await.unwrap();
    table
}

async fn scan(table: &Table, scan: Scan) -> Vec<Row> {
    table.scan(scan).unwrap().collect(usize::MAX).await.unwrap()
}

fn keys(rows: &[Row]) -> Vec<usize> {
    rows.iter().map(|row| std::str::from_utf8(&row.key()[4..]).unwrap().parse().unwrap()).collect()
}

#[tokio::test]
async fn forwards_and_backwards_in_every_page_size() {
    let cluster = Cluster::start().await;
    let table = filled(&cluster).await;
    let all: Vec<usize> = (0..100).collect();
    let reversed: Vec<usize> = (0..100).rev().collect();
    for caching in [1, 7, 1000] {
        let rows = scan(&table, Scan::new().caching(caching)).await;
        assert_eq!(keys(&rows), all, "{caching}");
        assert!(rows.iter().all(|row| row.len() == 5 && !row.is_partial()));
        assert_eq!(keys(&scan(&table, Scan::new().reversed().caching(caching)).await), reversed, "{caching}");
    }
    // Replies of a few cells: rows come in parts, and are put together.
    let rows = scan(&table, Scan::new().max_result_size(100)).await;
    assert_eq!(keys(&rows), all);
    assert!(rows.iter().all(|row| row.len() == 5));
    assert_eq!(keys(&scan(&table, Scan::new().max_result_size(100).reversed()).await), reversed);
}

#[tokio::test]
async fn ranges_limits_and_parts() {
    let cluster = Cluster::start().await;
    let table = filled(&cluster).await;
    let range = |range: std::ops::Range<usize>| range.collect::<Vec<_>>();
    let scanned = |wanted: Scan| async { keys(&scan(&table, wanted).await) };
    let scan_of = || Scan::new().starting_at("row-020").before("row-060");
    assert_eq!(scanned(scan_of()).await, range(20..60));
    assert_eq!(scanned(Scan::new().after("row-024").ending_with("row-050")).await, range(25..51));
    assert_eq!(scanned(Scan::new().after("row-025").before("row-050")).await, range(26..50));
    let mut backwards = scanned(scan_of().reversed()).await;
    backwards.reverse();
    assert_eq!(backwards, range(20..60));
    for limit in [1, 5, 30, 99] {
        assert_eq!(scanned(Scan::new().limit(limit)).await, range(0..limit as usize), "{limit}");
        assert_eq!(scanned(Scan::new().limit(limit).caching(4)).await, range(0..limit as usize), "{limit}");
    }
    assert_eq!(scanned(Scan::new().limit(0)).await, range(0..0));
    assert_eq!(scanned(Scan::prefix("row-03")).await, range(30..40));
    assert_eq!(scanned(Scan::new().filter(Filter::prefix("row-09"))).await, range(90..100));

    let parts = scan(&table, Scan::prefix("row-01").batch(2)).await;
    let sizes: Vec<_> = parts.iter().map(|row| (row.len(), row.is_partial())).collect();
    assert_eq!(sizes, [(2, true), (2, true), (1, false)].repeat(10));
    assert_eq!(scan(&table, Scan::new().batch(2).limit(3)).await.len(), 9);
    let parts = scan(&table, Scan::prefix("row-01").allow_partial_rows().max_result_size(1)).await;
    assert_eq!(parts.iter().map(Row::len).sum::<usize>(), 50);
    assert!(parts.len() > 10, "{}", parts.len());
}

#[tokio::test]
async fn a_scanner_is_a_stream_of_rows() {
    use futures_core::Stream;
    let cluster = Cluster::start().await;
    let table = filled(&cluster).await;
    let mut rows = table.scan(Scan::new().caching(30)).unwrap();
    let mut next = async || std::future::poll_fn(|context| Pin::new(&mut rows).poll_next(context)).await;
    for number in 0..100 {
        assert_eq!(next().await.unwrap().unwrap().key(), format!("row-{number:03}").as_bytes());
    }
    assert!(next().await.is_none());
}

#[tokio::test]
async fn metrics_are_counted_and_a_dropped_scan_leaves_no_scanner() {
    let cluster = Cluster::start().await;
    let table = filled(&cluster).await;
    let mut scanner = table.scan(Scan::new().track_metrics()).unwrap();
    while scanner.next().await.unwrap().is_some() {}
    assert_eq!(scanner.metrics().get("ROWS_SCANNED"), Some(&100));
    let mut dropped = table.scan(Scan::new().caching(1)).unwrap();
    dropped.next().await.unwrap().unwrap();
    drop(dropped);
    let page = table.scan(Scan::new()).unwrap().next_page().await.unwrap().unwrap();
    assert_eq!(page.len(), 25);
}
