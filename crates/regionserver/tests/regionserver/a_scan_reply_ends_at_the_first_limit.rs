//! Rows, bytes, batch, time: what ends a reply, and how the client goes on.

use crate::world::{FAMILY, Table, World, action, put, row_name, text};
use finback_cell::{Bytes, CellBlock};
use finback_proto::{Message, pb};
use std::time::Duration;

/// One cell of a reply: row, column, and whether its result is a partial one.
type Found = (String, String, bool);

/// A whole scan, reply by reply.
struct Replies {
    replies: Vec<(pb::ScanResponse, Vec<Found>)>,
}

impl Replies {
    /// Scans to the end, with calls like the first.
    async fn of(table: &Table<'_>, first: pb::ScanRequest, patience: Option<Duration>) -> Self {
        let mut replies = Vec::new();
        let mut request = first.clone();
        for call in 0.. {
            assert!(call < 10_000, "a scan without end");
            let (response, block): (pb::ScanResponse, _) =
                table.world.ask_within(patience, "Scan", &request).await.unwrap();
            let found = found(&response, block);
            let more = response.more_results() && response.more_results_in_region();
            request = pb::ScanRequest {
                region: None,
                scan: None,
                scanner_id: response.scanner_id,
                next_call_seq: Some(call),
                ..first.clone()
            };
            replies.push((response, found));
            if !more {
                break;
            }
        }
        Self { replies }
    }

    fn cells(&self) -> impl Iterator<Item = &Found> {
        self.replies.iter().flat_map(|(_, found)| found)
    }

    fn rows(&self) -> Vec<String> {
        let mut rows: Vec<String> = self.cells().map(|(row, _, _)| row.clone()).collect();
        rows.dedup();
        rows
    }
}

fn found(response: &pb::ScanResponse, mut block: Bytes) -> Vec<Found> {
    let mut found = Vec::new();
    let results = response.cells_per_result.iter().zip(&response.partial_flag_per_result);
    for (count, partial) in results {
        let cells = CellBlock::take(&mut block, *count as usize).unwrap();
        found.extend(cells.iter().map(|cell| (text(cell.row()), text(cell.qualifier()), *partial)));
    }
    assert!(block.is_empty());
    found
}

fn rows(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(row_name).collect()
}

#[tokio::test]
async fn bytes_end_a_reply_in_the_middle_of_a_row_for_clients_that_take_it() {
    let world = World::new();
    let table = world.table("t").await;
    for row in 0..3 {
        let value = [b'v'; 1000];
        let columns: Vec<String> = (0..10).map(|column| format!("q{column}")).collect();
        let columns: Vec<(&str, &[u8])> =
            columns.iter().map(|column| (column.as_str(), &value[..])).collect();
        table.mutate(put(&row_name(row), &columns)).await.unwrap();
    }
    let scan = pb::Scan { max_result_size: Some(2500), ..Default::default() };
    let request = pb::ScanRequest { scan: Some(scan.clone()), ..table.open_scan(1000) };
    let partial = Replies::of(&table, request.clone(), None).await;
    assert!(partial.replies.len() >= 10, "{}", partial.replies.len());
    assert!(partial.replies.iter().all(|(_, found)| found.len() <= 4));
    assert!(partial.cells().any(|(_, _, partial)| *partial));
    let columns: Vec<_> = partial.cells().map(|(row, column, _)| (row.clone(), column.clone())).collect();
    let expected: Vec<_> =
        (0..3).flat_map(|row| (0..10).map(move |column| (row_name(row), format!("q{column}")))).collect();
    assert_eq!(columns, expected);

    // So it is of scans that are called small, as in HBase, but for one that nobody can ask for the rest.
    let small = pb::Scan { small: Some(true), ..scan };
    let small = pb::ScanRequest { scan: Some(small), ..request.clone() };
    let in_parts = Replies::of(&table, small.clone(), None).await;
    assert!(in_parts.replies.iter().all(|(_, found)| found.len() <= 4));
    assert_eq!(in_parts.cells().count(), 30);
    let closed = pb::ScanRequest { close_scanner: Some(true), ..small };
    let (response, block): (pb::ScanResponse, _) = world.ask("Scan", &closed).await.unwrap();
    let row = found(&response, block);
    assert_eq!((row.len(), row.iter().any(|(_, _, partial)| *partial)), (10, false));

    // Whole rows for others.
    let request = pb::ScanRequest { client_handles_partials: None, ..request };
    let whole = Replies::of(&table, request, None).await;
    assert!(whole.cells().all(|(_, _, partial)| !partial));
    assert!(whole.replies.iter().all(|(response, _)| response.cells_per_result.iter().all(|c| *c == 10)));
    assert_eq!(whole.rows(), rows(0..3));
    assert!(whole.replies.len() >= 3);
}

