use super::*;

#[test]
fn what_is_switched_together_is_seen_together() {
    let switch = FileSwitch::default();
    let (a, b) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 1..2000 {
                switch.switch(|| {
                    a.store(n, Ordering::Release);
                    b.store(n, Ordering::Release);
                });
            }
        });
        for _ in 0..2000 {
            let ((a, b), seen) = switch.look(|| (a.load(Ordering::Acquire), b.load(Ordering::Acquire)));
            assert_eq!((a, FilesSeen(2 * a)), (b, seen));
        }
    });
}
