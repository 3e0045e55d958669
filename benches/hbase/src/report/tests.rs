use super::*;
use crate::load::Client;
use crate::results::{Figure, Measurement};
use crate::server::Product;
use std::collections::BTreeMap;

fn measured(round: u32, product: Product, micros: f64) -> Measurement {
    let figures = BTreeMap::from([(Figure::CpuMicros, micros), (Figure::PerSecond, 1e6 / micros)]);
    Measurement { round, product, client: Some(Client::Finback), what: "get".to_owned(), figures }
}

fn results() -> Results {
    Results {
        conditions: vec![("machine".to_owned(), "two cores".to_owned())],
        measurements: vec![
            measured(1, Product::HBase, 80.0),
            measured(2, Product::HBase, 90.0),
            measured(3, Product::HBase, 70.0),
            measured(1, Product::Finback, 8.0),
            measured(2, Product::Finback, 10.0),
            measured(3, Product::Finback, 9.0),
        ],
    }
}

#[test]
fn the_page_tells_conditions_medians_spread_and_what_is_reached() {
    let directory = tempfile::tempdir().unwrap();
    write(&results(), directory.path()).unwrap();
    let page = std::fs::read_to_string(directory.path().join(PAGE)).unwrap();
    assert!(page.contains("- machine: two cores\n- rounds: 3\n"));
    assert!(page.contains(
        "| random get, cached | finback pe | µs of server CPU | 80.0 (70.0 to 90.0) | 9.00 (8.00 to 10.0) | 8.89 | 8 | reached |"
    ));
    assert!(
        page.contains("| random get, cached | HBase | 12,500 (11,111 to 14,286) | 80.0 (70.0 to 90.0) |")
    );
    assert!(page.contains("Reached: 2 of 2."));
}

#[test]
fn a_goal_that_is_missed_is_told_as_plainly() {
    let mut results = results();
    results.measurements.extend([4, 5, 6, 7].map(|round| measured(round, Product::Finback, 60.0)));
    let table = tables::goals(&outcomes(&results));
    assert!(table.contains("| **not reached** |") && table.contains("Reached: 0 of 2."));
}

#[test]
fn plots_lie_where_the_page_shows_them_and_notes_by_hand_stay() {
    let directory = tempfile::tempdir().unwrap();
    let plots = directory.path().join(PLOTS);
    std::fs::create_dir_all(&plots).unwrap();
    std::fs::write(plots.join(NOTES), "Why it is so.\n").unwrap();
    write(&results(), directory.path()).unwrap();
    let page = std::fs::read_to_string(directory.path().join(PAGE)).unwrap();
    assert!(page.ends_with("## Notes\n\nWhy it is so.\n"));
    let shown: Vec<&str> = page.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(shown.contains(&"benchmarks/hbase/goals.svg") && shown.contains(&"benchmarks/hbase/cpu.svg"));
    for path in shown {
        assert!(directory.path().join(path).is_file(), "{path}");
    }
    // Nothing was measured for it.
    assert!(!page.contains("memory.svg"));
}
