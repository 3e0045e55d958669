use super::*;

#[test]
fn files_that_cannot_be_configurations_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x");
    assert!(read(&path).unwrap_err().to_string().starts_with("cannot read the configuration"));
    std::fs::write(&path, b"a=1\nb=\xff\n").unwrap();
    assert!(read(&path).unwrap_err().to_string().ends_with("x:2: not UTF-8"));
    std::fs::write(&path, vec![b'\n'; (1 << 20) + 1]).unwrap();
    assert!(matches!(read(&path), Err(ConfigError::TooLong { limit: 1_048_576, .. })));
    std::fs::write(&path, "\u{feff}<configuration></configuration>").unwrap();
    assert_eq!(read(&path).unwrap(), []);
}
