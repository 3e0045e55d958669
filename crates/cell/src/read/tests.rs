use super::*;

#[test]
fn a_scan_that_is_kept_does_not_keep_what_it_was_decoded_from() {
    let request = Bytes::from(vec![b'x'; 1000]);
    let families = vec![
        FamilySelection { family: request.slice(..1), qualifiers: None },
        FamilySelection {
            family: request.slice(1..3),
            qualifiers: Some(vec![request.slice(3..6), Bytes::new()]),
        },
    ];
    let mut scan = Scan {
        start_row: request.slice(..10),
        stop_row: request.slice(..20),
        families,
        family_time_ranges: vec![(request.slice(..5), TimeRange::ALL)],
        ..Scan::default()
    };
    let decoded = scan.clone();
    assert_eq!(scan.detach(), 1 + 2 + 3 + 10 + 20 + 5);
    assert_eq!(scan, decoded);
    drop(decoded);
    assert!(request.is_unique());
    assert_eq!(Scan::default().detach(), 0);
}
