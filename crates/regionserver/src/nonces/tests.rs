use super::*;

const RETENTION: Duration = Duration::from_secs(60);

fn limits(capacity: usize) -> Limits {
    Limits { capacity, retention: RETENTION }
}

fn place(inner: &Inner, nonce: u64) -> Place {
    Place::of((0, nonce), &inner.hasher)
}

fn finish(inner: &mut Inner, nonce: u64, sequence_id: u64, limits: Limits) {
    let place = place(inner, nonce);
    inner.finish(place, sequence_id, limits);
}

#[tokio::test]
async fn that_one_is_forgotten_before_its_time_is_told_and_not_with_each() {
    let mut inner = Inner::default();
    let mut finish = |nonce, capacity| {
        let place = place(&inner, nonce);
        inner.finish(place, nonce, limits(capacity)).is_some()
    };
    assert_eq!([1, 2, 3, 4].map(|nonce| finish(nonce, 2)), [false, false, true, true]);
    // None is known any more for its time alone.
    let old = Limits { capacity: 1, retention: Duration::ZERO };
    let (mut inner, place) = (Inner::default(), |inner: &Inner, nonce| place(inner, nonce));
    assert!((1..4).all(|nonce| inner.finish(place(&inner, nonce), nonce, old).is_none()));

    let nonces = Nonces::new(2 * NONCE_BYTES, RETENTION);
    let begin = Instant::now();
    let nonces = Arc::new(nonces);
    let told_at = || *nonces.told.lock();
    let done = async |nonce| match nonces.admit(1, nonce).await {
        Admission::Proceed(guard) => guard.succeeded(1),
        Admission::AlreadyDone(_) => panic!("{nonce} is new"),
    };
    done(0).await;
    done(1).await;
    nonces.replayed(1, 2, Duration::ZERO);
    assert_eq!(told_at(), None);
    done(3).await;
    let first = told_at().expect("it is told");
    done(4).await;
    assert_eq!(told_at(), Some(first));
    nonces.tell(Duration::ZERO, begin + 2 * TOLD_EVERY);
    assert_eq!(told_at(), Some(begin + 2 * TOLD_EVERY));
}

fn known(inner: &mut Inner) -> Vec<u64> {
    let mut known: Vec<u64> = inner.done.done.iter().map(|done| done.key.1).collect();
    assert_eq!(inner.numbers.len(), known.len());
    assert!(
        known.iter().all(|&nonce| inner.done(place(inner, nonce)).is_some_and(|done| done.key.1 == nonce))
    );
    known.sort_unstable();
    known
}

#[test]
fn one_is_known_for_as_long_as_it_was_used_lately() {
    let mut inner = Inner::default();
    finish(&mut inner, 1, 10, limits(9));
    finish(&mut inner, 2, 11, limits(9));
    let begin = Instant::now();
    inner.forget_old(begin + RETENTION / 2, limits(9));
    assert_eq!(known(&mut inner), [1, 2]);
    let first = place(&inner, 1);
    let used = inner.done(first).unwrap();
    assert_eq!(used.sequence_id, 10);
    used.used = begin + RETENTION / 2;
    inner.forget_old(begin + RETENTION, limits(9));
    assert_eq!(known(&mut inner), [1]);
    inner.forget_old(begin + RETENTION * 3 / 2, limits(9));
    assert_eq!(known(&mut inner), [0; 0]);
    assert!(inner.done.done.is_empty());
}

#[test]
fn the_oldest_go_where_there_are_too_many_and_those_that_run_stay() {
    let mut inner = Inner::default();
    let running = place(&inner, 100);
    inner.running(running).insert((running.key, None));
    (0..10).for_each(|nonce| finish(&mut inner, nonce, nonce, limits(3)));
    assert_eq!(known(&mut inner), [7, 8, 9]);
    inner.forget_old(Instant::now() + RETENTION, limits(3));
    assert_eq!(known(&mut inner), [0; 0]);
    assert!(matches!(inner.running(running), Entry::Occupied(_)));
}

