//! Large values have files of their own. Those that a compaction leaves behind go to the archive by the server's own look around, and
//! compactions for their sake are asked for where there are any.

use crate::compactions_come_by_themselves_and_when_asked_for::{compact, until_files};
use crate::world::{FAMILY, Table, World, failure_of, put, region_info, row_name};
use finback_cell::{Bytes, ColumnFamilyDescriptor};
use finback_proto::pb;
use finback_regionserver::{MobSwept, RegionServerOptions};
use std::sync::Arc;
use std::time::Duration;

const LARGE: &[u8] = &[b'v'; 1000];

/// A table whose values above 100 bytes are in MOB files.
async fn table<'a>(world: &'a World, name: &str) -> Table<'a> {
    let family = ColumnFamilyDescriptor::with_defaults(FAMILY);
    let family = family.with("IS_MOB", "true").with("MOB_THRESHOLD", "100");
    world.create_table(&region_info(name, "", ""), vec![family]);
    world.table(name).await
}

fn mob_files(table: &Table<'_>) -> Vec<String> {
    let files = table.world.root.list_mob_files(&table.info.table, FAMILY).unwrap();
    files.into_iter().map(|file| file.name).collect()
}

fn no_age(options: &mut RegionServerOptions) {
    options.mob.min_age = Duration::ZERO;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_compaction_has_written_anew_goes_and_what_is_read_stays() {
    let world = World::with(no_age);
    let table = table(&world, "t").await;
    table.put("a", LARGE).await.unwrap();
    table.flush().await.unwrap();
    let before = mob_files(&table);
    assert_eq!(before.len(), 1);
    assert_eq!(world.server.sweep_mob_files().await, MobSwept::default());
    assert_eq!(mob_files(&table), before, "it is referred to");
    table.get("a").await.unwrap();
    let open_files = || world.server.figures().0.mob.open_files;
    compact(&table, true, b"").await.unwrap();
    until_files(&table, 1).await;
    assert_eq!(open_files(), 1, "the one that was read");
    let swept = world.server.sweep_mob_files().await;
    assert_eq!(swept, MobSwept { unreferenced: 1, ..MobSwept::default() });
    assert_eq!(open_files(), 0, "nobody reads it any more");
    let after = mob_files(&table);
    assert!(after.len() == 1 && after != before, "{before:?}, then {after:?}");
    let archived = world.root.archived_mob_family_dir(&table.info.table, FAMILY).join(&before[0]);
    assert!(world.root.fs().exists(&archived).unwrap());
    assert_eq!(table.get("a").await.unwrap(), [("q".to_owned(), LARGE.to_vec())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_young_file_stays_whether_it_is_needed_or_not() {
    let world = World::new();
    let table = table(&world, "t").await;
    table.put("a", LARGE).await.unwrap();
    table.flush().await.unwrap();
    compact(&table, true, b"").await.unwrap();
    until_files(&table, 1).await;
    let files = mob_files(&table);
    assert_eq!(files.len(), 2);
    assert_eq!(world.server.sweep_mob_files().await, MobSwept::default());
    assert_eq!(mob_files(&table), files);
}

#[tokio::test]
async fn compactions_are_asked_for_where_there_are_large_values() {
    let world = World::with(|options| {
        // They wait where the test sees them.
        options.background.small_compaction_threads = 0;
        options.background.large_compaction_threads = 0;
    });
    let (large, small) = (table(&world, "large").await, table(&world, "small").await);
    for (table, value) in [(&large, LARGE), (&small, b"v".as_slice())] {
        table.put("a", value).await.unwrap();
        table.flush().await.unwrap();
    }
    let plain = world.table("plain").await;
    plain.put("a", LARGE).await.unwrap();
    plain.flush().await.unwrap();
    assert_eq!(mob_files(&small), [""; 0]);
    world.server.ask_for_mob_compactions().await;
    let asked: Vec<_> = world.server.compactions_asked_for().into_iter().collect();
    let wanted: Arc<str> = large.info.encoded_name().into();
    assert_eq!(asked, [(wanted, (false, true))]);
}

#[tokio::test]
async fn a_value_whose_file_is_gone_is_an_exception_that_is_not_asked_for_again() {
    let world = World::new();
    let table = table(&world, "t").await;
    table.put(&row_name(0), LARGE).await.unwrap();
    table.put(&row_name(1), b"small").await.unwrap();
    table.flush().await.unwrap();
    let dir = world.root.mob_family_dir(&table.info.table, FAMILY);
    for name in mob_files(&table) {
        world.root.fs().remove_file(&dir.join(name)).unwrap();
    }
    let refused = table.get(&row_name(0)).await.unwrap_err();
    assert_eq!(refused.simple_class(), "DoNotRetryIOException");
    assert!(refused.message.contains("FileNotFoundException"), "{}", refused.message);
    let get = |row: usize| {
        let get = pb::Get { row: Bytes::from(row_name(row)), ..Default::default() };
        pb::Action { index: Some(row as u32), get: Some(Box::new(get)), ..Default::default() }
    };
    let results = table.multi(vec![get(0), get(1)]).await;
    assert_eq!(failure_of(&results[0].exception), "DoNotRetryIOException");
    assert!(results[1].result.is_some(), "another row is answered");
    let refused = world.ask_as_version::<_, pb::ScanResponse>((2, 6), "Scan", &table.open_scan(10)).await;
    assert_eq!(refused.unwrap_err().simple_class(), "DoNotRetryIOException");
    // It is the region's as before.
    assert!(table.mutate(put(&row_name(2), &[("q", LARGE)])).await.is_ok());
}
