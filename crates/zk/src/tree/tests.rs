use super::*;

#[test]
fn a_node_is_created_with_its_parents_and_counted_by_them() {
    let tree = Tree::new();
    tree.set("/hbase/rs/a", "x", 5).unwrap();
    tree.set("/hbase/rs/b", "yy", 6).unwrap();
    assert_eq!(tree.children("/").unwrap().0, ["hbase"]);
    assert_eq!(tree.children("/hbase").unwrap().0, ["rs"]);
    let (names, stat) = tree.children("/hbase/rs").unwrap();
    assert_eq!(names, ["a", "b"]);
    assert_eq!((stat.children_count, stat.children_version, stat.data_length), (2, 2, 0));
    assert_eq!(tree.get("/").unwrap().1.children_count, 1);
    let (data, stat) = tree.get("/hbase/rs/b").unwrap();
    assert_eq!(data, "yy");
    assert_eq!((stat.version, stat.data_length, stat.created_ms), (0, 2, 6));
}

#[test]
fn a_change_raises_the_version_and_keeps_the_creation() {
    let tree = Tree::new();
    tree.set("/a", "1", 10).unwrap();
    let created = tree.get("/a").unwrap().1;
    tree.set("/a", "22", 20).unwrap();
    let (data, changed) = tree.get("/a").unwrap();
    assert_eq!(data, "22");
    assert_eq!((changed.version, changed.modified_ms, changed.data_length), (1, 20, 2));
    assert_eq!((changed.created_ms, changed.created_zxid), (10, created.created_zxid));
    assert!(changed.modified_zxid > created.modified_zxid);
    assert_eq!(tree.zxid(), changed.modified_zxid);
}

#[test]
fn siblings_with_a_common_prefix_are_no_children() {
    let tree = Tree::new();
    for path in ["/hbase/x", "/hbase-other/y", "/hbase/x/z", "/hbasf"] {
        tree.set(path, "", 0).unwrap();
    }
    assert_eq!(tree.children("/hbase").unwrap().0, ["x"]);
    assert_eq!(tree.children("/").unwrap().0, ["hbase", "hbase-other", "hbasf"]);
    assert!(tree.children("/none").is_none());
}

#[test]
fn removing_a_node_removes_what_is_below_and_nothing_beside() {
    let tree = Tree::new();
    for path in ["/a/b", "/a/b/c", "/a/bb"] {
        tree.set(path, "", 0).unwrap();
    }
    assert!(tree.remove("/a/b"));
    assert!(!tree.remove("/a/b"));
    assert!(!tree.remove("/"));
    assert!(tree.get("/a/b/c").is_none());
    let (names, stat) = tree.children("/a").unwrap();
    assert_eq!(names, ["bb"]);
    assert_eq!(stat.children_count, 1);
}

#[test]
fn paths_that_name_no_node_are_refused() {
    for path in ["", "a", "/a/", "//", "/a//b", "/a/./b", "/..", "/a\0"] {
        assert_eq!(Tree::new().set(path, "", 0), Err(InvalidPath(path.to_owned())));
    }
    for path in ["/", "/a", "/a/b-c.d", "/.hidden"] {
        assert!(is_valid(path), "{path}");
    }
}
