use crate::fake_cluster::{FakeCluster, block, other_address, region};
use finback_client::{Connection, Scan, ScanEvent};
use finback_proto::pb;
use finback_rpc::{Call, Outcome, Reply, exceptions};
use std::sync::Arc;
use std::time::Duration;

/// What a scan of a region is answered: rows with their columns, `+` behind those that go on.
fn page(rows: &[&str], more_in_region: bool) -> Outcome {
    page_with(rows, pb::ScanResponse { more_results_in_region: Some(more_in_region), ..Default::default() })
}

fn page_with(rows: &[&str], response: pb::ScanResponse) -> Outcome {
    let mut cells = Vec::new();
    let (mut counts, mut flags) = (Vec::new(), Vec::new());
    for row in rows {
        let (row, partial) = row.strip_suffix('+').map_or((*row, false), |row| (row, true));
        let (row, columns) = row.split_once(':').unwrap();
        for column in columns.chars() {
            cells.extend(block(&[(row.as_bytes(), "f", &column.to_string(), b"v")]));
        }
        counts.push(columns.len() as u32);
        flags.push(partial);
    }
    let response = pb::ScanResponse {
        scanner_id: Some(7),
        ttl: Some(60_000),
        more_results: Some(response.more_results.unwrap_or(true)),
        cells_per_result: counts,
        partial_flag_per_result: flags,
        ..response
    };
    Outcome::Ready(Ok(Reply::with_cells(&response, cells)))
}

fn request(call: &Call) -> pb::ScanRequest {
    call.decode().unwrap()
}

/// The row at which a scan is opened, and whether it is included.
fn opens_at(call: &Call) -> (String, bool) {
    let scan = request(call).scan.expect("a scanner is opened");
    (String::from_utf8(scan.start_row.unwrap().to_vec()).unwrap(), scan.include_start_row.unwrap())
}

/// The row at which a scan ends, and whether it is included.
fn stops_at(call: &Call) -> (String, bool) {
    let scan = request(call).scan.expect("a scanner is opened");
    (String::from_utf8(scan.stop_row().to_vec()).unwrap(), scan.include_stop_row())
}

async fn rows(cluster: &FakeCluster, scan: Scan) -> Result<Vec<String>, finback_client::Error> {
    let config = cluster.config().retries(3).scan_timeout(Duration::from_secs(20));
    let mut scanner = Connection::open(config).await.unwrap().table("t").unwrap().scan(scan)?;
    let mut rows = Vec::new();
    while let Some(row) = scanner.next().await? {
        let columns: String = row.cells().map(|cell| char::from(cell.qualifier()[0])).collect();
        rows.push(format!("{}:{columns}", String::from_utf8_lossy(row.key())));
    }
    Ok(rows)
}

#[tokio::test]
async fn a_scanner_that_was_lost_is_opened_behind_the_last_row() {
    for lost in [
        exceptions::unknown_scanner("who?"),
        exceptions::scanner_reset("anew"),
        exceptions::not_serving_region("gone"),
        exceptions::region_server_stopped("stops"),
        exceptions::lease("over"),
    ] {
        let cluster = FakeCluster::start(1).await;
        cluster.next(|_| page(&["a:1", "b:12"], true));
        cluster.next_fails(lost.clone());
        cluster.next(|call| {
            assert_eq!(opens_at(call), ("b".into(), false));
            page(&["c:1"], false)
        });
        assert_eq!(rows(&cluster, Scan::new()).await.unwrap(), ["a:1", "b:12", "c:1"], "{lost}");
    }
}

#[tokio::test]
async fn in_the_midst_of_a_row_it_is_opened_at_the_row() {
    let cluster = FakeCluster::start(1).await;
    cluster.next(|_| page(&["a:1", "b:12+"], true));
    cluster.next_fails(exceptions::unknown_scanner("who?"));
    cluster.next(|call| {
        assert_eq!(opens_at(call), ("a".into(), false));
        page(&["b:123"], false)
    });
    assert_eq!(rows(&cluster, Scan::new()).await.unwrap(), ["a:1", "b:123"]);

    // Parts that were handed over are not handed over again.
    cluster.next(|_| page(&["a:1", "b:12+"], true));
    cluster.next_fails(exceptions::unknown_scanner("who?"));
    cluster.next(|call| {
        assert_eq!(opens_at(call), ("b".into(), true));
        page(&["b:123"], false)
    });
    assert_eq!(rows(&cluster, Scan::new().allow_partial_rows()).await.unwrap(), ["a:1", "b:12", "b:3"]);
}

