use super::FILTERS;
use finback_client::Filter;
use std::collections::BTreeSet;

#[test]
fn every_filter_of_the_language_is_shown() {
    let known: BTreeSet<&str> = Filter::names().collect();
    assert_eq!(FILTERS.iter().copied().collect::<BTreeSet<_>>(), known);
    assert_eq!(FILTERS.len(), known.len());
}
