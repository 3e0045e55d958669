use finback_cell::ColumnFamilyDescriptor;
use finback_fs::{FaultyFileSystem, MemFileSystem};

use super::*;

fn table(family: &'static [u8]) -> Arc<TableDescriptor> {
    let mut table = TableDescriptor::new(TableName::parse(b"t").unwrap());
    table.families.push(ColumnFamilyDescriptor::with_defaults(family));
    Arc::new(table)
}

#[test]
fn a_full_disk_has_the_old_schema_of_a_table_that_did_not_get_a_new_one() {
    let faulty = FaultyFileSystem::new(Arc::new(MemFileSystem::new()));
    let faults = faulty.faults();
    let root = RootDir::new(Arc::new(faulty), "/hbase");
    let old = table(b"f");
    StorageWork::CreateTable { table: old.clone(), regions: Vec::new() }.run(&root).unwrap();
    faults.set_byte_budget(Some(0));
    assert!(StorageWork::WriteDescriptor(table(b"g")).run(&root).is_err());
    StorageWork::WriteDescriptor(old.clone()).run(&root).unwrap();
    assert_eq!(root.read_table_descriptor(&old.name).unwrap(), *old);
}