#[tokio::test]
async fn a_row_in_parts_goes_on_however_often_its_scanner_is_lost() {
    let cluster = FakeCluster::start(1).await;
    let columns = "123456789";
    // More often than a call would be tried again.
    for end in 1..columns.len() {
        let part = format!("a:{}+", &columns[..end]);
        cluster.next(move |_| page(&[&part], true));
        cluster.next_fails(exceptions::unknown_scanner("who?"));
    }
    cluster.next(move |_| page(&[&format!("a:{columns}")], false));
    let parts: Vec<_> = columns.chars().map(|column| format!("a:{column}")).collect();
    assert_eq!(rows(&cluster, Scan::new().allow_partial_rows()).await.unwrap(), parts);
}

#[tokio::test]
async fn the_rest_of_a_row_is_of_the_same_moment_as_its_beginning() {
    let at = |rows: &'static [&'static str], point: u64| {
        let more_results_in_region = Some(true);
        let (mvcc_read_point, heartbeat_message) = (Some(point), Some(rows.is_empty()));
        page_with(
            rows,
            pb::ScanResponse {
                more_results_in_region,
                mvcc_read_point,
                heartbeat_message,
                ..Default::default()
            },
        )
    };
    let read_point = |call: &Call| request(call).scan.expect("a scanner is opened").mvcc_read_point;
    for scan in [Scan::new().allow_partial_rows(), Scan::new().batch(2)] {
        let cluster = FakeCluster::start(1).await;
        cluster.place(&[(region("", "m"), 0), (region("m", ""), 0)]);
        cluster.next(move |call| {
            assert_eq!(read_point(call), None);
            at(&["a:12", "b:12+"], 5)
        });
        // The row alone, even where a scanner is lost before it has given anything.
        for _ in 0..2 {
            cluster.next_fails(exceptions::unknown_scanner("who?"));
            cluster.next(move |call| {
                assert_eq!((read_point(call), stops_at(call)), (Some(5), ("b".into(), true)));
                at(&[], 5)
            });
        }
        cluster.next(move |_| page(&["b:1234"], false));
        // Between rows there is none.
        cluster.next(move |call| {
            assert_eq!((read_point(call), stops_at(call)), (None, (String::new(), false)));
            assert_eq!(opens_at(call), ("b".into(), false));
            at(&["c:12", "d:12+"], 7)
        });
        // Another row in the same region, of which nothing more is there.
        cluster.next_fails(exceptions::unknown_scanner("who?"));
        cluster.next(move |call| {
            assert_eq!((read_point(call), stops_at(call)), (Some(7), ("d".into(), true)));
            page(&[], false)
        });
        cluster.next(move |call| {
            assert_eq!((read_point(call), opens_at(call)), (None, ("d".into(), false)));
            at(&["e:12+"], 9)
        });
        // Nor in the next region.
        cluster.next(|_| page(&["e:34"], false));
        cluster.next(move |call| {
            assert_eq!(read_point(call), None);
            page(&["m:12"], false)
        });
        let expected = ["a:12", "b:12", "b:34", "c:12", "d:12", "e:12", "e:34", "m:12"];
        assert_eq!(rows(&cluster, scan).await.unwrap(), expected);
    }
}

#[tokio::test]
async fn a_call_that_got_no_answer_is_repeated_under_its_number() {
    let cluster = FakeCluster::start(1).await;
    cluster.next(|_| page(&["a:1"], true));
    cluster.next(|call| {
        assert_eq!(request(call).next_call_seq, Some(0));
        Outcome::exception(exceptions::call_queue_too_big("full"))
    });
    cluster.next(|call| {
        assert_eq!((request(call).next_call_seq, request(call).scanner_id), (Some(0), Some(7)));
        page(&["b:1"], true)
    });
    cluster.next(|call| {
        assert_eq!(request(call).next_call_seq, Some(1));
        page(&[], false)
    });
    assert_eq!(rows(&cluster, Scan::new()).await.unwrap(), ["a:1", "b:1"]);
}

#[tokio::test]
async fn a_number_that_is_out_of_order_closes_the_scanner_and_opens_another() {
    let cluster = FakeCluster::start(1).await;
    cluster.next(|_| page(&["a:1"], true));
    cluster.next_fails(exceptions::out_of_order_scanner_next("1"));
    // The close and the new one come in any order.
    for _ in 0..2 {
        cluster.next(|call| match request(call).scan {
            Some(_) => page(&["b:1"], false),
            None => page(&[], true),
        });
    }
    assert_eq!(rows(&cluster, Scan::new()).await.unwrap(), ["a:1", "b:1"]);
}

