//! `CompactRegion` is answered at once, and the state tells until the compaction is over; flushes and openings start one
//! where there is something to compact.

use crate::background_jobs_are_slowed_put_off_and_cancelled::switch as switch_compactions;
use crate::bulk_load_calls::{file, load, prepare, request};
use crate::world::{LONG, Table, World};
use finback_proto::{convert, pb};
use finback_region::{CompactionPolicy, StoreEngine};
use pb::get_region_info_response::CompactionState;
use std::time::Instant;

async fn state(table: &Table<'_>) -> CompactionState {
    let request = pb::GetRegionInfoRequest {
        region: table.region.clone(),
        compaction_state: Some(true),
        ..Default::default()
    };
    let response: pb::GetRegionInfoResponse = table.world.ask_admin("GetRegionInfo", &request).await.unwrap();
    response.compaction_state()
}

pub(crate) async fn compact(table: &Table<'_>, major: bool, family: &'static [u8]) -> Result<(), String> {
    let request = pb::CompactRegionRequest {
        region: table.region.clone(),
        major: Some(major),
        family: (!family.is_empty()).then_some(family.into()),
    };
    let answer: Result<pb::CompactRegionResponse, _> = table.world.ask_admin("CompactRegion", &request).await;
    answer.map(drop).map_err(|refused| refused.simple_class().to_owned())
}

fn files(table: &Table<'_>) -> usize {
    let (info, root) = (&table.info, &table.world.root);
    root.list_store_files(&info.table, &info.encoded_name(), crate::world::FAMILY).unwrap().len()
}

/// Waits until the store has so many files and no compaction is under way or waiting.
pub(crate) async fn until_files(table: &Table<'_>, wanted: usize) {
    let since = Instant::now();
    while files(table) != wanted || state(table).await != CompactionState::None {
        assert!(since.elapsed() < LONG, "{} files, {:?}", files(table), state(table).await);
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
}

async fn flush_rows(table: &Table<'_>, rows: &[&str]) {
    for row in rows {
        table.put(row, row.as_bytes()).await.unwrap();
        table.flush().await.unwrap();
    }
}

async fn assert_rows(table: &Table<'_>, rows: &[&str]) {
    for row in rows {
        assert_eq!(table.get(row).await.unwrap(), [("q".to_owned(), row.as_bytes().to_vec())]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_major_compaction_shows_until_it_is_done() {
    let world = World::new();
    let table = world.table("t").await;
    flush_rows(&table, &["a", "b"]).await;
    assert_eq!((files(&table), state(&table).await), (2, CompactionState::None));
    assert_eq!(compact(&table, true, b"none").await, Err("NoSuchColumnFamilyException".to_owned()));
    world.faults.pause();
    compact(&table, true, b"").await.unwrap();
    assert_eq!(state(&table).await, CompactionState::Major);
    while world.faults.waiting() == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    assert_eq!(state(&table).await, CompactionState::Major);
    compact(&table, false, crate::world::FAMILY).await.unwrap();
    assert_eq!(state(&table).await, CompactionState::MajorAndMinor);
    assert_rows(&table, &["a", "b"]).await;
    world.faults.resume();
    until_files(&table, 1).await;
    assert_rows(&table, &["a", "b"]).await;
    // A minor one of what is not worth it comes to nothing.
    compact(&table, false, b"").await.unwrap();
    until_files(&table, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn flushes_and_openings_start_a_compaction_where_there_are_many_files() {
    let world = World::with(|options| options.region.compaction.min_files = 4);
    let table = world.table("t").await;
    flush_rows(&table, &["a", "b", "c"]).await;
    assert_eq!((files(&table), state(&table).await), (3, CompactionState::None));
    flush_rows(&table, &["d"]).await;
    until_files(&table, 1).await;
    assert_rows(&table, &["a", "b", "c", "d"]).await;
    // A server that wants fewer files finds them at the opening.
    flush_rows(&table, &["e", "f"]).await;
    let info = table.info.clone();
    let crashed = world.crash_and(|options| options.region.compaction.min_files = 2);
    crashed.open(&info, 1).await.unwrap();
    crashed.reported(1).await;
    let table = Table { world: &crashed, region: convert::specifier_by_name(&info), info };
    until_files(&table, 1).await;
    assert_rows(&table, &["a", "b", "c", "d", "e", "f"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compaction_that_fails_is_tried_again() {
    let world = World::new();
    let table = world.table("t").await;
    flush_rows(&table, &["a", "b"]).await;
    world.faults.set_byte_budget(Some(100));
    let before = world.faults.appends();
    compact(&table, true, b"").await.unwrap();
    let since = Instant::now();
    while world.faults.appends() == before {
        assert!(since.elapsed() < LONG);
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    assert_eq!((files(&table), state(&table).await), (2, CompactionState::Major));
    assert_rows(&table, &["a", "b"]).await;
    world.faults.set_byte_budget(None);
    until_files(&table, 1).await;
    assert_rows(&table, &["a", "b"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compaction_of_all_files_that_was_asked_for_while_there_were_none_comes_with_the_next() {
    // Of the small files alone, by their ratio to the large one.
    let world = World::with(|options| {
        options.region.compaction.min_files = 3;
        options.region.compaction.min_size_bytes = 0;
    });
    let table = world.table("t").await;
    table.put("large", &vec![7; 100_000]).await.unwrap();
    table.flush().await.unwrap();
    assert!(switch_compactions(&world, false).await);
    compact(&table, true, b"").await.unwrap();
    assert_eq!(state(&table).await, CompactionState::None);
    assert!(!switch_compactions(&world, true).await);
    flush_rows(&table, &["a", "b", "c"]).await;
    until_files(&table, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_not_compacted_again_and_again_when_they_become_no_fewer() {
    // By ratio, without a look at how many files of the window that leaves.
    let world = World::with(|options| {
        let compaction = &mut options.region.compaction;
        compaction.engine = StoreEngine::DateTiered;
        compaction.min_size_bytes = 0;
        compaction.date_tiered.incoming_window_min_files = 2;
        compaction.date_tiered.window_policy = CompactionPolicy::RatioBased;
    });
    let table = world.table("t").await;
    table.put("large", &vec![7; 100_000]).await.unwrap();
    table.flush().await.unwrap();
    flush_rows(&table, &["a"]).await;
    until_files(&table, 2).await;
    flush_rows(&table, &["b"]).await;
    until_files(&table, 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bulk_loads_start_a_compaction_unless_they_are_not_to() {
    for (compacts, left) in [(false, 4), (true, 1)] {
        let world = World::with(|options| {
            options.region.compaction.min_files = 4;
            options.background.compacts_after_bulk_load = compacts;
        });
        let table = world.table("t").await;
        flush_rows(&table, &["a"]).await;
        let token = prepare(&table).await;
        let loaded = ["b", "c", "d"].map(|row| file(&world, &[row]));
        assert!(
            load(&world, &request(&table, &token, &loaded.each_ref().map(|path| &**path))).await.unwrap()
        );
        // It is asked for before the load is answered.
        if !compacts {
            assert_eq!(state(&table).await, CompactionState::None);
        }
        until_files(&table, left).await;
    }
}
