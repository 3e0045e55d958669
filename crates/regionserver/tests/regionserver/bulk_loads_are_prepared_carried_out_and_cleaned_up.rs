//! The calls of HBase's bulk load tool.

use crate::bulk_load_calls::{clean_up, file, load, prepare, request};
use crate::world::{LONG, World, text};
use finback_proto::{convert, pb};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn staging(world: &World, token: &str) -> PathBuf {
    let path = PathBuf::from(token.strip_prefix("file:").unwrap());
    assert_eq!(path.parent(), Some(&*world.root.staging_dir()));
    path
}

#[tokio::test]
async fn a_load_is_seen_at_once_and_after_a_crash_and_leaves_nothing_behind() {
    let world = World::new();
    let table = world.table("t").await;
    table.put("b", b"before").await.unwrap();
    let token = prepare(&table).await;
    let directory = staging(&world, &token);
    assert!(text(directory.file_name().unwrap().as_encoded_bytes()).contains("__t__"), "{token}");
    assert_ne!(prepare(&table).await, token);
    assert!(world.root.fs().exists(&directory).unwrap());
    let (one, other) = (file(&world, &["a", "b"]), file(&world, &["c"]));
    assert!(load(&world, &request(&table, &token, &[&one, &other])).await.unwrap());
    assert!(!world.root.fs().exists(&one).unwrap(), "moved");
    clean_up(&world, &token).await.unwrap();
    assert!(!world.root.fs().exists(&directory).unwrap());
    clean_up(&world, &token).await.unwrap();
    let value = |cells: Vec<(String, Vec<u8>)>| cells.into_iter().next().map(|(_, value)| text(&value));
    for row in ["a", "c"] {
        assert_eq!(value(table.get(row).await.unwrap()).unwrap(), "loaded");
    }
    // Its timestamp is what counts.
    assert_eq!(value(table.get("b").await.unwrap()).unwrap(), "before");
    let world = world.crash();
    let table = world.table("t").await;
    assert_eq!(value(table.get("c").await.unwrap()).unwrap(), "loaded");
}

#[tokio::test]
async fn files_that_do_not_fit_are_not_loaded_and_stay() {
    let world = World::new();
    let table = world.region("t", "b", "d").await;
    let token = prepare(&table).await;
    let (inside, across) = (file(&world, &["b", "c"]), file(&world, &["c", "d"]));
    assert!(!load(&world, &request(&table, &token, &[&inside, &across])).await.unwrap());
    assert!(world.root.fs().exists(&inside).unwrap() && world.root.fs().exists(&across).unwrap());
    assert_eq!(table.get("b").await.unwrap(), []);
    assert!(load(&world, &request(&table, &token, &[&inside])).await.unwrap());
    assert_eq!(table.get("b").await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_copy_leaves_the_file_and_a_load_that_came_from_here_is_no_load() {
    let world = World::new();
    let table = world.table("t").await;
    let (token, path) = (prepare(&table).await, file(&world, &["a"]));
    let copied = pb::BulkLoadHFileRequest { copy_file: Some(true), ..request(&table, &token, &[&path]) };
    assert!(load(&world, &copied).await.unwrap());
    assert!(world.root.fs().exists(&path).unwrap());
    let own = world.root.cluster_id().unwrap();
    let missing = request(&table, &token, &[Path::new("/client/f/missing")]);
    assert_eq!(load(&world, &missing).await.unwrap_err().simple_class(), "IOException");
    assert!(load(&world, &pb::BulkLoadHFileRequest { cluster_ids: vec![own], ..missing }).await.unwrap());
}

#[tokio::test]
async fn nothing_is_taken_from_tables_nor_removed_but_what_was_prepared() {
    let world = World::new();
    let table = world.table("t").await;
    table.put("a", b"v").await.unwrap();
    table.flush().await.unwrap();
    let family = world.root.family_dir(&table.info.table, &table.info.encoded_name(), b"f");
    let stored = family.join(&world.root.fs().list(&family).unwrap()[0].name);
    let token = prepare(&table).await;
    let refused = load(&world, &request(&table, &token, &[&stored])).await.unwrap_err();
    assert_eq!(refused.simple_class(), "DoNotRetryIOException", "{refused}");
    let data = world.root.data_dir();
    let staging = world.root.staging_dir();
    for directory in [&data, &staging, &staging.join("a/b"), &staging.join("../data"), Path::new("/")] {
        let refused = clean_up(&world, &directory.display().to_string()).await.unwrap_err();
        assert_eq!(refused.simple_class(), "DoNotRetryIOException", "{refused}");
    }
    assert!(world.root.fs().exists(&stored).unwrap() && world.root.fs().exists(&staging).unwrap());
    let nobody = pb::BulkLoadHFileRequest {
        region: convert::specifier_by_name(&crate::world::region_info("other", "", "")),
        ..request(&table, &token, &[&stored])
    };
    assert_eq!(load(&world, &nobody).await.unwrap_err().simple_class(), "NotServingRegionException");
}

#[tokio::test]
async fn what_is_loaded_from_the_archive_stays_there() {
    let world = World::new();
    let table = world.table("t").await;
    let archive = world.root.archived_family_dir(&table.info.table, &table.info.encoded_name(), b"f");
    let archived = archive.join("0123456789abcdef0123456789abcdef");
    world.root.fs().create_dir_all(&archive).unwrap();
    world.root.fs().rename(&file(&world, &["a"]), &archived).unwrap();
    let token = prepare(&table).await;
    assert!(load(&world, &request(&table, &token, &[&archived])).await.unwrap());
    assert_eq!(table.get("a").await.unwrap()[0].1, b"loaded");
    assert!(world.root.fs().exists(&archived).unwrap(), "a snapshot may name it");
}

#[tokio::test]
async fn a_load_that_nobody_waits_for_any_more_is_not_begun() {
    let world = World::new();
    let table = world.table("t").await;
    let token = prepare(&table).await;
    // As many as there may be at a time.
    let others: Vec<_> =
        ["a", "b", "c", "d"].iter().map(|row| request(&table, &token, &[&file(&world, &[row])])).collect();
    let late_file = file(&world, &["late"]);
    let late_request = request(&table, &token, &[&late_file]);
    world.faults.pause();
    let late = async {
        // Behind the others.
        tokio::time::sleep(Duration::from_millis(50)).await;
        let patience = Some(Duration::from_millis(100));
        let answer =
            world.ask_within::<_, pb::BulkLoadHFileResponse>(patience, "BulkLoadHFile", &late_request);
        let answer = tokio::time::timeout(LONG, answer).await;
        world.faults.resume();
        answer.expect("an answer").map(drop)
    };
    let (a, b, c, d, late) = tokio::join!(
        load(&world, &others[0]),
        load(&world, &others[1]),
        load(&world, &others[2]),
        load(&world, &others[3]),
        late
    );
    assert!([a, b, c, d].into_iter().all(Result::unwrap));
    assert_eq!(late.unwrap_err().simple_class(), "CallDroppedException");
    assert!(world.root.fs().exists(&late_file).unwrap());
    assert!(load(&world, &late_request).await.unwrap(), "the client may ask again");
}
