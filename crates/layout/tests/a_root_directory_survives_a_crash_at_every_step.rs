//! Every step of creating, changing and archiving is cut off in turn; what is left is checked and swept.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;
use finback_cell::{ColumnFamilyDescriptor, RegionInfo, TableDescriptor, TableName};
use finback_fs::{CrashMode, FaultyFileSystem, MemFileSystem, write_file_durably};
use finback_layout::{FileLink, Half, KeptSwitches, LayoutError, Reference, Result, RootDir, RowsOfFile};
use finback_proto::pb;

const FILE: &str = "576d886d16ff4d8e996c75d842dfbf8b";

fn table() -> TableDescriptor {
    let mut table = TableDescriptor::new(TableName::parse(b"ns:t").unwrap());
    table.families.push(ColumnFamilyDescriptor::with_defaults(b"f"));
    table
}

fn meta() -> TableDescriptor {
    TableDescriptor { name: TableName::meta(), ..table() }
}

fn regions() -> Vec<RegionInfo> {
    let key = |text: &'static str| Bytes::from_static(text.as_bytes());
    let region = |start, end| RegionInfo::new(table().name, key(start), key(end), 1_700_000_000_000);
    vec![region("", "m"), region("m", "")]
}

/// Runs `step` with a failure (and everything after it dead) at each of its operations in turn, then a crash in all modes,
/// and hands what is left to `check`.
fn at_every_step(
    prepare: impl Fn(&RootDir),
    step: impl Fn(&RootDir) -> Result<()>,
    check: impl Fn(&RootDir, bool),
) {
    for failing in 0.. {
        let memory = MemFileSystem::new();
        prepare(&RootDir::new(Arc::new(memory.clone()), "/hbase"));
        let faulty = FaultyFileSystem::new(Arc::new(memory.clone()));
        let faults = faulty.faults();
        faults.fail_from(failing);
        let done = step(&RootDir::new(Arc::new(faulty), "/hbase")).is_ok();
        let modes = (0..8).map(|seed| CrashMode::Torn { seed }).chain([CrashMode::Strict]);
        for mode in modes {
            check(&RootDir::new(Arc::new(memory.crash(mode)), "/hbase"), done);
        }
        if done {
            assert!(failing > 0);
            return;
        }
    }
}

fn initialized(root: &RootDir) {
    root.initialize().unwrap();
}

fn keep(regions: &[RegionInfo]) -> BTreeMap<TableName, BTreeSet<String>> {
    BTreeMap::from([(table().name, regions.iter().map(RegionInfo::encoded_name).collect())])
}

fn put_store_file(root: &RootDir, region: &RegionInfo, content: &[u8]) {
    let dir = root.family_dir(&region.table, &region.encoded_name(), b"f");
    root.fs().create_dir_all(&dir).unwrap();
    write_file_durably(&**root.fs(), &dir.join(FILE), content).unwrap();
}

#[test]
fn initialisation_is_repeated_until_it_is_complete() {
    at_every_step(
        |_| {},
        |root| root.initialize_with_meta(&meta()).map(drop),
        |root, done| {
            let before = root.cluster_id().ok();
            let id = root.initialize_with_meta(&meta()).unwrap();
            assert!(!done || before.as_ref() == Some(&id), "an id that was given out stays");
            assert_eq!(root.initialize().unwrap(), id);
            assert_eq!(root.read_table_descriptor(&TableName::meta()).unwrap(), meta());
            let info = root.read_region_info(&TableName::meta(), "1588230740").unwrap();
            assert_eq!(info, RegionInfo::meta());
        },
    );
}

