use finback_cell::ColumnFamilyDescriptor;
use finback_fs::{FaultyFileSystem, MemFileSystem};

use super::*;

fn table(family: &'static [u8]) -> Arc<TableDescriptor> {
    let mut table = TableDescriptor::new(TableName::parse(b"t").unwrap());
    table.families.push(ColumnFamilyDescriptor::with_defaults(family));
    Arc::new(table)
}

fn nobody() -> ServedFiles {
    Arc::new(|_, _, _| None)
}

#[test]
fn a_full_disk_has_the_old_schema_of_a_table_that_did_not_get_a_new_one() {
    let faulty = FaultyFileSystem::new(Arc::new(MemFileSystem::new()));
    let faults = faulty.faults();
    let root = RootDir::new(Arc::new(faulty), "/hbase");
    let old = table(b"f");
    StorageWork::CreateTable { table: old.clone(), regions: Vec::new() }.run(&root, &nobody()).unwrap();
    faults.set_byte_budget(Some(0));
    assert!(StorageWork::WriteDescriptor(table(b"g")).run(&root, &nobody()).is_err());
    StorageWork::WriteDescriptor(old.clone()).run(&root, &nobody()).unwrap();
    assert_eq!(root.read_table_descriptor(&old.name).unwrap(), *old);
}

/// The next sync of the same bytes would succeed, whatever became of them.
#[test]
fn split_logs_are_not_put_away_after_a_sync_of_what_they_gave_has_failed() {
    let faulty = FaultyFileSystem::new(Arc::new(MemFileSystem::new()));
    let faults = faulty.faults();
    let root = RootDir::new(Arc::new(faulty), "/hbase");
    root.fs().create_dir_all("/hbase/WALs/dead".as_ref()).unwrap();
    let report = SplitReport {
        wal: "/hbase/WALs/dead/log".into(),
        outputs: vec!["/hbase/edits".into()],
        ..Default::default()
    };
    for file in [&report.wal, &report.outputs[0]] {
        root.fs().create_new(file).unwrap();
    }
    let put_away = |failing: u64| {
        faults.fail_operation(faults.operations() + failing);
        StorageWork::PutLogsAway(vec![report.clone()]).run(&root, &nobody())
    };
    assert!(put_away(0).unwrap_err().do_not_retry, "the sync");
    assert!(!put_away(1).unwrap_err().do_not_retry, "the move");
}
