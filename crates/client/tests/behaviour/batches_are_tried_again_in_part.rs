use crate::fake_cluster::{FakeCluster, group_fails, multi, region};
use finback_client::{BatchAction, CheckAndMutate, Connection, Error, Filter, Get, Put};
use finback_proto::pb;
use finback_rpc::{Outcome, Reply, RpcException, exceptions};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn put(row: &str) -> BatchAction {
    Put::new(row).column("f", "q", "v").into()
}

/// The rows of a `Multi`.
fn rows(request: &pb::MultiRequest) -> Vec<String> {
    let actions = request.region_action.iter().flat_map(|region| &region.action);
    let row = |action: &pb::Action| action.mutation.as_ref().unwrap().row.clone().unwrap();
    actions.map(|action| String::from_utf8(row(action).to_vec()).unwrap()).collect()
}

#[tokio::test]
async fn only_what_failed_is_sent_again() {
    let cluster = FakeCluster::start(1).await;
    let table = cluster.table().await;
    let busy = exceptions::region_too_busy("busy");
    cluster.next(move |call| multi(call, |row| (row == b"b").then(|| busy.clone())));
    cluster.next(|call| {
        assert_eq!(rows(&call.decode().unwrap()), ["b"]);
        multi(call, |_| None)
    });
    let answers = table.batch(["a", "b", "c"].map(put)).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(cluster.called().len(), 2);
    assert_eq!(cluster.look_ups(), 1);
}

#[tokio::test]
async fn what_is_refused_is_told_at_its_place() {
    let cluster = FakeCluster::start(1).await;
    let table = cluster.table().await;
    let refused = exceptions::no_such_column_family("no family");
    cluster.next(move |call| multi(call, |row| (row == b"b").then(|| refused.clone())));
    let answers = table.batch(["a", "b", "c"].map(put)).await;
    assert!(answers[0].is_ok() && answers[2].is_ok());
    assert!(answers[1].as_ref().unwrap_err().is("NoSuchColumnFamilyException"), "{answers:?}");
    assert_eq!(cluster.called().len(), 1);
}

#[tokio::test]
async fn servers_are_called_once_each_and_by_themselves() {
    let cluster = FakeCluster::start(2).await;
    cluster.place(&[(region("", "d"), 0), (region("d", "p"), 1), (region("p", ""), 0)]);
    let table = cluster.table().await;
    let answers = table.batch(["a", "e", "z", "b"].map(put)).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    let mut called = cluster.called();
    called.sort_unstable();
    assert_eq!(called, [0, 1]);
}

#[tokio::test]
async fn what_is_too_large_for_one_call_is_cut_whatever_makes_it_large() {
    let cluster = FakeCluster::start(1).await;
    let table = cluster.table().await;
    let large = vec![b'l'; 60_000];
    let of_each = |action: BatchAction| vec![action; 200];
    let batches: [(&str, Vec<BatchAction>); 5] = [
        ("values", of_each(Put::new("r").column("f", "q", &large).into())),
        ("attributes", of_each(Put::new("r").column("f", "q", "v").attribute("a", large.clone()).into())),
        ("attributes of gets", of_each(BatchAction::Get(Get::new("r").attribute("a", large.clone())))),
        ("filters", of_each(BatchAction::Exists(Get::new("r").filter(Filter::prefix(&large))))),
        (
            "conditions",
            of_each(BatchAction::CheckAndMutate(
                CheckAndMutate::if_equals("r", "f", "q", &large).then(Put::new("r").column("f", "q", "v")),
            )),
        ),
    ];
    for (what, actions) in batches {
        let answers = table.batch(actions).await;
        assert!(answers.iter().all(Result::is_ok), "{what}: {answers:?}");
        assert_eq!(cluster.called().len(), 2, "{what}");
    }
}

/// As many actions as one call takes, of different rows, and one more.
fn too_many(last: &str) -> Vec<BatchAction> {
    (0..5000).map(|number| put(&format!("{number:04}"))).chain([put(last)]).collect()
}

#[tokio::test]
async fn actions_of_one_row_arrive_in_their_order_in_several_calls() {
    let cluster = FakeCluster::start(1).await;
    let table = cluster.table().await;
    let answered = Arc::new(AtomicBool::new(false));
    let answer = Arc::clone(&answered);
    cluster.next(move |call| {
        assert_eq!(rows(&call.decode().unwrap()).len(), 5000);
        let call = call.clone();
        Outcome::pending(async move {
            // In which another call would come.
            tokio::time::sleep(Duration::from_millis(100)).await;
            answer.store(true, Ordering::SeqCst);
            multi(&call, |_| None).wait().await
        })
    });
    cluster.next(move |call| {
        let refused = (!answered.load(Ordering::SeqCst)).then(|| exceptions::do_not_retry("too early"));
        multi(call, |_| refused.clone())
    });
    let answers = table.batch(too_many("0000")).await;
    assert_eq!(answers.into_iter().find_map(Result::err).map(|error| error.to_string()), None);
    assert_eq!(cluster.called().len(), 2);
}

