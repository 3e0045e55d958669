//! Which settings a running server takes when its configuration is read again (`update_config` in HBase's shell).

use super::table::ServerConfig;

/// From when on a changed setting counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// At once.
    Now,
    /// For regions that are opened from then on.
    Opening,
    /// After a restart.
    Restart,
}

/// Those that count at once; a `*` at the end stands for any rest of a name.
const NOW: &[&str] = &[
    "hbase.table.sanity.checks",
    "hbase.regionserver.compaction.enabled",
    "hbase.regionserver.thread.compaction.throttle",
    "hbase.regionserver.throughput.controller",
    "hbase.regionserver.flush.throughput.controller",
    "hbase.hstore.flush.throughput.*",
    "hbase.hstore.compaction.*",
    "hbase.hstore.defaultengine.compactionpolicy.class",
    "hbase.hstore.blockingStoreFiles",
    "hbase.hstore.blockingWaitTime",
    "hbase.hstore.time.to.purge.deletes",
    "hbase.hregion.majorcompaction*",
    "hbase.offpeak.*",
    "hbase.server.compactchecker.interval.multiplier",
    "hbase.store.delete.expired.storefile",
    "hbase.store.stripe.*",
];

/// Those that count for regions that are opened from then on.
const AT_OPENING: &[&str] = &[
    "hbase.hregion.*",
    "hbase.hstore.bulkload.verify",
    "hbase.hstore.engine.class",
    "hbase.increasing.policy.initial.size",
    "hbase.memstore.inmemoryflush.threshold.factor",
    "hbase.regionserver.flush.per.changes",
    "hbase.regionserver.optionalcacheflushinterval",
    "hbase.regionserver.region.split.policy",
    "hbase.rowlock.wait.duration",
    "hbase.rs.*",
    "hbase.server.keyvalue.maxsize",
    "hbase.systemtables.compacting.memstore.type",
    "hfile.block.bloom.cacheonwrite",
    "hfile.block.index.cacheonwrite",
];

impl ServerConfig {
    /// From when on a change of a setting counts.
    pub fn reach_of(name: &str) -> Reach {
        let is_in = |patterns: &[&str]| patterns.iter().any(|pattern| matches(pattern, name));
        if is_in(NOW) {
            Reach::Now
        } else if is_in(AT_OPENING) {
            Reach::Opening
        } else {
            Reach::Restart
        }
    }
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{PROPERTIES, Sources};

    fn names_of(reach: Reach) -> Vec<&'static str> {
        let names = PROPERTIES.iter().map(|property| property.name);
        names.filter(|name| ServerConfig::reach_of(name) == reach).collect()
    }

    #[test]
    fn every_pattern_is_of_a_setting() {
        for pattern in NOW.iter().chain(AT_OPENING) {
            assert!(PROPERTIES.iter().any(|property| matches(pattern, property.name)), "{pattern}");
        }
    }

    #[test]
    fn what_makes_up_the_settings_of_regions_is_taken_and_nothing_else() {
        let restart = names_of(Reach::Restart);
        for name in ["hbase.rootdir", "hbase.master.port", "finback.memory.limit", "hfile.block.cache.size"] {
            assert!(restart.contains(&name), "{name}");
        }
        assert!(names_of(Reach::Now).contains(&"hbase.hstore.compaction.max"));
        assert!(names_of(Reach::Opening).contains(&"hbase.hregion.max.filesize"));
    }

    #[test]
    fn differences_are_told_by_name_and_can_be_taken_back() {
        let load = |max_files: &str, multiplier: &str| {
            let overrides = vec![
                ("hbase.hstore.compaction.max".to_owned(), max_files.to_owned()),
                ("hbase.hregion.memstore.block.multiplier".to_owned(), multiplier.to_owned()),
            ];
            ServerConfig::load(&Sources { file: None, overrides }).unwrap().0
        };
        let (one, mut two) = (load("10", "4"), load("7", "8"));
        assert_eq!(one.differences(&one), [] as [&str; 0]);
        let differences = one.differences(&two);
        assert_eq!(differences.len(), 2);
        two.keep(&one, &["hbase.hregion.memstore.block.multiplier"]);
        assert_eq!(one.differences(&two), ["hbase.hstore.compaction.max"]);
    }
}
