use std::{path::Path, sync::Arc};

use finback_cell::{RegionInfo, TableDescriptor, TableName};
use finback_fs::{MemFileSystem, write_file_durably};
use finback_proto::{Message, pb};

use super::*;
use crate::{LayoutError, RootDir};

mod mob_files;

const FILE: &str = "576d886d16ff4d8e996c75d842dfbf8b";

fn root() -> RootDir {
    RootDir::new(Arc::new(MemFileSystem::new()), "/hbase")
}

fn description(name: &str) -> pb::SnapshotDescription {
    pb::SnapshotDescription {
        name: name.into(),
        table: Some("t".into()),
        version: Some(2),
        ..Default::default()
    }
}

fn write(root: &RootDir, path: impl AsRef<Path>, bytes: &[u8]) {
    let path = root.path().join(path);
    root.fs().create_dir_all(path.parent().unwrap()).unwrap();
    write_file_durably(&**root.fs(), &path, bytes).unwrap();
}

fn is_there(root: &RootDir, path: &str) -> bool {
    root.fs().exists(&root.path().join(path)).unwrap()
}

/// A table with a region that has a file.
fn with_table(root: &RootDir) -> (TableDescriptor, RegionInfo) {
    let mut table = TableDescriptor::new(TableName::parse(b"t").unwrap());
    table.families.push(finback_cell::ColumnFamilyDescriptor::with_defaults(b"f"));
    let region = RegionInfo::new(table.name.clone(), "".into(), "".into(), 7);
    root.create_table_dir(&table, std::slice::from_ref(&region)).unwrap();
    write(root, root.family_dir(&table.name, &region.encoded_name(), b"f").join(FILE), b"cells");
    (table, region)
}

fn take(root: &RootDir, name: &str, table: &TableDescriptor, region: &RegionInfo) -> Result<(), LayoutError> {
    root.begin_snapshot(&description(name))?;
    root.add_region_to_snapshot(name, table, region, None)?;
    root.complete_snapshot(&description(name), table, std::slice::from_ref(region))
}

#[test]
fn what_hbase_wrote_is_read_and_written_byte_for_byte() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hbase-2.5.11/snapshots");
    for (name, regions) in [("snap1", 2), ("snap2", 4)] {
        let (root, dir) = (root(), fixtures.join(name));
        let read = |file: &str| std::fs::read(dir.join(file)).unwrap();
        for file in [".snapshotinfo", "data.manifest"] {
            write(&root, format!(".hbase-snapshot/{name}/{file}"), &read(file));
        }
        let info = root.read_snapshot_info(name).unwrap();
        assert_eq!((&*info.name, info.table(), info.version()), (name, "ns1:t1", 2));
        assert_eq!(info.encode_to_vec(), read(".snapshotinfo"));
        let manifest = root.read_snapshot_manifest(name).unwrap();
        assert_eq!(manifest.encode(), read("data.manifest"));
        assert_eq!(manifest.regions.len(), regions);
        assert_eq!(root.list_snapshots().unwrap(), [info]);
        assert_eq!(manifest.table_regions().count(), regions - 1);
        let mob_files = manifest.mob_files().unwrap();
        assert_eq!(mob_files.region, RegionInfo::of_mob_files(manifest.table.name.clone()));
        let files: Vec<_> = mob_files.families.iter().map(|f| (&f.name[..], f.files.len())).collect();
        assert_eq!(files, [(&b"m"[..], 1)]);
    }
}

#[test]
fn a_snapshot_is_there_when_it_is_complete() {
    let root = root();
    let (table, region) = with_table(&root);
    root.begin_snapshot(&description("s")).unwrap();
    root.add_region_to_snapshot("s", &table, &region, None).unwrap();
    assert!(root.list_snapshots().unwrap().is_empty());
    root.complete_snapshot(&description("s"), &table, std::slice::from_ref(&region)).unwrap();
    assert_eq!(root.list_snapshots().unwrap(), [description("s")]);
    let names: Vec<_> = root.fs().list(Path::new("/hbase/.hbase-snapshot/s")).unwrap();
    assert_eq!(
        names.iter().map(|entry| &*entry.name).collect::<Vec<_>>(),
        [".snapshotinfo", "data.manifest"]
    );
    // Once more, as after a crash; but not in the place of another.
    take(&root, "s", &table, &region).unwrap();
    let other = pb::SnapshotDescription { creation_time: Some(1), ..description("s") };
    root.begin_snapshot(&other).unwrap();
    let answer = root.complete_snapshot(&other, &table, &[]);
    assert!(matches!(answer, Err(LayoutError::Exists { .. })), "{answer:?}");
    root.sweep_snapshots().unwrap();
    assert_eq!(root.list_snapshots().unwrap(), [description("s")]);
    root.delete_snapshot("s").unwrap();
    assert!(matches!(root.delete_snapshot("s"), Err(LayoutError::NotFound { .. })));
    assert!(is_there(&root, &format!("data/default/t/{}/f/{FILE}", region.encoded_name())));
}

