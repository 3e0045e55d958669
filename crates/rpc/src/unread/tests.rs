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
