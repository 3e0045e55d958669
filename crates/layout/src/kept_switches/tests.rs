use super::*;
use finback_fs::{FaultyFileSystem, MemFileSystem};
use std::sync::Arc;

const ALL_OFF: &str = "balancer=false\nnormalizer=false\nsplit=false\nmerge=false\nsnapshot_cleanup=false\n";

fn root_with(content: &[u8]) -> RootDir {
    let root = RootDir::new(Arc::new(MemFileSystem::new()), "/hbase");
    root.fs().create_dir_all(root.path()).unwrap();
    write_file_durably(&**root.fs(), &root.switches_file(), content).unwrap();
    root
}

#[test]
fn each_switch_is_read_as_it_was_written() {
    let root = RootDir::new(Arc::new(MemFileSystem::new()), "/hbase");
    root.fs().create_dir_all(root.path()).unwrap();
    assert_eq!(root.read_switches().unwrap(), KeptSwitches::default(), "before the first write");
    for turned in 0..5 {
        let mut switches = KeptSwitches::default();
        *switches.named()[turned].1 = false;
        root.write_switches(switches).unwrap();
        assert_eq!(root.read_switches().unwrap(), switches);
    }
    assert_eq!(KeptSwitches::decode(ALL_OFF).unwrap().encode(), ALL_OFF);
}

#[test]
fn lines_of_other_names_and_spaces_do_no_harm() {
    let content = format!("# by hand\n{ALL_OFF}later=maybe\n\n merge = true \r\n");
    let switches = root_with(content.as_bytes()).read_switches().unwrap();
    assert!(switches.merge && !switches.split && !switches.snapshot_cleanup);
}

#[test]
fn a_file_that_does_not_tell_is_corrupt() {
    let without_a_line = ALL_OFF.replace("split=false\n", "");
    let switches = root_with(without_a_line.as_bytes()).read_switches().unwrap();
    assert_eq!(switches, KeptSwitches { split: true, ..KeptSwitches::OFF });
    let torn = &ALL_OFF[..ALL_OFF.len() - 3];
    let neither = ALL_OFF.replace("merge=false", "merge=no");
    let too_long = ALL_OFF.repeat(MAX_BYTES as usize / ALL_OFF.len() + 1);
    for content in ["", "# nothing\n", torn, neither.as_str(), too_long.as_str()] {
        assert!(root_with(content.as_bytes()).read_switches().unwrap_err().is_corrupt(), "{content:.200}");
    }
    assert!(root_with(b"\xff\xfe").read_switches().unwrap_err().is_corrupt());
}

#[test]
fn a_file_that_cannot_be_read_is_none_that_is_not_there() {
    let faulty = FaultyFileSystem::new(Arc::new(MemFileSystem::new()));
    let faults = faulty.faults();
    let root = RootDir::new(Arc::new(faulty), "/hbase");
    root.fs().create_dir_all(root.path()).unwrap();
    faults.fail_read(faults.reads());
    assert!(matches!(root.read_switches(), Err(LayoutError::Io { .. })));
    assert_eq!(root.read_switches().unwrap(), KeptSwitches::default());
}
