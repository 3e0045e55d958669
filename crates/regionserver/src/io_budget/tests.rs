use super::*;

const MB: u64 = 1 << 20;
const BOUNDS: ThroughputBounds =
    ThroughputBounds { lower: 10 * MB, higher: 20 * MB, off_peak: Some(40 * MB), tune_period: seconds(60) };

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn pressing(compactions: f64) -> Pressure {
    Pressure { compactions, ..Pressure::default() }
}

/// Writes blocks as fast as the budget lets it, on a clock of its own; bytes a second over ten seconds.
fn rate(budget: &mut IoBudget, lanes: &[Lane], begin: Duration) -> u64 {
    let (mut now, mut written) = (begin, 0);
    while now < begin + seconds(10) {
        for &lane in lanes {
            now += budget.take(lane, now, 64 << 10);
            written += 64 << 10;
        }
        // A disk that writes 1 GiB/s.
        now += Duration::from_micros(61);
    }
    written / 10
}

fn assert_near(rate: u64, wanted: u64) {
    let share = rate as f64 / wanted as f64;
    assert!((0.97..1.03).contains(&share), "{} MiB/s, not {}", rate / MB, wanted / MB);
}

#[test]
fn the_limit_follows_the_pressure() {
    let mut budget = IoBudget::new(Some(BOUNDS), None);
    assert_near(rate(&mut budget, &[Lane::Compactions], seconds(0)), 10 * MB);
    // More pressure counts at once.
    budget.tune(seconds(11), pressing(0.5));
    assert_eq!(budget.compaction_limit(), Some(15 * MB));
    assert_near(rate(&mut budget, &[Lane::Compactions], seconds(11)), 15 * MB);
    budget.tune(seconds(22), pressing(1.0));
    assert_eq!(budget.compaction_limit(), Some(20 * MB));
    // A store that is stuck is not to wait at all.
    budget.tune(seconds(23), pressing(1.01));
    assert_eq!(budget.compaction_limit(), None);
    assert_eq!(budget.take(Lane::Compactions, seconds(23), 1 << 40), Duration::ZERO);
    // Less pressure counts at the next period.
    budget.tune(seconds(24), pressing(0.0));
    assert_eq!(budget.compaction_limit(), None);
    budget.tune(seconds(83), pressing(0.0));
    assert_eq!(budget.compaction_limit(), Some(10 * MB));
    assert_near(rate(&mut budget, &[Lane::Compactions], seconds(90)), 10 * MB);
}

#[test]
fn who_disturbs_nobody_may_write_more_and_no_longer_when_somebody_comes() {
    let mut budget = IoBudget::new(Some(BOUNDS), None);
    budget.tune(seconds(1), Pressure { is_off_peak: true, ..pressing(0.2) });
    assert_near(rate(&mut budget, &[Lane::Compactions], seconds(1)), 40 * MB);
    budget.tune(seconds(12), pressing(0.2));
    assert_eq!(budget.compaction_limit(), Some(12 * MB));
    assert_near(rate(&mut budget, &[Lane::Compactions], seconds(12)), 12 * MB);
}

#[test]
fn all_compactions_share_one_limit_and_flushes_take_up_to_half_of_it() {
    let mut budget = IoBudget::new(Some(BOUNDS), None);
    let three = [Lane::Compactions; 3];
    assert_near(rate(&mut budget, &three, seconds(0)), 10 * MB);
    // As much flushed as compacted: together no more than the limit, though no flush waits.
    let both = [Lane::Flushes, Lane::Compactions];
    assert_near(rate(&mut budget, &both, seconds(20)), 10 * MB);
    // Many flushes: compactions go on at half the limit.
    let mostly_flushes = [Lane::Flushes, Lane::Flushes, Lane::Flushes, Lane::Compactions];
    assert_near(rate(&mut budget, &mostly_flushes, seconds(40)), 20 * MB);
    // Flushes of long ago count for a second at most.
    assert_eq!(budget.take(Lane::Flushes, seconds(60), 1 << 40), Duration::ZERO);
    let wait = budget.take(Lane::Compactions, seconds(60), 100 * MB);
    assert!(wait <= seconds(11) && wait > seconds(10), "{wait:?}");
}

