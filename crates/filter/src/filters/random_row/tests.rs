use super::*;

fn kept(chance: f32) -> usize {
    let mut filter = RandomRowFilter::with_seed(chance, 42);
    (0..10_000).filter(|_| !filter.filter_row_key(b"r").unwrap()).count()
}

#[test]
fn rows_are_kept_by_chance() {
    for (chance, expected) in [(-1.0, 0..=0), (0.0, 0..=0), (1.1, 10_000..=10_000), (f32::NAN, 0..=0)] {
        assert!(expected.contains(&kept(chance)), "{chance}");
    }
    assert!((2_300..2_700).contains(&kept(0.25)), "{}", kept(0.25));
    assert_eq!(kept(1.0), 10_000);
}

#[test]
fn a_rejected_row_stays_rejected_until_reset() {
    let mut filter = RandomRowFilter::new(-1.0);
    assert_eq!(filter.filter_row_key(b"r"), Ok(true));
    assert!(filter.filter_row());
    filter.reset();
    assert!(!filter.filter_row());
}
