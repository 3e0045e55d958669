use super::*;
use std::io;
use std::time::SystemTime;

const RETENTION: Duration = Duration::from_secs(60);
const MANY_BYTES: usize = 1 << 20;
/// Nothing in these tests takes as long.
const LONG: Duration = Duration::from_secs(30);

fn request(path: &str) -> pb::BulkLoadHFileRequest {
    let family_path = pb::bulk_load_h_file_request::FamilyPath { family: "f".into(), path: path.to_owned() };
    pb::BulkLoadHFileRequest { family_path: vec![family_path], ..Default::default() }
}

fn key(path: &str) -> LoadKey {
    LoadKey::of("region", &request(path))
}

fn file(inode: u64) -> Metadata {
    Metadata { is_dir: false, len: 9, modified: SystemTime::UNIX_EPOCH, identity: Some((1, inode)) }
}

fn repeats(most_bytes: usize) -> Arc<Repeats> {
    Arc::new(Repeats::new(most_bytes, RETENTION))
}

fn done(repeats: &Arc<Repeats>, path: &str, inode: u64) {
    let mut guard = repeats.begin(&key(path)).unwrap_or_else(|_| panic!("{path} is under way"));
    guard.loaded(vec![file(inode)]);
    guard.answer(Ok(true));
}

/// What is remembered, from the oldest on.
fn known(repeats: &Repeats) -> Vec<LoadKey> {
    let inner = repeats.inner.lock();
    let known: Vec<LoadKey> = inner.ends.iter().map(|(_, key)| key.clone()).collect();
    assert_eq!(inner.done.len(), known.len());
    assert_eq!(inner.bytes, known.iter().map(|key| bytes_of(key, &inner.done[key])).sum::<usize>());
    known
}

#[test]
fn a_request_is_the_same_if_all_but_the_right_to_read_is() {
    let (of, asked) = (|request: &pb::BulkLoadHFileRequest| LoadKey::of("region", request), request("/a"));
    let renewed = pb::DelegationToken { identifier: Some("new".into()), ..Default::default() };
    assert_eq!(of(&pb::BulkLoadHFileRequest { fs_token: Some(renewed), ..asked.clone() }), of(&asked));
    let others = [
        request("/b"),
        pb::BulkLoadHFileRequest { bulk_token: Some("token".into()), ..asked.clone() },
        pb::BulkLoadHFileRequest { copy_file: Some(true), ..asked.clone() },
        pb::BulkLoadHFileRequest { assign_seq_num: Some(true), ..asked.clone() },
        pb::BulkLoadHFileRequest { replicate: Some(false), ..asked.clone() },
        pb::BulkLoadHFileRequest { cluster_ids: vec!["other".into()], ..asked.clone() },
    ];
    for other in &others {
        assert_ne!(of(other), of(&asked), "{other:?}");
    }
    assert_ne!(LoadKey::of("other", &asked), of(&asked));
}

#[test]
fn a_repetition_finds_what_was_loaded_or_nothing() {
    let earlier = [file(1), file(2)];
    let is_gone = || Err(io::ErrorKind::NotFound.into());
    let rewritten = Metadata { modified: SystemTime::UNIX_EPOCH + RETENTION, ..file(2) };
    let longer = Metadata { len: 10, ..file(2) };
    let denied = || Err(io::ErrorKind::PermissionDenied.into());
    let cases: [([io::Result<Metadata>; 2], bool, bool); 8] = [
        // What is found; whether it is a repetition with a token, and without.
        ([Ok(file(1)), Ok(file(2))], true, false),
        ([is_gone(), is_gone()], true, true),
        ([Ok(file(1)), is_gone()], true, true),
        ([Ok(file(1)), Ok(file(3))], false, false),
        ([Ok(file(1)), Ok(rewritten)], false, false),
        ([is_gone(), Ok(longer)], false, false),
        ([Ok(file(2)), is_gone()], false, false),
        ([is_gone(), denied()], false, false),
    ];
    for (found, with_token, without) in &cases {
        let found = || {
            let copy = |found: &io::Result<Metadata>| found.as_ref().copied().map_err(|e| e.kind().into());
            found.iter().map(copy)
        };
        let is = [true, false].map(|has_token| is_repetition(&earlier, found(), has_token));
        assert_eq!(is, [*with_token, *without], "{:?}", found().collect::<Vec<_>>());
    }
}

