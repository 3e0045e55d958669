use bytes::BufMut;

use super::*;

fn connect(timeout_ms: i32, session_id: i64) -> (Session, BytesMut) {
    let mut payload = BytesMut::new();
    payload.put_i32(0);
    payload.put_i64(0);
    payload.put_i32(timeout_ms);
    payload.put_i64(session_id);
    payload.put_i32(-1);
    let mut out = BytesMut::new();
    let session = Session::open(&payload, 77, &mut out).unwrap();
    (session, out)
}

/// Sends one request and returns what follows the frame's length in the answer.
fn ask(tree: &Tree, op_code: i32, body: &[u8]) -> (Vec<u8>, Next) {
    let mut payload = BytesMut::new();
    payload.put_i32(3);
    payload.put_i32(op_code);
    payload.put_slice(body);
    let mut out = BytesMut::new();
    let next = connect(90_000, 0).0.answer(&payload, tree, &mut out).unwrap();
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
    for op_code in [1, 2, 5, 14, 102, 4711] {
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
    assert!(session.answer(&[0, 0, 0, 1, 0], &Tree::new(), &mut BytesMut::new()).is_err());
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
        session.answer(&request(op_code, &watched(name)), &tree, &mut out).unwrap();
    }
    out.clear();
    session.tell(&tree, &mut out);
    assert!(out.is_empty());
    tree.set("/a", "2", 2).unwrap();
    session.answer(&request(4, &path("/a")), &tree, &mut out).unwrap();
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
    session.answer(&request(101, &body), &tree, &mut out).unwrap();
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
    session.answer(&request(101, &lie), &tree, &mut out).unwrap();
    assert_eq!(error_of(&frames(&out)[0]), -5);
}
