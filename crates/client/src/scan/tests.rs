use super::*;

#[test]
fn a_prefix_ends_before_what_follows_it() {
    assert_eq!(first_behind_prefix(b"ab"), b"ac");
    assert_eq!(first_behind_prefix(b"a\xff\xff"), b"b");
    assert_eq!(first_behind_prefix(b"\xff"), b"");
}

#[test]
fn a_reversed_scan_goes_from_its_end_to_its_beginning() {
    let scan = Scan::prefix("u").reversed();
    assert_eq!((&scan.start[..], scan.include_start), (&b"v"[..], false));
    assert_eq!((&scan.stop[..], scan.include_stop), (&b"u"[..], true));
    let all = Scan::new().reversed();
    assert!(all.include_start && all.start.is_empty());
}

#[test]
fn what_makes_no_sense_is_refused() {
    assert!(Scan::new().time_range(5, 4).check().is_err());
    assert!(Scan::new().max_versions(0).check().is_err());
    assert!(Scan::new().raw().column("f", "q").check().is_err());
    assert!(Scan::new().raw().family("f").check().is_ok());
}
