//! Scanners: leases, call sequence numbers, renewal, close.

use crate::compactions_come_by_themselves_and_when_asked_for::{compact, until_files};
use crate::world::{Answer, Table, World, row_name, text};
use finback_cell::CellBlock;
use finback_proto::pb;
use finback_rpc::{ReplyMemory, RpcException};
use std::time::Duration;

async fn scan(table: &Table<'_>, request: &pb::ScanRequest) -> Answer<(pb::ScanResponse, Vec<String>)> {
    let (response, block): (pb::ScanResponse, _) = table.world.ask("Scan", request).await?;
    let rows = CellBlock::parse(block).unwrap().iter().map(|cell| text(cell.row())).collect();
    Ok((response, rows))
}

/// The next call of a scanner.
fn next(scanner_id: Option<u64>, call: u64, rows: u32) -> pb::ScanRequest {
    pb::ScanRequest {
        scanner_id,
        number_of_rows: Some(rows),
        next_call_seq: Some(call),
        client_handles_partials: Some(true),
        client_handles_heartbeats: Some(true),
        ..Default::default()
    }
}

fn close(scanner_id: Option<u64>) -> pb::ScanRequest {
    pb::ScanRequest { scanner_id, close_scanner: Some(true), ..Default::default() }
}

fn refused<T: std::fmt::Debug>(answer: Answer<T>, class: &str) -> RpcException {
    let exception = answer.unwrap_err();
    assert_eq!(exception.simple_class(), class, "{exception}");
    exception
}

#[tokio::test]
async fn calls_are_numbered_and_one_out_of_order_is_refused() {
    let world = World::new();
    let table = world.table("t").await;
    table.fill(0..10, b"v").await;
    let (opened, rows) = scan(&table, &table.open_scan(2)).await.unwrap();
    assert_eq!(rows, [row_name(0), row_name(1)]);
    assert!(opened.ttl() > 0 && opened.mvcc_read_point() > 0 && opened.more_results_in_region());
    let id = opened.scanner_id;
    assert_eq!(scan(&table, &next(id, 0, 2)).await.unwrap().1, [row_name(2), row_name(3)]);
    for wrong in [0, 2, 7] {
        refused(scan(&table, &next(id, wrong, 2)).await, "OutOfOrderScannerNextException");
    }
    assert_eq!(scan(&table, &next(id, 1, 2)).await.unwrap().1, [row_name(4), row_name(5)]);
    // Without a number there is no check.
    let unnumbered = pb::ScanRequest { next_call_seq: None, ..next(id, 0, 1) };
    assert_eq!(scan(&table, &unnumbered).await.unwrap().1, [row_name(6)]);
    scan(&table, &close(id)).await.unwrap();
    // As for one that the server has closed at its end.
    refused(scan(&table, &next(id, 2, 2)).await, "OutOfOrderScannerNextException");
    scan(&table, &close(id)).await.unwrap();
}

#[tokio::test]
async fn the_call_that_opens_a_scanner_counts_if_it_has_a_number() {
    let world = World::new();
    let table = world.table("t").await;
    table.fill(0..10, b"v").await;
    let open = |number| pb::ScanRequest { next_call_seq: Some(number), ..table.open_scan(2) };
    refused(scan(&table, &open(1)).await, "OutOfOrderScannerNextException");
    let (opened, _) = scan(&table, &open(0)).await.unwrap();
    let id = opened.scanner_id;
    refused(scan(&table, &next(id, 0, 2)).await, "OutOfOrderScannerNextException");
    assert_eq!(scan(&table, &next(id, 1, 2)).await.unwrap().1, [row_name(2), row_name(3)]);
    assert_eq!(scan(&table, &next(id, 2, 2)).await.unwrap().1, [row_name(4), row_name(5)]);
}

#[tokio::test]
async fn a_scanner_that_is_at_its_end_is_closed_and_a_late_close_is_no_error() {
    let world = World::new();
    let table = world.table("t").await;
    table.fill(0..3, b"v").await;
    let (opened, rows) = scan(&table, &table.open_scan(100)).await.unwrap();
    assert_eq!(rows.len(), 3);
    assert_eq!((opened.more_results(), opened.more_results_in_region()), (true, false));
    scan(&table, &close(opened.scanner_id)).await.unwrap();
    // With a number it may be the call again whose answer was lost; without one the client learns that this was all.
    let numbered = next(opened.scanner_id, 0, 1);
    refused(scan(&table, &numbered).await, "OutOfOrderScannerNextException");
    let unnumbered = pb::ScanRequest { next_call_seq: None, ..numbered };
    let nothing = pb::ScanResponse { scanner_id: opened.scanner_id, ..Default::default() };
    assert_eq!(scan(&table, &unnumbered).await.unwrap(), (nothing, Vec::new()));
    refused(scan(&table, &close(Some(12345))).await, "UnknownScannerException");
}