#[tokio::test]
async fn the_servers_own_limit_of_bytes_holds_whatever_the_client_asks_for() {
    let world = World::with(|options| options.max_scan_result_bytes = 5000);
    let table = world.table("t").await;
    table.fill(0..20, &[b'v'; 1000]).await;
    for max_result_size in [None, Some(u64::MAX), Some(1 << 30), Some(0)] {
        let scan = pb::Scan { max_result_size, ..Default::default() };
        let request = pb::ScanRequest { scan: Some(scan), ..table.open_scan(1000) };
        let replies = Replies::of(&table, request, None).await;
        assert!(replies.replies.iter().all(|(_, found)| found.len() <= 6));
        assert_eq!(replies.rows(), rows(0..20));
    }
}

#[tokio::test]
async fn a_batch_cuts_rows_into_results() {
    let world = World::new();
    let table = world.table("t").await;
    let columns = ["a", "b", "c", "d", "e"].map(|column| (column, &b"v"[..]));
    for row in 0..3 {
        table.mutate(put(&row_name(row), &columns)).await.unwrap();
    }
    let scan = pb::Scan { batch_size: Some(2), ..Default::default() };
    let request = pb::ScanRequest { scan: Some(scan), ..table.open_scan(2) };
    let replies = Replies::of(&table, request, None).await;
    let counts: Vec<u32> =
        replies.replies.iter().flat_map(|(response, _)| response.cells_per_result.clone()).collect();
    assert_eq!(counts, [2, 2, 1, 2, 2, 1, 2, 2, 1]);
    assert_eq!(replies.cells().count(), 15);
}

#[tokio::test]
async fn a_full_reply_does_not_say_that_it_is_the_last_of_its_region() {
    let world = World::new();
    let table = world.table("t").await;
    table.fill(0..3, b"v").await;
    let scan = pb::Scan { max_result_size: Some(1), ..Default::default() };
    let request = pb::ScanRequest { scan: Some(scan.clone()), ..table.open_scan(1000) };
    let replies = Replies::of(&table, request.clone(), None).await;
    let found: Vec<usize> = replies.replies.iter().map(|(_, found)| found.len()).collect();
    assert_eq!(found, [1, 1, 1, 0]);
    assert_ne!(replies.replies[3].0.heartbeat_message, Some(true));

    // Nor is it one call more where the reply has room left, or the scan is over.
    let room = pb::ScanRequest { scan: Some(pb::Scan::default()), ..request.clone() };
    assert_eq!(Replies::of(&table, room, None).await.replies.len(), 1);
    let limited = pb::ScanRequest { limit_of_rows: Some(1), ..request.clone() };
    assert_eq!(Replies::of(&table, limited, None).await.replies.len(), 1);
    let small = pb::Scan { small: Some(true), start_row: Some(row_name(2).into()), ..scan };
    let small = pb::ScanRequest { scan: Some(small), ..request };
    assert_eq!(Replies::of(&table, small, None).await.replies.len(), 1);
}