#[test]
fn a_file_may_be_in_the_archive_but_not_be_another_or_gone() {
    let root = root();
    let (table, region) = with_table(&root);
    take(&root, "s", &table, &region).unwrap();
    let manifest = root.read_snapshot_manifest("s").unwrap();
    let verify = || root.verify_snapshot("s", &table.name, &manifest);
    verify().unwrap();
    root.archive_region(&table.name, &region.encoded_name()).unwrap();
    verify().unwrap();
    let archived = format!("archive/data/default/t/{}/f/{FILE}", region.encoded_name());
    root.fs().remove_file(&root.path().join(&archived)).unwrap();
    let gone = verify().unwrap_err().to_string();
    assert!(gone.contains(FILE), "{gone}");
    write(&root, &archived, b"others");
    let other = verify().unwrap_err().to_string();
    assert!(other.contains("found=6 expected=5"), "{other}");
}

#[test]
fn a_region_that_is_missing_or_gone_is_no_snapshot() {
    let root = root();
    let (table, region) = with_table(&root);
    root.begin_snapshot(&description("s")).unwrap();
    let answer = root.complete_snapshot(&description("s"), &table, std::slice::from_ref(&region));
    assert!(matches!(answer, Err(LayoutError::Corrupt { .. })), "{answer:?}");
    let gone = [("f".into(), vec!["6bad886d16ff4d8e996c75d842dfbf8b".to_owned()])];
    let answer = root.add_region_to_snapshot("s", &table, &region, Some(&gone));
    assert!(answer.as_ref().is_err_and(LayoutError::is_not_found), "{answer:?}");
    root.discard_snapshot("s").unwrap();
    assert!(!is_there(&root, ".hbase-snapshot/.tmp/s"));
}

#[test]
fn the_longest_name_can_be_removed_again() {
    let dir = tempfile::tempdir().unwrap();
    let root = RootDir::new(Arc::new(finback_fs::LocalFileSystem::new()), dir.path());
    let (table, region) = with_table(&root);
    // As long as a name of a file can be.
    let name = "s".repeat(255);
    take(&root, &name, &table, &region).unwrap();
    root.delete_snapshot(&name).unwrap();
    assert!(root.list_snapshots().unwrap().is_empty());
}

#[test]
fn what_has_expired_is_removed_where_it_lies_and_nothing_else() {
    let root = root();
    let (table, region) = with_table(&root);
    let short = |name: &str| pb::SnapshotDescription {
        creation_time: Some(1_000),
        ttl: Some(10),
        ..description(name)
    };
    for name in ["a", "kept", "z"] {
        let description = if name == "kept" { description(name) } else { short(name) };
        root.begin_snapshot(&description).unwrap();
        root.add_region_to_snapshot(name, &table, &region, None).unwrap();
        root.complete_snapshot(&description, &table, std::slice::from_ref(&region)).unwrap();
    }
    // Somebody has copied a snapshot's directory, and now it says that it is another one.
    write(&root, ".hbase-snapshot/copied/.snapshotinfo", &short("kept").encode_to_vec());
    assert_eq!(root.remove_expired_snapshots(11_000).unwrap(), 0);
    assert_eq!(root.remove_expired_snapshots(11_001).unwrap(), 3);
    assert_eq!(root.list_snapshots().unwrap(), [description("kept")]);
}

#[test]
fn a_manifest_that_could_not_be_read_again_is_not_written() {
    let root = root();
    let (table, region) = with_table(&root);
    take(&root, "s", &table, &region).unwrap();
    let manifest = root.read_snapshot_manifest("s").unwrap();
    let length = manifest.encode().len() as u64;
    assert_eq!(manifest.encode_readable(length).unwrap(), manifest.encode());
    assert!(manifest.encode_readable(length - 1).unwrap_err().contains("more than"));
}

#[test]
fn a_description_that_would_take_much_memory_is_not_read() {
    let root = root();
    // Permissions of two bytes each, and a hundred bytes of memory.
    let permissions = [0x0a, 0x00].repeat(2 << 20);
    let mut info = description("s").encode_to_vec();
    info.extend([0x3a]);
    put_length(&mut info, permissions.len());
    info.extend(permissions);
    write(&root, ".hbase-snapshot/s/.snapshotinfo", &info);
    let error = root.read_snapshot_info("s").unwrap_err();
    assert!(matches!(error, LayoutError::Corrupt { .. }), "{error}");
}

