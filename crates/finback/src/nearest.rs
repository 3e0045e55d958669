//! What somebody may have meant who wrote a name that there is not.

/// Only so many bytes of an absurdly long name are looked at.
const LONGEST_NAME: usize = 200;

/// The known name that takes the fewest edits to get to, when those are few: a quarter of its length, or the
/// `least` edits that are always forgiven.
pub(crate) fn nearest<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    least: usize,
) -> Option<&'a str> {
    let (distance, nearest) =
        known.into_iter().map(|known| (edit_distance(name, known), known)).min_by_key(|(edits, _)| *edits)?;
    let length = name.len().min(LONGEST_NAME);
    (distance <= (length / 4).max(least) && distance < length).then_some(nearest)
}

/// Levenshtein's distance.
fn edit_distance(left: &str, right: &str) -> usize {
    let left = &left.as_bytes()[..left.len().min(LONGEST_NAME)];
    let right = right.as_bytes();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, r) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(!l.eq_ignore_ascii_case(r));
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_meant_is_found_and_what_is_far_is_not() {
        let known = ["server", "compact", "hfile", "wal"];
        assert_eq!(nearest("sevrer", known, 2), Some("server"));
        assert_eq!(nearest("Compakt", known, 2), Some("compact"));
        assert_eq!(nearest("wla", known, 2), Some("wal"));
        assert_eq!(nearest("ls", known, 2), None);
        assert_eq!(nearest("balance", known, 2), None);
        assert_eq!(nearest("sevrer", known, 0), None);
        assert_eq!(nearest(&"x".repeat(100_000), known, 2), None);
        assert_eq!(nearest("x", [], 2), None);
    }

    #[test]
    fn edit_distances_are_levenshteins() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("Same", "same"), 0);
        assert!(edit_distance(&"x".repeat(1 << 20), "y") <= 200);
    }
}
