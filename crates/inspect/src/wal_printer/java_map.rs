//! The order in which a `java.util.HashMap` with strings as keys gives its entries: HBase prints some.

use std::collections::HashMap;

/// Sorts entries, given in the order in which they were put in, into Java's. A later one takes the place of an earlier one
/// with the same key.
pub(super) fn in_order_of_java<V>(entries: impl IntoIterator<Item = (String, V)>) -> Vec<(String, V)> {
    let mut unique: Vec<(String, V)> = Vec::new();
    let mut places_of_keys = HashMap::new();
    for (key, value) in entries {
        match places_of_keys.get(&key) {
            Some(&place) => unique[place] = (key, value),
            None => {
                places_of_keys.insert(key.clone(), unique.len());
                unique.push((key, value));
            }
        }
    }
    // A table of 16 places, doubled whenever it is filled to more than three quarters.
    let mut places = 16;
    while unique.len() > places / 4 * 3 {
        places *= 2;
    }
    unique.sort_by_key(|(key, _)| {
        let hash = java_hash(key);
        (hash ^ hash >> 16) as usize & (places - 1)
    });
    unique
}

/// `String.hashCode()`.
pub(super) fn java_hash(text: &str) -> u32 {
    text.encode_utf16().fold(0_u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(unit.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_javas() {
        assert_eq!(java_hash("t1"), 3645);
        let keys = ["table", "region", "sequence", "actions", "table"];
        let sorted = in_order_of_java(keys.iter().zip(1..).map(|(key, number)| ((*key).to_owned(), number)));
        let expected = [("sequence", 3), ("region", 2), ("actions", 4), ("table", 5)];
        assert_eq!(sorted, expected.map(|(key, number)| (key.to_owned(), number)));
    }
}