#[test]
fn another_layout_version_is_refused() {
    let root = RootDir::new(Arc::new(MemFileSystem::new()), "/hbase");
    initialized(&root);
    write_file_durably(&**root.fs(), &root.version_file(), b"PBUF\x0a\x017").unwrap();
    let error = root.initialize().unwrap_err();
    assert!(matches!(&error, LayoutError::Version { found, .. } if found == "7"), "{error}");
    write_file_durably(&**root.fs(), &root.version_file(), b"8").unwrap();
    assert!(matches!(root.initialize(), Err(LayoutError::Corrupt { .. })));
    root.fs().remove_file(&root.version_file()).unwrap();
    root.create_table_dir(&table(), &regions()).unwrap();
    assert!(matches!(root.initialize(), Err(LayoutError::VersionMissing { .. })));
}

#[test]
fn a_table_is_created_whole_or_not_at_all() {
    at_every_step(
        initialized,
        |root| root.create_table_dir(&table(), &regions()),
        |root, done| {
            let complete = root.list_tables().unwrap() == [table().name];
            assert!(complete || !done);
            if complete {
                assert_eq!(root.read_table_descriptor(&table().name).unwrap(), table());
                let names = root.list_regions(&table().name).unwrap();
                assert_eq!(names.len(), 2);
                for name in names {
                    assert_eq!(
                        root.list_families(&table().name, &name).unwrap().len(),
                        table().families.len()
                    );
                    assert!(regions().contains(&root.read_region_info(&table().name, &name).unwrap()));
                }
            }
            // Whatever is left is no obstacle to another attempt.
            root.sweep(&BTreeMap::new()).unwrap();
            assert_eq!(root.list_tables().unwrap(), []);
            root.create_table_dir(&table(), &regions()).unwrap();
            assert_eq!(root.list_regions(&table().name).unwrap().len(), 2);
            // One more family, as a region gets it when it opens.
            let [region, _] = &regions()[..] else { panic!("two regions") };
            root.create_family_dirs(region, [&b"f"[..], b"new"]).unwrap();
            assert!(
                root.list_families(&table().name, &region.encoded_name()).unwrap().contains(&"new".into())
            );
        },
    );
}

#[test]
fn a_descriptor_is_the_old_one_or_the_new_one() {
    let mut changed = table();
    changed.families.push(ColumnFamilyDescriptor::with_defaults(b"g"));
    at_every_step(
        |root| {
            initialized(root);
            root.create_table_dir(&table(), &regions()).unwrap();
        },
        |root| root.write_table_descriptor(&changed),
        |root, done| {
            let found = root.read_table_descriptor(&table().name).unwrap();
            assert!(found == changed || (!done && found == table()));
            root.write_table_descriptor(&table()).unwrap();
            assert_eq!(root.read_table_descriptor(&table().name).unwrap(), table());
            root.sweep(&keep(&regions())).unwrap();
            assert_eq!(root.fs().list(&root.temp_dir().join("data")).map_or(0, |entries| entries.len()), 1);
        },
    );
}

#[test]
fn switches_are_the_old_ones_or_the_new_ones() {
    let old = KeptSwitches { snapshot_cleanup: false, ..Default::default() };
    let new = KeptSwitches { split: false, ..old };
    at_every_step(
        |root| {
            initialized(root);
            root.write_switches(old).unwrap();
        },
        |root| root.write_switches(new),
        |root, done| {
            let found = root.read_switches().unwrap();
            assert!(found == new || (!done && found == old), "{found:?}");
            // Whatever is left is no obstacle to the next change.
            root.write_switches(KeptSwitches::default()).unwrap();
            assert_eq!(root.read_switches().unwrap(), KeptSwitches::default());
        },
    );
}

#[test]
fn no_store_file_is_lost_when_a_table_is_archived() {
    at_every_step(
        |root| {
            initialized(root);
            root.create_table_dir(&table(), &regions()).unwrap();
            regions().iter().for_each(|region| put_store_file(root, region, b"cells"));
        },
        |root| root.archive_table(&table().name),
        |root, done| {
            assert!(!done || root.list_tables().unwrap().is_empty());
            root.sweep(&BTreeMap::new()).unwrap();
            assert_eq!(root.list_tables().unwrap(), []);
            for region in regions() {
                let path = root.archived_family_dir(&region.table, &region.encoded_name(), b"f").join(FILE);
                assert_eq!(root.fs().metadata(&path).unwrap().len, 5);
            }
        },
    );
}