#[tokio::test]
async fn a_lease_ends_without_calls_and_not_with_them() {
    const LEASE: Duration = Duration::from_secs(6);
    let world = World::with(|options| options.scanner_lease = LEASE);
    let table = world.table("t").await;
    table.fill(0..10, b"v").await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let (opened, _) = scan(&table, &table.open_scan(1)).await.unwrap();
        assert_eq!(opened.ttl(), LEASE.as_millis() as u32);
        ids.push(opened.scanner_id);
    }
    let (idle, renewed, used) = (ids[0], ids[1], ids[2]);
    for round in 0..4 {
        tokio::time::sleep(LEASE / 3).await;
        let renewal = pb::ScanRequest { renew: Some(true), ..next(renewed, round, 0) };
        assert!(scan(&table, &renewal).await.unwrap().1.is_empty());
        assert_eq!(scan(&table, &next(used, round, 1)).await.unwrap().1.len(), 1);
    }
    refused(scan(&table, &next(idle, 0, 1)).await, "UnknownScannerException");
    // A renewal is a call, and moves nothing. What is read next stands in the message, where a client finds it that takes the
    // answer to the renewal for that to its read; then cells are in their block again.
    let (after, block) = scan(&table, &next(renewed, 4, 1)).await.unwrap();
    assert!(block.is_empty() && after.cells_per_result.is_empty());
    assert_eq!(after.results.len(), 1);
    assert_eq!(text(after.results[0].cell[0].row()), row_name(1));
    assert_eq!(scan(&table, &next(renewed, 5, 1)).await.unwrap().1, [row_name(2)]);
    // A client that does not number its calls is not HBase's.
    let renewal = pb::ScanRequest { renew: Some(true), next_call_seq: None, ..next(renewed, 0, 0) };
    scan(&table, &renewal).await.unwrap();
    assert_eq!(scan(&table, &next(renewed, 6, 1)).await.unwrap().1, [row_name(3)]);
}

/// Inside the message cells take three times the memory, so that there is room for a third of them.
#[tokio::test]
async fn what_is_read_behind_a_renewal_has_the_memory_of_cells_inside_the_message() {
    const LIMIT: usize = 1 << 20;
    let world = World::with(|options| options.reply_memory = ReplyMemory::new(LIMIT));
    let table = world.table("t").await;
    table.fill(0..1000, &[b'v'; 1000]).await;
    let (opened, _) = scan(&table, &table.open_scan(1)).await.unwrap();
    let (_, found) = scan(&table, &next(opened.scanner_id, 0, 1000)).await.unwrap();
    let renewal = pb::ScanRequest { renew: Some(true), ..next(opened.scanner_id, 1, 0) };
    scan(&table, &renewal).await.unwrap();
    let (inside, _) = scan(&table, &next(opened.scanner_id, 2, 1000)).await.unwrap();
    assert!((200..=LIMIT / 4000).contains(&found.len()), "{}", found.len());
    assert!((60..=LIMIT / 12_000).contains(&inside.results.len()), "{}", inside.results.len());
}

#[tokio::test]
async fn a_scanner_sees_one_state_through_writes_and_flushes() {
    let world = World::new();
    let table = world.table("t").await;
    table.fill(0..10, b"old").await;
    let (opened, _) = scan(&table, &table.open_scan(1)).await.unwrap();
    table.fill(0..20, b"new").await;
    table.flush().await.unwrap();
    let (_, block): (pb::ScanResponse, _) =
        world.ask("Scan", &next(opened.scanner_id, 0, 100)).await.unwrap();
    let cells = CellBlock::parse(block).unwrap();
    assert_eq!(cells.count(), 9);
    assert!(cells.iter().all(|cell| cell.value() == b"old"));
}

#[tokio::test]
async fn a_scanner_of_a_region_that_was_closed_sends_its_client_elsewhere() {
    let world = World::new();
    let table = world.table("t").await;
    table.fill(0..10, b"v").await;
    let (opened, _) = scan(&table, &table.open_scan(1)).await.unwrap();
    world.close(&table.info, 2).await.unwrap();
    world.reported(2).await;
    refused(scan(&table, &next(opened.scanner_id, 0, 1)).await, "NotServingRegionException");
    // Also when the region is back: it is another opening of it.
    let table = world.table("t").await;
    let (opened_again, _) = scan(&table, &table.open_scan(1)).await.unwrap();
    assert_ne!(opened.scanner_id, opened_again.scanner_id);
    refused(scan(&table, &next(opened.scanner_id, 1, 1)).await, "UnknownScannerException");
    assert_eq!(scan(&table, &next(opened_again.scanner_id, 0, 1)).await.unwrap().1, [row_name(1)]);
}