/// A length as protobuf writes it.
fn put_length(out: &mut Vec<u8>, mut length: usize) {
    while length > 0x7f {
        out.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
}

#[test]
fn names_lead_nowhere_else() {
    let root = root();
    for name in ["", ".", "..", ".tmp", "../data", "a/b", "-a", "a\0b"] {
        assert!(matches!(root.snapshot_exists(name), Err(LayoutError::Name { .. })), "{name}");
        assert!(matches!(root.delete_snapshot(name), Err(LayoutError::Name { .. })), "{name}");
        assert!(matches!(root.begin_snapshot(&description(name)), Err(LayoutError::Name { .. })), "{name}");
    }
    let (table, region) = with_table(&root);
    take(&root, "s", &table, &region).unwrap();
    let valid = root.read_snapshot_manifest("s").unwrap();
    let mut lies = Vec::new();
    for family in ["../../x", "", ".tmp", "a/b"] {
        let mut lie = valid.clone();
        lie.regions[0].families[0].name = family.into();
        lies.push(lie);
    }
    for file in ["../x", "", ".filelist", "no-file"] {
        let mut lie = valid.clone();
        lie.regions[0].families[0].files[0].name = file.into();
        lies.push(lie);
    }
    for lie in lies {
        write(&root, ".hbase-snapshot/s/data.manifest", &lie.encode());
        let answer = root.read_snapshot_manifest("s");
        assert!(matches!(answer, Err(LayoutError::Corrupt { .. })), "{answer:?}");
    }
    for cut in 1..valid.encode().len() {
        write(&root, ".hbase-snapshot/s/data.manifest", &valid.encode()[..cut]);
        let read = root.read_snapshot_manifest("s");
        assert!(read.is_err() || read.is_ok_and(|read| read != valid), "{cut}");
    }
}

#[test]
fn a_manifest_of_countless_empty_parts_is_refused_unread() {
    let root = root();
    let (table, region) = with_table(&root);
    take(&root, "s", &table, &region).unwrap();
    // Two bytes are a region without anything, and some hundred bytes of memory.
    write(&root, ".hbase-snapshot/s/data.manifest", &[0x12, 0].repeat(1 << 20));
    let answer = root.read_snapshot_manifest("s");
    assert!(matches!(answer, Err(LayoutError::Corrupt { .. })), "{answer:?}");
    assert!(answer.unwrap_err().to_string().contains("memory"));
}

#[test]
fn a_snapshot_outlives_no_more_than_its_time() {
    let with = |created, ttl| pb::SnapshotDescription {
        creation_time: Some(created),
        ttl: Some(ttl),
        ..description("s")
    };
    assert!(!is_expired(&with(1_000, 10), 11_000));
    assert!(is_expired(&with(1_000, 10), 11_001));
    for forever in [with(1_000, 0), with(0, 10), with(1_000, -1), with(1_000, i64::MAX), with(-5, 1)] {
        assert!(!is_expired(&forever, u64::MAX), "{forever:?}");
    }
}

#[test]
fn what_is_made_of_a_snapshot_is_linked_both_ways() {
    let root = root();
    let (table, region) = with_table(&root);
    take(&root, "s", &table, &region).unwrap();
    let clone = TableDescriptor { name: TableName::parse(b"ns:c").unwrap(), ..table.clone() };
    root.create_table_dir(&clone, &[]).unwrap();
    let made = RegionInfo { table: clone.name.clone(), region_id: 8, ..region.clone() };
    let pair = [(region.clone(), made.clone())];
    root.make_regions_of_snapshot(&description("s"), &clone, &pair).unwrap();
    // Twice is once.
    root.make_regions_of_snapshot(&description("s"), &clone, &pair).unwrap();
    let files = root.list_store_files(&clone.name, &made.encoded_name(), b"f").unwrap();
    let from = region.encoded_name();
    assert_eq!(files.iter().map(|file| &*file.name).collect::<Vec<_>>(), [format!("t={from}-{FILE}")]);
    let back = format!("archive/data/default/t/{from}/f/.links-{FILE}/{}.ns=c", made.encoded_name());
    assert!(is_there(&root, &back));
    let another = pb::SnapshotDescription { creation_time: Some(5), ..description("s") };
    let answer = root.make_regions_of_snapshot(&another, &clone, &pair);
    assert!(matches!(answer, Err(LayoutError::NotFound { .. })), "{answer:?}");
}

#[test]
fn what_a_merged_region_refers_to_is_linked_as_well() {
    let root = root();
    let (table, parent) = with_table(&root);
    let merged = RegionInfo { region_id: 9, ..parent.clone() };
    root.create_offspring(&merged, std::slice::from_ref(&parent), &["f".into()], &|_| None).unwrap();
    take(&root, "s", &table, &merged).unwrap();
    let made = RegionInfo { region_id: 10, ..parent.clone() };
    root.make_regions_of_snapshot(&description("s"), &table, &[(merged.clone(), made.clone())]).unwrap();
    let from = parent.encoded_name();
    let files = root.list_store_files(&table.name, &made.encoded_name(), b"f").unwrap();
    assert_eq!(files.iter().map(|file| &*file.name).collect::<Vec<_>>(), [format!("t={from}-{FILE}.{from}")]);
    assert!(files[0].reference.is_some());
    let back = format!("archive/data/default/t/{from}/f/.links-{FILE}/{}.t", made.encoded_name());
    assert!(is_there(&root, &back));
    // Wherever the file goes.
    root.archive_region(&table.name, &from).unwrap();
    root.archive_region(&table.name, &merged.encoded_name()).unwrap();
    let files = root.list_store_files(&table.name, &made.encoded_name(), b"f").unwrap();
    assert!(files[0].elsewhere.as_ref().unwrap().starts_with("/hbase/archive"));
}
