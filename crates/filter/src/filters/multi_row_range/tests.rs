use super::*;
use crate::testing::scan_rows;

fn range(text: &'static str) -> RowRange {
    let (start, stop) = text[1..text.len() - 1].split_once(',').unwrap();
    RowRange {
        start_row: start.into(),
        start_inclusive: text.starts_with('['),
        stop_row: stop.into(),
        stop_inclusive: text.ends_with(']'),
    }
}

fn kept(ranges: &[&'static str], reversed: bool) -> String {
    let mut filter = MultiRowRangeFilter::new(ranges.iter().map(|text| range(text)).collect()).unwrap();
    scan_rows(&mut filter, &["a", "b", "c", "d", "e", "f", "g"], reversed).concat()
}

#[test]
fn the_union_of_the_ranges_is_returned_in_both_directions() {
    for (ranges, expected) in [
        (&["[b,d)"][..], "bc"),
        (&["(b,d]"], "cd"),
        (&["[e,f]", "[b,c)"], "bef"),
        (&["(a,c)", "[c,d]", "(d,f)"], "bcde"),
        (&["(a,c)", "(c,e)"], "bd"),
        (&["[b,f)", "[c,d]"], "bcde"),
        (&["[f,)", "[,a]"], "afg"),
        (&["[,)", "[c,d]"], "abcdefg"),
        (&["[c,c]"], "c"),
        (&["(c,c]"], ""),
        (&["[x,z]"], ""),
    ] {
        assert_eq!(kept(ranges, false), expected, "{ranges:?}");
        assert_eq!(kept(ranges, true), expected.chars().rev().collect::<String>(), "{ranges:?} reversed");
    }
}

#[test]
fn no_ranges_and_ranges_of_nothing_are_refused() {
    assert!(MultiRowRangeFilter::new(Vec::new()).is_err());
    for text in ["[b,a]", "[a,a)", "(b,a)"] {
        assert!(MultiRowRangeFilter::new(vec![range("[a,b]"), range(text)]).is_err(), "{text}");
    }
}
