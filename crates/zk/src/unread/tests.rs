use super::*;

const LIMIT: usize = 1 << 20;

#[test]
fn there_is_room_again_when_a_client_has_taken_its_replies() {
    let unread = Unread::default();
    let first = unread.add(LIMIT, LIMIT).unwrap();
    assert!(unread.add(UNCOUNTED_BYTES + 1, LIMIT).is_none());
    assert!(unread.add(UNCOUNTED_BYTES, LIMIT).is_some(), "not worth counting");
    drop(first);
    assert!(unread.add(LIMIT, LIMIT).is_some());
    assert_eq!(unread.0.into_inner(), 0);
}
