use super::*;

#[test]
fn the_collectors_wish_goes_before_our_own_pause() {
    let busy = |retry_after| PostError::Status { status: 503, retry_after };
    let second = Duration::from_secs(1);
    assert_eq!(wait(&busy(Some(7 * second)), second), 7 * second);
    assert_eq!(wait(&busy(Some(7000 * second)), second), MOST_PATIENCE);
    for _ in 0..100 {
        let own = wait(&busy(None), 4 * second);
        assert!((2 * second..=4 * second).contains(&own), "{own:?}");
    }
}
