use super::*;

fn settings(name: &str, text: &str, overrides: &[(&str, &str)]) -> Result<Vec<(String, String)>, String> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join(name);
    std::fs::write(&file, text).unwrap();
    let overrides = overrides.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let sources = Sources { file: Some(file), overrides, ..Sources::default() };
    client_settings(&sources).map_err(|error| error.to_string())
}

fn pairs(settings: Vec<(String, String)>) -> Vec<String> {
    settings.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
}

#[test]
fn names_of_hbase_are_passed_on_in_their_order_and_unknown_ones_refused() {
    let file = "hbase.zookeeper.quorum = a\nhbase.client.pause = 7\ndfs.replication = 3\n";
    let given = settings("x.conf", file, &[("hbase.client.pause", "8")]).unwrap();
    assert_eq!(pairs(given), ["hbase.zookeeper.quorum=a", "hbase.client.pause=7", "hbase.client.pause=8"]);
    let refused = settings("x.conf", "hbase.client.puase = 7", &[]).unwrap_err();
    assert!(refused.ends_with("did you mean hbase.client.pause?"), "{refused}");
}

#[test]
fn the_file_of_a_server_says_where_it_is() {
    let file = "[listen]\naddress = '10.0.0.1'\nzookeeper-port = 12181\nznode = '/h'\n[wal]\nmax-files = 3\n";
    assert_eq!(
        pairs(settings("finback.toml", file, &[]).unwrap()),
        [
            "hbase.zookeeper.property.clientPort=12181",
            "zookeeper.znode.parent=/h",
            "hbase.zookeeper.quorum=10.0.0.1",
        ]
    );
    let everywhere = "[listen]\naddress = '0.0.0.0'\n";
    assert_eq!(pairs(settings("finback.toml", everywhere, &[]).unwrap()), [] as [&str; 0]);
    assert!(settings("finback.toml", "[listen]\nzookeeper-prot = 1", &[]).is_err());
}
