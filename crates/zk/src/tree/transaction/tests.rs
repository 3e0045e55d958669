use super::*;

const SESSION: i64 = 7;

fn create<'a>(path: &'a str, data: &'a [u8]) -> Write<'a> {
    Write::Create { path, data, ephemeral: false, sequential: false, with_stat: false }
}

fn ephemeral(path: &str) -> Write<'_> {
    Write::Create { path, data: b"", ephemeral: true, sequential: false, with_stat: true }
}

fn sequential(path: &str) -> Write<'_> {
    Write::Create { path, data: b"", ephemeral: false, sequential: true, with_stat: false }
}

fn one(tree: &Tree, write: Write<'_>) -> Result<Done, ErrorCode> {
    tree.write(&[write], SESSION, 1).map(|done| done[0].clone()).map_err(|(_, code)| code)
}

fn made(path: &str) -> Result<Done, ErrorCode> {
    Ok(Done::Created { path: path.to_owned(), stat: None })
}

#[test]
fn the_servers_nodes_are_not_the_clients() {
    let tree = Tree::with_protected("/hbase");
    tree.set("/hbase/master", "m", 1).unwrap();
    for write in [
        create("/hbase/x", b""),
        Write::SetData { path: "/hbase/master", data: b"", version: -1 },
        Write::Delete { path: "/hbase/master", version: -1 },
        Write::SetAcl { path: "/hbase", version: -1 },
    ] {
        assert_eq!(one(&tree, write), Err(ErrorCode::NoAuth));
    }
    assert_eq!(one(&tree, create("/hbase2", b"")), made("/hbase2"));
    assert_eq!(one(&tree, Write::Check { path: "/hbase/master", version: 0 }), Ok(Done::Checked));
}

#[test]
fn what_does_not_fit_is_refused() {
    let tree = Tree::new();
    one(&tree, ephemeral("/e")).unwrap();
    for (write, code) in [
        (create("/a/b", b""), ErrorCode::NoNode),
        (create("/e", b""), ErrorCode::NodeExists),
        (create("/e/x", b""), ErrorCode::NoChildrenForEphemerals),
        (create("/", b""), ErrorCode::BadArguments),
        (create("a", b""), ErrorCode::BadArguments),
        (create("/a/../b", b""), ErrorCode::BadArguments),
        (Write::Delete { path: "/", version: -1 }, ErrorCode::BadArguments),
        (Write::Delete { path: "/none", version: -1 }, ErrorCode::NoNode),
        (Write::Delete { path: "/e", version: 3 }, ErrorCode::BadVersion),
        (Write::SetData { path: "/none", data: b"", version: -1 }, ErrorCode::NoNode),
        (Write::SetAcl { path: "/e", version: 1 }, ErrorCode::BadVersion),
    ] {
        assert_eq!(one(&tree, write), Err(code), "{write:?}");
    }
}

#[test]
fn sequential_nodes_are_numbered_by_what_was_made_beside_them() {
    let tree = Tree::new();
    one(&tree, create("/q", b"")).unwrap();
    assert_eq!(one(&tree, sequential("/q/n-")), made("/q/n-0000000000"));
    assert_eq!(one(&tree, create("/q/other", b"")), made("/q/other"));
    one(&tree, Write::Delete { path: "/q/n-0000000000", version: -1 }).unwrap();
    assert_eq!(one(&tree, sequential("/q/n-")), made("/q/n-0000000002"));
    assert_eq!(one(&tree, sequential("/q/")), made("/q/0000000003"));
}

#[test]
fn what_cannot_be_done_as_a_whole_leaves_nothing() {
    let tree = Tree::new();
    one(&tree, create("/a", b"1")).unwrap();
    one(&tree, ephemeral("/a/e")).unwrap();
    let state = |tree: &Tree| (tree.zxid(), tree.get("/a"), tree.children("/a"), tree.children("/"));
    let before = state(&tree);
    let writes = [
        Write::SetData { path: "/a", data: b"2", version: 0 },
        sequential("/a/n"),
        Write::Delete { path: "/a/e", version: 0 },
        create("/b", b""),
        create("/b", b""),
    ];
    assert_eq!(tree.write(&writes, SESSION, 2), Err((4, ErrorCode::NodeExists)));
    assert_eq!(state(&tree), before);
    assert!(tree.has_ephemeral_nodes(SESSION));
    assert_eq!(tree.write(&writes[..4], SESSION, 2).unwrap().len(), 4);
    assert_eq!(tree.get("/a").unwrap().0, "2");
    assert!(!tree.has_ephemeral_nodes(SESSION));
}

#[test]
fn nodes_go_with_their_session_and_no_others_do() {
    let tree = Tree::new();
    one(&tree, create("/a", b"")).unwrap();
    one(&tree, ephemeral("/a/mine")).unwrap();
    tree.write(&[ephemeral("/a/others")], SESSION + 1, 1).unwrap();
    tree.end_session(SESSION);
    assert_eq!(tree.children("/a").unwrap().0, ["others"]);
    assert!(!tree.has_ephemeral_nodes(SESSION));
    tree.end_session(SESSION);
    one(&tree, Write::Delete { path: "/a/others", version: 0 }).unwrap();
    assert!(!tree.has_ephemeral_nodes(SESSION + 1));
}

#[test]
fn clients_get_so_much_room_and_what_they_free_is_free() {
    let tree = Tree::new();
    let value = vec![0; MAX_CLIENT_BYTES / 3];
    for path in ["/a", "/b"] {
        assert_eq!(one(&tree, create(path, &value)), made(path));
    }
    assert_eq!(one(&tree, create("/c", &value)), Err(ErrorCode::SystemError));
    assert_eq!(one(&tree, create("/c", b"")), made("/c"));
    let larger = Write::SetData { path: "/c", data: &value, version: -1 };
    assert_eq!(one(&tree, larger), Err(ErrorCode::SystemError));
    assert_eq!(tree.get("/c").unwrap().0, "");
    one(&tree, Write::SetData { path: "/a", data: b"", version: -1 }).unwrap();
    assert!(one(&tree, larger).is_ok());
    one(&tree, Write::Delete { path: "/b", version: -1 }).unwrap();
    // What the server takes over does not count.
    tree.set("/c", "", 1).unwrap();
    assert!(tree.remove("/a"));
    for number in 0..MAX_CLIENT_NODES {
        let path = format!("/c/{number}");
        if one(&tree, create(&path, b"")).is_err() {
            let state = tree.read();
            let bytes = state.client_bytes + path.len() + NODE_BYTES;
            assert!(bytes > MAX_CLIENT_BYTES || state.client_nodes == MAX_CLIENT_NODES);
            return;
        }
    }
    panic!("there is always room");
}
