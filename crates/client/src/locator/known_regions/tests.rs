use super::*;
use finback_cell::RegionInfo;

fn location(start: &'static str, end: &'static str, id: u64, port: u16, seq_num: i64) -> Arc<RegionLocation> {
    let table = TableName::parse(b"t").unwrap();
    let region = RegionInfo::new(table, start.into(), end.into(), id);
    Arc::new(RegionLocation::new(region, ServerName { host: "h".into(), port, start_code: 1 }, seq_num))
}

fn known(locations: &[&Arc<RegionLocation>]) -> KnownRegions {
    let known = KnownRegions::new(TableName::parse(b"t").unwrap());
    locations.iter().for_each(|location| known.insert(Arc::clone(location)));
    known
}

#[test]
fn rows_are_found_in_their_regions_and_before_them() {
    let (first, last) = (location("", "m", 1, 1, 1), location("m", "", 1, 2, 1));
    let known = known(&[&first, &last]);
    assert_eq!(known.find(b"a", Side::At), Some(first.clone()));
    assert_eq!(known.find(b"m", Side::At), Some(last.clone()));
    assert_eq!(known.find(b"m", Side::Before), Some(first));
    assert_eq!(known.find(b"n", Side::Before), Some(last.clone()));
    assert_eq!(known.find(b"", Side::Before), Some(last));
}

#[test]
fn a_hole_is_not_bridged() {
    let known = known(&[&location("a", "c", 1, 1, 1)]);
    for (row, side) in
        [("c", Side::At), ("0", Side::At), ("d", Side::Before), ("", Side::Before), ("a", Side::Before)]
    {
        assert_eq!(known.find(row.as_bytes(), side), None, "{row} {side:?}");
    }
}

#[test]
fn daughters_take_the_place_of_their_parent_and_a_merged_region_that_of_its_parents() {
    let (left, right) = (location("", "m", 2, 1, 1), location("m", "", 2, 1, 1));
    let known = known(&[&location("", "", 1, 1, 1), &left, &right]);
    assert_eq!(known.find(b"a", Side::At), Some(left));
    let merged = location("", "", 3, 1, 1);
    known.insert(merged.clone());
    assert_eq!(known.find(b"z", Side::At), Some(merged.clone()));
    // What comes late of the past changes nothing.
    known.insert(location("m", "", 2, 1, 9));
    known.remove(&location("", "m", 2, 1, 1));
    assert_eq!(known.find(b"a", Side::At), Some(merged));
}

#[test]
fn only_what_was_asked_is_forgotten_or_moved() {
    let known = known(&[&location("", "", 1, 1, 5)]);
    known.remove(&location("", "", 1, 2, 5));
    known.moved(&location("", "", 1, 1, 4), ServerName { host: "x".into(), port: 9, start_code: 1 }, 9);
    assert_eq!(known.find(b"a", Side::At).unwrap().server().port, 1);
    known.moved(&location("", "", 1, 1, 5), ServerName { host: "x".into(), port: 9, start_code: 1 }, 9);
    assert_eq!(known.find(b"a", Side::At).unwrap().server().port, 9);
    known.remove(&location("", "", 1, 1, 5));
    assert!(known.find(b"a", Side::At).is_some());
}

#[test]
fn a_region_that_ends_before_it_begins_is_none() {
    let whole = location("", "", 1, 1, 1);
    let known = known(&[&whole]);
    for (start, end) in [("m", "m"), ("m", "a")] {
        known.insert(location(start, end, 9, 1, 1));
    }
    assert_eq!(known.find(b"n", Side::At), Some(whole));
}
