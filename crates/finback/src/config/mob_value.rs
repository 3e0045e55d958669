//! What the settings say about MOB files, and the kind of value that only their compactions have.

use super::setting::TomlForm;
use super::table::ServerConfig;
use super::value::Kind;
use finback_region::{MobCompactions, MobConfig};
use finback_regionserver::MobOptions;

/// HBase's types of MOB compactions.
pub struct MobCompactionType;

impl Kind for MobCompactionType {
    type Value = MobCompactions;
    const UNIT: &'static str = "type";
    const EXPECTED: &'static str = "full or optimized";
    const FORM: TomlForm = TomlForm::Text;

    fn parse(text: &str) -> Option<MobCompactions> {
        text.parse().ok()
    }
}

impl ServerConfig {
    /// What regions go by.
    pub(crate) fn mob(&self) -> MobConfig {
        MobConfig {
            discards_missing: self.tables.mob_discards_missing,
            compactions: self.tables.mob_compaction_type,
            max_file_bytes: self.tables.mob_compactions_max_file_bytes,
        }
    }

    /// What the server does for MOB files now and then.
    pub(crate) fn mob_options(&self) -> MobOptions {
        MobOptions {
            open_share: self.mob_open_share,
            sweep_interval: self.mob_sweep_interval,
            min_age: self.mob_min_age,
            compaction_period: self.mob_compaction_period,
            compaction_batch: self.mob_compaction_batch as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sources;
    use std::time::Duration;

    fn load(pairs: &[(&str, &str)]) -> Result<ServerConfig, String> {
        let overrides = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let loaded = ServerConfig::load(&Sources { overrides, ..Sources::default() });
        loaded.map(|loaded| loaded.config).map_err(|error| error.to_string())
    }

    #[test]
    fn the_defaults_are_those_of_the_engine_and_of_the_server() {
        let config = load(&[]).unwrap();
        assert_eq!(format!("{:?}", config.mob_options()), format!("{:?}", MobOptions::default()));
        assert_eq!(config.mob(), MobConfig::default());
        assert_eq!(config.mob_open_files, 1000);
    }

    #[test]
    fn names_of_hbase_and_their_units_are_understood() {
        let config = load(&[
            ("hbase.mob.file.cache.size", "0"),
            ("hbase.mob.cache.evict.remain.ratio", "0.25"),
            ("hbase.master.mob.cleaner.period", "7200"),
            ("hbase.mob.min.age.archive", "7200"),
            ("hbase.mob.compaction.chore.period", "0"),
            ("hbase.mob.major.compaction.region.batch.size", "3"),
        ]);
        let config = config.unwrap();
        let options = config.mob_options();
        assert_eq!((config.mob_open_files, options.open_share, options.compaction_batch), (0, 0.25, 3));
        assert_eq!(options.sweep_interval, Some(Duration::from_secs(7200)));
        assert_eq!((options.min_age, options.compaction_period), (Duration::from_millis(7200), None));
    }

    #[test]
    fn compactions_of_mob_files_are_full_or_optimized() {
        const TYPE: &str = "hbase.mob.compaction.type";
        const SIZE: &str = "hbase.mob.compactions.max.file.size";
        let of = |pairs: &[(&str, &str)]| {
            let mob = load(pairs).unwrap().mob();
            (mob.compactions, mob.max_file_bytes)
        };
        assert_eq!(of(&[(TYPE, "full"), (SIZE, "1m")]), (MobCompactions::Full, 1 << 20));
        assert_eq!(of(&[(TYPE, "optimized")]), (MobCompactions::Optimized, 1 << 30));
        assert!(load(&[("hbase.unsafe.mob.discard.miss", "true")]).unwrap().mob().discards_missing);
    }

    #[test]
    fn nonsense_is_refused() {
        for (name, value) in [
            ("hbase.mob.compaction.type", "partial"),
            ("hbase.mob.compactions.max.file.size", "0"),
            ("hbase.mob.cache.evict.remain.ratio", "1.5"),
            ("hbase.mob.file.cache.size", "-1"),
            ("hbase.mob.min.age.archive", "0"),
            ("hbase.master.mob.cleaner.period", "a day"),
            ("hbase.mob.compaction.chore.period", "-1"),
            ("hbase.mob.major.compaction.region.batch.size", "all"),
            ("hbase.unsafe.mob.discard.miss", "perhaps"),
        ] {
            let refused = load(&[(name, value)]).unwrap_err();
            assert!(refused.contains(name) && refused.contains(value), "{refused}");
        }
    }
}