#[tokio::test]
async fn one_that_is_forgotten_is_carried_out_again() {
    let nonces = Arc::new(Nonces::new(1 << 20, Duration::ZERO));
    for _ in 0..2 {
        let Admission::Proceed(guard) = nonces.admit(1, 2).await else { panic!("known for no time") };
        guard.succeeded(5);
    }
    let nonces = Arc::new(Nonces::new(1 << 20, RETENTION));
    nonces.replayed(1, 2, Duration::ZERO);
    assert!(matches!(nonces.admit(1, 2).await, Admission::AlreadyDone(0)));
    assert!(matches!(nonces.admit(2, 2).await, Admission::Proceed(_)));
}

#[tokio::test]
async fn those_of_edits_that_were_written_long_ago_are_not_kept() {
    let nonces = Arc::new(Nonces::new(1 << 20, RETENTION));
    nonces.replayed(1, 2, 2 * RETENTION);
    assert!(matches!(nonces.admit(1, 2).await, Admission::Proceed(_)));
    // Clocks may differ.
    nonces.replayed(1, 3, RETENTION);
    assert!(matches!(nonces.admit(1, 3).await, Admission::AlreadyDone(0)));
}

#[tokio::test]
async fn who_comes_while_one_runs_waits_for_its_end() {
    let nonces = Arc::new(Nonces::new(1 << 20, RETENTION));
    for succeeds in [false, true] {
        let Admission::Proceed(guard) = nonces.admit(1, 2).await else { panic!("it is new") };
        let others: Vec<_> = (0..3)
            .map(|_| {
                let nonces = Arc::clone(&nonces);
                tokio::spawn(async move {
                    match nonces.admit(1, 2).await {
                        // Each of them that has its turn fails as well.
                        Admission::Proceed(_) => None,
                        Admission::AlreadyDone(sequence_id) => Some(sequence_id),
                    }
                })
            })
            .collect();
        tokio::task::yield_now().await;
        assert!(others.iter().all(|other| !other.is_finished()));
        if succeeds {
            guard.succeeded(7);
        } else {
            drop(guard);
        }
        for other in others {
            assert_eq!(other.await.unwrap(), succeeds.then_some(7));
        }
    }
}

#[test]
fn many_are_spread_over_shards_and_bounded_together() {
    let most = MAX_SHARDS * MIN_NONCES_OF_SHARD;
    let nonces = Nonces::new(most * NONCE_BYTES, RETENTION);
    assert_eq!(nonces.shards.len(), MAX_SHARDS);
    (0..3 * most as u64).for_each(|nonce| nonces.replayed(nonce, nonce, Duration::ZERO));
    let held: Vec<_> = nonces.shards.iter().map(|shard| shard.0.lock().numbers.len()).collect();
    assert_eq!(held, [MIN_NONCES_OF_SHARD; MAX_SHARDS]);
}

#[test]
fn numbers_go_round() {
    let done = Queue { first: u32::MAX - 5, ..Queue::default() };
    let mut inner = Inner { done, ..Inner::default() };
    for nonce in 0..20 {
        finish(&mut inner, nonce, nonce, limits(4));
        // As if somebody asked for it now and then.
        let oldest = inner.done.done.front_mut().unwrap();
        oldest.used += RETENTION / 2;
        assert_eq!(known(&mut inner), (nonce.saturating_sub(3)..=nonce).collect::<Vec<_>>());
    }
    // Their last use makes them the latest.
    finish(&mut inner, 17, 99, limits(4));
    let now = Instant::now() + RETENTION;
    inner.done.done[1].used = now;
    inner.forget_old(now, limits(4));
    assert_eq!(known(&mut inner), [16, 17]);
    let place = place(&inner, 17);
    assert_eq!(inner.done(place).unwrap().sequence_id, 99);
}
