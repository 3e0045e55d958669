use super::*;

const SERIES: [Series; 2] = [
    Series { name: "one", colour: "#111", mark: Mark::Dot },
    Series { name: "goal", colour: "#222", mark: Mark::Stroke },
];

fn row(label: &str, values: &[Option<f64>]) -> Row {
    let values = values.iter().map(|value| value.and_then(|value| Spread::of([value]))).collect();
    Row { label: label.to_owned(), values }
}

#[test]
fn places_are_logarithms_between_whole_powers_of_ten() {
    let scale = Scale::of(&[row("a", &[Some(2.0), Some(300.0)])]).unwrap();
    assert_eq!((scale.least, scale.most), (0, 3));
    assert_eq!(scale.x(1.0), LEFT);
    assert_eq!(scale.x(1000.0), WIDTH - RIGHT);
    let third = (WIDTH - LEFT - RIGHT) / 3.0;
    assert!((scale.x(10.0) - (LEFT + third)).abs() < 1e-9);
}

#[test]
fn one_value_makes_a_scale_and_none_makes_no_plot() {
    assert!(dots("t", "µs", &SERIES, &[row("a", &[Some(10.0), None])]).is_some());
    assert!(dots("t", "µs", &SERIES, &[row("a", &[None, None])]).is_none());
    assert!(dots("t", "µs", &SERIES, &[]).is_none());
}

#[test]
fn each_value_is_drawn_and_text_is_escaped() {
    let svg =
        dots("a < b", "µs", &SERIES, &[row("x & y", &[Some(3.0), Some(8.0)]), row("z", &[Some(5.0), None])])
            .unwrap();
    assert!(svg.contains("a &lt; b") && svg.contains("x &amp; y"));
    // One of each in the legend.
    assert_eq!(svg.matches("<circle").count(), 2 + 1);
    assert_eq!(svg.matches("stroke-width=\"2.5\"").count(), 1 + 1);
}

#[test]
fn powers_of_ten_are_written_out() {
    assert_eq!([-2, -1, 0, 3].map(power_of_ten), ["0.01", "0.1", "1", "1000"]);
}
