//! The descriptors of hbase:meta and hbase:namespace, as HBase 2.5 writes them.

use finback_cell::{ColumnFamilyDescriptor, TableDescriptor, TableName, schema::set_entry};

/// Family of region rows in hbase:meta, and of hbase:namespace.
pub(crate) const INFO: &[u8] = b"info";
/// Family of table rows in hbase:meta.
pub(crate) const TABLE: &[u8] = b"table";

/// The descriptor of hbase:meta.
pub(crate) fn meta() -> TableDescriptor {
    let mut table = TableDescriptor::new(TableName::meta());
    set_entry(&mut table.attributes, "IS_META", "true");
    let coprocessor = "|org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint|536870911|";
    set_entry(&mut table.attributes, "coprocessor$1", coprocessor);
    set_entry(&mut table.attributes, "hbase.store.file-tracker.impl", "DEFAULT");
    let family = |name: &[u8], versions: &str, block_size: &str| {
        ColumnFamilyDescriptor::with_defaults(name)
            .with("VERSIONS", versions)
            .with("IN_MEMORY", "true")
            .with("BLOCKSIZE", block_size)
            .with("BLOOMFILTER", "ROWCOL")
            .with("DATA_BLOCK_ENCODING", "ROW_INDEX_V1")
    };
    table.families = vec![
        family(INFO, "3", "8192"),
        family(b"rep_barrier", "2147483647", "65536"),
        family(TABLE, "3", "8192"),
    ];
    table
}

/// The descriptor of hbase:namespace.
pub(crate) fn namespace() -> TableDescriptor {
    let mut table = TableDescriptor::new(TableName::namespace_table());
    set_entry(&mut table.attributes, "IS_META", "false");
    set_entry(&mut table.attributes, "hbase.store.file-tracker.impl", "DEFAULT");
    let family = ColumnFamilyDescriptor::with_defaults(INFO)
        .with("VERSIONS", "10")
        .with("IN_MEMORY", "true")
        .with("BLOCKSIZE", "8192");
    table.families = vec![family];
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_fs::LocalFileSystem;
    use finback_layout::RootDir;
    use std::{path::Path, sync::Arc};

    fn sorted(mut table: TableDescriptor) -> TableDescriptor {
        table.attributes.sort();
        table.families.iter_mut().for_each(|family| family.attributes.sort());
        table
    }

    #[test]
    fn they_are_those_of_hbase() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hbase-2.5.11/rootdir");
        let golden = RootDir::new(Arc::new(LocalFileSystem::new()), path);
        for ours in [meta(), namespace()] {
            let theirs = golden.read_table_descriptor(&ours.name).unwrap();
            assert_eq!(sorted(ours), sorted(theirs));
        }
    }
}