/// HBase has them beside the directories of tables, and drops both together.
#[test]
fn files_of_large_values_go_to_the_archive_with_their_table() {
    let (mob_region, file) = ("0123456789abcdef".repeat(2), format!("{FILE}19700101{FILE}_{FILE}"));
    let of_table = |root: &RootDir| root.path().join("mobdir/data/ns/t");
    at_every_step(
        |root| {
            initialized(root);
            root.create_table_dir(&table(), &regions()).unwrap();
            let dir = of_table(root).join(&mob_region).join("f");
            root.fs().create_dir_all(&dir).unwrap();
            write_file_durably(&**root.fs(), &dir.join(&file), b"value").unwrap();
        },
        |root| root.archive_table(&table().name),
        |root, done| {
            assert!(!done || !root.fs().exists(&of_table(root)).unwrap());
            root.sweep(&BTreeMap::new()).unwrap();
            assert!(!root.fs().exists(&of_table(root)).unwrap());
            let path = root.archived_family_dir(&table().name, &mob_region, b"f").join(&file);
            assert_eq!(root.fs().metadata(&path).unwrap().len, 5);
        },
    );
}

/// A MOB file that this region has written.
fn mob_file(region: &RegionInfo) -> String {
    format!("{FILE}19700101{FILE}_{}", region.encoded_name())
}

fn put_mob_file(root: &RootDir, family: &[u8], name: &str) {
    let dir = root.mob_family_dir(&table().name, family);
    root.fs().create_dir_all(&dir).unwrap();
    write_file_durably(&**root.fs(), &dir.join(name), b"value").unwrap();
}

/// Whether a MOB file is in the archive; else it is in its place.
fn is_archived(root: &RootDir, family: &[u8], name: &str) -> bool {
    let places = root.mob_file_places(&table().name, family, name);
    let [is_served, is_archived] = places.map(|path| root.fs().exists(&path).unwrap());
    assert!(is_served != is_archived, "{name}: {is_served}, {is_archived}");
    is_archived
}

#[test]
fn no_mob_file_is_lost_when_a_family_or_a_tables_contents_are_archived() {
    let [old, new] = &regions()[..] else { panic!("two regions") };
    let prepare = |root: &RootDir| {
        initialized(root);
        root.create_table_dir(&table(), &regions()).unwrap();
        put_mob_file(root, b"f", &mob_file(old));
        put_mob_file(root, b"f", &mob_file(new));
        put_mob_file(root, b"g", &mob_file(old));
    };
    at_every_step(
        prepare,
        |root| root.archive_mob_family(&table().name, b"f"),
        |root, done| {
            let archived = [old, new].map(|region| is_archived(root, b"f", &mob_file(region)));
            assert!(!done || archived == [true; 2], "{archived:?}");
            assert!(!is_archived(root, b"g", &mob_file(old)));
            root.archive_mob_family(&table().name, b"f").unwrap();
            assert_eq!(root.list_mob_families(&table().name).unwrap(), ["g"]);
        },
    );
    // What a truncated table has from now on stays.
    let keep = [new.encoded_name()];
    let truncate = |root: &RootDir| root.archive_other_mob_files(&table().name, &keep);
    at_every_step(prepare, truncate, |root, done| {
        assert!(is_archived(root, b"f", &mob_file(old)) || !done);
        truncate(root).unwrap();
        let of_old = [&b"f"[..], b"g"].map(|family| is_archived(root, family, &mob_file(old)));
        assert_eq!((of_old, is_archived(root, b"f", &mob_file(new))), ([true; 2], false));
    });
}

