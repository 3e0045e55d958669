use super::*;

fn reads(reads: u64) -> Counters {
    Counters { reads, filtered_reads: reads / 2, writes: 2 * reads }
}

#[test]
fn a_rate_is_the_growth_between_two_reports() {
    let mut rates = Rates::<String>::default();
    assert_eq!(rates.update("a", 1_000, reads(100)), PerSecond::default());
    rates.end_of_answer();
    let rate = rates.update("a", 4_000, reads(160));
    assert_eq!(rate, PerSecond { reads: 20.0, filtered_reads: 10.0, writes: 40.0 });
    assert_eq!(rate.requests(), 60.0);
}

#[test]
fn it_stays_until_the_next_report() {
    let mut rates = Rates::<String>::default();
    rates.update("a", 1_000, reads(0));
    rates.update("a", 2_000, reads(10));
    assert_eq!(rates.update("a", 2_000, reads(10)).reads, 10.0);
    assert_eq!(rates.update("a", 3_000, reads(10)).reads, 0.0);
}

#[test]
fn a_counter_or_clock_that_is_begun_anew_gives_no_rate() {
    let mut rates = Rates::<String>::default();
    rates.update("a", 5_000, reads(1_000));
    assert_eq!(rates.update("a", 6_000, reads(3)), PerSecond::default());
    assert_eq!(rates.update("a", 7_000, reads(4)).reads, 1.0);
    assert_eq!(rates.update("a", 1_000, reads(1_000)), PerSecond::default());
    assert_eq!(rates.update("a", 2_000, reads(1_001)).reads, 1.0);
}

#[test]
fn what_an_answer_does_not_have_is_forgotten() {
    let mut rates = Rates::<String>::default();
    rates.update("a", 1_000, reads(0));
    rates.update("b", 1_000, reads(0));
    rates.end_of_answer();
    rates.update("b", 2_000, reads(7));
    rates.end_of_answer();
    assert_eq!(rates.known.keys().collect::<Vec<_>>(), ["b"]);
    assert_eq!(rates.update("a", 3_000, reads(9)), PerSecond::default());
}
