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
