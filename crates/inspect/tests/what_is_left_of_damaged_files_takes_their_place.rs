//! Root directories with damaged files: what is left of them takes their place, if that is asked for; what was there is
//! kept, and a kill at any moment leaves the one or the other.

mod root;

use finback_cell::{CellOrder, ColumnFamilyDescriptor, TableDescriptor};
use finback_fs::{FaultyFileSystem, FileSystem, LocalFileSystem};
use finback_hfile::testing::{reader_of, without_checksum_of_trailer, write_rows};
use finback_hfile::{DamagedFile, FileId, WriterOptions};
use finback_inspect::{CheckOptions, CheckReport, InspectError, Losses, check_directory, repair_directory};
use finback_layout::{RootDir, TRACKER};
use finback_proto::pb;
use finback_wal::WalReader;
use root::{Counted, FILE, Root, Silent, found_in, region_edits};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows of the first region.
const ROWS: Range<u32> = 0x6100_0000..0x6100_0400;
/// Rows of one block of the large file.
const BLOCK_ROWS: usize = 23;
const LARGE: &str = "66666666666666666666666666666666";

/// A root directory, a store file of many blocks in it, and where a block of that is.
fn root_with_a_large_file() -> (Root, PathBuf, Range<usize>) {
    let root = Root::new();
    let path = root.family_dir(0).join(LARGE);
    let options = WriterOptions { block_size_bytes: 1000, ..WriterOptions::default() };
    write_rows(&LocalFileSystem, &path, options, ROWS, b"some value or other");
    let reader = reader_of(LocalFileSystem.open(&path).unwrap(), FileId::next());
    let place = reader.index_entries().nth(5).unwrap().unwrap().place;
    let start = place.offset as usize;
    (root, path, start..start + place.size as usize)
}

fn flip(path: &Path, at: usize) -> Vec<u8> {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 4;
    fs::write(path, &bytes).unwrap();
    bytes
}

/// The rows of a store file that is sound.
fn rows_of(path: &Path) -> Vec<u32> {
    let file = DamagedFile::open(LocalFileSystem.open(path).unwrap(), path, CellOrder::User).unwrap();
    let mut rows = Vec::new();
    let mut note = |cell: &finback_cell::Cell<'_>, _| {
        rows.push(u32::from_be_bytes(cell.row().try_into().unwrap()));
        Ok(())
    };
    assert!(file.cells(&mut note, &mut |_| true).unwrap().is_whole());
    rows
}

fn plan(report: &CheckReport, root: &Root) -> Vec<String> {
    let directory = root.dir();
    report.repairs(Losses::Accepted).map(|repair| repair.describe(directory.path())).collect()
}

#[test]
fn a_damaged_block_costs_its_cells_and_nothing_else_when_that_is_accepted() {
    let (root, path, block) = root_with_a_large_file();
    let damaged = flip(&path, block.start + 60);
    let report = root.check();
    assert_eq!(found_in(&report), [format!("damaged-file {LARGE}")]);
    assert_eq!(
        (report.repairs(Losses::Refused).count(), report.problems_without_repair(Losses::Refused)),
        (0, 1)
    );
    assert_eq!(report.problems_without_repair(Losses::Accepted), 0);
    let plan = plan(&report, &root);
    assert!(
        plan[0].contains(".hbck")
            && plan[0].contains(&format!("LOST: {} bytes at {}", block.len(), block.start))
    );
    assert!(
        plan[0].contains("cells of rows from a\\x00\\x00")
            && plan[0].contains("by the count of the trailer 23 cells"),
        "{plan:?}"
    );
    assert!(report.to_json().contains("\"loses_data\":true"));
    // Without loss nothing can be done.
    assert_eq!((root.repair(), fs::read(&path).unwrap()), (0, damaged.clone()));
    assert_eq!(root.repair_with(Losses::Accepted), 1);
    assert_eq!(root.found(), Vec::<String>::new());
    assert_eq!(fs::read(root.aside(&path)).unwrap(), damaged);
    let rows = rows_of(&path);
    assert_eq!(rows.len(), ROWS.len() - BLOCK_ROWS);
    let missing: Vec<u32> = ROWS.filter(|row| !rows.contains(row)).collect();
    assert_eq!(missing, (missing[0]..missing[0] + 23).collect::<Vec<_>>());
}

