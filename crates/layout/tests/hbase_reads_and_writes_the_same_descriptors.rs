//! Files made by HBase 2.5.11 are read, and written back byte for byte.

use std::{path::Path, sync::Arc};

use finback_cell::{RegionInfo, TableName};
use finback_fs::{FileSystem, LocalFileSystem, MemFileSystem};
use finback_layout::RootDir;

fn golden() -> RootDir {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hbase-2.5.11/rootdir");
    RootDir::new(Arc::new(LocalFileSystem::new()), path)
}

fn read(fs: &dyn FileSystem, path: &Path) -> Vec<u8> {
    let file = fs.open(path).unwrap();
    let mut bytes = vec![0; file.len().unwrap() as usize];
    file.read_exact_at(0, &mut bytes).unwrap();
    bytes
}

/// The one file in a directory.
fn only_file(fs: &dyn FileSystem, dir: &Path) -> (String, Vec<u8>) {
    let entries = fs.list(dir).unwrap();
    assert_eq!(entries.len(), 1, "{dir:?}: {entries:?}");
    (entries[0].name.clone(), read(fs, &dir.join(&entries[0].name)))
}

#[test]
fn table_descriptors_are_written_back_identically() {
    let (golden, copy) = (golden(), RootDir::new(Arc::new(MemFileSystem::new()), "/hbase"));
    copy.initialize().unwrap();
    for table in ["ns1:t1", "hbase:meta", "hbase:namespace"] {
        let table = TableName::parse(table.as_bytes()).unwrap();
        let descriptor = golden.read_table_descriptor(&table).unwrap();
        copy.write_table_descriptor(&descriptor).unwrap();
        let dir = |root: &RootDir| root.table_dir(&table).join(".tabledesc");
        let (name, bytes) = only_file(&**golden.fs(), &dir(&golden));
        assert_eq!(only_file(&**copy.fs(), &dir(&copy)), (name, bytes), "{table}");
    }
}

#[test]
fn region_infos_are_written_back_identically() {
    let (golden, copy) = (golden(), RootDir::new(Arc::new(MemFileSystem::new()), "/hbase"));
    let mut seen = 0;
    for table in [TableName::meta(), TableName::parse(b"ns1:t1").unwrap()] {
        for region in golden.list_regions(&table).unwrap() {
            let info: RegionInfo = golden.read_region_info(&table, &region).unwrap();
            copy.create_region_dir(&info).unwrap();
            let file = |root: &RootDir| root.region_dir(&table, &region).join(".regioninfo");
            assert_eq!(read(&**copy.fs(), &file(&copy)), read(&**golden.fs(), &file(&golden)));
            seen += 1;
        }
    }
    assert_eq!(seen, 3);
}

#[test]
fn the_version_file_is_the_same_and_the_id_is_read() {
    let (golden, copy) = (golden(), RootDir::new(Arc::new(MemFileSystem::new()), "/hbase"));
    copy.initialize().unwrap();
    let version = |root: &RootDir| read(&**root.fs(), &root.version_file());
    assert_eq!(version(&copy), version(&golden));
    assert_eq!(golden.cluster_id().unwrap().len(), 36);
    assert_eq!(
        read(&**copy.fs(), &copy.cluster_id_file()).len(),
        read(&**golden.fs(), &golden.cluster_id_file()).len()
    );
}
