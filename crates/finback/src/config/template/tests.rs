use super::*;
use crate::config::{SETTINGS, ServerConfig, Sources, TABLE_DEFAULTS};
use std::fs;
use std::path::Path;

fn load(file: &Path) -> Loaded {
    ServerConfig::load(&Sources { file: Some(file.to_owned()), ..Sources::default() }).unwrap()
}

#[test]
fn a_template_is_a_configuration_of_defaults_with_and_without_its_signs() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("finback.toml");
    let defaults = ServerConfig::load(&Sources::default()).unwrap();
    let text = template(&defaults.effective);
    fs::write(&file, &text).unwrap();
    let loaded = load(&file);
    assert_eq!(loaded.config, defaults.config);
    assert!(loaded.effective.settings.iter().all(|entry| !entry.is_given()));

    let settings = text.lines().map(|line| match line.strip_prefix('#') {
        Some(setting) if !setting.starts_with(' ') => setting,
        _ => line,
    });
    fs::write(&file, settings.collect::<Vec<_>>().join("\n")).unwrap();
    let loaded = load(&file);
    assert_eq!(loaded.config, defaults.config);
    let given =
        loaded.effective.settings.iter().chain(&loaded.effective.tables).filter(|entry| entry.is_given());
    assert_eq!(given.count(), SETTINGS.len() + TABLE_DEFAULTS.len());
}

#[test]
fn a_file_of_hbase_becomes_one_of_finback_that_says_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let (from, to) = (directory.path().join("hbase-site.xml"), directory.path().join("finback.toml"));
    let property = |(name, value): (&str, &str)| {
        format!("<property><name>{name}</name><value>{value}</value></property>\n")
    };
    let pairs = [
        ("hbase.rootdir", "file:///data/\"odd\" \\name"),
        ("hbase.master.info.port", "-1"),
        ("hbase.regionserver.global.memstore.size", "0.3"),
        ("hbase.regionserver.logroll.multiplier", "0.25"),
        ("hbase.hstore.compaction.throughput.offpeak", "9223372036854775807"),
        ("hbase.hregion.memstore.flush.size", "1000000"),
        ("hbase.table.sanity.checks", "False"),
        ("hbase.rest.port", "7"),
    ];
    let text: String = pairs.into_iter().map(property).collect();
    fs::write(&from, format!("<configuration>{text}</configuration>")).unwrap();
    let before = load(&from);
    let text = converted(&before);
    assert!(text.contains("# hbase.rest.port") && text.contains("roll-size = \"64m\""), "{text}");
    fs::write(&to, &text).unwrap();
    let after = load(&to);
    assert_eq!(after.config, before.config);
    assert_eq!(after.warnings, []);
    assert_eq!(after.effective.tables.iter().filter(|entry| entry.is_given()).count(), 2);
}