fn snapshot() -> pb::SnapshotDescription {
    pb::SnapshotDescription {
        name: "s".into(),
        table: Some("ns:t".into()),
        version: Some(2),
        ..Default::default()
    }
}

fn with_mob_family() -> TableDescriptor {
    table().with_family(ColumnFamilyDescriptor::with_defaults(b"f").with("IS_MOB", "true"))
}

fn take_snapshot(root: &RootDir) -> Result<()> {
    root.begin_snapshot(&snapshot())?;
    root.add_mob_files_to_snapshot("s", &with_mob_family())?;
    regions().iter().try_for_each(|region| root.add_region_to_snapshot("s", &table(), region, None))?;
    root.complete_snapshot(&snapshot(), &with_mob_family(), &regions())
}

#[test]
fn a_snapshot_has_all_mob_files_or_there_is_none() {
    let name = mob_file(&regions()[0]);
    at_every_step(
        |root| {
            initialized(root);
            root.create_table_dir(&table(), &regions()).unwrap();
            put_mob_file(root, b"f", &name);
        },
        take_snapshot,
        |root, done| {
            let is_there = root.snapshot_exists("s").unwrap();
            assert!(is_there || !done);
            if !is_there {
                root.sweep_snapshots().unwrap();
                take_snapshot(root).unwrap();
            }
            let manifest = root.read_snapshot_manifest("s").unwrap();
            let files = &manifest.mob_files().unwrap().families[0].files;
            assert_eq!(files.iter().map(|file| &file.name).collect::<Vec<_>>(), [&name]);
            root.verify_snapshot("s", &table().name, &manifest).unwrap();
        },
    );
}

#[test]
fn no_link_to_a_mob_file_is_there_of_which_the_file_does_not_know() {
    let clone = TableDescriptor { name: TableName::parse(b"c").unwrap(), ..with_mob_family() };
    let made = |region: RegionInfo| {
        let new = RegionInfo { table: clone.name.clone(), ..region.clone() };
        (region, new)
    };
    let pairs: Vec<_> = regions().into_iter().map(made).collect();
    let make = |root: &RootDir| root.make_regions_of_snapshot(&snapshot(), &clone, &pairs);
    let name = mob_file(&regions()[0]);
    at_every_step(
        |root| {
            initialized(root);
            root.create_table_dir(&table(), &regions()).unwrap();
            put_mob_file(root, b"f", &name);
            take_snapshot(root).unwrap();
            root.create_table_dir(&clone, &[]).unwrap();
        },
        make,
        |root, done| {
            let back_references =
                root.archived_mob_family_dir(&table().name, b"f").join(format!(".links-{name}"));
            let figures = || {
                let links = root.list_mob_files(&clone.name, b"f").unwrap();
                (links.len(), root.fs().list(&back_references).map_or(0, |known| known.len()))
            };
            let (links, known) = figures();
            assert!(links <= known && (links == 1 || !done), "{links} of {known}");
            make(root).unwrap();
            assert_eq!(figures(), (1, 1));
        },
    );
}

/// A daughter whose `.regioninfo` is there has the link, and the file knows of it; after a crash before that the next try makes both.
#[test]
fn a_daughter_has_the_link_of_which_its_file_knows_or_it_does_not_count() {
    let [parent, _] = &regions()[..] else { panic!("two regions") };
    let key = |text: &'static str| Bytes::from_static(text.as_bytes());
    let daughter = RegionInfo::new(table().name, parent.start_key.clone(), key("c"), 1_700_000_000_001);
    let split = |root: &RootDir| {
        let rows_of = |_: &Path| Some(RowsOfFile::Range(b"a".to_vec(), b"b".to_vec()));
        root.create_offspring(&daughter, std::slice::from_ref(parent), &[key("f")], &rows_of)
    };
    let (of_parent, of_daughter) = (parent.encoded_name(), daughter.encoded_name());
    let link = FileLink { table: table().name, region: &of_parent, file: FILE }.to_string();
    let check = |root: &RootDir| {
        let files = root.list_store_files(&table().name, &of_daughter, b"f").unwrap();
        assert_eq!(files.iter().map(|file| &file.name[..]).collect::<Vec<_>>(), [&link]);
        let known = root.archived_family_dir(&table().name, &of_parent, b"f");
        let back = known.join(format!(".links-{FILE}")).join(format!("{of_daughter}.ns=t"));
        assert!(root.fs().exists(&back).unwrap());
    };
    at_every_step(
        |root| {
            initialized(root);
            root.create_table_dir(&table(), &regions()).unwrap();
            put_store_file(root, parent, b"cells");
        },
        split,
        |root, done| {
            let counts = root.read_region_info(&table().name, &of_daughter).is_ok();
            assert!(counts || !done);
            if !counts {
                root.sweep(&keep(&regions())).unwrap();
                split(root).unwrap();
            }
            check(root);
        },
    );
}