#[tokio::test]
async fn it_goes_on_elsewhere_when_its_server_has_gone_for_good() {
    let cluster = FakeCluster::start(2).await;
    let (name, gone) = other_address(cluster.addresses[0]).await;
    cluster.state.lock().unwrap().regions = vec![(region("", ""), name, 1)];
    cluster.next(|_| page(&["a:1"], true));
    let (state, elsewhere) = (Arc::clone(&cluster.state), cluster.name(1));
    cluster.next(move |_| {
        gone.abort();
        state.lock().unwrap().regions = vec![(region("", ""), elsewhere, 2)];
        Outcome::pending(std::future::pending())
    });
    cluster.next(|call| {
        assert_eq!(opens_at(call), ("a".into(), false));
        page(&["b:1"], false)
    });
    assert_eq!(rows(&cluster, Scan::new()).await.unwrap(), ["a:1", "b:1"]);
    assert_eq!(cluster.called(), [0, 0, 1]);
}

#[tokio::test]
async fn what_is_refused_ends_the_scan() {
    let cluster = FakeCluster::start(1).await;
    cluster.next(|_| page(&["a:1"], true));
    cluster.next_fails(exceptions::do_not_retry("no"));
    cluster.next(|call| {
        assert_eq!(request(call).close_scanner, Some(true));
        page(&[], true)
    });
    let error = rows(&cluster, Scan::new()).await.unwrap_err();
    assert!(error.is("DoNotRetryIOException"), "{error}");
}

#[tokio::test]
async fn a_scanner_that_is_always_lost_is_given_up() {
    let cluster = FakeCluster::start(1).await;
    for _ in 0..20 {
        cluster.next(|_| page(&[], true));
        cluster.next_fails(exceptions::unknown_scanner("who?"));
    }
    // An empty page that is no sign of life, and no end: what is left of it is a scanner that makes no way.
    let error = rows(&cluster, Scan::new()).await.unwrap_err();
    assert!(error.is("UnknownScannerException"), "{error}");
}

#[tokio::test]
async fn signs_of_life_are_waited_through_and_told_to_who_wants_them() {
    let alive = |row: Option<&'static str>| {
        move |_: &Call| {
            let cursor = row.map(|row| pb::Cursor { row: Some(row.into()) });
            let more_results_in_region = Some(true);
            page_with(
                &[],
                pb::ScanResponse {
                    heartbeat_message: Some(true),
                    cursor,
                    more_results_in_region,
                    ..Default::default()
                },
            )
        }
    };
    let cluster = FakeCluster::start(1).await;
    cluster.next(alive(None));
    cluster.next(|_| page(&["a:1+"], true));
    cluster.next(alive(None));
    cluster.next(|_| page(&["a:2"], false));
    assert_eq!(rows(&cluster, Scan::new()).await.unwrap(), ["a:12"]);

    cluster.next(alive(Some("k")));
    cluster.next(|_| page(&["m:1"], false));
    let mut scanner = cluster.table().await.scan(Scan::new().cursors()).unwrap();
    assert_eq!(scanner.next_event().await.unwrap(), Some(ScanEvent::Cursor("k".into())));
    assert!(matches!(scanner.next_event().await.unwrap(), Some(ScanEvent::Row(row)) if row.key() == b"m"));
    assert_eq!(scanner.next_event().await.unwrap(), None);
}

#[tokio::test]
async fn regions_follow_each_other_in_both_directions() {
    let cluster = FakeCluster::start(2).await;
    cluster.place(&[(region("", "m"), 0), (region("m", ""), 1)]);
    cluster.next(|call| {
        assert_eq!(opens_at(call), (String::new(), true));
        page(&["a:1"], false)
    });
    cluster.next(|call| {
        assert_eq!(opens_at(call), ("m".into(), true));
        page(&["m:1"], false)
    });
    assert_eq!(rows(&cluster, Scan::new()).await.unwrap(), ["a:1", "m:1"]);
    assert_eq!(cluster.called(), [0, 1]);

    cluster.next(|call| {
        assert_eq!(opens_at(call), (String::new(), true));
        page(&["m:1"], false)
    });
    cluster.next(|call| {
        assert_eq!(opens_at(call), ("m".into(), false));
        page(&["a:1"], false)
    });
    assert_eq!(rows(&cluster, Scan::new().reversed()).await.unwrap(), ["m:1", "a:1"]);
    assert_eq!(cluster.called(), [1, 0]);

    // What is wanted ends with the first region: the second is not asked.
    cluster.next(|_| page(&["a:1"], false));
    assert_eq!(rows(&cluster, Scan::new().before("m")).await.unwrap(), ["a:1"]);
    assert_eq!(cluster.called(), [0]);
}

