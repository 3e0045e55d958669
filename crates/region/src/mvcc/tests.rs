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
fn when_a_number_is_never_completed_all_that_wait_are_told() {
    let mvcc = Mvcc::new(10);
    let (_lost, waiting, late) = (mvcc.begin(), mvcc.begin(), mvcc.begin());
    let mut waits = mvcc.complete(waiting).unwrap();
    mvcc.give_up();
    let is_told = |readable: &mut oneshot::Receiver<()>| {
        readable.try_recv() == Err(oneshot::error::TryRecvError::Closed)
    };
    assert!(is_told(&mut waits));
    assert!(is_told(&mut mvcc.complete(late).unwrap()));
    let after = mvcc.begin();
    assert!(is_told(&mut mvcc.complete(after).unwrap()));
    assert_eq!((mvcc.read_point(), mvcc.is_given_up()), (10, true));
}

#[test]
fn the_smallest_read_point_is_that_of_the_oldest_scanner() {
    let mvcc = Mvcc::new(5);
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

#[test]
fn scanners_of_all_threads_count() {
    let mvcc = Mvcc::new(5);
    // More threads than places: some share one.
    let held: Vec<ReadPoint> = std::thread::scope(|scope| {
        let mvcc = &mvcc;
        let register = || scope.spawn(move || mvcc.register_scanner(None)).join().unwrap();
        let register_at = |point| {
            mvcc.advance_to(point);
            register()
        };
        (0..2 * PLACES as u64).map(|thread| register_at(100 + thread)).collect()
    });
    mvcc.advance_to(200);
    for (point, oldest) in held.into_iter().zip(100..) {
        assert_eq!((point.get(), mvcc.smallest_read_point()), (oldest, oldest));
        // Dropped by another thread than registered it.
        drop(point);
    }
    assert_eq!(mvcc.smallest_read_point(), 200);
}

#[test]
fn who_resumes_reads_at_its_point_unless_something_was_dropped_that_it_would_see() {
    let mvcc = Mvcc::new(5);
    let first = mvcc.register_scanner(None);
    mvcc.advance_to(9);
    assert_eq!(mvcc.smallest_read_point(), 5);
    drop(first);
    let resumed = mvcc.register_resumed(5);
    assert_eq!((resumed.get(), mvcc.smallest_read_point()), (5, 5), "a pass kept what is seen there");
    drop(resumed);
    assert_eq!(mvcc.smallest_read_point(), 9);
    mvcc.advance_to(12);
    assert_eq!(mvcc.register_resumed(5).get(), 12, "what it saw may be gone");
    assert_eq!(mvcc.register_resumed(9).get(), 9);
    assert_eq!(mvcc.register_scanner(Some(5)).get(), 5, "with what is left there");
}