#[tokio::test]
async fn a_filter_that_is_done_with_the_last_row_of_a_region_ends_the_region_and_not_the_scan() {
    let world = World::new();
    let table = world.table("t").await;
    table.fill(0..3, b"v").await;
    let page = pb::PageFilter { page_size: 3 };
    let page = pb::Filter {
        name: "org.apache.hadoop.hbase.filter.PageFilter".into(),
        serialized_filter: Some(page.encode_to_vec().into()),
    };
    let cases = [1, 2, 1000].into_iter().flat_map(|caching| [None, Some(1)].map(|size| (caching, size)));
    for ((caching, size), reversed) in cases.flat_map(|case| [(case, false), (case, true)]) {
        for include_stop in [false, true] {
            let last = row_name(if reversed { 0 } else { 2 });
            let scan = pb::Scan {
                reversed: Some(reversed),
                filter: Some(page.clone()),
                max_result_size: size,
                stop_row: include_stop.then(|| last.into()),
                include_stop_row: Some(include_stop),
                ..Default::default()
            };
            let request = pb::ScanRequest { scan: Some(scan), ..table.open_scan(caching) };
            let replies = Replies::of(&table, request.clone(), None).await;
            assert_eq!(replies.cells().count(), 3, "{request:?}");
            let (end, found) = replies.replies.last().unwrap();
            assert_eq!(
                found.is_empty(),
                size.is_some(),
                "a full reply is not the last of its region: {request:?}"
            );
            assert!(end.more_results() && !end.more_results_in_region(), "{request:?}");
        }
    }
}

#[tokio::test]
async fn a_full_reply_ends_within_its_row_though_a_filter_leaves_nothing_more_of_it() {
    let world = World::new();
    let table = world.table("t").await;
    let columns = ["a", "b", "c"].map(|column| (column, &b"v"[..]));
    for row in 0..4 {
        table.mutate(put(&row_name(row), &columns)).await.unwrap();
    }
    let two_cells = pb::Filter {
        name: "org.apache.hadoop.hbase.client.ColumnCountOnRowFilter".into(),
        serialized_filter: Some(2i32.to_be_bytes().to_vec().into()),
    };
    let scan = pb::Scan { max_result_size: Some(1), filter: Some(two_cells), ..Default::default() };
    let request = pb::ScanRequest { scan: Some(scan), ..table.open_scan(1000) };
    let replies = Replies::of(&table, request.clone(), None).await;
    assert!(replies.replies.iter().all(|(_, found)| found.len() <= 1));
    assert_eq!(replies.cells().filter(|(_, _, partial)| *partial).count(), 8);
    assert_eq!(replies.rows(), rows(0..4));

    // The row is whole with the reply in which nothing is found: that one is no heartbeat, if it is the last.
    let first = pb::ScanRequest { limit_of_rows: Some(1), ..request };
    let replies = Replies::of(&table, first, None).await;
    let (last, before) = replies.replies.split_last().unwrap();
    assert_eq!((before.len(), last.1.len(), last.0.more_results()), (2, 0, false));
    assert_ne!(last.0.heartbeat_message, Some(true));
}

#[tokio::test]
async fn a_limit_of_rows_ends_the_scan() {
    let world = World::new();
    let table = world.table("t").await;
    table.fill(0..20, b"v").await;
    let request = pb::ScanRequest { limit_of_rows: Some(5), ..table.open_scan(1000) };
    let replies = Replies::of(&table, request, None).await;
    assert_eq!(replies.rows(), rows(0..5));
    assert_eq!(replies.replies.len(), 1);
    assert!(!replies.replies[0].0.more_results());
}

/// What no value is equal to.
pub(crate) fn no_value() -> pb::Comparator {
    let comparable = pb::ByteArrayComparable { value: Some("no such value".into()) };
    let comparator = pb::BinaryComparator { comparable };
    pb::Comparator {
        name: "org.apache.hadoop.hbase.filter.BinaryComparator".into(),
        serialized_comparator: Some(comparator.encode_to_vec().into()),
    }
}

