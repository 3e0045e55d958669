use super::*;

#[test]
fn the_total_is_the_sum_of_what_connections_hold_and_goes_with_them() {
    let total = Arc::new(Unread::default());
    let (mut a, mut b) = (UnreadPart::new(&total), UnreadPart::new(&total));
    a.set(10 << 20);
    b.set(5 << 20);
    assert_eq!(total.bytes(), 15 << 20);
    a.set(1 << 20);
    assert_eq!(total.bytes(), 6 << 20);
    b.set(UNCOUNTED_BYTES);
    assert_eq!(total.bytes(), 1 << 20);
    drop(a);
    assert_eq!(total.bytes(), 0);
}

#[test]
fn what_is_owed_is_what_was_there_until_it_is_taken() {
    let mut part = UnreadPart::new(&Arc::default());
    part.set(UNCOUNTED_BYTES);
    assert_eq!(part.owed_since(), None);
    part.set(1 << 20);
    let since = part.owed_since();
    assert!(since.is_some());
    part.taken(1 << 19);
    part.set(3 << 20);
    assert_eq!(part.owed_since(), since);
    // The first mebibyte is gone, two and a half came after it.
    part.taken(1 << 19);
    part.set(5 << 19);
    assert!(part.owed_since() > since);
    part.set(0);
    assert_eq!(part.owed_since(), None);
}
