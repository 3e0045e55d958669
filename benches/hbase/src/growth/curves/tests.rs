use super::*;

#[test]
fn names_are_different_and_points_ascend() {
    for (place, curve) in ALL.iter().enumerate() {
        assert!(ALL[..place].iter().all(|other| other.name != curve.name), "{}", curve.name);
        assert!(curve.points.is_sorted_by(|a, b| a < b), "{}", curve.name);
        assert_eq!(named(curve.name).map(|curve| curve.title), Some(curve.title));
    }
    assert!(named("no such curve").is_none());
}

#[test]
fn a_curve_varies_its_table_by_what_it_is_about() {
    for curve in &ALL {
        let tables: Vec<Table> = curve.points.iter().map(|point| (curve.table)(*point)).collect();
        assert!(tables.windows(2).all(|two| two[0] != two[1]), "{}", curve.name);
        // A table fits on a small disk.
        let bytes = |table: &Table| table.rows * table.columns * (table.value_bytes + 60);
        assert!(tables.iter().all(|table| bytes(table) < 2_000_000_000), "{}", curve.name);
    }
}
