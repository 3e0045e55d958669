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

#[test]
fn a_scan_that_is_kept_has_no_room_for_what_was_there_twice() {
    let mut qualifiers = Vec::with_capacity(1000);
    qualifiers.push(Bytes::from_static(b"q"));
    let mut scan = Scan {
        families: Vec::with_capacity(1000),
        family_time_ranges: Vec::with_capacity(1000),
        ..Scan::default()
    };
    scan.families.push(FamilySelection { family: Bytes::from_static(b"f"), qualifiers: Some(qualifiers) });
    scan.family_time_ranges.push((Bytes::from_static(b"f"), TimeRange::ALL));
    scan.detach();
    let qualifiers = scan.families[0].qualifiers.as_ref().unwrap();
    let room = [scan.families.capacity(), scan.family_time_ranges.capacity(), qualifiers.capacity()];
    assert_eq!(room, [1; 3]);
}