/// The next calls fail with these, or do not; gives the count of rows of each.
fn next_calls(cluster: &FakeCluster, failures: &[Option<RpcException>]) -> Arc<Mutex<Vec<usize>>> {
    let counts = Arc::new(Mutex::new(Vec::new()));
    for failure in failures.iter().cloned() {
        let counts = Arc::clone(&counts);
        cluster.next(move |call| {
            counts.lock().unwrap().push(rows(&call.decode().unwrap()).len());
            match failure {
                Some(exception) => group_fails(exception)(call),
                None => multi(call, |_| None),
            }
        });
    }
    counts
}

#[tokio::test]
async fn a_call_that_has_waited_for_another_goes_where_its_region_is_by_then() {
    let cluster = FakeCluster::start(2).await;
    let moved = exceptions::region_moved("127.0.0.1", cluster.addresses[1].port(), 1, 5);
    for (failure, servers) in [(moved, [0, 1, 1]), (exceptions::region_too_busy("busy"), [0, 0, 0])] {
        let table = cluster.table().await;
        let counts = next_calls(&cluster, &[Some(failure), None, None]);
        let answers = table.batch(too_many("0000")).await;
        assert_eq!(answers.into_iter().find_map(Result::err).map(|error| error.to_string()), None);
        assert_eq!(cluster.called(), servers);
        // Behind the other, which is tried again.
        assert_eq!(*counts.lock().unwrap(), [5000, 5000, 1]);
    }
}

#[tokio::test]
async fn a_call_that_has_waited_for_the_tries_of_another_has_its_own() {
    let cluster = FakeCluster::start(1).await;
    let table = Connection::open(cluster.config().retries(1)).await.unwrap().table("t").unwrap();
    let busy = Some(exceptions::region_too_busy("busy"));
    let counts = next_calls(&cluster, &[busy.clone(), busy.clone(), busy, None]);
    let answers = table.batch(too_many("0000")).await;
    let exhausted = |error: &Error| matches!(error, Error::RetriesExhausted { attempts: 2, .. });
    assert!(answers[..5000].iter().all(|answer| answer.as_ref().is_err_and(exhausted)));
    assert!(answers[5000].is_ok(), "{:?}", answers[5000]);
    assert_eq!(*counts.lock().unwrap(), [5000, 5000, 1, 1]);
}

#[tokio::test]
async fn a_call_that_has_waited_for_another_is_not_made_when_the_time_is_over() {
    let cluster = FakeCluster::start(1).await;
    let config = cluster.config().operation_timeout(Duration::from_secs(3));
    let table = Connection::open(config).await.unwrap().table("t").unwrap();
    cluster.next(|_| Outcome::pending(std::future::pending()));
    let answers = table.batch(too_many("0000")).await;
    let late = |error: &Error| matches!(error, Error::TimedOut { .. });
    assert!(answers.iter().all(|answer| answer.as_ref().is_err_and(late)));
    assert_eq!(cluster.called().len(), 1);
}

/// The next two calls are answered when both have come.
fn next_two_come_together(cluster: &FakeCluster) {
    let both = Arc::new(tokio::sync::Barrier::new(2));
    for _ in 0..2 {
        let both = Arc::clone(&both);
        cluster.next(move |call| {
            let call = call.clone();
            Outcome::pending(async move {
                both.wait().await;
                multi(&call, |_| None).wait().await
            })
        });
    }
}

#[tokio::test]
async fn several_calls_of_different_rows_are_under_way_together() {
    // The second call of the other batch shares a row with the first, and none with the third.
    let others = (5000..10_000).map(|number| put(&format!("{number:04}")));
    let of_three_calls = too_many("0000").into_iter().chain(others).collect();
    for (actions, calls) in [(too_many("z"), 2), (of_three_calls, 3)] {
        let cluster = FakeCluster::start(1).await;
        let table = cluster.table().await;
        next_two_come_together(&cluster);
        let batch = tokio::time::timeout(Duration::from_secs(20), table.batch(actions));
        assert!(batch.await.expect("one waits for the other").iter().all(Result::is_ok));
        assert_eq!(cluster.called().len(), calls);
    }
}

#[tokio::test]
async fn a_region_that_has_moved_takes_its_actions_with_it() {
    let cluster = FakeCluster::start(2).await;
    let table = cluster.table().await;
    table.get(Get::new("r")).await.unwrap();
    cluster.calls();
    let moved = exceptions::region_moved("127.0.0.1", cluster.addresses[1].port(), 1, 5);
    cluster.next(group_fails(moved));
    let answers = table.batch(["a", "b"].map(put)).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(cluster.called(), [0, 1]);
    assert_eq!(cluster.look_ups(), 1);
}