#[tokio::test]
async fn opening_and_closing_in_one_call_leaves_nothing() {
    let world = World::new();
    let table = world.table("t").await;
    table.fill(0..10, b"v").await;
    let request = pb::ScanRequest { close_scanner: Some(true), ..table.open_scan(4) };
    let (response, rows) = scan(&table, &request).await.unwrap();
    assert_eq!(rows.len(), 4);
    refused(scan(&table, &next(response.scanner_id, 0, 1)).await, "UnknownScannerException");
    // Just opened, nothing read.
    let (opened, rows) = scan(&table, &table.open_scan(0)).await.unwrap();
    assert!(rows.is_empty() && opened.more_results() && opened.more_results_in_region());
    assert_eq!(scan(&table, &next(opened.scanner_id, 0, 1)).await.unwrap().1, [row_name(0)]);
}

#[tokio::test]
async fn what_cannot_be_scanned_is_refused() {
    let world = World::new();
    let table = world.table("t").await;
    let no_scan = pb::ScanRequest { scan: None, ..table.open_scan(1) };
    refused(scan(&table, &no_scan).await, "DoNotRetryIOException");
    let no_region = pb::ScanRequest { region: None, ..table.open_scan(1) };
    refused(scan(&table, &no_region).await, "DoNotRetryIOException");
    let column = pb::Column { family: "nope".into(), ..Default::default() };
    let family = pb::Scan { column: vec![column], ..Default::default() };
    let no_family = pb::ScanRequest { scan: Some(family), ..table.open_scan(1) };
    refused(scan(&table, &no_family).await, "NoSuchColumnFamilyException");
    let filter = pb::Filter { name: "com.example.OwnFilter".into(), serialized_filter: None };
    let filtered = pb::Scan { filter: Some(filter), ..Default::default() };
    let no_filter = pb::ScanRequest { scan: Some(filtered), ..table.open_scan(1) };
    refused(scan(&table, &no_filter).await, "DoNotRetryIOException");
}

/// A server whose scanners may keep nothing while they wait.
fn strict() -> World {
    World::with(|options| options.scanner_bytes = 0)
}

#[tokio::test]
async fn scanners_that_wait_keep_neither_blocks_nor_flushed_memory_and_go_on_where_they_were() {
    const ROWS: usize = 200;
    let world = strict();
    let table = world.table("t").await;
    table.fill(0..ROWS, &[1; 1000]).await;
    table.flush().await.unwrap();
    table.fill(0..ROWS, &[2; 1000]).await;
    let mut scanners = Vec::new();
    for rows in 1..6 {
        let (opened, read) = scan(&table, &table.open_scan(rows)).await.unwrap();
        scanners.push((opened.scanner_id, rows as usize, read.len(), 0));
    }
    let mut turn = 0;
    while !scanners.is_empty() {
        turn += 1;
        // Under their feet the memstore becomes a file, and files become one.
        if turn % 7 == 3 {
            table.fill(0..ROWS, &[3; 1000]).await;
            table.flush().await.unwrap();
        }
        for (id, rows, read, call) in &mut scanners {
            let (_, block): (pb::ScanResponse, _) =
                world.ask("Scan", &next(*id, *call, *rows as u32)).await.unwrap();
            for (at, cell) in CellBlock::parse(block).unwrap().iter().enumerate() {
                assert_eq!(text(cell.row()), row_name(*read + at));
                assert_eq!(cell.value(), [2; 1000], "as of the opening");
            }
            *read = (*read + *rows).min(ROWS);
            *call += 1;
        }
        scanners.retain(|(_, _, read, _)| *read < ROWS);
    }
}

#[tokio::test]
async fn a_client_that_opens_as_many_as_it_can_leaves_some_to_others() {
    let world = strict();
    let table = world.table("t").await;
    table.fill(0..2, b"v").await;
    let request = table.open_scan(1);
    let mut opened = Vec::new();
    let refusal = loop {
        match scan(&table, &request).await {
            Ok((response, _)) => opened.push(response.scanner_id),
            Err(refusal) => break refusal,
        }
    };
    assert_eq!((opened.len(), refusal.simple_class()), (500, "RegionTooBusyException"));
    let other: Answer<(pb::ScanResponse, _)> = world.ask_within(None, "Scan", &request).await;
    assert!(other.is_ok());
    // One that is closed at once takes nothing from anybody.
    let at_once = pb::ScanRequest { close_scanner: Some(true), ..request.clone() };
    assert!(scan(&table, &at_once).await.is_ok());
    scan(&table, &close(opened[0])).await.unwrap();
    scan(&table, &close(opened[1])).await.unwrap();
    assert!(scan(&table, &request).await.is_ok());
}

