//! `CompactRegion` is answered at once, and the state tells until the compaction is over; flushes and openings start one
//! where there is something to compact.

use crate::world::{LONG, Table, World};
use finback_proto::{convert, pb};
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