#[test]
fn mob_files_that_were_begun_are_gone_after_a_sweep_and_others_stay() {
    let (begun, complete) = (mob_file(&regions()[1]), mob_file(&regions()[0]));
    let sweep = |root: &RootDir| root.sweep(&keep(&regions())).map(drop);
    at_every_step(
        |root| {
            initialized(root);
            root.create_table_dir(&table(), &regions()).unwrap();
            put_mob_file(root, b"f", &complete);
            let dir = root.mob_temp_dir();
            root.fs().create_dir_all(&dir).unwrap();
            // Of a region that nobody may open again, and of none.
            for name in [begun.as_str(), "torn"] {
                write_file_durably(&**root.fs(), &dir.join(name), b"val").unwrap();
            }
        },
        sweep,
        |root, _| {
            sweep(root).unwrap();
            assert_eq!(root.fs().list(&root.mob_temp_dir()).map_or(0, |entries| entries.len()), 0);
            assert!(!is_archived(root, b"f", &complete));
        },
    );
}

#[test]
fn the_archive_keeps_files_of_the_same_name_apart() {
    let root = RootDir::new(Arc::new(MemFileSystem::new()), "/hbase");
    let (region, name) = (&regions()[0], regions()[0].encoded_name());
    let archive = || root.archive_store_file(&region.table, &name, b"f", FILE);
    put_store_file(&root, region, b"cells");
    archive().unwrap();
    archive().unwrap(); // it is there already
    put_store_file(&root, region, b"CELLS");
    archive().unwrap();
    let archived = root.fs().list(&root.archived_family_dir(&region.table, &name, b"f")).unwrap();
    assert_eq!(archived.len(), 2);
    put_store_file(&root, region, b"longer");
    assert!(matches!(archive(), Err(LayoutError::ArchiveConflict { len: 6, archived_len: 5, .. })));
}

/// As after a restore that was cut off twice while it wrote references.
#[test]
fn a_torn_reference_in_the_archive_is_in_nobodys_way() {
    let root = RootDir::new(Arc::new(MemFileSystem::new()), "/hbase");
    let (region, name) = (&regions()[0], regions()[0].encoded_name());
    let reference = format!("{FILE}.{}", "0123456789abcdef".repeat(2));
    let dir = root.family_dir(&region.table, &name, b"f");
    for (at, contents) in [&b""[..], b"whole", b"wh", b"whole"].into_iter().enumerate() {
        root.fs().create_dir_all(&dir).unwrap();
        let mut file = root.fs().create_new(&dir.join(&reference)).unwrap();
        file.append(contents).unwrap();
        drop(file);
        root.archive_store_file(&region.table, &name, b"f", &reference).unwrap();
        let archived = root.fs().list(&root.archived_family_dir(&region.table, &name, b"f")).unwrap();
        assert!(archived.iter().any(|entry| entry.name == reference && entry.len == contents.len() as u64));
        assert!(archived.len() <= at + 1);
    }
}

