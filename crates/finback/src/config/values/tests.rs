use super::*;
use crate::config::{Loaded, ServerConfig, Sources};
use std::time::Duration;

/// What `-D` says.
fn load(pairs: &[(&str, &str)]) -> Result<Loaded, ConfigError> {
    let overrides = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ServerConfig::load(&Sources { overrides, ..Sources::default() })
}

fn warnings(pairs: &[(&str, &str)]) -> Vec<String> {
    load(pairs).unwrap().warnings.iter().map(Warning::to_string).collect()
}

/// What a `finback.toml` says.
fn load_toml(text: &str) -> Result<Loaded, String> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("finback.toml");
    std::fs::write(&file, text).unwrap();
    let loaded = ServerConfig::load(&Sources { file: Some(file), ..Sources::default() });
    let directory = format!("{}/", directory.path().display());
    loaded.map_err(|error| error.to_string().replace(&directory, ""))
}

#[test]
fn the_defaults_are_valid() {
    let Loaded { config, warnings, .. } = load(&[]).unwrap();
    assert_eq!(warnings, []);
    assert_eq!((config.zookeeper_port, config.master_port, config.regionserver_port), (2181, 16000, 16020));
    assert_eq!(config.address, "127.0.0.1");
    assert_eq!(config.tables.memstore_flush_bytes, 128 << 20);
    assert_eq!(config.data_dir, std::path::PathBuf::from("finback-data"));
    assert!(config.wal_hsync);
}

#[test]
fn all_defaults_are_written_as_they_would_be_shown() {
    for setting in names::all().filter(|setting| !names::is_of_tables(setting)) {
        assert_eq!(
            (setting.canonical)(setting.default).as_deref(),
            Some(setting.default),
            "{}",
            setting.name
        );
    }
}

#[test]
fn names_of_hbase_are_names_of_finback() {
    let config = load(&[
        ("hbase.master.ipc.address", "0.0.0.0"),
        ("hbase.regionserver.ipc.address", "0.0.0.0"),
        ("hbase.regionserver.lease.period", "7s"),
        ("hbase.bucketcache.size", "64"),
        ("hbase.regionserver.hlog.blocksize", "64k"),
        ("hbase.master.snapshot.ttl", "60"),
        ("hbase.master.info.port", "-1"),
        ("hbase.ipc.warn.response.time", "-1"),
        ("hbase.hstore.compactionThreshold", "5"),
    ]);
    let Loaded { config, warnings, effective } = config.unwrap();
    assert_eq!(warnings, []);
    assert_eq!(config.address, "0.0.0.0");
    assert_eq!(config.scanner_timeout, Duration::from_secs(7));
    assert_eq!((config.cache_file_bytes, config.wal_roll_bytes), (64 << 20, 32 << 10));
    assert_eq!(config.snapshot_ttl, Some(Duration::from_secs(60)));
    assert_eq!((config.master_info_port, config.slow_call_time), (None, None));
    assert_eq!(config.tables.compaction_min_files, 5);
    assert_eq!(effective.get("wal.roll-size").unwrap().value, "32k");
    assert_eq!(effective.get("hbase.master.snapshot.ttl").unwrap().value, "1m");
}

#[test]
fn the_last_one_counts_under_whichever_name() {
    let port = |pairs: &[(&str, &str)]| load(pairs).unwrap().config.master_port;
    assert_eq!(port(&[("hbase.master.port", "10"), ("hbase.master.port", "11")]), 11);
    assert_eq!(port(&[("hbase.master.port", "10"), ("listen.master-port", "11")]), 11);
    assert_eq!(port(&[("listen.master-port", "11"), ("hbase.master.port", "10")]), 10);
    let roll = load(&[("hbase.regionserver.hlog.blocksize", "64k"), ("wal.roll-size", "1m")]).unwrap();
    assert_eq!(roll.config.wal_roll_bytes, 1 << 20);
}

