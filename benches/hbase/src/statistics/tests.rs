use super::*;

#[test]
fn the_median_is_in_the_middle_however_the_values_come() {
    let odd = Spread::of([5.0, 1.0, 3.0]).unwrap();
    assert_eq!(odd, Spread { median: 3.0, min: 1.0, max: 5.0, count: 3 });
    assert_eq!(Spread::of([4.0, 1.0, 3.0, 2.0]).unwrap().median, 2.5);
    assert_eq!(Spread::of([7.0]).unwrap(), Spread { median: 7.0, min: 7.0, max: 7.0, count: 1 });
    assert_eq!(Spread::of([]), None);
}

#[test]
fn ahead_is_less_of_what_costs_and_more_of_what_is_wanted() {
    assert_eq!(times_ahead(10.0, 80.0, false), Some(8.0));
    assert_eq!(times_ahead(80.0, 20.0, true), Some(4.0));
    assert_eq!(times_ahead(0.0, 80.0, false), None);
    assert_eq!(times_ahead(80.0, 0.0, true), None);
}
