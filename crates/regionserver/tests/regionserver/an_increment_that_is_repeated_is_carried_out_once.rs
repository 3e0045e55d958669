//! Nonces.

use crate::world::{FAMILY, Table, World, increment, put, region_info};
use finback_cell::{Bytes, ColumnFamilyDescriptor};
use finback_proto::pb::mutation_proto::{MutationType, column_value::QualifierValue};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Increments by one; gives back the sum.
async fn count(table: &Table<'_>, nonce: Option<u64>) -> i64 {
    let (_, cells) = table.mutate(increment("row", 1, nonce)).await.unwrap();
    i64::from_be_bytes(cells.iter().next().expect("a sum").value().try_into().unwrap())
}

#[tokio::test]
async fn a_repetition_gets_the_first_answer() {
    let world = World::new();
    let table = world.table("t").await;
    assert_eq!(count(&table, Some(7)).await, 1);
    assert_eq!(count(&table, Some(8)).await, 2);
    // What the first call had as its result, though there have been others.
    assert_eq!(count(&table, Some(7)).await, 1);
    assert_eq!(count(&table, Some(8)).await, 2);
    table.flush().await.unwrap();
    assert_eq!(count(&table, Some(8)).await, 2);
    assert_eq!(count(&table, None).await, 3);
    assert_eq!(count(&table, None).await, 4);
}

#[tokio::test]
async fn a_repetition_whose_answer_is_in_no_file_any_more_gets_the_sum_now() {
    let world = World::new();
    let families = vec![ColumnFamilyDescriptor::with_defaults(FAMILY)];
    world.create_table(&region_info("t", "", ""), families);
    let table = world.table("t").await;
    assert_eq!(count(&table, Some(7)).await, 1);
    assert_eq!(count(&table, Some(8)).await, 2);
    table.flush().await.unwrap();
    assert_eq!(count(&table, Some(7)).await, 2);
    assert_eq!(count(&table, None).await, 3);
}

#[tokio::test]
async fn a_repetition_that_passes_many_versions_lets_others_have_their_turn() {
    const VERSIONS: u64 = 60_000;
    const LATER: u64 = 4_000_000_000_000;
    let world = World::new();
    let table = table_of_one_version(&world, "NONE").await;
    assert_eq!(count(&table, Some(7)).await, 1);
    assert_eq!(count(&table, None).await, 2);
    table.flush().await.unwrap();
    // Each with a marker of its own.
    for kind in [MutationType::Put, MutationType::Delete] {
        let mut later = put("row", &[("q", b"v")]);
        later.mutate_type = Some(kind.into());
        let columns = &mut later.column_value[0].qualifier_value;
        let version = QualifierValue { delete_type: Some(0), ..columns[0].clone() };
        *columns = (LATER..LATER + VERSIONS)
            .map(|timestamp| QualifierValue { timestamp: Some(timestamp), ..version.clone() })
            .collect();
        table.mutate(later).await.unwrap();
    }
    let turns = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&turns);
    let other = tokio::spawn(async move {
        loop {
            counted.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
        }
    });
    assert_eq!(count(&table, Some(7)).await, 2);
    other.abort();
    let turns = turns.load(Ordering::SeqCst);
    assert!(turns >= 10, "{turns}");
}

/// A table of which files keep one version.
async fn table_of_one_version<'a>(world: &'a World, compaction: &str) -> Table<'a> {
    let family = ColumnFamilyDescriptor::with_defaults(FAMILY).with("IN_MEMORY_COMPACTION", compaction);
    world.create_table(&region_info("t", "", ""), vec![family]);
    world.table("t").await
}

#[tokio::test]
async fn a_repetition_is_never_told_the_sum_before_it() {
    for compaction in ["NONE", "EAGER"] {
        let world = World::new();
        let table = table_of_one_version(&world, compaction).await;
        assert_eq!(count(&table, None).await, 1);
        table.flush().await.unwrap();
        assert_eq!(count(&table, Some(7)).await, 2);
        assert_eq!(count(&table, None).await, 3);
        // The sum of the nonce is in no file; the one before it is.
        table.flush().await.unwrap();
        assert_eq!(count(&table, Some(7)).await, 3, "{compaction}");
        assert_eq!(count(&table, None).await, 4);
    }
}

#[tokio::test]
async fn a_repetition_gets_all_of_its_columns_as_of_one_time() {
    let both = |nonce: Option<u64>| {
        let mut increment = increment("row", 1, nonce);
        let other = Bytes::from_static(b"other");
        let mut column = increment.column_value[0].qualifier_value[0].clone();
        column.qualifier = Some(other);
        increment.column_value[0].qualifier_value.push(column);
        increment
    };
    let world = World::new();
    let table = table_of_one_version(&world, "NONE").await;
    let sums = async |nonce| -> Vec<i64> {
        let (_, cells) = table.mutate(both(nonce)).await.unwrap();
        cells.iter().map(|cell| i64::from_be_bytes(cell.value().try_into().unwrap())).collect()
    };
    assert_eq!(sums(Some(7)).await, [1, 1]);
    assert_eq!(count(&table, None).await, 2);
    assert_eq!(sums(Some(7)).await, [1, 1]);
    table.flush().await.unwrap();
    let now = sums(Some(7)).await;
    assert_eq!((now.len(), now.iter().sum::<i64>()), (2, 3), "{now:?}");
}

#[tokio::test]
async fn repetitions_at_the_same_time_wait_for_the_first() {
    let world = World::new();
    let table = world.table("t").await;
    world.faults.pause();
    let calls = std::array::from_fn::<_, 10, _>(|_| count(&table, Some(7)));
    let (sums, ()) = tokio::join!(join_all(calls), async {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        world.faults.resume();
    });
    assert_eq!(sums, [1; 10]);
    assert_eq!(count(&table, None).await, 2);
}

/// Polls all of them together, in this task.
async fn join_all<F: Future<Output = i64>, const N: usize>(calls: [F; N]) -> Vec<i64> {
    let mut calls: Vec<_> = calls.into_iter().map(Box::pin).collect();
    let mut results = vec![None; N];
    std::future::poll_fn(|context| {
        for (call, result) in calls.iter_mut().zip(&mut results) {
            if result.is_none()
                && let std::task::Poll::Ready(sum) = call.as_mut().poll(context)
            {
                *result = Some(sum);
            }
        }
        if results.iter().all(Option::is_some) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    results.into_iter().flatten().collect()
}

#[tokio::test]
async fn a_call_that_failed_may_be_repeated() {
    let world = World::new();
    let table = world.table("t").await;
    world.faults.set_byte_budget(Some(0));
    table.mutate(increment("row", 1, Some(7))).await.unwrap_err();
    world.faults.set_byte_budget(None);
    let since = std::time::Instant::now();
    let sum = loop {
        match table.mutate(increment("row", 1, Some(7))).await {
            Ok((_, cells)) => break cells.iter().next().unwrap().value().to_vec(),
            Err(error) => assert!(since.elapsed() < crate::world::LONG, "{error}"),
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    };
    assert_eq!(sum, 1i64.to_be_bytes());
}

#[tokio::test]
async fn the_next_server_knows_the_nonces_of_what_it_replays() {
    let world = World::new();
    let table = world.table("t").await;
    assert_eq!(count(&table, Some(7)).await, 1);
    assert_eq!(count(&table, Some(8)).await, 2);
    let world = world.crash();
    let table = world.table("t").await;
    // Carried out before the crash, so not again. What it had as its result is not known any more: the sum now is given.
    assert_eq!(count(&table, Some(8)).await, 2);
    assert_eq!(count(&table, Some(9)).await, 3);
}
