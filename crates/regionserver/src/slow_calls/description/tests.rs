use super::*;

/// A text that has no end.
struct Endless;

impl fmt::Display for Endless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        loop {
            f.write_str("äb")?;
        }
    }
}

#[test]
fn no_more_of_a_text_is_made_than_is_told() {
    let begun = beginning(format_args!("x{Endless}"));
    assert!(begun.starts_with("xäbäb"));
    assert!((LONGEST - 3..=LONGEST).contains(&begun.len()), "{}", begun.len());
    assert_eq!(beginning(format_args!("{}", "short")), "short");
}

#[test]
fn the_first_families_are_told_each_once() {
    let names: Vec<Bytes> = (0..1000).map(|number| format!("{:03}", number % 500).into()).collect();
    let told = families(names.iter().rev());
    assert!(told.starts_with("000,001,"));
    assert_eq!(told.split(',').count(), MOST_FAMILIES);
}
