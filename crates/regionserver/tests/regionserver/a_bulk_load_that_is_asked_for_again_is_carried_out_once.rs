//! Clients that have waited for long enough send the request of a bulk load again.

use crate::bulk_load_calls::{file, load, prepare, request};
use crate::gated_device::{Device, Fate, ForeignSyncs};
use crate::world::{LONG, Table, World};
use finback_layout::RootDir;
use finback_proto::pb;
use finback_regionserver::RegionServerOptions;
use finback_rpc::RpcException;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// As many as the server carries out at a time.
const AT_ONCE: usize = 4;

/// A server whose loads go on when the test wants it.
struct Gated {
    world: World,
    syncs: Arc<ForeignSyncs>,
}

impl Gated {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut RegionServerOptions)) -> Self {
        let syncs = Arc::default();
        let world = World::with(|options| {
            let device = Device::with_syncs(options.root.fs(), &syncs);
            options.root = RootDir::new(Arc::new(device), options.root.path());
            change(options);
        });
        Self { world, syncs }
    }

    /// Loads of one file each that have begun.
    async fn until_begun(&self, loads: usize) {
        let since = Instant::now();
        while self.syncs.begun() < loads {
            assert!(since.elapsed() < LONG, "{} of {loads}", self.syncs.begun());
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// The answers to a request that is sent twice before the first comes to its end.
    async fn twice(&self, request: &pb::BulkLoadHFileRequest, fate: Fate) -> [Result<bool, RpcException>; 2] {
        let begun = self.syncs.begun();
        self.syncs.decide(Fate::Unknown);
        // Each goes as far as it gets before the next.
        let both = async {
            let (first, second, ()) =
                tokio::join!(load(&self.world, request), load(&self.world, request), async {
                    self.until_begun(begun + 1).await;
                    self.syncs.decide(fate);
                });
            [first, second]
        };
        let both = tokio::time::timeout(LONG, both).await.expect("two answers");
        self.syncs.decide(Fate::Good);
        both
    }
}

/// A request of another kind: by a client of old, or for a copy.
fn tokenless(request: &pb::BulkLoadHFileRequest) -> pb::BulkLoadHFileRequest {
    pb::BulkLoadHFileRequest { bulk_token: None, assign_seq_num: Some(true), ..request.clone() }
}

fn copied(request: &pb::BulkLoadHFileRequest) -> pb::BulkLoadHFileRequest {
    pb::BulkLoadHFileRequest { copy_file: Some(true), ..request.clone() }
}

/// How many files the region has.
fn served(table: &Table<'_>) -> usize {
    let root = &table.world.root;
    let family = root.family_dir(&table.info.table, &table.info.encoded_name(), b"f");
    root.fs().list(&family).unwrap().len()
}

/// Another file of the same name, with the same in it.
fn replace(world: &World, path: &Path, rows: &[&str]) {
    if world.root.fs().exists(path).unwrap() {
        world.root.fs().remove_file(path).unwrap();
    }
    assert_eq!(file(world, rows), path);
}

#[tokio::test]
async fn who_asks_while_it_is_under_way_gets_its_answer() {
    let gated = Gated::new();
    let kinds: [fn(&pb::BulkLoadHFileRequest) -> pb::BulkLoadHFileRequest; 4] =
        [Clone::clone, copied, tokenless, |request| copied(&tokenless(request))];
    for (number, kind) in kinds.into_iter().enumerate() {
        let table = gated.world.table(&format!("t{number}")).await;
        let token = prepare(&table).await;
        let request = kind(&request(&table, &token, &[&file(&gated.world, &[&number.to_string()])]));
        assert_eq!(gated.twice(&request, Fate::Good).await, [Ok(true), Ok(true)], "{request:?}");
        assert_eq!((gated.syncs.begun(), served(&table)), (number + 1, 1), "{request:?}");
    }
}

#[tokio::test]
async fn who_asks_while_it_is_under_way_hears_that_it_has_to_be_split() {
    let gated = Gated::new();
    let table = gated.world.region("t", "b", "d").await;
    let token = prepare(&table).await;
    let across = request(&table, &token, &[&file(&gated.world, &["c", "d"])]);
    assert_eq!(gated.twice(&across, Fate::Good).await, [Ok(false), Ok(false)]);
    assert_eq!(gated.syncs.begun(), 1);
    assert_eq!(load(&gated.world, &across).await, Ok(false));
    assert_eq!(gated.syncs.begun(), 2, "that is no success, and not remembered");
}

#[tokio::test]
async fn who_asks_while_it_is_under_way_gets_its_error_and_later_ones_are_carried_out() {
    let gated = Gated::new();
    let table = gated.world.table("t").await;
    let token = prepare(&table).await;
    let asked = request(&table, &token, &[&file(&gated.world, &["a"])]);
    for (number, (fate, says)) in
        [(Fate::Failure, "to fail"), (Fate::Panic, "panicked")].into_iter().enumerate()
    {
        for answer in gated.twice(&asked, fate).await {
            let error = answer.unwrap_err();
            assert_eq!(error.simple_class(), "IOException");
            assert!(error.message.contains(says), "{error}");
        }
        assert_eq!((gated.syncs.begun(), served(&table)), (number + 1, 0));
    }
    assert_eq!(load(&gated.world, &asked).await, Ok(true));
    assert_eq!((gated.syncs.begun(), served(&table)), (3, 1));
}

#[tokio::test]
async fn who_stops_waiting_leaves_the_first_alone() {
    let gated = Gated::new();
    let table = gated.world.table("t").await;
    let token = prepare(&table).await;
    let asked = copied(&request(&table, &token, &[&file(&gated.world, &["a"])]));
    gated.syncs.decide(Fate::Unknown);
    let (first, second) = tokio::join!(load(&gated.world, &asked), async {
        let patience = Some(Duration::from_millis(20));
        let answer =
            gated.world.ask_within::<_, pb::BulkLoadHFileResponse>(patience, "BulkLoadHFile", &asked);
        let answer = tokio::time::timeout(LONG / 2, answer).await;
        gated.syncs.decide(Fate::Good);
        answer.expect("an answer before the first is done").map(drop)
    });
    assert_eq!(second.unwrap_err().simple_class(), "CallDroppedException");
    assert_eq!((first, gated.syncs.begun(), served(&table)), (Ok(true), 1, 1));
    assert_eq!(load(&gated.world, &asked).await, Ok(true));
    assert_eq!(gated.syncs.begun(), 1, "it was remembered");
}

#[tokio::test]
async fn one_that_is_not_begun_leaves_its_place_to_who_waits_for_it() {
    let gated = Gated::new();
    let table = gated.world.table("t").await;
    let token = prepare(&table).await;
    let others: [_; AT_ONCE] =
        ["a", "b", "c", "d"].map(|row| request(&table, &token, &[&file(&gated.world, &[row])]));
    let asked = request(&table, &token, &[&file(&gated.world, &["e"])]);
    gated.syncs.decide(Fate::Unknown);
    let first = async {
        let patience = Some(Duration::from_millis(20));
        let answer =
            gated.world.ask_within::<_, pb::BulkLoadHFileResponse>(patience, "BulkLoadHFile", &asked);
        let answer = answer.await.map(drop);
        gated.syncs.decide(Fate::Good);
        answer
    };
    let all = async {
        tokio::join!(
            load(&gated.world, &others[0]),
            load(&gated.world, &others[1]),
            load(&gated.world, &others[2]),
            load(&gated.world, &others[3]),
            first,
            load(&gated.world, &asked)
        )
    };
    let (a, b, c, d, first, second) = tokio::time::timeout(LONG, all).await.expect("all answers");
    assert_eq!([a, b, c, d], [Ok(true), Ok(true), Ok(true), Ok(true)]);
    assert_eq!(first.unwrap_err().simple_class(), "CallDroppedException");
    assert_eq!((second, gated.syncs.begun()), (Ok(true), AT_ONCE + 1));
}

#[tokio::test]
async fn who_asks_after_its_end_gets_its_answer() {
    let gated = Gated::new();
    let world = &gated.world;
    let table = world.table("t").await;
    let token = prepare(&table).await;
    let asked = |row: &str| request(&table, &token, &[&file(world, &[row])]);
    // Files that were moved are gone; copied ones are there, and the token tells that it is the same run.
    let requests = [asked("a"), tokenless(&asked("b")), copied(&asked("c"))];
    for (number, request) in requests.iter().enumerate() {
        for what in ["loaded", "again", "once more"] {
            assert_eq!(load(world, request).await, Ok(true), "{what}: {request:?}");
            assert_eq!(gated.syncs.begun(), number + 1, "{what}: {request:?}");
        }
    }
    let mut two = request(&table, &token, &[&file(world, &["d"]), &file(world, &["e"])]);
    assert_eq!(load(world, &two).await, Ok(true));
    two.family_path.reverse();
    assert_eq!(load(world, &two).await, Ok(true), "in another order");
    assert_eq!(gated.syncs.begun(), 5);
}

#[tokio::test]
async fn files_that_are_loaded_again_on_purpose_are_loaded_again() {
    let gated = Gated::new();
    let world = &gated.world;
    let table = world.table("t").await;
    let path = file(world, &["a"]);
    let (token, other) = (prepare(&table).await, prepare(&table).await);
    let asked = copied(&request(&table, &token, &[&path]));
    let of_another_run = copied(&request(&table, &other, &[&path]));
    let loads = [&asked, &of_another_run, &tokenless(&asked), &tokenless(&asked)];
    for (number, request) in loads.into_iter().enumerate() {
        assert_eq!(load(world, request).await, Ok(true));
        assert_eq!(gated.syncs.begun(), number + 1, "{request:?}");
    }
}

#[tokio::test]
async fn other_files_of_the_same_names_are_loaded() {
    let gated = Gated::new();
    let world = &gated.world;
    let table = world.table("t").await;
    let token = prepare(&table).await;
    let (one, two) = (file(world, &["a"]), file(world, &["b"]));
    let asked = request(&table, &token, &[&one, &two]);
    let requests = [asked.clone(), tokenless(&asked), copied(&asked), copied(&tokenless(&asked))];
    let mut files = 0;
    for request in &requests {
        replace(world, &one, &["a"]);
        replace(world, &two, &["b"]);
        for _ in 0..2 {
            assert_eq!(load(world, request).await, Ok(true), "{request:?}");
            files += 2;
            assert_eq!(gated.syncs.begun(), files, "{request:?}");
            replace(world, &one, &["a"]);
            if !request.copy_file() {
                replace(world, &two, &["b"]);
            }
        }
    }
}

#[tokio::test]
async fn a_file_that_came_in_the_place_of_one_of_two_is_no_repetition() {
    let gated = Gated::new();
    let world = &gated.world;
    let table = world.table("t").await;
    let token = prepare(&table).await;
    let (one, two) = (file(world, &["a"]), file(world, &["b"]));
    let asked = request(&table, &token, &[&one, &two]);
    assert_eq!(load(world, &asked).await, Ok(true));
    replace(world, &two, &["b"]);
    let refused = load(world, &asked).await.unwrap_err();
    assert_eq!(refused.simple_class(), "IOException", "as for any file that is not there");
    assert!(world.root.fs().exists(&two).unwrap());
    assert_eq!(served(&table), 2);
}

#[tokio::test]
async fn a_file_that_comes_in_the_place_of_one_that_is_being_loaded_is_another() {
    let gated = Gated::new();
    let table = gated.world.table("t").await;
    let (token, path) = (prepare(&table).await, file(&gated.world, &["a"]));
    let asked = copied(&request(&table, &token, &[&path]));
    gated.syncs.decide(Fate::Unknown);
    let (loaded, ()) = tokio::join!(load(&gated.world, &asked), async {
        gated.until_begun(1).await;
        replace(&gated.world, &path, &["a"]);
        gated.syncs.decide(Fate::Good);
    });
    assert_eq!(loaded, Ok(true));
    // Nobody knows which of the two it was.
    assert_eq!(load(&gated.world, &asked).await, Ok(true));
    assert_eq!(gated.syncs.begun(), 2);
}

#[tokio::test]
async fn one_that_is_forgotten_is_carried_out_again() {
    let without_room = |options: &mut RegionServerOptions| options.nonce_bytes = 0;
    let without_time = |options: &mut RegionServerOptions| options.nonce_retention = Duration::ZERO;
    for change in [without_room as fn(&mut RegionServerOptions), without_time] {
        let gated = Gated::with(change);
        let table = gated.world.table("t").await;
        let token = prepare(&table).await;
        let asked = copied(&request(&table, &token, &[&file(&gated.world, &["a"])]));
        assert_eq!(load(&gated.world, &asked).await, Ok(true));
        assert_eq!(load(&gated.world, &asked).await, Ok(true));
        assert_eq!(gated.syncs.begun(), 2);
        assert_eq!(gated.twice(&asked, Fate::Good).await, [Ok(true), Ok(true)]);
        assert_eq!(gated.syncs.begun(), 3, "what is under way is known all the same");
    }
}
