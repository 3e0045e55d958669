use super::*;
use crate::compare::{CHECKS, MIXED, WORKLOADS};
use crate::results::Measurement;
use std::collections::BTreeMap;

fn results(measurements: &[(Product, Option<Client>, &str, Figure, f64)]) -> Results {
    let measured =
        |&(product, client, what, figure, value): &(Product, Option<Client>, &str, Figure, f64)| {
            Measurement {
                round: 1,
                product,
                client,
                what: what.to_owned(),
                figures: BTreeMap::from([(figure, value)]),
            }
        };
    Results { conditions: Vec::new(), measurements: measurements.iter().map(measured).collect() }
}

#[test]
fn a_goal_is_of_something_that_is_measured() {
    let names: Vec<&str> = WORKLOADS
        .iter()
        .map(|workload| workload.name)
        .chain(CHECKS.iter().map(|check| check.name()))
        .chain([MIXED])
        .collect();
    for goal in &GOALS {
        assert!(names.contains(&goal.what), "{}", goal.title);
    }
    for name in names {
        assert!(GOALS.iter().any(|goal| goal.what == name), "nothing is to be reached in {name}");
    }
}

#[test]
fn a_goal_is_reached_at_so_many_times_and_not_below() {
    let get = |finback| {
        let client = Some(Client::Java);
        let both = results(&[
            (Product::HBase, client, "get", Figure::CpuMicros, 80.0),
            (Product::Finback, client, "get", Figure::CpuMicros, finback),
        ]);
        let [outcome] = outcomes(&both)[..] else { panic!() };
        (outcome.times.unwrap(), outcome.is_reached())
    };
    assert_eq!(get(10.0), (8.0, true));
    assert_eq!(get(16.0), (5.0, false));
}

#[test]
fn throughput_counts_the_other_way_round() {
    let client = Some(Client::Finback);
    let both = results(&[
        (Product::HBase, client, "scan", Figure::PerSecond, 100.0),
        (Product::Finback, client, "scan", Figure::PerSecond, 450.0),
    ]);
    let [outcome] = outcomes(&both)[..] else { panic!() };
    assert_eq!((outcome.times, outcome.is_reached()), (Some(4.5), true));
}

#[test]
fn puts_are_compared_with_an_hbase_of_the_same_guarantee() {
    let client = Some(Client::Finback);
    let three = results(&[
        (Product::HBase, client, "put", Figure::CpuMicros, 145.0),
        (Product::Finback, client, "put", Figure::CpuMicros, 36.0),
        (Product::HBase, client, "default-put", Figure::CpuMicros, 145.0),
        (Product::HBaseHsync, client, "default-put", Figure::CpuMicros, 288.0),
        (Product::Finback, client, "default-put", Figure::CpuMicros, 36.0),
    ]);
    let of_both: Vec<_> =
        outcomes(&three).iter().map(|outcome| (outcome.goal.title, outcome.is_reached())).collect();
    assert_eq!(
        of_both,
        [("single put, on disk before the answer", true), ("single put, HBase without hsync", false)]
    );
}

#[test]
fn what_was_not_measured_on_both_is_left_out() {
    assert!(outcomes(&results(&[(Product::Finback, None, "start", Figure::Seconds, 0.1)])).is_empty());
}