#[tokio::test]
async fn no_server_waits_while_nobody_says_whether_the_table_is_disabled() {
    let cluster = FakeCluster::start(2).await;
    cluster.place(&[(region("", "m"), 0), (region("m", ""), 1)]);
    let table = cluster.table().await;
    cluster.state.lock().unwrap().silent_about_states = true;
    let (asked, mut tries) = tokio::sync::mpsc::unbounded_channel();
    for _ in 0..10 {
        let asked = asked.clone();
        cluster.next(move |call| {
            multi(call, |row| match row {
                b"a" => Some(exceptions::not_serving_region("gone")),
                _ => {
                    let _ = asked.send(());
                    Some(exceptions::region_too_busy("busy"))
                }
            })
        });
    }
    let asking = tokio::spawn(async move { table.batch(["a", "z"].map(put)).await });
    for _ in 0..3 {
        let asked = tokio::time::timeout(Duration::from_secs(20), tries.recv()).await;
        asked.expect("the other server waits");
    }
    asking.abort();
}

#[tokio::test]
async fn what_is_known_is_sent_before_the_rest_is_looked_for() {
    let cluster = FakeCluster::start(1).await;
    cluster.place(&[(region("", "m"), 0), (region("m", ""), 0)]);
    let table = cluster.table().await;
    table.get(Get::new("a")).await.unwrap();
    cluster.state.lock().unwrap().silent_about_regions = true;
    let (sent, arrives) = tokio::sync::oneshot::channel();
    cluster.next(|call| {
        let _ = sent.send(rows(&call.decode().unwrap()));
        multi(call, |_| None)
    });
    let batch = table.batch(["z", "a"].map(put));
    tokio::select! {
        _ = batch => panic!("nobody says where z is"),
        arrived = tokio::time::timeout(Duration::from_secs(20), arrives) => {
            assert_eq!(arrived.expect("nothing arrives").unwrap(), ["a"]);
        }
    }
}

#[tokio::test]
async fn what_fails_every_look_up_is_looked_for_once_in_each_try() {
    let rows = || (0..20).map(|row| put(&row.to_string()));
    let cluster = FakeCluster::start(1).await;
    cluster.state.lock().unwrap().regions.clear();
    let answers = cluster.table().await.batch(rows()).await;
    let not_found = |error: &Error| error.is("TableNotFoundException");
    assert!(answers.iter().all(|answer| answer.as_ref().is_err_and(not_found)), "{answers:?}");
    assert_eq!(cluster.look_ups(), 1);

    let cluster = FakeCluster::start(1).await;
    cluster.state.lock().unwrap().silent_about_regions = true;
    let config = cluster.config().retries(1).rpc_timeout(Duration::from_secs(1));
    let answers = Connection::open(config).await.unwrap().table("t").unwrap().batch(rows()).await;
    let late = |error: &Error| error.is("CallTimeoutException");
    assert!(answers.iter().all(|answer| answer.as_ref().is_err_and(late)), "{answers:?}");
    assert_eq!(cluster.look_ups(), 2);
}

#[tokio::test]
async fn a_region_without_a_server_is_looked_for_once_in_each_try() {
    let cluster = FakeCluster::start(1).await;
    cluster.place(&[(region("", "m"), 0), (region("m", ""), 0)]);
    cluster.state.lock().unwrap().homeless = 3;
    let answers = cluster.table().await.batch((0..20).map(|row| put(&format!("z{row}")))).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(cluster.look_ups(), 4);

    // Another region's server is another question.
    let cluster = FakeCluster::start(1).await;
    cluster.place(&[(region("", "m"), 0), (region("m", ""), 0)]);
    cluster.state.lock().unwrap().homeless = 1;
    let answers = cluster.table().await.batch(["z", "z1", "a"].map(put)).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!((cluster.look_ups(), cluster.called().len()), (3, 2));
}

#[tokio::test]
async fn actions_of_a_row_stay_in_order_where_its_look_up_fails_at_first() {
    let cluster = FakeCluster::start(1).await;
    cluster.state.lock().unwrap().failed_look_ups = 1;
    cluster.next(|call| {
        assert_eq!(rows(&call.decode().unwrap()), ["b"]);
        multi(call, |_| None)
    });
    cluster.next(|call| {
        assert_eq!(rows(&call.decode().unwrap()), ["a", "a"]);
        multi(call, |_| None)
    });
    let answers = cluster.table().await.batch(["a", "b", "a"].map(put)).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(cluster.called().len(), 2);
}

