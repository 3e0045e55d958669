use super::*;

#[test]
fn three_digits_or_all_before_the_point() {
    let shown = [0.0, 0.1234, 4.567, 45.67, 456.7, 1234.5, 1234567.0].map(number);
    assert_eq!(shown, ["0.00", "0.123", "4.57", "45.7", "457", "1,235", "1,234,567"]);
}

#[test]
fn a_spread_is_told_where_there_is_one() {
    assert_eq!(spread(&Spread::of([12.0]).unwrap()), "12.0");
    assert_eq!(spread(&Spread::of([12.0, 11.0, 1500.0]).unwrap()), "12.0 (11.0 to 1,500)");
}