#[tokio::test]
async fn one_that_stands_within_a_row_is_closed_when_what_it_keeps_is_too_much() {
    let world = strict();
    let table = world.table("t").await;
    let columns: Vec<String> = (0..100).map(|column| format!("q{column:02}")).collect();
    let values: Vec<(&str, &[u8])> = columns.iter().map(|column| (&column[..], &[1u8; 1000][..])).collect();
    table.mutate(crate::world::put("wide", &values)).await.unwrap();
    table.fill(0..10, b"v").await;
    let in_row = pb::ScanRequest {
        scan: Some(pb::Scan { batch_size: Some(10), reversed: Some(true), ..pb::Scan::default() }),
        ..table.open_scan(1)
    };
    let (within, cells) = scan(&table, &in_row).await.unwrap();
    assert_eq!(cells, vec!["wide"; 10]);
    let (between, _) = scan(&table, &table.open_scan(3)).await.unwrap();
    // Nothing was flushed: the memstores have it all.
    world.server_looks_at_scanners().await;
    assert_eq!(scan(&table, &next(within.scanner_id, 0, 1)).await.unwrap().1, vec!["wide"; 10]);
    table.flush().await.unwrap();
    world.server_looks_at_scanners().await;
    refused(scan(&table, &next(within.scanner_id, 1, 1)).await, "UnknownScannerException");
    assert_eq!(scan(&table, &next(between.scanner_id, 0, 1)).await.unwrap().1, [row_name(3)]);

    scan(&table, &close(between.scanner_id)).await.unwrap();
    // Whoever goes on behind the cells that it has finds the others as they were.
    for _ in 0..3 {
        let values: Vec<(&str, &[u8])> = columns.iter().map(|column| (&column[..], &b"new"[..])).collect();
        table.mutate(crate::world::put("wide", &values)).await.unwrap();
    }
    table.flush().await.unwrap();
    compact(&table, true, b"").await.unwrap();
    until_files(&table, 1).await;
    let read_point = within.mvcc_read_point;
    let again =
        pb::Scan { start_row: Some("wide".into()), mvcc_read_point: read_point, ..pb::Scan::default() };
    let again = pb::ScanRequest { scan: Some(again), ..table.open_scan(1) };
    let (response, block): (pb::ScanResponse, _) = world.ask("Scan", &again).await.unwrap();
    assert_eq!(response.mvcc_read_point, read_point);
    let cells = CellBlock::parse(block).unwrap();
    assert!(cells.count() == 100 && cells.iter().all(|cell| cell.value() == [1; 1000]));
}

#[tokio::test]
async fn those_that_ask_for_much_are_closed_when_all_keep_too_much_but_for_the_last() {
    let world = strict();
    let table = world.table("t").await;
    table.fill(0..10, b"v").await;
    let names = (0..2000).map(|column| format!("{column:0100}").into());
    let column =
        pb::Column { family: crate::world::FAMILY.into(), qualifier: names.chain(["q".into()]).collect() };
    let much = pb::ScanRequest {
        scan: Some(pb::Scan { column: vec![column], ..Default::default() }),
        ..table.open_scan(1)
    };
    let (little, _) = scan(&table, &table.open_scan(1)).await.unwrap();
    let (first, rows) = scan(&table, &much).await.unwrap();
    assert_eq!(rows, [row_name(0)]);
    assert_eq!(scan(&table, &next(first.scanner_id, 0, 1)).await.unwrap().1, [row_name(1)], "the only one");
    let (second, _) = scan(&table, &much).await.unwrap();
    refused(scan(&table, &next(first.scanner_id, 1, 1)).await, "UnknownScannerException");
    assert_eq!(scan(&table, &next(second.scanner_id, 0, 1)).await.unwrap().1, [row_name(1)]);
    assert_eq!(scan(&table, &next(little.scanner_id, 0, 1)).await.unwrap().1, [row_name(1)]);
}

#[tokio::test]
async fn those_whose_filters_take_much_are_closed_likewise_however_short_the_filters_are() {
    let world = strict();
    let table = world.table("t").await;
    table.fill(0..10, b"v").await;
    let filtered = pb::Scan { filter: Some(crate::world::large_filter()), ..Default::default() };
    let much = pb::ScanRequest { scan: Some(filtered), ..table.open_scan(0) };
    let (first, _) = scan(&table, &much).await.unwrap();
    assert_eq!(scan(&table, &next(first.scanner_id, 0, 1)).await.unwrap().1, [row_name(0)], "the only one");
    let (second, _) = scan(&table, &much).await.unwrap();
    refused(scan(&table, &next(first.scanner_id, 1, 1)).await, "UnknownScannerException");
    assert_eq!(scan(&table, &next(second.scanner_id, 0, 1)).await.unwrap().1, [row_name(0)]);
}