/// A filter that every cell's value fails.
pub(crate) fn nothing_passes() -> pb::Filter {
    let compare_filter =
        pb::CompareFilter { compare_op: pb::CompareType::Equal.into(), comparator: Some(no_value()) };
    pb::Filter {
        name: "org.apache.hadoop.hbase.filter.ValueFilter".into(),
        serialized_filter: Some(pb::ValueFilter { compare_filter }.encode_to_vec().into()),
    }
}

#[tokio::test]
async fn time_ends_a_reply_with_a_heartbeat_that_says_where_it_is() {
    const ROWS: usize = 60_000;
    let world = World::new();
    let table = world.table("t").await;
    table.fill(0..ROWS, b"v").await;
    for reversed in [false, true] {
        let scan = pb::Scan {
            filter: Some(nothing_passes()),
            need_cursor_result: Some(true),
            reversed: Some(reversed),
            ..Default::default()
        };
        let request =
            pb::ScanRequest { scan: Some(scan), track_scan_metrics: Some(true), ..table.open_scan(1000) };
        // The client waits for a hundredth of a second: there is time for a few thousand rows.
        let replies = Replies::of(&table, request.clone(), Some(Duration::from_millis(10))).await;
        assert_eq!(replies.cells().count(), 0);
        let (last, heartbeats) = replies.replies.split_last().unwrap();
        assert!(!heartbeats.is_empty(), "{ROWS} rows were read in no time");
        assert_ne!(last.0.heartbeat_message, Some(true));
        assert!(!last.0.more_results_in_region());
        let mut cursors = Vec::new();
        for (heartbeat, _) in heartbeats {
            assert_eq!(heartbeat.heartbeat_message, Some(true));
            assert!(heartbeat.more_results() && heartbeat.more_results_in_region());
            cursors.push(text(heartbeat.cursor.as_ref().unwrap().row()));
        }
        let in_order = |pair: &[String]| if reversed { pair[0] > pair[1] } else { pair[0] < pair[1] };
        assert!(cursors.windows(2).all(in_order), "{cursors:?}");
        let scanned: i64 = replies.replies.iter().map(|(response, _)| metric(response, "ROWS_SCANNED")).sum();
        assert_eq!(scanned, ROWS as i64);

        // One that does not know heartbeats waits for the end.
        let request = pb::ScanRequest { client_handles_heartbeats: None, ..request };
        assert_eq!(Replies::of(&table, request, None).await.replies.len(), 1);
    }
}

#[tokio::test]
async fn results_found_before_the_time_ended_are_in_the_heartbeat() {
    let world = World::new();
    let table = world.table("t").await;
    table.fill(0..60_000, b"v").await;
    table.put(&row_name(100), b"no such value").await.unwrap();
    table.put(&row_name(59_999), b"no such value").await.unwrap();
    let scan = pb::Scan { filter: Some(nothing_passes()), ..Default::default() };
    let request = pb::ScanRequest { scan: Some(scan), ..table.open_scan(1000) };
    let replies = Replies::of(&table, request, Some(Duration::from_millis(10))).await;
    assert_eq!(replies.rows(), [row_name(100), row_name(59_999)]);
    assert!(replies.replies.len() > 1);
    // On a busy machine one that found nothing may come before.
    let (first, found) = replies.replies.iter().find(|(_, found)| !found.is_empty()).unwrap();
    assert_eq!((first.heartbeat_message, found.len()), (Some(true), 1));
}

fn metric(response: &pb::ScanResponse, name: &str) -> i64 {
    let metrics = response.scan_metrics.iter().flat_map(|metrics| &metrics.metrics);
    metrics.filter(|metric| metric.name() == name).map(pb::NameInt64Pair::value).sum()
}