#[test]
fn damage_outside_of_the_cells_is_repaired_without_loss() {
    let (root, path, _) = root_with_a_large_file();
    let reader = reader_of(LocalFileSystem.open(&path).unwrap(), FileId::next());
    let damaged = flip(&path, reader.trailer().fields.load_on_open_data_offset() as usize + 50);
    let report = root.check();
    assert!(plan(&report, &root)[0].ends_with("all its 1024 cells in its place; no cell is lost"));
    assert_eq!((root.repair(), root.found()), (1, Vec::new()));
    assert_eq!(rows_of(&path), ROWS.collect::<Vec<_>>());
    assert_eq!(fs::read(root.aside(&path)).unwrap(), damaged);
}

/// The last byte is the version's: the checksum says that it was another.
#[test]
fn a_damaged_trailer_is_repaired_without_loss() {
    let (root, path, _) = root_with_a_large_file();
    let length = fs::metadata(&path).unwrap().len() as usize;
    let damaged = flip(&path, length - 1);
    let report = root.check();
    let message = &report.findings[0].message;
    assert!(
        message.contains(&format!("corrupt trailer at {}: expected checksum", length - 4096)),
        "{message}"
    );
    assert!(plan(&report, &root)[0].ends_with("all its 1024 cells in its place; no cell is lost"));
    assert_eq!((root.repair(), root.found()), (1, Vec::new()));
    assert_eq!(rows_of(&path), ROWS.collect::<Vec<_>>());
    assert_eq!(fs::read(root.aside(&path)).unwrap(), damaged);
}

/// The last byte is the version's, in a file without a checksum of the trailer, as HBase's are.
#[test]
fn a_trailer_of_an_unknown_version_is_repaired_and_a_file_of_an_old_one_is_not() {
    let (root, path, _) = root_with_a_large_file();
    fs::write(&path, without_checksum_of_trailer(&fs::read(&path).unwrap())).unwrap();
    let length = fs::metadata(&path).unwrap().len() as usize;
    let damaged = flip(&path, length - 1);
    let report = root.check();
    let trailer = length - 4096;
    let message = &report.findings[0].message;
    assert!(
        message.contains(&format!("HFile version 7.3, of the trailer at {trailer}, is not")),
        "{message}"
    );
    assert!(plan(&report, &root)[0].ends_with("all its 1024 cells in its place; no cell is lost"));
    assert_eq!((root.repair(), root.found()), (1, Vec::new()));
    assert_eq!(rows_of(&path), ROWS.collect::<Vec<_>>());
    assert_eq!(fs::read(root.aside(&path)).unwrap(), damaged);
    // The trailer of version 2, behind the same blocks.
    let mut old = damaged[..trailer].to_vec();
    old.extend_from_slice(b"TRABLK\"$");
    old.resize(trailer + 208, 0);
    old.extend_from_slice(&[3, 0, 0, 2]);
    fs::write(&path, &old).unwrap();
    let report = root.check();
    assert!(report.findings[0].message.contains("HFile version 2"), "{:?}", report.findings);
    assert_eq!((plan(&report, &root), root.repair_with(Losses::Accepted)), (Vec::new(), 0));
    assert_eq!(fs::read(&path).unwrap(), old);
}

#[test]
fn a_file_of_which_nothing_is_left_becomes_an_empty_one() {
    let root = Root::new();
    let path = root.family_dir(1).join(FILE);
    fs::write(&path, vec![7; 9000]).unwrap();
    assert!(plan(&root.check(), &root)[0].ends_with("LOST: all of it, for no block verifies"));
    assert_eq!((root.repair(), root.repair_with(Losses::Accepted)), (0, 1));
    assert_eq!(root.found(), Vec::<String>::new());
    assert_eq!(fs::read(root.aside(&path)).unwrap(), vec![7; 9000]);
}

#[test]
fn whole_blocks_with_cells_of_other_regions_are_not_salvaged() {
    let root = Root::new();
    let path = root.family_dir(0).join(LARGE);
    write_rows(&LocalFileSystem, &path, WriterOptions::default(), [0x7a00_0000], b"v");
    let report = root.check();
    assert_eq!((report.findings.len(), report.repairs(Losses::Accepted).count()), (1, 0));
}

