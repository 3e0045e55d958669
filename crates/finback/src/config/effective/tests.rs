use super::*;
use crate::config::Sources;

fn effective(pairs: &[(&str, &str)]) -> Effective {
    let overrides = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ServerConfig::load(&Sources { overrides, ..Sources::default() }).unwrap().effective
}

#[test]
fn each_setting_says_where_its_value_is_from() {
    let effective = effective(&[("listen.address", "db1"), ("hbase.hstore.compaction.max", "7")]);
    assert_eq!(effective.settings.len(), SETTINGS.len());
    assert_eq!(effective.tables.len(), TABLE_DEFAULTS.len());
    let of = |name: &str| effective.get(name).unwrap();
    assert_eq!(
        (of("listen.address").value.as_str(), &of("listen.address").origin),
        ("db1", &Origin::Option("-D"))
    );
    assert_eq!(of("hbase.master.ipc.address").setting.name, "listen.address");
    let host = of("listen.advertised-host");
    assert_eq!(
        (host.value.as_str(), &host.origin, host.comes_to.as_deref()),
        ("", &Origin::Derived, Some("db1"))
    );
    assert!(!host.is_given() && of("hbase.hstore.compaction.max").is_given());
    assert_eq!((of("rpc.handlers").value.as_str(), &of("rpc.handlers").origin), ("30", &Origin::Default));
    assert!(effective.get("hbase.rest.port").is_none());
}

#[test]
fn fractions_of_the_memory_are_told_in_bytes() {
    let effective = effective(&[("memory.limit", "1g"), ("memory.memstores", "0.25")]);
    let comes_to = |name: &str| effective.get(name).unwrap().comes_to.clone();
    assert_eq!(comes_to("memory.memstores").as_deref(), Some("256m"));
    assert_eq!(comes_to("memory.block-cache").as_deref(), Some("409m"));
    assert_eq!(comes_to("memory.limit"), None);
    assert_eq!(comes_to("hbase.hregion.memstore.flush.size").as_deref(), Some("67108864"));
}

#[test]
fn a_name_is_explained_whatever_it_is() {
    assert_eq!(setting_named("hbase.master.port").unwrap().name, "listen.master-port");
    let refused = |name| setting_named(name).unwrap_err();
    assert!(refused("hbase.rest.port").ends_with("there is no REST server"));
    assert!(refused("dfs.replication").contains("not HBase's"));
    assert!(refused("listen.adress").contains("did you mean listen.address?"));
}

#[test]
fn what_waits_for_a_restart_is_shown_as_it_was() {
    let before = effective(&[("rpc.handlers", "5")]);
    let after = effective(&[("rpc.handlers", "6"), ("flush.blocking-wait", "1s")]);
    let after = after.keeping(&before, &["rpc.handlers"]);
    assert_eq!(after.get("rpc.handlers").unwrap().value, "5");
    assert_eq!(after.get("flush.blocking-wait").unwrap().value, "1s");
}
