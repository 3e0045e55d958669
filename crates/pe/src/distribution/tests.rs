use super::*;
use std::collections::HashMap;

const COUNT: u64 = 1000;
const FIRST: u64 = 50;

/// How often each number came, of 100,000.
fn counts(name: &str) -> HashMap<u64, u32> {
    let mut chooser = Distribution::named(name).unwrap().chooser(FIRST, COUNT);
    let mut random = Random::of_client(11, 4);
    let mut counts = HashMap::new();
    for _ in 0..100_000 {
        let number = chooser.next(&mut random, FIRST + COUNT - 1);
        assert!((FIRST..FIRST + COUNT).contains(&number), "{name}: {number}");
        *counts.entry(number).or_insert(0) += 1;
    }
    counts
}

/// How many of 100,000 fell on numbers of this range.
fn within(counts: &HashMap<u64, u32>, range: std::ops::Range<u64>) -> u32 {
    counts.iter().filter(|(number, _)| range.contains(number)).map(|(_, count)| count).sum()
}

#[test]
fn every_name_is_known() {
    assert!(Distribution::NAMES.iter().all(|name| Distribution::named(name).is_some()));
    assert!(Distribution::named("normal").is_none());
}

#[test]
fn uniform_and_sequential_reach_everything_alike() {
    for name in ["uniform", "sequential"] {
        let counts = counts(name);
        assert_eq!(counts.len() as u64, COUNT);
        assert!(counts.values().all(|&count| (40..180).contains(&count)));
    }
}

#[test]
fn zipfian_prefers_the_first_and_latest_the_last() {
    assert!(within(&counts("zipfian"), FIRST..FIRST + 10) > 30_000);
    assert!(within(&counts("latest"), FIRST + COUNT - 10..FIRST + COUNT) > 30_000);
}

#[test]
fn scrambled_prefers_a_few_anywhere() {
    let counts = counts("scrambled");
    let mut most: Vec<(u64, u32)> = counts.iter().map(|(number, count)| (*number, *count)).collect();
    most.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    // 1/zeta of 10,000,000,000 items.
    assert!((3000..4700).contains(&most[0].1), "{}", most[0].1);
    assert_eq!(most[0].0, FIRST + fnv_hash(0) % COUNT);
    assert_eq!(most[1].0, FIRST + fnv_hash(1) % COUNT);
}

#[test]
fn a_hotspot_has_most_operations() {
    let counts = counts("hotspot");
    let hot = within(&counts, FIRST..FIRST + 200);
    assert!((78_000..82_000).contains(&hot), "{hot}");
    // Data without others leaves no choice.
    let mut all = Distribution::Hotspot { data: 1.0, operations: 0.1 }.chooser(0, 3);
    let mut none = Distribution::Hotspot { data: 0.0, operations: 0.9 }.chooser(0, 3);
    let mut random = Random::of_client(1, 1);
    assert!((0..100).all(|_| all.next(&mut random, 0) < 3 && none.next(&mut random, 0) < 3));
}

#[test]
fn exponential_keeps_its_percentage_within_its_part() {
    let counts = counts("exponential");
    let near = within(&counts, FIRST + COUNT - 857..FIRST + COUNT);
    // What would lie before the first is shared out.
    assert!((94_000..98_500).contains(&near), "{near}");
}

/// Nearly all of the curve lies before the first.
#[test]
fn exponential_takes_no_longer_where_it_is_flat() {
    let mut random = Random::of_client(3, 3);
    let newest = FIRST + COUNT - 1;
    let mut flat = Distribution::Exponential { percent: 1e-9, part: 1000.0 }.chooser(FIRST, COUNT);
    let far = (0..1000).filter(|_| flat.next(&mut random, newest) < FIRST + COUNT / 2).count();
    assert!((400..600).contains(&far), "{far}");
    assert_eq!(flat.next(&mut random, 0), FIRST);
    let mut none = Distribution::Exponential { percent: 0.0, part: 0.0 }.chooser(FIRST, COUNT);
    assert!((FIRST..=newest).contains(&none.next(&mut random, newest)));
}

#[test]
fn latest_follows_what_is_inserted() {
    let mut chooser = Distribution::Latest.chooser(0, 10);
    let mut random = Random::of_client(2, 2);
    let near = (0..1000).filter(|_| chooser.next(&mut random, 99_999) > 99_000).count();
    assert!(near > 400, "{near}");
}
