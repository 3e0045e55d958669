//! What a write is built upon is read within limits, since its row is locked meanwhile: the size of a row, and the time of others.

use crate::world::{World, family, mutation, mutation_of, number, put, run, value};
use finback_cell::cell::CellParts;
use finback_cell::{
    Bytes, Cell, CellType, LATEST_TIMESTAMP, MAX_ROW_LENGTH, Mutation, MutationKind, TimeRange,
};
use finback_filter::filters::FirstKeyOnlyFilter;
use finback_filter::{Filter, FilterCode, FilterError};
use finback_fs::MemFileSystem;
use finback_region::{AtomicOutcome, Condition, ConditionTest, Region, RegionError};
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

const MAX_ROW_BYTES: usize = 64 << 10;
const VALUE_BYTES: usize = 1000;

/// Decides over whole rows, and counts their cells.
struct WholeRow {
    seen: Arc<AtomicUsize>,
    takes: Duration,
}

impl Filter for WholeRow {
    fn filter_cell(&mut self, _: &Cell<'_>) -> Result<FilterCode, FilterError> {
        self.seen.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(self.takes);
        Ok(FilterCode::Include)
    }

    fn has_filter_row(&self) -> bool {
        true
    }
}

fn whole_row(seen: &Arc<AtomicUsize>, takes: Duration) -> Vec<Condition> {
    let filter = Box::new(WholeRow { seen: Arc::clone(seen), takes });
    let row = Bytes::from("wide");
    vec![Condition { row, time_range: TimeRange::ALL, test: ConditionTest::Filter(filter) }]
}

/// A region with a row of so many cells.
fn start(cells: usize, max_row_bytes: usize) -> (World, Arc<Region>) {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 9)]);
    world.config.max_row_bytes = max_row_bytes;
    let region = world.start().unwrap();
    for cell in 0..cells {
        let column = format!("q{cell:05}");
        run(region.mutate(&put(("wide", "a", &column), &[7; VALUE_BYTES]))).unwrap();
    }
    (world, region)
}

#[test]
fn a_condition_over_no_row_is_refused_and_not_over_all() {
    let (_world, region) = start(10, MAX_ROW_BYTES);
    let seen: Arc<AtomicUsize> = Arc::default();
    for row in [Bytes::new(), Bytes::from(vec![b'r'; MAX_ROW_LENGTH + 1])] {
        let conditions = || whole_row(&seen, Duration::ZERO).into_iter();
        let conditions = conditions().map(|condition| Condition { row: row.clone(), ..condition }).collect();
        let refused = run(region.mutate_atomically(conditions, vec![]));
        assert!(matches!(refused, Err(RegionError::Invalid(_))), "{refused:?}");
    }
    assert_eq!(seen.load(Ordering::SeqCst), 0);
}

#[test]
fn a_condition_over_a_row_that_is_too_big_is_refused() {
    const CELLS: usize = 2000;
    let (_world, region) = start(CELLS, MAX_ROW_BYTES);
    let seen = Arc::default();
    let change = vec![put(("wide", "a", "new"), b"v")];
    let refused =
        run(region.mutate_atomically(whole_row(&seen, Duration::ZERO), change.clone())).unwrap_err();
    assert!(matches!(refused, RegionError::RowTooBig { limit: MAX_ROW_BYTES }), "{refused}");
    assert!(seen.load(Ordering::SeqCst) < CELLS / 2, "no more is read than it takes to see that");
    assert_eq!(value(&region, ("wide", "a", "new")), None);
    // Nobody has the row any more.
    assert!(run(region.mutate_atomically(Vec::new(), change)).unwrap().applied);
}

/// Cells of a row that a slow condition looks at for 90 ms.
const SLOW_CELLS: usize = 3000;

