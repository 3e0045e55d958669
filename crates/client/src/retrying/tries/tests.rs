use super::*;

/// The pauses after tries that fail so, until there is no next one, and how many failed.
fn pauses(config: &ClientConfig, exception: &RpcException) -> (Vec<Duration>, u32) {
    let (mut tries, entropy) = (Tries::default(), Entropy::new());
    let pauses = std::iter::from_fn(|| tries.failed(config, exception, &entropy)).collect();
    (pauses, tries.failed_so_far())
}

#[track_caller]
fn assert_about(paused: &[Duration], milliseconds: &[u64]) {
    assert!(paused.len() >= milliseconds.len(), "{paused:?}");
    for (paused, normal) in paused.iter().zip(milliseconds) {
        let normal = Duration::from_millis(*normal);
        assert!(*paused >= normal && *paused <= normal.mul_f64(1.01), "{normal:?}: {paused:?}");
    }
}

#[test]
fn pauses_follow_the_table_and_end_at_its_last_entry() {
    let config = ClientConfig::zookeeper("nowhere").retries(15);
    let (paused, failed) = pauses(&config, &exceptions::io("any"));
    let seconds = [1, 1, 1, 1, 2, 2, 2, 2].map(|part| part * 10_000);
    assert_about(&paused, &[&[100, 200, 300, 500, 1000, 2000, 4000], &seconds[..]].concat());
    assert_eq!((paused.len(), failed), (15, 16));
}

#[test]
fn a_region_that_is_on_its_way_is_asked_for_sooner() {
    let config = ClientConfig::zookeeper("nowhere").retries(3);
    let nowhere = RpcException::retriable("org.apache.hadoop.hbase.client.NoServerForRegionException", "");
    for exception in [exceptions::not_serving_region("r"), nowhere] {
        // Besides those tries that there would be without that.
        let (paused, failed) = pauses(&config, &exception);
        assert_about(&paused, &[5, 10, 20, 40, 80, 100, 200, 300]);
        assert_eq!((paused.len(), failed), (8, 9));
    }
    // Whoever wants one try has one.
    let once = config.retries(0);
    assert_eq!(pauses(&once, &exceptions::not_serving_region("r")), (Vec::new(), 1));
}

#[test]
fn what_was_left_for_later_is_asked_for_at_once() {
    let config = ClientConfig::zookeeper("nowhere").retries(1);
    let later = RpcException::retriable("org.apache.hadoop.hbase.RetryImmediatelyException", "");
    assert_eq!(pauses(&config, &later), (vec![Duration::ZERO], 2));
}