#[test]
fn names_that_are_one_setting_with_different_values_are_told() {
    let pairs = [("hbase.master.hostname", "a"), ("hbase.regionserver.hostname", "b")];
    assert_eq!(load(&pairs).unwrap().config.host_name(), "b");
    assert_eq!(
        warnings(&pairs),
        [
            "hbase.regionserver.hostname = \"b\" (-D) counts, and hbase.master.hostname = \"a\" (-D) does not: both are \
          listen.advertised-host here"
        ]
    );
    assert_eq!(warnings(&[pairs[0], ("hbase.regionserver.hostname", "a")]), [] as [&str; 0]);
    assert_eq!(warnings(&[pairs[0], pairs[1], ("listen.advertised-host", "c")]), [] as [&str; 0]);
    let sizes =
        [("hbase.client.scanner.timeout.period", "60s"), ("hbase.regionserver.lease.period", "60000")];
    assert_eq!(warnings(&sizes), [] as [&str; 0]);
}

#[test]
fn a_name_that_nobody_knows_is_refused_with_the_name_that_was_meant() {
    let refused = |name| load(&[(name, "1")]).unwrap_err().to_string();
    assert_eq!(
        refused("hbase.master.prot"),
        "there is no setting \"hbase.master.prot\" (-D); did you mean hbase.master.port?"
    );
    assert_eq!(
        refused("memory.limits"),
        "there is no setting \"memory.limits\" (-D); did you mean memory.limit?"
    );
    assert!(refused("what.ever").ends_with("finback config lists what there is"));
    let many: Vec<String> = (0..100_000).map(|number| format!("no.setting.{number}")).collect();
    let many: Vec<_> = many.iter().map(|name| (name.as_str(), "1")).collect();
    assert_eq!(load(&many).unwrap_err().to_string().lines().count(), MOST_UNKNOWN);
    let both = load(&[("a.b", "1"), ("hbase.master.port", "1"), ("c.d", "1")]).unwrap_err();
    assert_eq!(both.to_string().lines().count(), 2);
}

#[test]
fn a_name_of_hbase_that_changes_nothing_here_is_told_with_what_is_so_instead() {
    let pairs = [
        ("hbase.rest.port", "100"),
        ("dfs.replication", "3"),
        ("hbase.rest.readonly", "lots"),
        ("fs.defaultFS", "x"),
    ];
    assert_eq!(load(&pairs).unwrap().config, load(&[]).unwrap().config);
    assert_eq!(
        warnings(&pairs),
        [
            "hbase.rest.port (-D), hbase.rest.readonly (-D) have no effect: there is no REST server",
            "2 settings have no effect, being not HBase's: dfs.replication, fs.defaultFS",
        ]
    );
}

#[test]
fn a_name_without_a_meaning_is_no_directory() {
    let error = load(&[("hbase.rootdir", "file:///data/${user.nobody}/hbase")]).unwrap_err().to_string();
    assert!(error.contains("must be without ${...}"), "{error}");
}

#[test]
fn a_bad_value_is_refused_in_one_line_that_says_where_and_what_would_do() {
    let refused = |name, value| load(&[(name, value)]).unwrap_err().to_string();
    assert_eq!(
        refused("hbase.master.port", "70000"),
        r#"hbase.master.port = "70000" (-D): must be a port from 0 to 65535"#
    );
    assert!(refused("hbase.bucketcache.size", "0.4").contains("must be a whole number of MiB"));
    assert_eq!(
        refused("hbase.regionserver.logroll.multiplier", "7"),
        r#"hbase.regionserver.logroll.multiplier = "7" (-D): must be a fraction above 0 and up to 1"#
    );
    assert!(refused("hbase.hstore.compaction.ratio", "x").contains("must be a number above 0"));
}

#[test]
fn a_finback_toml_has_finbacks_names_and_types() {
    let loaded = load_toml(
        "data = '/d'\n[listen]\nmaster-port = 1\nmaster-info-port = 'off'\n[memory]\nlimit = 0.1\nmemstores = '16m'\n\
         block-cache = 16777216\n[wal]\ncompression = true\n[rpc]\nscanner-timeout = '5s'\n[tables]\n\
         'hbase.hstore.compaction.min' = 7\nhbase.hregion.majorcompaction = '0'\n",
    );
    let config = loaded.unwrap().config;
    assert_eq!((config.master_port, config.master_info_port), (1, None));
    assert!(config.wal_compression);
    assert_eq!(config.scanner_timeout, Duration::from_secs(5));
    assert_eq!((config.tables.compaction_min_files, config.tables.major_compaction_period), (7, 0));
}