/// A write that has had a turn, and is in the middle of its slow condition; with the number of cells that this has seen.
fn begin_slow_write(
    region: &Region,
) -> (Arc<AtomicUsize>, Pin<Box<impl Future<Output = Result<AtomicOutcome, RegionError>>>>) {
    let seen = Arc::default();
    let condition = whole_row(&seen, Duration::from_micros(30));
    let mut write = Box::pin(region.mutate_atomically(condition, vec![put(("wide", "a", "new"), b"v")]));
    assert!(matches!(write.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Pending));
    assert!(seen.load(Ordering::SeqCst) < SLOW_CELLS);
    (seen, write)
}

#[test]
fn a_condition_with_a_slow_filter_lets_others_have_their_turn() {
    let (_world, region) = start(SLOW_CELLS, usize::MAX);
    let (seen, write) = begin_slow_write(&region);
    assert!(run(write).unwrap().applied);
    assert_eq!(seen.load(Ordering::SeqCst), SLOW_CELLS);
}

/// Whether `work`, done by another thread, ends soon.
fn ends_soon(work: impl FnOnce() + Send + 'static) -> bool {
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        work();
        let _ = done.send(());
    });
    is_done.recv_timeout(Duration::from_secs(60)).is_ok()
}

#[test]
fn nobody_but_writers_of_its_row_waits_for_a_slow_condition() {
    let (_world, region) = start(SLOW_CELLS, usize::MAX);
    let (seen, write) = begin_slow_write(&region);
    let flushed = Arc::clone(&region);
    assert!(ends_soon(move || assert!(flushed.flush(None).unwrap().flushed)), "a flush waits");
    let written = Arc::clone(&region);
    assert!(ends_soon(move || run(written.mutate(&put(("other", "a", "q"), b"v"))).unwrap()), "a put waits");
    assert!(seen.load(Ordering::SeqCst) < SLOW_CELLS);
    assert!(run(write).unwrap().applied);
    assert_eq!(value(&region, ("wide", "a", "new")).unwrap(), b"v");
}

#[test]
fn a_region_closes_while_a_slow_condition_is_checked_which_then_ends() {
    let (_world, region) = start(SLOW_CELLS, usize::MAX);
    let (seen, write) = begin_slow_write(&region);
    let closed = Arc::clone(&region);
    assert!(ends_soon(move || closed.close_to_writes().unwrap()), "closing waits");
    let refused = run(write).unwrap_err();
    assert!(matches!(refused, RegionError::Closing(_)), "{refused}");
    assert!(seen.load(Ordering::SeqCst) < SLOW_CELLS);
}

#[test]
fn a_slow_condition_is_checked_no_longer_than_the_client_waits() {
    let (_world, region) = start(SLOW_CELLS, usize::MAX);
    let seen = Arc::default();
    let condition = whole_row(&seen, Duration::from_micros(30));
    let change = vec![put(("wide", "a", "new"), b"v")];
    let deadline = Some(Instant::now() + Duration::from_millis(20));
    let refused = run(region.mutate_atomically_until(condition, change.clone(), deadline)).unwrap_err();
    assert!(matches!(refused, RegionError::ReadTimeout(_)), "{refused}");
    assert!(seen.load(Ordering::SeqCst) < SLOW_CELLS);
    assert!(run(region.mutate_atomically(Vec::new(), change)).unwrap().applied);
}

#[test]
fn an_increment_behind_many_versions_lets_others_have_their_turn() {
    const VERSIONS: i64 = 150_000;
    let (_world, region) = start(0, usize::MAX);
    let value = 1i64.to_be_bytes();
    let version = |timestamp| CellParts {
        row: b"r",
        family: b"a",
        qualifier: b"q",
        timestamp,
        type_code: CellType::Put.code(),
        value: &value,
        tags: b"",
    };
    run(region.mutate(&mutation_of(MutationKind::Put, b"r", (1..=VERSIONS).map(version)))).unwrap();
    let mut increment = mutation_of(MutationKind::Increment, b"r", vec![version(LATEST_TIMESTAMP)]);
    increment.time_range = TimeRange { min: 0, max: 2 };
    let mut write = pin!(region.mutate_atomically(Vec::new(), vec![increment]));
    let polled = write.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert!(matches!(polled, Poll::Pending), "{polled:?}");
    assert_eq!(region.counters().writes.load(Ordering::SeqCst), 1, "it still reads");
    assert!(run(write).unwrap().applied);
    assert_eq!(number(&region, ("r", "a", "q")), 2);
}

