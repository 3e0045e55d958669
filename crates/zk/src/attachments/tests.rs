use super::*;
use crate::tree::Write;
use std::time::Duration;

const SESSION: i64 = 7;

fn with_node(tree: &Tree) {
    let write = Write::Create { path: "/e", data: b"", ephemeral: true, sequential: false, with_stat: false };
    tree.write(&[write], SESSION, 1).unwrap();
}

#[test]
fn a_session_waits_for_its_client_and_then_ends_with_its_nodes() {
    let (attachments, tree, now) = (Attachments::default(), Tree::new(), Instant::now());
    let number = attachments.attach(SESSION).unwrap();
    with_node(&tree);
    let until = now + Duration::from_secs(9);
    attachments.detach(SESSION, number, Some(until), &tree);
    assert_eq!(attachments.expire(now, &tree), Some(until));
    assert!(tree.get("/e").is_some());
    assert_eq!(attachments.expire(until, &tree), None);
    assert!(tree.get("/e").is_none());
    assert_eq!(attachments.attach(SESSION), None, "it is over");
}

#[test]
fn a_client_that_comes_back_keeps_its_nodes() {
    let (attachments, tree, now) = (Attachments::default(), Tree::new(), Instant::now());
    let first = attachments.attach(SESSION).unwrap();
    with_node(&tree);
    let second = attachments.attach(SESSION).unwrap();
    attachments.detach(SESSION, first, Some(now), &tree);
    assert_eq!(attachments.expire(now, &tree), None);
    assert!(tree.get("/e").is_some());
    attachments.detach(SESSION, second, None, &tree);
    assert!(tree.get("/e").is_none(), "its client has closed it");
    with_node(&tree);
    attachments.detach(SESSION, first, Some(now), &tree);
    assert!(tree.get("/e").is_none(), "nobody is left");
}

#[test]
fn a_session_without_nodes_needs_no_wait() {
    let (attachments, tree, now) = (Attachments::default(), Tree::new(), Instant::now());
    let number = attachments.attach(SESSION).unwrap();
    attachments.detach(SESSION, number, Some(now), &tree);
    assert_eq!(attachments.expire(now, &tree), None);
    assert!(attachments.attach(SESSION).is_some());
}
