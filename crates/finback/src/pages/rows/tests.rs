use super::*;
use finback_cell::CellBlockBuilder;
use finback_cell::cell::CellParts;
use finback_proto::Message;
use finback_rpc::{RawReplyFuture, Request};
use parking_lot::Mutex;
use std::collections::VecDeque;

const PUT: u8 = 4;

/// Answers with what it was given; then with heartbeats.
#[derive(Default)]
struct Scripted {
    answers: Mutex<VecDeque<(pb::ScanResponse, Bytes)>>,
    starts: Mutex<Vec<String>>,
}

impl Channel for Scripted {
    fn call_encoded(&self, request: Request) -> RawReplyFuture<'_> {
        let scan = pb::ScanRequest::decode(request.param).unwrap().scan.unwrap();
        self.starts.lock().push(text(scan.start_row()));
        let heartbeat = pb::ScanResponse { heartbeat_message: Some(true), ..Default::default() };
        let (response, cells) = self.answers.lock().pop_front().unwrap_or((heartbeat, Bytes::new()));
        Box::pin(async move { Ok((response.encode_to_vec().into(), cells)) })
    }
}

fn block(rows: &[(&str, usize)]) -> (Vec<u32>, Bytes) {
    let mut block = CellBlockBuilder::default();
    for (row, cells) in rows {
        for number in 0..*cells {
            let cell = CellParts {
                row: row.as_bytes(),
                family: b"f",
                qualifier: &[b'0' + number as u8],
                timestamp: 1,
                type_code: PUT,
                value: b"value",
                tags: b"",
            };
            block.push_parts(&cell);
        }
    }
    (rows.iter().map(|(_, cells)| *cells as u32).collect(), block.finish().bytes().clone())
}

fn answer(rows: &[(&str, usize)], more_in_region: bool, last_is_partial: bool) -> (pb::ScanResponse, Bytes) {
    let (cells_per_result, cells) = block(rows);
    let response = pb::ScanResponse {
        cells_per_result,
        partial_flag_per_result: (1..=rows.len()).map(|at| last_is_partial && at == rows.len()).collect(),
        more_results_in_region: Some(more_in_region),
        more_results: Some(more_in_region),
        ..Default::default()
    };
    (response, cells)
}

/// Reads from a table of two regions, divided at `m`.
async fn read(answers: Vec<(pb::ScanResponse, Bytes)>, stop: &'static str) -> (Rows, Vec<String>) {
    let client = Arc::new(Scripted { answers: Mutex::new(answers.into()), ..Scripted::default() });
    let table = TableName::parse(b"t").unwrap();
    let region =
        |start: &'static str, end: &'static str| RegionInfo::new(table.clone(), start.into(), end.into(), 1);
    let reading = Reading {
        client: Arc::clone(&client) as Arc<dyn Channel>,
        regions: vec![region("", "m"), region("m", "")],
        range: RowRange { rows: 3, cells_per_row: 2, versions: 1, ..RowRange::default() },
        column: None,
        stop: stop.into(),
        begun: Instant::now(),
        time: Duration::from_millis(50),
    };
    let rows = reading.read(Bytes::new()).await.unwrap();
    let starts = client.starts.lock().clone();
    (rows, starts)
}

fn keys(rows: &Rows) -> Vec<&str> {
    rows.rows.iter().map(|row| row.key.as_str()).collect()
}

#[tokio::test]
async fn the_next_region_is_read_when_one_has_no_more() {
    let (rows, starts) =
        read(vec![answer(&[("a", 1)], false, false), answer(&[("x", 1)], false, false)], "").await;
    assert_eq!((keys(&rows), starts), (vec!["a", "x"], vec![String::new(), "m".to_owned()]));
    assert_eq!((rows.next, rows.out_of_time), (None, false));
}

#[tokio::test]
async fn a_page_says_where_the_next_begins() {
    let (rows, _) = read(vec![answer(&[("a", 1), ("b", 1), ("c", 1)], true, false)], "").await;
    assert_eq!((keys(&rows), rows.next.as_deref()), (vec!["a", "b", "c"], Some("c\\x00")));
    // Not behind the end of a prefix, and not in regions beyond it.
    let (rows, starts) = read(vec![answer(&[("a", 1)], false, false)], "b").await;
    assert_eq!((keys(&rows), starts.len(), &rows.next), (vec!["a"], 1, &None));
}

#[tokio::test]
async fn a_row_that_is_too_large_is_cut_and_passed() {
    let answers = vec![answer(&[("a", 1)], true, true), answer(&[("b", 3), ("c", 2)], false, false)];
    let (rows, starts) = read(answers, "").await;
    assert_eq!((keys(&rows), starts), (vec!["a", "b", "c"], vec![String::new(), "a\\x00".to_owned()]));
    let shown: Vec<_> = rows.rows.iter().map(|row| (row.cells.len(), row.cut)).collect();
    assert_eq!(shown, [(1, true), (2, true), (2, false)]);
}

#[tokio::test]
async fn a_scan_that_finds_nothing_ends_in_time_where_it_was() {
    let cursor = pb::Cursor { row: Some("k".into()) };
    let beat = pb::ScanResponse { heartbeat_message: Some(true), cursor: Some(cursor), ..Default::default() };
    let (rows, starts) = read(vec![(beat, Bytes::new())], "").await;
    assert_eq!((rows.out_of_time, rows.next.as_deref()), (true, Some("k")));
    assert_eq!(&starts[..2], ["", "k"]);
}

#[tokio::test]
async fn nonsense_is_no_row() {
    let (mut response, cells) = answer(&[("a", 1)], false, false);
    response.cells_per_result = vec![u32::MAX];
    assert!(results(&response, cells).is_err());
}

#[test]
fn rows_with_a_prefix_end_where_the_prefix_does() {
    let cases: [(&[u8], &[u8]); 4] = [(b"ab", b"ac"), (b"a\xff\xff", b"b"), (b"\xff", b""), (b"", b"")];
    for (prefix, end) in cases {
        assert_eq!(after_prefix(prefix), end);
    }
    assert_eq!(behind(b"a"), &b"a\0"[..]);
}
