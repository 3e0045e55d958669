use super::*;
use std::time::SystemTime;

fn entry(name: &str, len: u64) -> DirEntry {
    DirEntry { name: name.into(), is_dir: false, len, modified: SystemTime::UNIX_EPOCH }
}

fn current_name(entries: &[DirEntry]) -> Option<String> {
    current(entries).map(|entry| entry.name)
}

#[test]
fn the_highest_sequence_number_with_the_right_length_counts() {
    let entries = [
        entry(".tableinfo", 5),
        entry(".tableinfo.0000000009.100", 100),
        entry(".tableinfo.0000000010.100", 100),
        entry(".tableinfo.0000000011.100", 99),
        entry(".tableinfo.0000000012.x", 1),
        entry("other", 1),
    ];
    assert_eq!(current_name(&entries).as_deref(), Some(".tableinfo.0000000010.100"));
}

#[test]
fn old_names_are_known() {
    let entries = [entry(".tableinfo", 5), entry(".tableinfo.0000000003", 7)];
    assert_eq!(current_name(&entries).as_deref(), Some(".tableinfo.0000000003"));
    assert_eq!(current_name(&entries[..1]).as_deref(), Some(".tableinfo"));
    assert_eq!(current_name(&[]), None);
}

#[test]
fn hostile_names_are_not_parsed() {
    for name in
        ["", ".tableinf", ".tableinfox", ".tableinfo.", ".tableinfo..", ".tableinfo.+1.2", ".tableinfo.1.2.3"]
    {
        let parsed = parse(name);
        assert!(parsed.is_none(), "{name}: {parsed:?}");
    }
}
