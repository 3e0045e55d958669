use super::*;

#[test]
fn idle_and_waiting_are_not_busy() {
    assert_eq!(parse_busy("cpu  1 2 4 1000 2000 8 16 32 0 0\ncpu0 9 9 9\n"), Some(63));
    assert_eq!(parse_busy("intr 5"), None);
}

#[test]
fn a_process_answers_for_its_children() {
    assert_eq!(parse_own("71 (a ) b) S 1 71 71 0 -1 4194560 10 20 30 40 1 2 4 8 20 0 9"), Some(15));
}

#[test]
fn the_machine_is_described() {
    let description = description();
    assert!(description.iter().all(|(name, value)| !name.is_empty() && !value.is_empty()));
    assert!(Others::watch().cores() >= 0.0);
    assert_eq!(load_average().split(' ').filter(|average| average.parse::<f64>().is_ok()).count(), 3);
}
