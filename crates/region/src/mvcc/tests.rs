use super::*;

#[test]
fn the_read_point_moves_over_the_completed_prefix_only() {
    let mvcc = Mvcc::new(10);
    let (a, b, c) = (mvcc.begin(), mvcc.begin(), mvcc.begin());
    assert_eq!((a, b, c), (11, 12, 13));
    let mut c_done = mvcc.complete(c).unwrap();
    let mut b_done = mvcc.complete(b).unwrap();
    assert_eq!(mvcc.read_point(), 10);
    assert!(b_done.try_recv().is_err() && c_done.try_recv().is_err());
    assert!(mvcc.complete(a).is_none());
    assert_eq!(mvcc.read_point(), 13);
    assert!(b_done.try_recv().is_ok() && c_done.try_recv().is_ok());
}

#[test]
fn the_smallest_read_point_is_that_of_the_oldest_scanner() {
    let mvcc = Arc::new(Mvcc::new(5));
    let old = mvcc.register_scanner(None);
    let number = mvcc.begin();
    assert!(mvcc.complete(number).is_none());
    let new = mvcc.register_scanner(None);
    assert_eq!((old.get(), new.get(), mvcc.smallest_read_point()), (5, 6, 5));
    drop(old);
    assert_eq!(mvcc.smallest_read_point(), 6);
    drop(new);
    mvcc.advance_to(20);
    assert_eq!(mvcc.smallest_read_point(), 20);
    assert_eq!(mvcc.begin(), 21);
}
