use super::*;

const STAT: &str = "71 (a ) name) S 1 71 71 0 -1 4194560 10 20 30 40 150 25 7 8 20 0 9 0 100 4096 5";
const IO: &str =
    "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 8192\ncancelled_write_bytes: 9\n";
const STATUS: &str = "Name:\tx\nVmPeak:\t  900 kB\nVmHWM:\t  300 kB\nVmRSS:\t  200 kB\n";

#[test]
fn the_kernels_accounts_are_read() {
    let usage = Usage::parse(STAT, IO, STATUS).unwrap();
    assert_eq!(usage.cpu, Duration::from_millis(1750));
    assert_eq!(usage.written_bytes, 8192);
    assert_eq!((usage.resident_bytes, usage.peak_resident_bytes), (200 * 1024, 300 * 1024));
}

#[test]
fn a_process_that_has_ended_has_no_memory_and_is_no_measurement() {
    assert_eq!(Usage::parse(STAT, IO, "Name:\tx\n"), None);
    assert_eq!(Usage::parse("71 (x) Z 1", IO, STATUS), None);
}

#[test]
fn a_difference_is_of_what_adds_up_and_leaves_memory_as_it_is() {
    let now = Usage::parse(STAT, IO, STATUS).unwrap();
    let before = Usage {
        cpu: Duration::from_millis(750),
        written_bytes: 192,
        resident_bytes: 1,
        peak_resident_bytes: 2,
    };
    let used = now.since(&before);
    assert_eq!((used.cpu, used.written_bytes), (Duration::from_secs(1), 8000));
    assert_eq!((used.resident_bytes, used.peak_resident_bytes), (200 * 1024, 300 * 1024));
}

#[test]
fn this_process_has_used_something() {
    let usage = Usage::of(std::process::id()).unwrap();
    assert!(usage.resident_bytes > 0 && usage.peak_resident_bytes >= usage.resident_bytes / 2);
}