#[tokio::test]
async fn the_limit_that_is_left_is_what_the_next_region_is_told() {
    let cluster = FakeCluster::start(1).await;
    cluster.place(&[(region("", "m"), 0), (region("m", ""), 0)]);
    cluster.next(|call| {
        assert_eq!(request(call).limit_of_rows, Some(3));
        page(&["a:1", "b:1"], false)
    });
    cluster.next(|call| {
        assert_eq!(request(call).limit_of_rows, Some(1));
        page_with(
            &["m:1"],
            pb::ScanResponse {
                more_results: Some(false),
                more_results_in_region: Some(true),
                ..Default::default()
            },
        )
    });
    assert_eq!(rows(&cluster, Scan::new().limit(3)).await.unwrap(), ["a:1", "b:1", "m:1"]);
}

#[tokio::test]
async fn a_lease_is_renewed_while_nobody_takes_rows_and_the_scanner_closed_when_it_is_dropped() {
    let cluster = FakeCluster::start(1).await;
    let (renewals, mut renewed) = tokio::sync::mpsc::unbounded_channel();
    let short = |_: &Call| {
        let Outcome::Ready(Ok(mut reply)) = page(&["a:1"], true) else { unreachable!() };
        let mut response: pb::ScanResponse = finback_proto::Message::decode(&reply.message[..]).unwrap();
        response.ttl = Some(40);
        reply.message = finback_proto::Message::encode_to_vec(&response);
        Outcome::Ready(Ok(reply))
    };
    cluster.next(short);
    for _ in 0..2000 {
        let renewals = renewals.clone();
        cluster.next(move |call| {
            let request = request(call);
            let _ = renewals.send((request.renew(), request.close_scanner()));
            page(if request.renew() || request.close_scanner() { &[] } else { &["b:1"] }, true)
        });
    }
    let mut scanner = cluster.table().await.scan(Scan::new()).unwrap();
    scanner.next().await.unwrap().unwrap();
    let renewal = async { while renewed.recv().await.unwrap() != (true, false) {} };
    tokio::time::timeout(Duration::from_secs(20), renewal).await.expect("no renewal");
    drop(scanner);
    let closing = async { while renewed.recv().await.unwrap() != (false, true) {} };
    tokio::time::timeout(Duration::from_secs(20), closing).await.expect("not closed");
}

#[tokio::test]
async fn a_scanner_whose_time_is_over_is_closed() {
    let cluster = FakeCluster::start(1).await;
    let (closings, mut closed) = tokio::sync::mpsc::unbounded_channel();
    cluster.next(|_| page(&["a:1"], true));
    cluster.next(|_| Outcome::pending(std::future::pending()));
    cluster.next(move |call| {
        closings.send(request(call).close_scanner()).unwrap();
        page(&[], true)
    });
    let config = cluster.config().scan_timeout(Duration::from_millis(500));
    let mut scanner = Connection::open(config).await.unwrap().table("t").unwrap().scan(Scan::new()).unwrap();
    scanner.next().await.unwrap().unwrap();
    scanner.next().await.unwrap_err();
    let closing = tokio::time::timeout(Duration::from_secs(60), closed.recv()).await;
    assert_eq!(closing.expect("not closed"), Some(true));
}

#[tokio::test]
async fn a_page_does_not_wait_for_a_renewal_that_is_not_answered() {
    let cluster = FakeCluster::start(1).await;
    let (renewals, mut renewed) = tokio::sync::mpsc::unbounded_channel();
    for row in ["a:1", "b:1", "c:1"] {
        cluster.next(move |_| page(&[row], true));
    }
    for _ in 0..10 {
        let renewals = renewals.clone();
        cluster.next(move |call| {
            let _ = renewals.send(request(call).renew());
            Outcome::pending(std::future::pending())
        });
    }
    let mut scanner = cluster.table().await.scan(Scan::new()).unwrap();
    scanner.next().await.unwrap().unwrap();
    // The next page is there, and the one after it waits for its place, half of a lease of a minute.
    tokio::time::pause();
    assert_eq!(renewed.recv().await, Some(true));
    for row in [b"b", b"c"] {
        let next = tokio::time::timeout(Duration::from_secs(10), scanner.next()).await;
        assert_eq!(next.expect("it waits for the renewal").unwrap().unwrap().key(), row);
    }
}

#[tokio::test]
async fn counts_that_lie_open_another_scanner_and_are_given_up() {
    let cluster = FakeCluster::start(1).await;
    for _ in 0..20 {
        cluster.next(|call| {
            if request(call).close_scanner() {
                return page(&[], true);
            }
            let response = pb::ScanResponse { cells_per_result: vec![u32::MAX], ..Default::default() };
            Outcome::Ready(Ok(Reply::with_cells(&response, block(&[(b"a", "f", "q", b"v")]))))
        });
    }
    let error = rows(&cluster, Scan::new()).await.unwrap_err();
    assert!(error.to_string().contains("malformed answer"), "{error}");
}
