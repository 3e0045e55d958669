use bytes::BufMut;

use super::*;

const NOW_MS: i64 = 1234;

fn connect(timeout_ms: i32, session_id: i64) -> (Session, BytesMut) {
    let mut payload = BytesMut::new();
    payload.put_i32(0);
    payload.put_i64(0);
    payload.put_i32(timeout_ms);
    payload.put_i64(session_id);
    payload.put_i32(-1);
    let mut out = BytesMut::new();
    let session = Session::open(&payload, 77, |_| false, &mut out).unwrap().unwrap();
    (session, out)
}

/// Sends one request and returns what follows the frame's length in the answer.
fn ask(tree: &Tree, op_code: i32, body: &[u8]) -> (Vec<u8>, Next) {
    let mut payload = BytesMut::new();
    payload.put_i32(3);
    payload.put_i32(op_code);
    payload.put_slice(body);
    let mut out = BytesMut::new();
    let next = connect(90_000, 0).0.answer(&payload, tree, NOW_MS, &mut out).unwrap();
    (out[4..].to_vec(), next)
}

fn error_of(reply: &[u8]) -> i32 {
    i32::from_be_bytes(reply[12..16].try_into().unwrap())
}

fn path(path: &str) -> Vec<u8> {
    let mut body = BytesMut::new();
    crate::jute::put_buffer(&mut body, path.as_bytes());
    body.put_u8(0);
    body.to_vec()
}

#[test]
fn timeouts_are_kept_within_limits() {
    for (asked, granted) in [(90_000, 90_000), (1, 4_000), (0, 4_000), (-5, 4_000), (i32::MAX, 180_000)] {
        let (session, out) = connect(asked, 0);
        assert_eq!(session.timeout_ms(), granted);
        assert_eq!(out[8..12], granted.to_be_bytes());
    }
}

#[test]
fn a_new_session_gets_a_name_and_an_old_one_keeps_its_own() {
    assert_eq!(connect(90_000, 0).1[12..20], 77i64.to_be_bytes());
    assert_eq!(connect(90_000, 1234).1[12..20], 1234i64.to_be_bytes());
}

#[test]
fn reads_find_what_the_tree_has() {
    let tree = Tree::new();
    tree.set("/hbase/hbaseid", "the id", 1).unwrap();
    let (reply, _) = ask(&tree, 4, &path("/hbase/hbaseid"));
    assert_eq!(reply[16..26], *b"\0\0\0\x06the id");
    assert_eq!(reply.len(), 16 + 10 + 68);
    let (reply, _) = ask(&tree, 8, &path("/hbase"));
    assert_eq!(reply[16..], *b"\0\0\0\x01\0\0\0\x07hbaseid");
    let (reply, _) = ask(&tree, 12, &path("/hbase"));
    assert_eq!(reply.len(), 16 + 15 + 68);
    let (reply, _) = ask(&tree, 3, &path("/hbase/hbaseid"));
    assert_eq!(reply.len(), 16 + 68);
}

#[test]
fn each_kind_of_refusal_has_its_own_code() {
    let tree = Tree::new();
    for op_code in [3, 4, 8, 12] {
        assert_eq!(error_of(&ask(&tree, op_code, &path("/none")).0), -101);
        assert_eq!(error_of(&ask(&tree, op_code, &path("none/")).0), -8);
        assert_eq!(error_of(&ask(&tree, op_code, b"\0\0\x10\0/").0), -5);
    }
    for op_code in [1, 2, 5, 6, 7, 9, 14, 15] {
        assert_eq!(error_of(&ask(&tree, op_code, b"").0), -5, "{op_code}");
    }
    for op_code in [13, 19, 20, 21, 102, 106, 4711] {
        assert_eq!(error_of(&ask(&tree, op_code, b"").0), -6);
    }
}

#[test]
fn pings_and_authentication_are_acknowledged_and_closing_closes() {
    let tree = Tree::new();
    for op_code in [11, 100] {
        let (reply, next) = ask(&tree, op_code, b"");
        assert_eq!((reply.len(), error_of(&reply), next), (16, 0, Next::Serve));
    }
    let (reply, next) = ask(&tree, -11, b"");
    assert_eq!((reply.len(), error_of(&reply), next), (16, 0, Next::Close));
}

#[test]
fn a_request_without_a_header_is_an_error() {
    let mut session = connect(90_000, 0).0;
    assert!(session.answer(&[0, 0, 0, 1, 0], &Tree::new(), NOW_MS, &mut BytesMut::new()).is_err());
}

/// The payloads of the frames in a buffer.
fn frames(out: &[u8]) -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    let mut left = out;
    while let Some((length, rest)) = left.split_first_chunk() {
        let (frame, rest) = rest.split_at(u32::from_be_bytes(*length) as usize);
        frames.push(frame.to_vec());
        left = rest;
    }
    frames
}

