use super::*;
use finback_cell::cell::CellParts;

fn cell(qualifier: &[u8], timestamp: i64, cell_type: CellType) -> Vec<u8> {
    let (type_code, value, tags) = (cell_type.code(), &b""[..], &b""[..]);
    CellParts { row: b"r", family: b"f", qualifier, timestamp, type_code, value, tags }.to_vec()
}

fn tracker(markers: impl Iterator<Item = i64>) -> DeleteTracker {
    let mut tracker = DeleteTracker::default();
    for timestamp in markers {
        tracker.add(&Cell::from_checked(&cell(b"", timestamp, CellType::DeleteFamilyVersion)));
    }
    tracker
}

fn hides(tracker: &mut DeleteTracker, timestamp: i64) -> bool {
    tracker.check(&Cell::from_checked(&cell(b"q", timestamp, CellType::Put))) == Deleted::Version
}

#[test]
fn versions_of_the_family_are_hidden_whatever_their_number() {
    // Compared with each marker, the puts would take 10^11 steps.
    const MARKERS: i64 = 300_000;
    let mut tracker = tracker((0..MARKERS).rev().map(|at| 2 * at));
    for timestamp in (0..2 * MARKERS).rev() {
        assert_eq!(hides(&mut tracker, timestamp), timestamp % 2 == 0);
    }
}

#[test]
fn versions_of_the_family_are_hidden_in_whatever_order_they_come() {
    let mut tracker = tracker([5, 9, 5, -3, 7].into_iter());
    let hidden: Vec<i64> = (-4..=10).filter(|timestamp| hides(&mut tracker, *timestamp)).collect();
    assert_eq!(hidden, [-3, 5, 7, 9]);
}
