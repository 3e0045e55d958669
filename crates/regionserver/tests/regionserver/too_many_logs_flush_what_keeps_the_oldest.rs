//! `hbase.regionserver.maxlogs`, and the archive of logs that nobody needs.

use crate::world::{LONG, World, put, region_info};
use finback_cell::ColumnFamilyDescriptor;
use finback_proto::pb;
use std::time::{Duration, Instant};

fn files(world: &World, directory: &std::path::Path) -> usize {
    world.root.fs().list(directory).map_or(0, |entries| entries.iter().filter(|entry| !entry.is_dir).count())
}

/// Waits until a directory has so many files.
async fn until_files(world: &World, directory: &std::path::Path, wanted: impl Fn(usize) -> bool) {
    let since = Instant::now();
    while !wanted(files(world, directory)) {
        assert!(since.elapsed() < LONG, "{} has {} files", directory.display(), files(world, directory));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_region_that_is_seldom_written_does_not_keep_logs_for_ever() {
    let world = World::with(|options| {
        options.wal.max_logs = 4;
        options.old_log_retention = Duration::ZERO;
    });
    let (seldom, often) = (world.table("seldom").await, world.table("often").await);
    seldom.put("r", b"once").await.unwrap();
    let logs = finback_wal::server_log_dir(world.root.path(), &world.server.name().to_string());
    for round in 0..8 {
        often.put("r", format!("{round}").as_bytes()).await.unwrap();
        let _: pb::RollWalWriterResponse =
            world.ask_admin("RollWALWriter", &pb::RollWalWriterRequest::default()).await.unwrap();
    }
    assert!(files(&world, &logs) > 4);
    until_files(&world, &logs, |files| files <= 4).await;
    let archive = finback_wal::old_logs_dir(world.root.path());
    until_files(&world, &archive, |files| files == 0).await;
    let world = world.crash();
    let (seldom, often) = (world.table("seldom").await, world.table("often").await);
    assert_eq!(seldom.get("r").await.unwrap()[0].1, b"once");
    assert_eq!(often.get("r").await.unwrap()[0].1, b"7");
}

#[tokio::test]
async fn only_the_family_that_keeps_the_oldest_log_is_flushed() {
    let world = World::with(|options| options.wal.max_logs = 4);
    let info = region_info("t", "", "");
    world.create_table(&info, [b"seldom", &b"often"[..]].map(ColumnFamilyDescriptor::with_defaults).to_vec());
    let table = world.table("t").await;
    let put = |family: &'static str| {
        let value = pb::mutation_proto::column_value::QualifierValue {
            qualifier: Some("q".into()),
            value: Some("v".into()),
            ..Default::default()
        };
        let column = pb::mutation_proto::ColumnValue { family: family.into(), qualifier_value: vec![value] };
        pb::MutationProto { column_value: vec![column], ..put("r", &[]) }
    };
    let roll = async || {
        let _: pb::RollWalWriterResponse =
            world.ask_admin("RollWALWriter", &pb::RollWalWriterRequest::default()).await.unwrap();
    };
    let files_of = |family: &str| {
        let directory = world.root.family_dir(&info.table, &info.encoded_name(), family.as_bytes());
        files(&world, &directory)
    };
    table.mutate(put("seldom")).await.unwrap();
    roll().await;
    // As many logs as there may be, and one: the oldest goes, and the others may stay.
    for _ in 0..3 {
        table.mutate(put("often")).await.unwrap();
        roll().await;
    }
    let logs = finback_wal::server_log_dir(world.root.path(), &world.server.name().to_string());
    until_files(&world, &logs, |files| files <= 4).await;
    let since = Instant::now();
    while files_of("seldom") == 0 {
        assert!(since.elapsed() < LONG, "it keeps the log");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!((files_of("seldom"), files_of("often")), (1, 0));
}