#[test]
fn the_oldest_go_where_they_take_too_much_and_those_under_way_stay() {
    let one = bytes_of(&key("/0"), &[file(0)]);
    let repeats = repeats(3 * one);
    let running = repeats.begin(&key("/running")).unwrap_or_else(|_| panic!("it is new"));
    (0..10).for_each(|number| done(&repeats, &format!("/{number}"), number));
    assert_eq!(known(&repeats), ["/7", "/8", "/9"].map(key));
    // One that is larger than all that there is room for.
    done(&repeats, &"/".repeat(4 * one), 1);
    assert_eq!(known(&repeats), []);
    assert!(repeats.begin(&key("/running")).is_err());
    drop(running);
    assert!(repeats.inner.lock().running.is_empty());
}

#[test]
fn one_is_remembered_for_a_while_after_its_last_end() {
    let repeats = repeats(MANY_BYTES);
    ["/a", "/b", "/a"].iter().zip(1..).for_each(|(path, inode)| done(&repeats, path, inode));
    assert_eq!(known(&repeats), ["/b", "/a"].map(key));
    let guard = repeats.begin(&key("/a")).unwrap_or_else(|_| panic!("it is done"));
    assert_eq!(guard.earlier(), Some(&[file(3)][..]), "what was loaded last");
    // It fails: what succeeded before stays what it was.
    guard.answer(Err(exceptions::io("no")));
    assert_eq!(known(&repeats), ["/b", "/a"].map(key));
    let end = repeats.inner.lock().ends[1].0;
    repeats.inner.lock().ends[0].0 = end - RETENTION / 2;
    for (later, left) in [(Duration::ZERO, 2), (RETENTION / 2, 1), (RETENTION, 0)] {
        repeats.inner.lock().forget_old(end + later, MANY_BYTES, RETENTION);
        assert_eq!(known(&repeats).len(), left, "{later:?}");
    }
}

/// Calls that ask for the same as one that is under way.
struct Waiting(Vec<tokio::task::JoinHandle<Option<Answer>>>);

impl Waiting {
    async fn for_end(repeats: &Arc<Repeats>) -> Self {
        let wait = |repeats: Arc<Repeats>| async move {
            match repeats.admit(&key("/a")).await {
                Admission::Proceed(guard) => {
                    guard.answer(Ok(false));
                    None
                }
                Admission::Answered(answer) => Some(answer),
            }
        };
        let calls: Vec<_> = (0..3).map(|_| tokio::spawn(wait(Arc::clone(repeats)))).collect();
        tokio::task::yield_now().await;
        assert!(calls.iter().all(|call| !call.is_finished()));
        Self(calls)
    }

    /// The answers; none to a call that was to be carried out.
    async fn answers(self) -> Vec<Option<Answer>> {
        let mut answers = Vec::new();
        for call in self.0 {
            answers.push(tokio::time::timeout(LONG, call).await.expect("an end").unwrap());
        }
        answers
    }
}

#[tokio::test]
async fn who_waits_gets_the_answer_or_takes_the_place_of_one_that_is_not_begun() {
    let repeats = repeats(MANY_BYTES);
    for answer in [Ok(true), Err(exceptions::io("no"))] {
        let guard = repeats.begin(&key("/a")).unwrap_or_else(|_| panic!("it is new"));
        let waiting = Waiting::for_end(&repeats).await;
        guard.answer(answer.clone());
        assert!(waiting.answers().await.into_iter().all(|got| got == Some(answer.clone())));
    }
    let guard = repeats.begin(&key("/a")).unwrap_or_else(|_| panic!("it is new"));
    let waiting = Waiting::for_end(&repeats).await;
    drop(guard);
    assert!(waiting.answers().await.contains(&None));
    assert_eq!(known(&repeats), [], "none said what it loaded");
}

#[tokio::test]
async fn who_waits_for_one_that_panics_gets_an_error() {
    let repeats = repeats(MANY_BYTES);
    let guard = repeats.begin(&key("/a")).unwrap_or_else(|_| panic!("it is new"));
    let waiting = Waiting::for_end(&repeats).await;
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _guard = guard;
        panic!("the test wants it");
    }));
    panicked.unwrap_err();
    for answer in waiting.answers().await {
        assert_eq!(answer.unwrap().unwrap_err().message, "a bulk load panicked");
    }
    assert!(repeats.begin(&key("/a")).is_ok());
}
