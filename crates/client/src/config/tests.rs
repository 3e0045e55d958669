use super::*;

#[test]
fn addresses_without_a_port_get_one() {
    assert_eq!(addresses("a, b:1,", 7), ["a:7", "b:1"]);
}

#[test]
fn the_settings_of_a_site_file_are_read_by_their_names() {
    let config = ClientConfig::from_settings([
        ("hbase.zookeeper.quorum", "zk1,zk2:2182"),
        ("hbase.zookeeper.property.clientPort", "2222"),
        ("zookeeper.znode.parent", "/other"),
        ("hbase.rpc.timeout", "1500"),
        ("hbase.client.retries.number", "3"),
        ("hbase.regionserver.handler.count", "not ours"),
    ])
    .unwrap();
    let quorum = vec!["zk1:2222".to_owned(), "zk2:2182".to_owned()];
    assert_eq!(config.cluster, ClusterAddress::ZooKeeper { quorum, parent: "/other".to_owned() });
    assert_eq!((config.rpc_timeout, config.retries), (Duration::from_millis(1500), 3));
    let masters = ClientConfig::from_settings([
        ("hbase.client.registry.impl", "org.apache.hadoop.hbase.client.MasterRegistry"),
        ("hbase.masters", "m1:1,m2"),
    ]);
    assert_eq!(masters.unwrap().cluster, ClusterAddress::Masters(vec!["m1:1".into(), "m2:16000".into()]));
}

#[test]
fn the_key_of_a_cluster_says_where_its_zookeeper_is() {
    let config = ClientConfig::of_cluster_key("zk1,zk2:2182:/prod").unwrap();
    let quorum = vec!["zk1:2182".to_owned(), "zk2:2182".to_owned()];
    assert_eq!(config.cluster, ClusterAddress::ZooKeeper { quorum, parent: "/prod".to_owned() });
    assert_eq!(config.cluster_key().unwrap(), "zk1,zk2:2182:/prod");
    assert_eq!(ClientConfig::zookeeper("a:1,b:2").cluster_key().unwrap(), "a,b:2:1:/hbase");
    assert!(ClientConfig::masters("m").cluster_key().is_none());
    for wrong in ["", "zk", "zk:2181", "zk:2181:hbase", "zk:x:/hbase", ":2181:/hbase"] {
        assert!(ClientConfig::of_cluster_key(wrong).is_none(), "{wrong}");
    }
}

#[test]
fn a_value_that_is_none_is_told() {
    let error = ClientConfig::from_settings([("hbase.rpc.timeout", "soon")]).unwrap_err();
    assert_eq!(error.to_string(), "hbase.rpc.timeout is \"soon\": no number");
}
