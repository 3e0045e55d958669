use super::*;

#[test]
fn ranges_go_both_ways_and_default_to_everything() {
    let range = TimeRange { min: 3, max: 9 };
    assert_eq!(TimeRange::try_from(&Into::<pb::TimeRange>::into(range)).unwrap(), range);
    assert_eq!(TimeRange::try_from(&pb::TimeRange::default()).unwrap(), TimeRange::ALL);
    assert_eq!(time_range(None).unwrap(), TimeRange::ALL);
}

#[test]
fn negative_and_empty_ranges_are_errors() {
    for (from, to) in [(u64::MAX, 1), (5, 4), (0, u64::MAX)] {
        let range = pb::TimeRange { from: Some(from), to: Some(to) };
        assert!(TimeRange::try_from(&range).is_err(), "{from} {to}");
    }
}

#[test]
fn durabilities_go_both_ways() {
    for code in 0..5 {
        let durability = PbDurability::try_from(code).unwrap();
        assert_eq!(PbDurability::from(Durability::from(durability)), durability);
    }
}
