use super::*;
use std::collections::HashSet;

/// What `docs/configuration.md` promises.
const MOST_SETTINGS: usize = 60;

#[test]
fn there_are_sixty_settings_at_most() {
    assert!(SETTINGS.len() <= MOST_SETTINGS, "{}: merge or derive what nobody should need", SETTINGS.len());
}

/// A table has what HBase's tables have: nothing hides here that is the server's.
#[test]
fn defaults_of_tables_have_the_names_of_attributes() {
    for setting in TABLE_DEFAULTS {
        assert!(is_known_to_hbase(setting.name), "{}", setting.name);
    }
}

#[test]
fn no_name_stands_for_two_settings_and_hbase_has_all_that_are_said_to_be_its() {
    let mut names = HashSet::new();
    for name in all().flat_map(Setting::names) {
        assert!(names.insert(name), "{name} twice");
    }
    for name in all().flat_map(|setting| setting.hbase_names).filter(|name| !name.starts_with("finback.")) {
        assert!(is_known_to_hbase(name), "{name}");
    }
}

#[test]
fn names_are_of_a_section_and_in_small_letters() {
    for setting in SETTINGS {
        let plain = |c: char| c.is_ascii_lowercase() || matches!(c, '-' | '.');
        assert!(setting.name.chars().all(plain), "{}", setting.name);
        assert!(setting.name.matches('.').count() <= 1, "{}", setting.name);
    }
}

#[test]
fn the_names_of_hbase_are_sorted() {
    let names: Vec<&str> = HBASE.lines().collect();
    assert!(names.is_sorted_by(|left, right| left < right));
    assert!(names.len() > 1000);
}

#[test]
fn a_name_is_a_setting_or_hbases_or_foreign_or_nobodys() {
    let is_setting = |name| matches!(look_up(name), Some(Named::Setting(_)));
    assert!(is_setting("listen.master-port") && is_setting("hbase.master.port"));
    assert!(is_setting("hbase.hstore.compaction.min") && is_setting("hbase.hstore.compactionThreshold"));
    let without_effect = |name| matches!(look_up(name), Some(Named::WithoutEffect(_)));
    assert!(without_effect("hbase.rest.port") && without_effect("hbase.zookeeper.property.tickTime"));
    assert!(matches!(look_up("dfs.replication"), Some(Named::Foreign)));
    for name in ["hbase.regionserver.handler.counts", "", "port", "listen", "hbase.", "finback.memory.limits"]
    {
        assert!(look_up(name).is_none(), "{name}");
    }
}

#[test]
fn what_nobody_knows_is_near_to_something_or_not() {
    assert_eq!(nearest("hbase.master.prot"), Some("hbase.master.port"));
    assert_eq!(nearest("listen.adress"), Some("listen.address"));
    assert_eq!(nearest("server.handlers"), Some("rpc.handlers"));
    assert_eq!(nearest("handlers"), Some("rpc.handlers"));
    assert_eq!(nearest("hbase.rest.prt"), Some("hbase.rest.port"));
    assert_eq!(nearest("completely.different"), None);
}