#[test]
fn flushes_wait_only_when_they_have_a_limit_and_memory_is_not_short() {
    let mut budget = IoBudget::new(None, Some(BOUNDS));
    assert_eq!(budget.take(Lane::Compactions, seconds(0), 1 << 40), Duration::ZERO);
    assert_near(rate(&mut budget, &[Lane::Flushes], seconds(0)), 10 * MB);
    budget.tune(seconds(11), Pressure { memory: 1.1, ..Pressure::default() });
    assert_eq!(budget.take(Lane::Flushes, seconds(11), 1 << 40), Duration::ZERO);
}

#[test]
fn a_rest_saves_up_no_more_than_a_tenth_of_a_second() {
    let mut budget = IoBudget::new(Some(BOUNDS), None);
    assert_eq!(budget.take(Lane::Compactions, seconds(1000), MB), Duration::ZERO);
    let wait = budget.take(Lane::Compactions, seconds(1000), MB);
    assert_eq!(wait, Duration::from_millis(100));
}

fn assert_waits(budget: &mut IoBudget, lane: Lane, now: Duration, wanted_ms: u64) {
    let wait = budget.take(lane, now, 0);
    let off = wait.abs_diff(Duration::from_millis(wanted_ms));
    assert!(off < Duration::from_millis(1), "{wait:?}, not {wanted_ms} ms");
}

#[test]
fn a_tiny_limit_that_is_corrected_holds_nobody_up_any_more() {
    let tiny = ThroughputBounds { lower: 1, ..BOUNDS };
    let mut budget = IoBudget::new(Some(tiny), Some(tiny));
    for lane in [Lane::Compactions, Lane::Flushes] {
        let wait = budget.take(lane, seconds(0), MB);
        assert!(wait > seconds(1_000_000), "{wait:?}");
    }
    budget.reconfigure(seconds(10), Some(BOUNDS), Some(BOUNDS));
    // A MiB at ten a second.
    assert_waits(&mut budget, Lane::Flushes, seconds(10), 100);
    assert_waits(&mut budget, Lane::Compactions, seconds(10), 100);
    // Without a limit there is nothing to be paid for.
    budget.reconfigure(seconds(10), None, None);
    budget.reconfigure(seconds(10), Some(BOUNDS), Some(BOUNDS));
    assert_waits(&mut budget, Lane::Compactions, seconds(10), 0);
}

#[test]
fn what_is_not_paid_for_costs_by_the_limit_of_now() {
    let mut budget = IoBudget::new(Some(BOUNDS), None);
    budget.take(Lane::Compactions, seconds(100), 11 * MB);
    assert_waits(&mut budget, Lane::Compactions, seconds(100), 1000);
    budget.tune(seconds(100), pressing(1.0));
    assert_waits(&mut budget, Lane::Compactions, seconds(100), 500);
    budget.tune(seconds(100), Pressure { is_off_peak: true, ..pressing(0.0) });
    assert_waits(&mut budget, Lane::Compactions, seconds(100), 250);
    budget.tune(seconds(100), pressing(0.0));
    assert_waits(&mut budget, Lane::Compactions, seconds(100), 1000);
    budget.tune(seconds(100), pressing(1.01));
    assert_waits(&mut budget, Lane::Compactions, seconds(100), 0);
}

#[test]
fn absurd_limits_and_sizes_do_no_harm() {
    let none = ThroughputBounds { lower: 0, higher: 0, off_peak: Some(0), tune_period: Duration::ZERO };
    let mut budget = IoBudget::new(Some(none), Some(none));
    for now in [Duration::ZERO, seconds(1), Duration::MAX] {
        budget.take(Lane::Flushes, now, u64::MAX);
        budget.take(Lane::Compactions, now, u64::MAX);
        budget.tune(now, pressing(f64::INFINITY));
        budget.tune(now, pressing(-1.0));
    }
}