/// Whoever cannot look whether a file is there must not rename another one over it.
#[test]
fn a_failed_look_into_the_archive_moves_nothing() {
    let faulty = FaultyFileSystem::new(Arc::new(MemFileSystem::new()));
    let faults = faulty.faults();
    let root = RootDir::new(Arc::new(faulty), "/hbase");
    let (region, name) = (&regions()[0], regions()[0].encoded_name());
    let archive = || root.archive_store_file(&region.table, &name, b"f", FILE);
    put_store_file(&root, region, b"cells");
    archive().unwrap();
    put_store_file(&root, region, b"CELLS");
    faults.fail_read(faults.reads());
    assert!(matches!(archive(), Err(LayoutError::Io { .. })));
    archive().unwrap();
    let archived = root.fs().list(&root.archived_family_dir(&region.table, &name, b"f")).unwrap();
    assert_eq!(archived.len(), 2);
}

#[test]
fn store_files_are_listed_and_those_that_cannot_be_served_are_refused() {
    let root = RootDir::new(Arc::new(MemFileSystem::new()), "/hbase");
    let (region, name) = (&regions()[0], regions()[0].encoded_name());
    let list = || root.list_store_files(&region.table, &name, b"f");
    assert_eq!(list().unwrap(), []);
    put_store_file(&root, region, b"cells");
    let dir = root.family_dir(&region.table, &name, b"f");
    let write =
        |file: &str, content: &[u8]| write_file_durably(&**root.fs(), &dir.join(file), content).unwrap();
    write(&format!("{FILE}_SeqId_7_"), b"bulk");
    write("abcdef", b"");
    write("README", b"not a store file");
    let files = list().unwrap();
    assert_eq!(files.len(), 2);
    assert_eq!((files[0].len, files[0].bulk_sequence_id), (5, None));
    assert_eq!((files[1].len, files[1].bulk_sequence_id), (4, Some(7)));
    write(&format!("{FILE}.{}", regions()[1].encoded_name()), b"");
    assert_eq!(list().unwrap(), files, "an empty reference is left out");
    root.fs().create_dir_all(&dir.join(".filelist")).unwrap();
    assert_eq!(list().unwrap(), files, "a list is no file of the store");
}

#[test]
fn references_and_links_lead_to_files_wherever_these_have_gone() {
    let root = RootDir::new(Arc::new(MemFileSystem::new()), "/hbase");
    let regions = regions();
    let (parent, daughter) = (&regions[0], &regions[1]);
    let (table, from) = (&parent.table, parent.encoded_name());
    put_store_file(&root, parent, b"cells");
    let dir = root.family_dir(table, &daughter.encoded_name(), b"f");
    root.fs().create_dir_all(&dir).unwrap();
    let reference = Reference { split_row: b"m".to_vec(), half: Half::Top };
    let link = FileLink { table: table.clone(), region: &from, file: FILE }.to_string();
    let of_link = format!("{link}.{from}");
    for (name, content) in
        [(format!("{FILE}.{from}"), reference.encode()), (of_link, reference.encode()), (link, Vec::new())]
    {
        let mut file = root.fs().create_new(&dir.join(name)).unwrap();
        file.append(&content).unwrap();
    }
    let list = || root.list_store_files(table, &daughter.encoded_name(), b"f");
    let lead_to = |place: PathBuf| {
        let files = list().unwrap();
        assert_eq!(files.len(), 3);
        for file in files {
            assert_eq!(file.elsewhere.as_ref(), Some(&place), "{}", file.name);
            assert_eq!(file.reference.is_some(), file.len > 0, "{}", file.name);
            assert!(file.reference.is_none_or(|found| found == reference));
        }
    };
    lead_to(root.family_dir(table, &from, b"f").join(FILE));
    root.archive_store_file(table, &from, b"f", FILE).unwrap();
    let archived = root.archived_family_dir(table, &from, b"f").join(FILE);
    lead_to(archived.clone());
    root.fs().remove_file(&archived).unwrap();
    assert!(list().unwrap_err().is_not_found());
    write_file_durably(&**root.fs(), &dir.join(format!("{FILE}.{from}")), b"PBUF").unwrap();
    write_file_durably(&**root.fs(), &archived, b"cells").unwrap();
    assert!(matches!(list(), Err(LayoutError::Corrupt { .. })), "a torn reference is no file without cells");
}

