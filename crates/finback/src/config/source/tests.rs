use std::io::Write;
use std::time::Duration;

use super::*;

fn overrides(pairs: &[(&str, &str)]) -> Sources {
    let overrides = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Sources { file: None, overrides }
}

#[test]
fn the_defaults_are_valid_and_those_of_hbase() {
    let (config, warnings) = ServerConfig::load(&Sources::default()).unwrap();
    assert_eq!(warnings, []);
    assert_eq!((config.zookeeper_port, config.master_port, config.regionserver_port), (2181, 16000, 16020));
    assert_eq!(config.zookeeper_address, "127.0.0.1");
    assert_eq!(config.memstore_flush_bytes, 128 << 20);
    assert_eq!(config.data_dir, PathBuf::from("finback-data"));
    assert!(config.wal_hsync);
}

#[test]
fn the_command_line_wins_over_the_file_and_the_last_over_the_first() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    write!(file, "hbase.master.port = 1\nhbase.regionserver.port = 2\nhbase.regionserver.port = 3\n")
        .unwrap();
    let mut sources = overrides(&[("hbase.master.port", "10"), ("hbase.master.port", "11")]);
    sources.file = Some(file.path().to_owned());
    let (config, _) = ServerConfig::load(&sources).unwrap();
    assert_eq!((config.master_port, config.regionserver_port), (11, 3));
}

#[test]
fn an_older_name_means_the_same_setting() {
    let (config, warnings) =
        ServerConfig::load(&overrides(&[("hbase.regionserver.lease.period", "7s")])).unwrap();
    assert_eq!(config.scanner_timeout, Duration::from_secs(7));
    assert_eq!(warnings, []);
}

#[test]
fn a_misspelt_name_is_told_with_the_name_that_was_meant() {
    let (config, warnings) = ServerConfig::load(&overrides(&[("hbase.master.prot", "1")])).unwrap();
    assert_eq!(config.master_port, 16000);
    assert_eq!(
        warnings[0].to_string(),
        "hbase.master.prot (-D) is no setting of Finback and is ignored; did you mean hbase.master.port?"
    );
    let (_, warnings) = ServerConfig::load(&overrides(&[("dfs.replication", "3")])).unwrap();
    assert_eq!(warnings[0].to_string(), "dfs.replication (-D) is no setting of Finback and is ignored");
}

#[test]
fn a_name_of_hbase_that_changes_nothing_here_is_told_as_such() {
    let pairs =
        [("hbase.regionserver.metahandler.count", "100"), ("hbase.ipc.server.callqueue.read.ratio", "lots")];
    let (config, warnings) = ServerConfig::load(&overrides(&pairs)).unwrap();
    assert_eq!(config, ServerConfig::load(&Sources::default()).unwrap().0);
    let warnings: Vec<String> = warnings.iter().map(Warning::to_string).collect();
    assert_eq!(
        warnings,
        [
            "hbase.regionserver.metahandler.count (-D) is known to HBase, has no effect in Finback",
            "hbase.ipc.server.callqueue.read.ratio (-D) is known to HBase, has no effect in Finback",
        ]
    );
}

#[test]
fn a_bad_value_is_refused_in_one_line_that_says_where_and_what_would_do() {
    let error = ServerConfig::load(&overrides(&[("hbase.master.port", "70000")])).unwrap_err();
    assert_eq!(error.to_string(), r#"hbase.master.port = "70000" (-D): must be a port from 0 to 65535"#);
}

#[test]
fn no_name_stands_for_two_settings() {
    let mut names: Vec<_> =
        PROPERTIES.iter().flat_map(|p| std::iter::once(&p.name).chain(p.aliases)).collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
}
