use super::*;
use crate::config::ServerConfig;
use std::fs;

fn write(directory: &Path, name: &str, text: &str) {
    fs::write(directory.join(name), text).unwrap();
}

const XML: &str = "<configuration><property><name>hbase.master.port</name><value>1</value></property>\n\
                   <property><name>hbase.regionserver.port</name><value>1</value></property></configuration>";
const TOML: &str = "[listen]\nmaster-port = 2\n";

fn ports(sources: &Sources) -> (u16, u16) {
    let config = ServerConfig::load(sources).unwrap().config;
    (config.master_port, config.regionserver_port)
}

#[test]
fn of_a_directory_both_files_are_read_and_finbacks_wins_and_the_command_line_over_it() {
    let directory = tempfile::tempdir().unwrap();
    let mut sources = Sources { file: Some(directory.path().to_owned()), ..Sources::default() };
    assert!(matches!(ServerConfig::load(&sources), Err(ConfigError::NoFile { .. })));
    write(directory.path(), HBASE_FILE, XML);
    assert_eq!(ports(&sources), (1, 1));
    write(directory.path(), OWN_FILE, TOML);
    assert_eq!(ports(&sources), (2, 1));
    sources.overrides.push(("hbase.master.port".to_owned(), "3".to_owned()));
    assert_eq!(ports(&sources), (3, 1));
    sources.file = Some(directory.path().join(OWN_FILE));
    assert_eq!(ports(&sources), (3, 16020));
}

#[test]
fn of_the_places_the_first_counts_that_has_a_file_unless_one_is_named() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let places = vec![PathBuf::from("/no/such/place"), first.path().to_owned(), second.path().to_owned()];
    let mut sources = Sources { places, ..Sources::default() };
    assert_eq!(ports(&sources), (16000, 16020));
    write(second.path(), HBASE_FILE, XML);
    assert_eq!(ports(&sources), (1, 1));
    write(first.path(), OWN_FILE, TOML);
    assert_eq!(ports(&sources), (2, 16020));
    sources.file = Some(second.path().join(HBASE_FILE));
    assert_eq!(ports(&sources), (1, 1));
}

#[test]
fn a_server_looks_in_its_data_directory_whoever_names_it() {
    let first = |sources: Sources| sources.of_a_server().places[0].clone();
    assert_eq!(first(Sources::default()), PathBuf::from("finback-data"));
    let overrides = vec![("hbase.rootdir".to_owned(), "file:///d".to_owned())];
    assert_eq!(first(Sources { overrides: overrides.clone(), ..Sources::default() }), PathBuf::from("/d"));
    let data = Some(PathBuf::from("/e"));
    assert_eq!(first(Sources { overrides, data, ..Sources::default() }), PathBuf::from("/e"));
}
