use super::*;

fn watch(watches: &mut Watches, tree: &Tree, path: &str, watched: Watched) {
    watches.add(path, watched, tree.get(path).map(|(_, stat)| stat));
}

#[test]
fn each_kind_of_change_is_told_once() {
    let tree = Tree::new();
    tree.set("/a", "1", 1).unwrap();
    let mut watches = Watches::default();
    assert_eq!(watches.fired(&tree), []);
    watch(&mut watches, &tree, "/a", Watched::Data);
    watch(&mut watches, &tree, "/a", Watched::Children);
    watch(&mut watches, &tree, "/b", Watched::Data);
    assert_eq!(watches.fired(&tree), []);

    tree.set("/a", "2", 2).unwrap();
    assert_eq!(watches.fired(&tree), [("/a".to_owned(), EventType::DataChanged)]);
    tree.set("/a/c", "", 3).unwrap();
    tree.set("/b", "", 3).unwrap();
    let expected = [("/a".to_owned(), EventType::ChildrenChanged), ("/b".to_owned(), EventType::Created)];
    assert_eq!(watches.fired(&tree), expected);
    tree.set("/a", "3", 4).unwrap();
    assert_eq!(watches.fired(&tree), [], "all have fired");
}

#[test]
fn a_node_that_goes_is_told_once_also_if_another_has_come_since() {
    let tree = Tree::new();
    tree.set("/a", "1", 1).unwrap();
    let mut watches = Watches::default();
    watch(&mut watches, &tree, "/a", Watched::Data);
    watch(&mut watches, &tree, "/a", Watched::Children);
    assert!(tree.remove("/a"));
    tree.set("/a", "1", 1).unwrap();
    assert_eq!(watches.fired(&tree), [("/a".to_owned(), EventType::Deleted)]);
}

#[test]
fn there_is_room_for_a_bounded_number_of_watches() {
    let tree = Tree::new();
    let mut watches = Watches::default();
    let path = |i: usize| format!("/{i}{}", "x".repeat(1000));
    for i in 0..1000 {
        watches.add(&path(i), Watched::Data, None);
        watches.add(&path(0), Watched::Data, None);
    }
    assert!(watches.bytes <= MAX_BYTES && watches.by_path.len() > 10);
    tree.set(&path(0), "", 1).unwrap();
    assert_eq!(watches.fired(&tree).len(), 1);
    // Its place is free again.
    watches.add(&path(999), Watched::Data, None);
    tree.set(&path(999), "", 1).unwrap();
    assert_eq!(watches.fired(&tree).len(), 1);
}

#[test]
fn a_client_that_comes_back_is_told_what_it_has_missed() {
    let tree = Tree::new();
    tree.set("/old", "1", 1).unwrap();
    tree.set("/changed", "1", 1).unwrap();
    let seen = tree.zxid();
    tree.set("/changed", "2", 2).unwrap();
    tree.set("/changed/child", "", 2).unwrap();
    tree.set("/new", "", 2).unwrap();
    let mut watches = Watches::default();
    assert_eq!(watches.fired(&tree), []);
    for (path, watched) in [
        ("/old", Watched::Data),
        ("/changed", Watched::Data),
        ("/changed", Watched::Children),
        ("/gone", Watched::Data),
        ("/new", Watched::Data),
    ] {
        let now = tree.get(path).map(|(_, stat)| stat);
        watches.add(path, watched, Some(as_of(seen, now)));
    }
    watches.add("/new", Watched::Children, None);
    let expected = [
        ("/changed", EventType::DataChanged),
        ("/changed", EventType::ChildrenChanged),
        ("/gone", EventType::Deleted),
        ("/new", EventType::DataChanged),
        ("/new", EventType::Created),
    ];
    assert_eq!(watches.fired(&tree), expected.map(|(path, event)| (path.to_owned(), event)));
}