#[tokio::test]
async fn actions_of_a_row_stay_together_where_its_region_is_told_once_more_meanwhile() {
    let cluster = FakeCluster::start(1).await;
    cluster.place(&[(region("", "m"), 0), (region("m", ""), 0)]);
    cluster.state.lock().unwrap().neighbours = 1;
    cluster.next(|call| {
        let request: pb::MultiRequest = call.decode().unwrap();
        let of_each = request.region_action.iter().map(|region| region.action.len());
        let mut of_each: Vec<usize> = of_each.collect();
        of_each.sort_unstable();
        assert_eq!(of_each, [1, 2]);
        multi(call, |_| None)
    });
    let answers = cluster.table().await.batch(["a", "z", "a"].map(put)).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!((cluster.look_ups(), cluster.called().len()), (2, 1));
}

/// What is newer than known meanwhile is not what the first action of a row went by: its server would be another.
#[tokio::test]
async fn actions_of_a_row_stay_together_where_its_region_moves_meanwhile() {
    let cluster = FakeCluster::start(2).await;
    cluster.place(&[(region("", "m"), 0), (region("m", ""), 1)]);
    {
        let mut state = cluster.state.lock().unwrap();
        state.neighbours = 1;
        state.moves_after_look_up = Some(cluster.name(1));
    }
    let sent = Arc::new(Mutex::new(Vec::new()));
    for _ in 0..2 {
        let sent = Arc::clone(&sent);
        cluster.next(move |call| {
            sent.lock().unwrap().push(rows(&call.decode().unwrap()));
            multi(call, |_| None)
        });
    }
    let answers = cluster.table().await.batch(["a", "z", "a"].map(put)).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    let mut sent = std::mem::take(&mut *sent.lock().unwrap());
    sent.sort_unstable();
    assert_eq!(sent, [vec!["a", "a"], vec!["z"]]);
}

#[tokio::test]
async fn a_look_up_that_is_refused_fails_its_row_alone() {
    let cluster = FakeCluster::start(1).await;
    cluster.place(&[(region("", "m"), 0), (region("m", ""), 0)]);
    cluster.state.lock().unwrap().refused_look_up = Some("a");
    let answers = cluster.table().await.batch(["a", "y", "z"].map(put)).await;
    assert!(answers[0].as_ref().is_err_and(|error| error.is("DoNotRetryIOException")), "{answers:?}");
    assert!(answers[1].is_ok() && answers[2].is_ok(), "{answers:?}");
    assert_eq!(cluster.look_ups(), 2);
}

#[tokio::test]
async fn answers_that_make_no_sense_are_tried_again_and_given_up() {
    let cluster = FakeCluster::start(1).await;
    let table = Connection::open(cluster.config().retries(1)).await.unwrap().table("t").unwrap();
    // No groups, then groups without answers.
    cluster.next(|_| Outcome::message(&pb::MultiResponse::default()));
    cluster.next(|_| {
        let region_action_result = vec![pb::RegionActionResult::default()];
        Outcome::message(&pb::MultiResponse { region_action_result, ..Default::default() })
    });
    let answers = table.batch([put("a")]).await;
    let error = answers[0].as_ref().unwrap_err();
    assert!(error.to_string().contains("did not return a result"), "{error}");
    assert_eq!(cluster.called().len(), 2);

    // Answers to what was not asked, twice to the same, and more cells than there are.
    cluster.next(|_| {
        let result = |index, count| pb::ResultOrException {
            index: Some(index),
            result: Some(pb::Result { associated_cell_count: Some(count), ..Default::default() }),
            ..Default::default()
        };
        let entries = vec![result(7, 0), result(u32::MAX, 0), result(0, 0), result(0, i32::MAX)];
        let group = pb::RegionActionResult { result_or_exception: entries, ..Default::default() };
        let response = pb::MultiResponse { region_action_result: vec![group], ..Default::default() };
        Outcome::Ready(Ok(Reply::new(&response)))
    });
    let answers = table.batch([put("a")]).await;
    assert!(answers[0].is_ok(), "{answers:?}");
    assert_eq!(cluster.called().len(), 2);
}

#[tokio::test]
async fn what_was_left_for_another_reply_is_fetched_without_a_pause() {
    let cluster = FakeCluster::start(1).await;
    // No further try is allowed, and one would take forever.
    let config = cluster.config().retries(0).pause(Duration::from_secs(1000));
    let table = Connection::open(config).await.unwrap().table("t").unwrap();
    for first in ["a", "b", "c"] {
        let later = exceptions::multi_action_result_too_large("later");
        cluster.next(move |call| multi(call, |row| (row != first.as_bytes()).then(|| later.clone())));
    }
    let answers = table.batch(["a", "b", "c"].map(put)).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(cluster.called().len(), 3);
}