fn request(op_code: i32, body: &[u8]) -> BytesMut {
    let mut payload = BytesMut::new();
    payload.put_i32(3);
    payload.put_i32(op_code);
    payload.put_slice(body);
    payload
}

fn watched(name: &str) -> Vec<u8> {
    let mut body = path(name);
    *body.last_mut().unwrap() = 1;
    body
}

fn event(event: u8, path: &str) -> Vec<u8> {
    let head = [&[0xff; 12][..], &[0; 4], &[0, 0, 0, event, 0, 0, 0, 3], &[0, 0, 0, path.len() as u8]];
    [head.concat(), path.as_bytes().to_vec()].concat()
}

#[test]
fn what_has_changed_is_told_before_it_is_seen() {
    let tree = Tree::new();
    tree.set("/a", "1", 1).unwrap();
    let mut session = connect(90_000, 0).0;
    let mut out = BytesMut::new();
    for (op_code, name) in [(4, "/a"), (8, "/"), (3, "/b")] {
        session.answer(&request(op_code, &watched(name)), &tree, NOW_MS, &mut out).unwrap();
    }
    out.clear();
    session.tell(&tree, &mut out);
    assert!(out.is_empty());
    tree.set("/a", "2", 2).unwrap();
    session.answer(&request(4, &path("/a")), &tree, NOW_MS, &mut out).unwrap();
    let told = frames(&out);
    assert_eq!(told[0], event(3, "/a"));
    assert_eq!(told[1][16..21], *b"\0\0\0\x012");
    out.clear();
    tree.set("/b", "", 3).unwrap();
    session.tell(&tree, &mut out);
    assert_eq!(frames(&out), [event(4, "/"), event(1, "/b")]);
}

#[test]
fn a_client_brings_its_watches_along() {
    let tree = Tree::new();
    tree.set("/a", "1", 1).unwrap();
    let seen = tree.zxid();
    tree.set("/b", "1", 1).unwrap();
    let mut body = BytesMut::new();
    body.put_i64(seen);
    for paths in [&["/a", "/gone"][..], &["/b"], &[]] {
        crate::jute::put_count(&mut body, paths.len());
        paths.iter().for_each(|path| crate::jute::put_buffer(&mut body, path.as_bytes()));
    }
    let mut session = connect(90_000, 0).0;
    let mut out = BytesMut::new();
    session.answer(&request(101, &body), &tree, NOW_MS, &mut out).unwrap();
    let told = frames(&out);
    assert_eq!((told[0].len(), error_of(&told[0])), (16, 0));
    assert_eq!(told[1..], [event(1, "/b"), event(2, "/gone")]);
    out.clear();
    tree.set("/a", "2", 1).unwrap();
    session.tell(&tree, &mut out);
    assert_eq!(frames(&out), [event(3, "/a")]);
    // A count that lies.
    let lie = [&seen.to_be_bytes()[..], &[0x7f, 0xff, 0xff, 0xff]].concat();
    out.clear();
    session.answer(&request(101, &lie), &tree, NOW_MS, &mut out).unwrap();
    assert_eq!(error_of(&frames(&out)[0]), -5);
}

#[test]
fn a_client_is_told_what_a_restart_has_changed() {
    let earlier = Tree::new().begun_at(1_700_000_000_000);
    for value in 0..100 {
        earlier.set("/a", value.to_string(), 1).unwrap();
    }
    let mut body = BytesMut::new();
    body.put_i64(earlier.zxid());
    for paths in [&["/a"][..], &[], &[]] {
        crate::jute::put_count(&mut body, paths.len());
        paths.iter().for_each(|path| crate::jute::put_buffer(&mut body, path.as_bytes()));
    }
    let tree = Tree::new().begun_at(1_700_000_000_001);
    tree.set("/a", "other", 2).unwrap();
    let mut session = connect(90_000, 0).0;
    let mut out = BytesMut::new();
    session.answer(&request(101, &body), &tree, NOW_MS, &mut out).unwrap();
    assert_eq!(frames(&out)[1..], [event(3, "/a")]);
}

#[test]
fn a_session_that_is_over_is_told_so() {
    let mut payload = BytesMut::from(&[0; 12][..]);
    payload.put_i32(90_000);
    payload.put_i64(1234);
    payload.put_i32(-1);
    let mut out = BytesMut::new();
    assert!(Session::open(&payload, 77, |id| id == 1234, &mut out).unwrap().is_none());
    assert_eq!(out[8..20], [0; 12], "no time, no session");
}

const OPEN_ACL: &[u8] = b"\0\0\0\x01\0\0\0\x1f\0\0\0\x05world\0\0\0\x06anyone";

