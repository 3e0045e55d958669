use super::*;

const RETENTION: Duration = Duration::from_secs(60);

fn limits(capacity: usize) -> Limits {
    Limits { capacity, retention: RETENTION }
}

fn known(inner: &Inner) -> Vec<u64> {
    let mut known: Vec<u64> = inner.states.keys().map(|key| key.1).collect();
    known.sort_unstable();
    known
}

#[test]
fn one_is_known_for_as_long_as_it_was_used_lately() {
    let mut inner = Inner::default();
    inner.finish((0, 1), 10, limits(9));
    inner.finish((0, 2), 11, limits(9));
    let begin = Instant::now();
    inner.forget_old(begin + RETENTION / 2, limits(9));
    assert_eq!(known(&inner), [1, 2]);
    let Some(State::Done(sequence_id, used)) = inner.states.get_mut(&(0, 1)) else { panic!("it is done") };
    assert_eq!(*sequence_id, 10);
    *used = begin + RETENTION / 2;
    inner.forget_old(begin + RETENTION, limits(9));
    assert_eq!(known(&inner), [1]);
    inner.forget_old(begin + RETENTION * 3 / 2, limits(9));
    assert_eq!(known(&inner), [0; 0]);
    assert!(inner.done.is_empty());
}

#[test]
fn the_oldest_go_where_there_are_too_many_and_those_that_run_stay() {
    let mut inner = Inner::default();
    let (_finished, receiver) = watch::channel(false);
    inner.states.insert((0, 100), State::Running(receiver));
    (0..10).for_each(|nonce| inner.finish((0, nonce), nonce, limits(3)));
    assert_eq!(known(&inner), [7, 8, 9, 100]);
    inner.forget_old(Instant::now() + RETENTION, limits(3));
    assert_eq!(known(&inner), [100]);
}

#[tokio::test]
async fn one_that_is_forgotten_is_carried_out_again() {
    let nonces = Arc::new(Nonces::new(1 << 20, Duration::ZERO));
    for _ in 0..2 {
        let Admission::Proceed(guard) = nonces.admit(1, 2).await else { panic!("known for no time") };
        guard.succeeded(5);
    }
    let nonces = Arc::new(Nonces::new(1 << 20, RETENTION));
    nonces.replayed(1, 2);
    assert!(matches!(nonces.admit(1, 2).await, Admission::AlreadyDone(0)));
    assert!(matches!(nonces.admit(2, 2).await, Admission::Proceed(_)));
}