#[test]
fn a_damaged_log_keeps_its_other_entries() {
    let root = Root::new();
    let regions: Vec<_> = root.regions.iter().flat_map(|region| region_edits(region, "OPEN")).collect();
    root.log_meta(regions);
    let log = root.directory.path().join("WALs/h,1,1/h%2C1%2C1.meta.5.meta");
    let entries = |path: &Path| {
        let mut reader = WalReader::open(&LocalFileSystem, path).unwrap();
        let mut found = Vec::new();
        while let Some(entry) = reader.next_entry().unwrap() {
            found.push((entry.offset, entry.key.sequence_id(), entry.cell_block.to_vec()));
        }
        found
    };
    let before = entries(&log);
    let damaged = flip(&log, before[2].0 as usize + 9);
    let report = root.check();
    assert_eq!(found_in(&report), ["damaged-log h%2C1%2C1.meta.5.meta", "meta-unreadable meta"]);
    assert!(plan(&report, &root)[0].contains("the 5 entries that can be read in its place. LOST: "));
    assert_eq!((root.repair(), root.repair_with(Losses::Accepted)), (0, 1));
    assert_eq!(root.found(), Vec::<String>::new());
    assert_eq!(fs::read(root.aside(&log)).unwrap(), damaged);
    let kept: Vec<_> =
        before.iter().filter(|(_, id, _)| *id != before[2].1).map(|(_, id, cells)| (id, cells)).collect();
    let after = entries(&log);
    assert_eq!(after.iter().map(|(_, id, cells)| (id, cells)).collect::<Vec<_>>(), kept);
}

#[test]
fn a_damaged_region_info_is_written_as_meta_has_it() {
    let root = Root::new();
    let path = root.region_dir(1).join(".regioninfo");
    fs::write(&path, b"PBUF, and nothing more").unwrap();
    assert_eq!(root.found(), ["region-info-wrong .regioninfo"]);
    assert_eq!((root.repair(), root.found()), (1, Vec::new()));
    assert_eq!(fs::read(root.aside(&path)).unwrap(), b"PBUF, and nothing more");
    let encoded = root.regions[1].encoded_name();
    assert_eq!(root.dir().read_region_info(&root.table.name, &encoded).unwrap(), root.regions[1]);
}

/// A table whose descriptor is damaged: with an older one beside it, with a snapshot, and with neither.
#[test]
fn a_damaged_descriptor_is_written_from_what_else_knows_it() {
    let descriptors = |root: &Root| root.dir().table_descriptor_files(&root.table.name).unwrap();
    let damage = |root: &Root| {
        let path = descriptors(root).pop().unwrap();
        let length = fs::metadata(&path).unwrap().len() as usize;
        fs::write(&path, vec![b'x'; length]).unwrap();
        path
    };
    let repaired = |root: &Root, source: &str, damaged: &Path| -> TableDescriptor {
        let report = root.check();
        assert_eq!(found_in(&report), ["descriptor-missing .tabledesc"]);
        let plan = plan(&report, root);
        assert!(plan[0].contains(source), "{plan:?}");
        assert_eq!((root.repair(), root.found()), (1, Vec::new()));
        assert!(fs::read(root.aside(damaged)).unwrap().starts_with(b"xxx"));
        root.dir().read_table_descriptor(&root.table.name).unwrap()
    };
    let family = || finback_cell::ColumnFamilyDescriptor::with_defaults(b"f").with("VERSIONS", "7");
    let root = Root::with_family(family());
    let older = descriptors(&root).pop().unwrap();
    let length = fs::metadata(&older).unwrap().len();
    fs::copy(&older, older.with_file_name(format!(".tableinfo.0000000002.{length}"))).unwrap();
    let damaged = damage(&root);
    assert_eq!(repaired(&root, "as an older file of it says", &damaged), root.table);

    let root = Root::with_family(family());
    let description = pb::SnapshotDescription {
        name: "snap".to_owned(),
        table: Some("t".to_owned()),
        creation_time: Some(5),
        version: Some(2),
        ..pb::SnapshotDescription::default()
    };
    root.dir().begin_snapshot(&description).unwrap();
    root.dir().complete_snapshot(&description, &root.table, &[]).unwrap();
    let damaged = damage(&root);
    assert_eq!(repaired(&root, "as snapshot snap has it", &damaged), root.table);

    let root = Root::with_family(family());
    let damaged = damage(&root);
    let written = repaired(&root, "with HBase's defaults for all other settings", &damaged);
    let settings = |family: &ColumnFamilyDescriptor| {
        let setting = |name| family.attribute(name).map(str::to_owned);
        ["VERSIONS", "KEEP_DELETED_CELLS", TRACKER].map(setting)
    };
    assert_eq!(written.families[0].mob_threshold_bytes(), None);
    let kept = [Some("2147483647".to_owned()), Some("TRUE".to_owned()), None];
    assert_eq!(written.families.iter().map(settings).collect::<Vec<_>>(), std::slice::from_ref(&kept));

    // One that has references to MOB files is not served as if these were values.
    let root = Root::with_family(family());
    fs::create_dir_all(root.dir().mob_family_dir(&root.table.name, b"f")).unwrap();
    let damaged = damage(&root);
    let written_of_mob = repaired(&root, "with HBase's defaults for all other settings", &damaged);
    assert!(written_of_mob.families[0].mob_threshold_bytes().is_some());

    // A family that is younger than what tells of the others is not left for the server to remove.
    let root = Root::with_family(family());
    let older = descriptors(&root).pop().unwrap();
    let length = fs::metadata(&older).unwrap().len();
    fs::copy(&older, older.with_file_name(format!(".tableinfo.0000000002.{length}"))).unwrap();
    let region = root.dir().list_regions(&root.table.name).unwrap().remove(0);
    let none = std::iter::empty::<(&str, u64)>();
    fs::create_dir(root.dir().family_dir(&root.table.name, &region, b"young")).unwrap();
    root.dir().write_store_file_list(&root.table.name, &region, b"young", none).unwrap();
    let damaged = damage(&root);
    let written = repaired(&root, "with the families f, young", &damaged);
    assert_eq!(written.families[0], root.table.families[0]);
    assert_eq!(settings(&written.families[1]), [kept[0].clone(), kept[1].clone(), Some("FILE".to_owned())]);
}