/// The body of a create.
fn create(path: &str, data: &[u8], acl: &[u8], flags: i32) -> Vec<u8> {
    let mut body = BytesMut::new();
    crate::jute::put_buffer(&mut body, path.as_bytes());
    crate::jute::put_buffer(&mut body, data);
    body.put_slice(acl);
    body.put_i32(flags);
    body.to_vec()
}

/// The body of a delete or a check.
fn at_version(path: &str, version: i32) -> Vec<u8> {
    let mut body = BytesMut::new();
    crate::jute::put_buffer(&mut body, path.as_bytes());
    body.put_i32(version);
    body.to_vec()
}

#[test]
fn nodes_are_made_changed_and_deleted() {
    let tree = Tree::new();
    assert_eq!(ask(&tree, 1, &create("/a", b"1", OPEN_ACL, 0)).0[16..], *b"\0\0\0\x02/a");
    assert_eq!(ask(&tree, 15, &create("/a/b-", b"", OPEN_ACL, 2)).0[16..35], *b"\0\0\0\x0f/a/b-0000000000");
    let mut set = create("/a", b"22", b"", 0);
    assert_eq!(ask(&tree, 5, &set).0.len(), 16 + 68);
    set = create("/a", b"3", b"", 7);
    assert_eq!(error_of(&ask(&tree, 5, &set).0), -103, "the version is 1");
    assert_eq!(tree.get("/a").unwrap().0, "22");
    let (reply, _) = ask(&tree, 6, &at_version("/a", 0));
    assert_eq!((&reply[16..16 + OPEN_ACL.len()], reply.len()), (OPEN_ACL, 16 + OPEN_ACL.len() + 68));
    assert_eq!(ask(&tree, 9, &at_version("/a", 0)).0[16..], *b"\0\0\0\x02/a");
    assert_eq!(error_of(&ask(&tree, 2, &at_version("/a", -1)).0), -111, "it has a child");
    assert_eq!(ask(&tree, 2, &at_version("/a/b-0000000000", 0)).0.len(), 16);
    assert_eq!(error_of(&ask(&tree, 2, &at_version("/a", 1)).0), 0);
    assert!(tree.get("/a").is_none());
}

#[test]
fn who_wants_to_keep_others_out_is_refused_as_are_kinds_of_nodes_that_are_not_there() {
    let tree = Tree::new();
    let read_only = [&OPEN_ACL[..7], &[1], &OPEN_ACL[8..]].concat();
    for (acl, flags, code) in
        [(&read_only[..], 0, -114), (b"\0\0\0\0", 0, -114), (OPEN_ACL, 4, -6), (OPEN_ACL, -1, -6)]
    {
        assert_eq!(error_of(&ask(&tree, 1, &create("/a", b"", acl, flags)).0), code);
    }
    let lie = [&[0x7f, 0xff, 0xff, 0xff], &OPEN_ACL[4..]].concat();
    assert_eq!(error_of(&ask(&tree, 1, &create("/a", b"", &lie, 0)).0), -5);
}

#[test]
fn all_writes_of_a_multi_are_done_or_none_is() {
    let tree = Tree::new();
    let part =
        |op_code: i32, body: &[u8]| [&op_code.to_be_bytes()[..], &[0, 0xff, 0xff, 0xff, 0xff], body].concat();
    let end = b"\xff\xff\xff\xff\x01\xff\xff\xff\xff";
    let made = part(1, &create("/a", b"1", OPEN_ACL, 0));
    let check = part(13, &at_version("/a", 3));
    let (reply, _) = ask(&tree, 14, &[&made[..], &check, &made, end].concat());
    let error = |code: i32| [&[0xff; 4][..], &[0], &code.to_be_bytes(), &code.to_be_bytes()].concat();
    assert_eq!(reply[16..], [&error(0)[..], &error(-103), &error(-2), end].concat());
    assert!(tree.get("/a").is_none());

    let check = part(13, &at_version("/a", 0));
    let (reply, _) = ask(&tree, 14, &[&made[..], &check, end].concat());
    let expected = [&b"\0\0\0\x01\0\0\0\0\0\0\0\0\x02/a"[..], b"\0\0\0\x0d\0\0\0\0\0", end].concat();
    assert_eq!(reply[16..], expected);
    assert_eq!(tree.get("/a").unwrap().0, "1");
}

#[test]
fn a_client_hears_of_its_own_write_before_the_answer() {
    let tree = Tree::new();
    let mut session = connect(90_000, 0).0;
    let mut out = BytesMut::new();
    session.answer(&request(3, &watched("/a")), &tree, NOW_MS, &mut out).unwrap();
    out.clear();
    session.answer(&request(1, &create("/a", b"", OPEN_ACL, 1)), &tree, NOW_MS, &mut out).unwrap();
    let told = frames(&out);
    assert_eq!(told[0], event(1, "/a"));
    assert_eq!(error_of(&told[1]), 0);
    assert_eq!(tree.get("/a").unwrap().1.ephemeral_owner, 77);
}
