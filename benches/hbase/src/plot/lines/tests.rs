use super::*;

fn line(points: &[(f64, f64)]) -> Line {
    let points = points.iter().filter_map(|&(x, y)| Some((x, Spread::of([y])?))).collect();
    Line { name: "a < b", colour: "#123456", points }
}

#[test]
fn what_is_linear_rises_by_as_much_in_each_decade() {
    let svg = lines("Title", "things", "µs", &[line(&[(1.0, 10.0), (10.0, 100.0), (100.0, 1000.0)])]);
    let svg = svg.expect("a plot");
    let path = svg.lines().find(|line| line.contains("stroke-width=\"2\"")).expect("the line");
    let path = path.split('"').nth(1).expect("its places").trim_start_matches('M');
    let places: Vec<(f64, f64)> = path
        .split('L')
        .filter_map(|place| place.split_once(' '))
        .map(|(x, y)| (x.parse().expect("x"), y.parse().expect("y")))
        .collect();
    assert_eq!(places.len(), 3);
    let step = |from: usize| (places[from + 1].0 - places[from].0, places[from + 1].1 - places[from].1);
    let ((right, up), next) = (step(0), step(1));
    assert!(right > 0.0 && up < 0.0, "{places:?}");
    assert!((right - next.0).abs() < 0.2 && (up - next.1).abs() < 0.2, "{places:?}");
    assert!(svg.contains("a &lt; b"));
}

#[test]
fn without_a_value_there_is_no_plot() {
    assert_eq!(lines("Title", "things", "µs", &[line(&[])]), None);
    assert_eq!(lines("Title", "things", "µs", &[line(&[(1.0, 0.0)])]), None);
}