#[test]
fn what_is_wrong_in_a_finback_toml_is_told_with_its_line() {
    for (text, told) in [
        (
            "\nrpc.handlers = '30'",
            "rpc.handlers = \"30\" (finback.toml:2): must be a whole number above 0 (a number, without quotes)",
        ),
        (
            "[wal]\ncompression = 'true'",
            "wal.compression = \"true\" (finback.toml:2): must be true or false (without quotes)",
        ),
        ("[memory]\nlimit = true", "memory.limit = \"true\" (finback.toml:2): must be a number of bytes"),
        (
            "[listen]\nadress = 'x'",
            "there is no setting \"listen.adress\" (finback.toml:2); did you mean listen.address?",
        ),
        (
            "[server]\nhandlers = 3",
            "there is no setting \"server.handlers\" (finback.toml:2); did you mean rpc.handlers?",
        ),
        (
            "hbase.master.port = 3",
            "there is no setting \"hbase.master.port\" (finback.toml:1); in this file it is listen.master-port",
        ),
        ("'hbase.hstore.compaction.min' = 3", "belongs to the section [tables]"),
        (
            "[tables]\n'rpc.handlers' = 3",
            "there is no setting \"rpc.handlers\" (finback.toml:2); in this file it is rpc.handlers",
        ),
        ("[tables]\n'hbase.hstore.compaction.mn' = 3", "did you mean hbase.hstore.compaction.min?"),
        ("[rpc]\nhandlers = 0", "rpc.handlers = \"0\" (finback.toml:2): must be a whole number above 0"),
        ("[rpc]\nhandlers = [1]", "finback.toml:2: rpc.handlers is of a type (array) that no setting has"),
        ("[rpc", "finback.toml:1: no TOML: "),
    ] {
        let refused = load_toml(text).unwrap_err();
        assert!(refused.contains(told), "{text:?}: {refused}");
    }
}

#[test]
fn protection_that_is_asked_for_is_not_left_out() {
    let refused = load(&[("hbase.security.authentication", "kerberos")]).unwrap_err().to_string();
    assert!(refused.contains("Finback has no Kerberos yet"), "{refused}");
    assert!(load(&[("hbase.security.authorization", "true")]).is_err());
    assert!(load(&[("hbase.server.netty.tls.enabled", "true")]).is_err());
    let none = [("hbase.security.authentication", "kerberos"), ("hbase.security.authentication", "simple")];
    assert!(load(&none).is_ok());
}

#[test]
fn logs_of_hbase_that_are_elsewhere_are_not_left_out() {
    let root = ("hbase.rootdir", "file:///data/hbase");
    for elsewhere in ["/logs", "file:///logs/hbase", "hdfs://host/hbase", "/data", "${hbase.rootdir}"] {
        let refused = load(&[root, ("hbase.wal.dir", elsewhere)]).unwrap_err().to_string();
        assert!(refused.starts_with("hbase.wal.dir") && refused.contains("not flushed"), "{refused}");
    }
    assert!(load(&[("hbase.wal.dir", "/logs"), ("data", "/data/hbase")]).is_err());
    for same in ["", " ", "/data/hbase", "/data/hbase/", "file:/data/hbase", "file:///data//hbase/"] {
        assert!(load(&[root, ("hbase.wal.dir", same)]).is_ok(), "{same:?}");
    }
    let copied = [root, ("hbase.wal.dir", "/data/hbase"), ("data", "/copy")];
    assert!(load(&copied).is_ok());
    assert!(load(&[root, ("hbase.wal.dir", "/logs"), ("hbase.wal.dir", "/data/hbase")]).is_ok());
}
