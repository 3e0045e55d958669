use super::*;

fn of(name: &str) -> Key {
    ("HBase", name.to_owned())
}

#[test]
fn the_rest_takes_as_long_as_before_and_what_is_new_as_long_as_the_average() {
    let rest = ["start", "get", "start", "put"].map(of).to_vec();
    let mut progress = Progress { began: Instant::now(), rest, done: 0, took: BTreeMap::new(), now: None };
    assert_eq!(progress.rest_of(&progress.rest), Duration::ZERO);
    progress.ended(of("start"), Duration::from_secs(20));
    progress.ended(of("get"), Duration::from_secs(10));
    assert_eq!(progress.rest, ["start", "put"].map(of));
    assert_eq!(progress.rest_of(&progress.rest), Duration::from_secs(20 + 15));
}