#[test]
fn a_noted_sequence_id_never_goes_back() {
    let name = regions()[0].encoded_name();
    let table = table().name;
    at_every_step(
        |root| root.write_sequence_id_file(&table, &name, 5).unwrap(),
        |root| root.write_sequence_id_file(&table, &name, 90),
        |root, done| {
            let noted = root.max_noted_sequence_id(&table, &name).unwrap();
            assert!(noted == Some(90) || (!done && noted == Some(5)), "{noted:?}");
        },
    );
}

#[test]
fn what_was_flushed_before_a_close_is_noted_with_its_sequence_id() {
    let name = regions()[0].encoded_name();
    let table = table().name;
    at_every_step(
        |root| root.write_close_notes(&table, &name, 5).unwrap(),
        |root| {
            // Of an opening, which may have edits in memory.
            root.write_sequence_id_file(&table, &name, 7)?;
            assert_eq!(root.flushed_before_close(&table, &name)?, Some(5));
            root.write_close_notes(&table, &name, 90)
        },
        |root, done| {
            let used = root.max_noted_sequence_id(&table, &name).unwrap().unwrap();
            let flushed = root.flushed_before_close(&table, &name).unwrap();
            assert!(flushed == Some(90) || (!done && flushed == Some(5)), "{flushed:?}");
            assert!([5, 7, 90].contains(&used) && (!done || used == 90), "{used}");
            assert!(Some(used) >= flushed, "{flushed:?} was used, too, and not only {used}");
        },
    );
}

#[test]
fn logs_of_servers_are_found() {
    let root = RootDir::new(Arc::new(MemFileSystem::new()), "/hbase");
    initialized(&root);
    for name in ["localhost,16020,1700000000001", "localhost,16020,1700000000000-splitting", "lost+found"] {
        root.fs().create_dir_all(&root.wals_dir().join(name)).unwrap();
    }
    let dirs = root.list_wal_dirs().unwrap();
    let seen: Vec<_> = dirs.iter().map(|dir| (dir.server.start_code, dir.splitting)).collect();
    assert_eq!(seen, [(1_700_000_000_000, true), (1_700_000_000_001, false)]);
    assert_eq!(dirs[0].path, root.splitting_wal_dir(&dirs[0].server));
}

#[test]
fn corrupt_descriptors_are_named() {
    let root = RootDir::new(Arc::new(MemFileSystem::new()), "/hbase");
    initialized(&root);
    root.create_table_dir(&table(), &regions()).unwrap();
    let table = table().name;
    let dir = root.table_dir(&table).join(".tabledesc");
    let corrupt = |name: &str, content: &[u8]| {
        write_file_durably(&**root.fs(), &dir.join(Path::new(name)), content).unwrap();
        let error = root.read_table_descriptor(&table).unwrap_err();
        assert!(matches!(&error, LayoutError::Corrupt { path, .. } if path.ends_with(name)), "{error}");
    };
    corrupt(".tableinfo.0000000002.4", b"PBUF");
    corrupt(".tableinfo.0000000003.3", b"abc");
    corrupt(".tableinfo.0000000004.6", b"PBUF\xff\xff");
    let info = root.region_dir(&table, &regions()[0].encoded_name()).join(".regioninfo");
    write_file_durably(&**root.fs(), &info, b"PBUF\xff\xff\xff\xff\x7f").unwrap();
    assert!(matches!(
        root.read_region_info(&table, &regions()[0].encoded_name()),
        Err(LayoutError::Corrupt { .. })
    ));
}
