use super::*;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn rate(per_second: f64, poisson: bool) -> Rate {
    Rate { per_second, poisson }
}

#[test]
fn a_closed_loop_begins_at_once() {
    let turn = runtime().block_on(Pace::closed().turn(Some(Instant::now())));
    assert_eq!(turn, Turn::Now);
}

/// However late the clients are, the moments stay where they were.
#[test]
fn moments_are_fixed_before() {
    runtime().block_on(async {
        let start = Instant::now();
        let pace = Pace::open(rate(10_000.0, false), start, 0.5, Random::of_client(1, 0)).unwrap();
        let ticking = pace.clone();
        tokio::spawn(async move { ticking.tick().await });
        for number in 0..20u32 {
            if number == 10 {
                std::thread::sleep(Duration::from_millis(5));
            }
            let wanted = start + Duration::from_micros(50) + Duration::from_micros(100) * number;
            assert_eq!(pace.turn(None).await, Turn::Due(wanted));
            assert!(Instant::now() >= wanted);
        }
        assert_eq!(pace.turn(Some(start)).await, Turn::Over);
    });
}

#[test]
fn clients_take_moments_in_turn() {
    runtime().block_on(async {
        let start = Instant::now();
        let pace = Pace::open(rate(2000.0, true), start, 0.0, Random::of_client(1, 0)).unwrap();
        let ticking = pace.clone();
        tokio::spawn(async move { ticking.tick().await });
        let mut clients = tokio::task::JoinSet::new();
        for _ in 0..5 {
            let pace = pace.clone();
            clients.spawn(async move {
                let mut moments = Vec::new();
                for _ in 0..10 {
                    moments.push(pace.turn(None).await);
                }
                moments
            });
        }
        let mut moments = Vec::new();
        while let Some(of_client) = clients.join_next().await {
            moments.extend(of_client.unwrap());
        }
        let Some(Turn::Due(last)) = moments.iter().copied().max_by_key(|turn| match turn {
            Turn::Due(due) => *due,
            other => panic!("{other:?}"),
        }) else {
            panic!("no moments")
        };
        // 50 gaps of half a millisecond on average.
        let took = last - start;
        assert!((Duration::from_millis(8)..Duration::from_millis(80)).contains(&took), "{took:?}");
        assert_eq!(moments.len(), 50);
    });
}

#[test]
fn who_waits_is_woken_at_the_stop() {
    runtime().block_on(async {
        let pace = Pace::open(rate(0.001, false), Instant::now(), 1.0, Random::of_client(1, 0)).unwrap();
        let (ticking, stopping) = (pace.clone(), pace.clone());
        tokio::spawn(async move { ticking.tick().await });
        tokio::spawn(async move { stopping.stop() });
        assert!(matches!(pace.turn(None).await, Turn::Due(_)));
    });
}

/// A schedule of a moment each millisecond, which began a second ago.
async fn begun_a_second_ago(poisson: bool) -> (Pace, Instant) {
    let start = Instant::now().checked_sub(Duration::from_secs(1)).unwrap();
    (Pace::open(rate(1000.0, poisson), start, 0.0, Random::of_client(1, 0)).unwrap(), start)
}

#[test]
fn what_is_due_at_the_end_and_not_begun_is_counted() {
    runtime().block_on(async {
        let (pace, start) = begun_a_second_ago(false).await;
        let end = Some(start + Duration::from_millis(500));
        for _ in 0..100 {
            pace.turn(end).await;
        }
        let Turn::Due(due) = pace.turn(end).await else { panic!("it is due") };
        pace.drop_turn(due, end);
        let all = NotBegun { operations: 400, longest_wait: Duration::from_millis(400) };
        assert_eq!(pace.not_begun(end, None), all);
        assert_eq!(pace.not_begun(end, Some(400)), all);
        assert_eq!(pace.not_begun(end, Some(7)).operations, 7);
        // Who has no rows left would not have begun more.
        assert_eq!(pace.not_begun(end, Some(1)).operations, 1);
        while pace.turn(end).await != Turn::Over {}
        assert_eq!(pace.not_begun(end, None).operations, 1);
    });
}

#[test]
fn what_is_due_at_a_stop_and_not_begun_is_counted() {
    runtime().block_on(async {
        let (pace, _) = begun_a_second_ago(true).await;
        let end = Some(Instant::now() + Duration::from_secs(3600));
        assert_eq!(pace.not_begun(end, None), NotBegun::default(), "it goes on");
        pace.stop();
        let late = pace.not_begun(end, None);
        assert!(late.operations >= 1000 && late.longest_wait >= Duration::from_secs(1), "{late:?}");
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(pace.not_begun(end, None), late, "nothing is due behind it");
        pace.drop_turn(Instant::now(), end);
        assert_eq!(pace.not_begun(end, None), late);
        assert_eq!(Pace::closed().not_begun(end, None), NotBegun::default());
    });
}