#[test]
fn a_damaged_file_of_meta_is_salvaged_and_the_next_check_reads_it() {
    let root = Root::new();
    let region = root.dir().region_dir(&finback_cell::TableName::meta(), "1588230740");
    flip(&region.join("info").join(FILE), 60);
    let report = root.check();
    assert_eq!(found_in(&report), [format!("damaged-file {FILE}"), "meta-unreadable meta".to_owned()]);
    assert_eq!(root.repair_with(Losses::Accepted), 1);
    // Its one block had the rows of all regions: their directories bring them back.
    assert_eq!(root.found()[0], "no-regions t");
    let mut repaired = Counted(0);
    repair_directory(&root.dir(), &root.check(), "second run", Losses::Refused, &mut repaired).unwrap();
    assert_eq!(root.found(), Vec::<String>::new());
}

#[test]
fn a_file_that_has_changed_since_the_plan_is_left_alone() {
    let (root, path, block) = root_with_a_large_file();
    flip(&path, block.start + 60);
    let report = root.check();
    let damaged = flip(&path, block.end + 60);
    let repaired = repair_directory(&root.dir(), &report, "run", Losses::Accepted, &mut Counted(0));
    assert!(matches!(repaired, Err(InspectError::Changed { .. })), "{repaired:?}");
    assert_eq!(fs::read(&path).unwrap(), damaged);
    assert!(!root.aside(&path).exists());
    assert!(!root.directory.path().join(".tmp").join(format!("salvage-run-{LARGE}")).exists());
}

#[test]
fn a_kill_at_any_moment_leaves_the_damaged_file_or_what_was_left_of_it() {
    let mut operations = 0;
    loop {
        let (root, path, block) = root_with_a_large_file();
        let damaged = flip(&path, block.start + 60);
        let faulty = FaultyFileSystem::new(Arc::new(LocalFileSystem));
        let directory = RootDir::new(Arc::new(faulty.clone()) as Arc<dyn FileSystem>, root.directory.path());
        let check =
            || check_directory(&directory, CheckOptions { verifies_files: true }, &mut Silent).unwrap();
        let report = check();
        let before = faulty.faults().operations();
        faulty.faults().fail_from(before + operations);
        let repaired = repair_directory(&directory, &report, "run", Losses::Accepted, &mut Counted(0));
        faulty.faults().heal();
        let in_place = fs::read(&path).unwrap();
        if in_place != damaged {
            assert_eq!(
                (rows_of(&path).len(), fs::read(root.aside(&path)).unwrap()),
                (ROWS.len() - BLOCK_ROWS, damaged)
            );
        }
        if repaired.is_ok() {
            break;
        }
        // The next run does all of it, and what the first one left is no more than a leftover.
        for run in ["second run", "third run"] {
            repair_directory(&directory, &check(), run, Losses::Accepted, &mut Counted(0)).unwrap();
        }
        assert!(check().findings.is_empty(), "{:#?}", check().findings);
        assert_eq!(rows_of(&path).len(), ROWS.len() - BLOCK_ROWS);
        operations += 1;
    }
    assert!(operations > 8, "{operations}");
}
