use super::super::table::PROPERTIES;
use super::*;

#[test]
fn the_names_are_sorted_and_none_of_them_has_an_effect() {
    assert!(NAMES.is_sorted_by(|left, right| left < right));
    for property in PROPERTIES {
        for name in std::iter::once(&property.name).chain(property.aliases) {
            assert!(!is_known_to_hbase(name), "{name} is obeyed");
        }
    }
}

#[test]
fn every_name_is_found_and_no_other() {
    assert!(NAMES.iter().all(|name| is_known_to_hbase(name)));
    assert!(!is_known_to_hbase("hbase.regionserver.handler.counts") && !is_known_to_hbase(""));
}