#[test]
fn a_condition_over_much_takes_its_turn_among_large_updates() {
    const CELLS: usize = 2000;
    let (world, region) = start(CELLS, usize::MAX);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let turn =
        runtime.block_on(world.config.large_updates.turn(&*world.host, Duration::from_secs(60))).unwrap();
    let seen = Arc::default();
    let change = vec![put(("wide", "a", "new"), b"v")];
    let mut waits = pin!(region.mutate_atomically(whole_row(&seen, Duration::ZERO), change));
    {
        let _guard = runtime.enter();
        // However often it is asked.
        for _ in 0..100 {
            assert!(matches!(waits.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Pending));
        }
    }
    assert!(seen.load(Ordering::SeqCst) < CELLS);
    drop(turn);
    assert!(runtime.block_on(waits).unwrap().applied);
}

/// A mutation that deletes so many of the latest versions of a column.
fn delete_latest(versions: usize) -> Mutation {
    let latest = CellParts {
        row: b"r",
        family: b"a",
        qualifier: b"q",
        timestamp: LATEST_TIMESTAMP,
        type_code: CellType::Delete.code(),
        value: b"",
        tags: b"",
    };
    mutation_of(MutationKind::Delete, b"r", vec![latest; versions])
}

#[test]
fn a_marker_for_the_latest_version_reads_no_file_when_that_is_in_memory() {
    let (world, region) = start(0, MAX_ROW_BYTES);
    for version in 1..=4 {
        region.flush(None).unwrap();
        let column = ("r", "a", "q");
        run(region.mutate(&mutation(MutationKind::Put, CellType::Put, column, version, b"v"))).unwrap();
    }
    let before = world.host.fetched.load(Ordering::SeqCst);
    run(region.mutate(&delete_latest(1))).unwrap();
    assert_eq!(world.host.fetched.load(Ordering::SeqCst), before);
    assert_eq!(value(&region, ("r", "a", "q")).unwrap(), b"v");
}

#[test]
fn a_condition_over_little_in_files_of_large_blocks_waits_for_no_large_update() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("a", 9)]);
    let region = world.start().unwrap();
    for file in 0..5 {
        run(region.mutate(&put(("wide", "a", &format!("q{file}")), b"v"))).unwrap();
        run(region.mutate(&put(("wide", "a", "x"), &[7; 300 << 10]))).unwrap();
        region.flush(None).unwrap();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _turn =
        runtime.block_on(world.config.large_updates.turn(&*world.host, Duration::from_secs(60))).unwrap();
    let row = Bytes::from("wide");
    let test = ConditionTest::Filter(Box::new(FirstKeyOnlyFilter::new()));
    let conditions = vec![Condition { row, time_range: TimeRange::ALL, test }];
    let written = region.mutate_atomically(conditions, vec![put(("wide", "a", "new"), b"v")]);
    assert!(run(written).unwrap().applied);
}

#[test]
fn markers_for_the_latest_versions_read_no_values_and_no_more_versions_than_one_column_has_markers() {
    const VERSIONS: u8 = 9;
    let (_world, region) = start(0, MAX_ROW_BYTES);
    let at = |version: u8| {
        let column = ("r", "a", "q");
        mutation(MutationKind::Put, CellType::Put, column, version.into(), &vec![version; MAX_ROW_BYTES / 2])
    };
    for version in 1..=VERSIONS {
        run(region.mutate(&at(version))).unwrap();
    }
    let three = delete_latest(3);
    run(region.mutate(&three)).unwrap();
    assert_eq!(value(&region, ("r", "a", "q")).unwrap()[0], VERSIONS - 3);
}
