use super::*;
use crate::config::{Reach, setting_named};
use std::path::PathBuf;

fn load(pairs: &[(&str, &str)]) -> ServerConfig {
    let overrides = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ServerConfig::load(&Sources { overrides, ..Sources::default() }).unwrap().config
}

#[test]
fn the_option_for_the_data_directory_wins_over_all() {
    let overrides = vec![("data".to_owned(), "/a".to_owned())];
    let sources = Sources { overrides, data: Some(PathBuf::from("/b")), ..Sources::default() };
    let Loaded { config, effective, .. } = ServerConfig::load(&sources).unwrap();
    assert_eq!(config.data_dir, PathBuf::from("/b"));
    let entry = effective.get("hbase.rootdir").unwrap();
    assert_eq!((entry.value.as_str(), &entry.origin), ("/b", &Origin::Option("--data")));
}

#[test]
fn differences_are_told_by_name_and_can_be_taken_back() {
    let one = load(&[("rpc.handlers", "10"), ("hbase.hregion.memstore.block.multiplier", "4")]);
    let mut two = load(&[("rpc.handlers", "7"), ("hbase.hregion.memstore.block.multiplier", "8")]);
    assert_eq!(one.differences(&one), [] as [&str; 0]);
    assert_eq!(one.differences(&two), ["rpc.handlers", "hbase.hregion.memstore.block.multiplier"]);
    two.keep(&one, &["hbase.hregion.memstore.block.multiplier"]);
    assert_eq!(one.differences(&two), ["rpc.handlers"]);
}

#[test]
fn what_makes_up_the_settings_of_regions_can_be_changed_and_what_is_bound_cannot() {
    let reach = |name| setting_named(name).unwrap().reach;
    for name in ["data", "listen.master-port", "memory.limit", "memory.block-cache"] {
        assert_eq!(reach(name), Reach::Restart, "{name}");
    }
    for name in ["hbase.hstore.compaction.max", "compaction.throughput", "hbase.table.sanity.checks"] {
        assert_eq!(reach(name), Reach::Now, "{name}");
    }
    assert_eq!(reach("hbase.hregion.max.filesize"), Reach::Opening);
}
