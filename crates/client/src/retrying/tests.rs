use super::*;

fn attempt(exception: RpcException) -> Attempt {
    Attempt { method: "Get", server: None, region: None, number: 1, exception }
}

fn config() -> ClientConfig {
    ClientConfig::zookeeper("nowhere").pause(Duration::from_micros(1)).retries(2)
}

#[test]
fn pauses_follow_the_table_and_end_at_its_last_entry() {
    let entropy = Entropy::new();
    for (tries, factor) in [(1, 1), (2, 2), (4, 5), (8, 100), (13, 200), (99, 200)] {
        let paused = pause(Duration::from_millis(100), tries, &entropy);
        let normal = Duration::from_millis(100) * factor;
        assert!(paused >= normal && paused <= normal.mul_f64(1.01), "{tries}: {paused:?}");
    }
}

#[test]
fn a_region_that_is_on_its_way_is_asked_for_sooner() {
    let (entropy, config) = (Entropy::new(), ClientConfig::zookeeper("nowhere"));
    let all = |exception: &RpcException| -> Vec<Duration> {
        (1..=12).map(|tries| pause_after(&config, exception, tries, &entropy)).collect()
    };
    let (moving, other) = (all(&exceptions::not_serving_region("r")), all(&exceptions::io("any")));
    for (paused, normal) in moving.iter().zip([5, 15, 100, 300, 1000, 2000].map(Duration::from_millis)) {
        assert!(*paused >= normal && *paused <= normal.mul_f64(1.01), "{normal:?}: {paused:?}");
    }
    // However long it takes, nobody waits longer than without that, by more than chance adds.
    let sum = |pauses: &[Duration]| pauses.iter().sum::<Duration>();
    assert!((1..=12).all(|tries| sum(&moving[..tries]) <= sum(&other[..tries])));
}

#[tokio::test]
async fn what_is_not_to_be_retried_is_not() {
    let (config, entropy) = (config(), Entropy::new());
    let mut retrying = Retrying::new(&config, &entropy, "Get", Duration::from_secs(9));
    let error = retrying.failed(attempt(exceptions::do_not_retry("no"))).await.unwrap_err();
    assert!(matches!(error, Error::Refused(_)), "{error}");
}

#[tokio::test]
async fn retries_are_counted_and_exhausted() {
    let (config, entropy) = (config(), Entropy::new());
    let mut retrying = Retrying::new(&config, &entropy, "Get", Duration::from_secs(9));
    retrying.failed(attempt(exceptions::io("1"))).await.unwrap();
    retrying.failed(attempt(exceptions::io("2"))).await.unwrap();
    let error = retrying.failed(attempt(exceptions::io("3"))).await.unwrap_err();
    let Error::RetriesExhausted { attempts: 3, last } = error else { panic!("{error}") };
    assert_eq!((last.number, last.exception.message.as_str()), (3, "3"));
}

#[tokio::test]
async fn a_time_that_is_over_is_told_with_the_last_attempt() {
    let (config, entropy) = (config(), Entropy::new());
    let mut retrying = Retrying::new(&config, &entropy, "Get", Duration::ZERO);
    let error = retrying.failed(attempt(exceptions::io("slow"))).await.unwrap_err();
    assert!(matches!(error, Error::TimedOut { last: Some(_), .. }), "{error}");
    assert!(error.to_string().contains("slow"), "{error}");
}