/// As HBase does: the filter must see whole rows, and the batch cuts them.
#[tokio::test]
async fn a_batch_is_refused_together_with_a_filter_of_whole_rows() {
    let world = World::new();
    let table = world.table("t").await;
    table.fill(0..3, b"v").await;
    let page = pb::PageFilter { page_size: 2 }.encode_to_vec();
    let filter = pb::Filter {
        name: "org.apache.hadoop.hbase.filter.PageFilter".into(),
        serialized_filter: Some(page.into()),
    };
    let scan = |batch_size| pb::Scan { filter: Some(filter.clone()), batch_size, ..Default::default() };
    let request = |scan| pb::ScanRequest { scan: Some(scan), ..table.open_scan(10) };
    let refused: Result<(pb::ScanResponse, _), _> = world.ask("Scan", &request(scan(Some(1)))).await;
    let refused = refused.unwrap_err();
    assert_eq!((refused.simple_class(), refused.do_not_retry), ("IOException", false));
    assert!(refused.message.contains("filter.hasFilterRow"), "{refused}");
    assert_eq!(Replies::of(&table, request(scan(None)), None).await.rows(), rows(0..2));
}

/// As HBase counts: a row that the filter rejects by its key is filtered and scanned, unless its key ends the scan.
#[tokio::test]
async fn the_row_that_ends_a_scan_by_its_key_was_not_scanned() {
    let world = World::new();
    let table = world.table("t").await;
    table.fill(0..5, b"v").await;
    let prefix = pb::PrefixFilter { prefix: Some(row_name(1).into_bytes().into()) }.encode_to_vec();
    let filter = pb::Filter {
        name: "org.apache.hadoop.hbase.filter.PrefixFilter".into(),
        serialized_filter: Some(prefix.into()),
    };
    let scan = pb::Scan { filter: Some(filter), ..Default::default() };
    let request = pb::ScanRequest { scan: Some(scan), track_scan_metrics: Some(true), ..table.open_scan(10) };
    let replies = Replies::of(&table, request, None).await;
    assert_eq!(replies.rows(), rows(1..2));
    let total = |name| replies.replies.iter().map(|(response, _)| metric(response, name)).sum::<i64>();
    // The first row is before the prefix, the third is behind it.
    assert_eq!((total("ROWS_SCANNED"), total("ROWS_FILTERED")), (2, 2));
}

#[tokio::test]
async fn rows_that_a_filter_drops_when_a_part_of_them_was_found_leave_the_others() {
    const COLUMNS: usize = 20;
    let world = World::new();
    let table = world.table("t").await;
    // The last column decides, some looks at the clock later than the first one was found.
    let columns: Vec<String> = (0..COLUMNS).map(|column| format!("c{column:02}")).collect();
    let passes = |row: usize| row.is_multiple_of(4);
    for row in 0..40 {
        let last: &[u8] = if passes(row) { b"yes" } else { b"no" };
        let value = |column: usize| if column + 1 == COLUMNS { last } else { &b"value"[..] };
        let cells: Vec<_> =
            columns.iter().enumerate().map(|(number, column)| (&column[..], value(number))).collect();
        let written = table.multi(vec![action(put(&row_name(row), &cells))]).await;
        assert!(written[0].exception.is_none());
    }
    const PACKAGE: &str = "org.apache.hadoop.hbase.filter.";
    let comparable = pb::ByteArrayComparable { value: Some("yes".into()) };
    let comparator = pb::Comparator {
        name: format!("{PACKAGE}BinaryComparator"),
        serialized_comparator: Some(pb::BinaryComparator { comparable }.encode_to_vec().into()),
    };
    let filter = pb::SingleColumnValueFilter {
        column_family: Some(FAMILY.into()),
        column_qualifier: columns.last().map(|column| column.clone().into()),
        compare_op: pb::CompareType::Equal.into(),
        comparator,
        ..Default::default()
    };
    let filter = pb::Filter {
        name: format!("{PACKAGE}SingleColumnValueFilter"),
        serialized_filter: Some(filter.encode_to_vec().into()),
    };
    let mut first = table.open_scan(u32::MAX);
    first.scan = Some(pb::Scan { filter: Some(filter), ..first.scan.unwrap_or_default() });
    let found = Replies::of(&table, first, None).await;
    assert_eq!(found.rows(), (0..40).filter(|&row| passes(row)).map(row_name).collect::<Vec<_>>());
    assert_eq!(found.cells().count(), 10 * COLUMNS);
}
