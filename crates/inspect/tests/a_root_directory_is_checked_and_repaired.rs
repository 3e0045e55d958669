//! Root directories with one thing wrong: it is found, and nothing else; and repaired where it can be, without loss.

mod root;

use finback_cell::cell::CellParts;
use finback_cell::{Bytes, Cell, CellType, ColumnFamilyDescriptor, RegionInfo};
use finback_fs::{FaultyFileSystem, FileSystem, LocalFileSystem};
use finback_hfile::testing::write_rows;
use finback_hfile::{HFileWriter, WriterOptions};
use finback_inspect::{CheckOptions, CheckReport, Losses, Severity, check_directory};
use finback_layout::RootDir;
use root::{FILE, Root, Silent, found_in, region_edits, region_gone};
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

#[test]
fn a_sound_directory_has_no_findings() {
    let root = Root::new();
    let report = root.check();
    assert!(report.is_sound() && report.findings.is_empty(), "{:#?}", report.findings);
    assert_eq!((report.tables, report.regions, report.store_files, report.cells), (1, 3, 5, 10));
    let quick = root.check_by(false);
    assert!(quick.is_sound() && (quick.tables, quick.store_files) == (1, 0));
}

#[test]
fn the_log_of_meta_counts_and_nothing_is_changed() {
    let root = Root::new();
    // The last region was split, of which only the log knows; the daughters have directories.
    let mut parent = root.regions[2].clone();
    (parent.offline, parent.split) = (true, true);
    let table = root.table.name.clone();
    let daughter = |start: &'static [u8], end: &'static [u8]| {
        RegionInfo::new(table.clone(), Bytes::from_static(start), Bytes::from_static(end), 1_700_000_000_001)
    };
    let daughters = [daughter(b"m", b"x"), daughter(b"x", b"")];
    let mut edits = region_edits(&parent, "SPLIT");
    edits.extend(daughters.iter().flat_map(|region| region_edits(region, "OPEN")));
    root.log_meta(edits);
    daughters.iter().for_each(|region| root.dir().create_region_dir(region).unwrap());
    let log = root.directory.path().join("WALs/h,1,1/h%2C1%2C1.meta.5.meta");
    let before = fs::read(&log).unwrap();
    let report = root.check();
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
    assert_eq!((report.regions, report.logs), (5, 1));
    assert_eq!(fs::read(&log).unwrap(), before);
    // A log that is damaged: nothing is said of tables, and nothing is moved.
    let mut bytes = before;
    bytes[60] ^= 0xff;
    fs::write(&log, bytes).unwrap();
    let report = root.check();
    assert_eq!(found_in(&report), ["damaged-log h%2C1%2C1.meta.5.meta", "meta-unreadable meta"]);
    assert_eq!(report.repairs(Losses::Refused).count(), 0);
}

#[test]
fn holes_and_overlaps_are_found() {
    let root = Root::new();
    root.log_meta(region_gone(&root.regions[1]));
    let report = root.check();
    let encoded = root.regions[1].encoded_name();
    // Its directory has rows that nobody else has: it comes back.
    assert_eq!(found_in(&report), ["hole t".to_owned(), format!("orphan-region {encoded}")]);
    assert!(report.findings[0].message.contains("from b to before m"), "{:?}", report.findings);
    assert_eq!((report.count(Severity::Problem), report.repairs(Losses::Refused).count()), (2, 1));
    assert_eq!(root.repair(), 1);
    assert_eq!(root.found(), Vec::<String>::new());
    assert_eq!(root.check().cells, 10 + 2);

    // A table that has lost all of them gets them back.
    let root = Root::new();
    root.log_meta(root.regions.iter().flat_map(region_gone).collect());
    assert_eq!(root.found()[0], "no-regions t");
    assert_eq!(root.repair(), 1);
    assert_eq!(root.found(), Vec::<String>::new());
    assert_eq!(root.check().regions, 3);

    // A region of which nothing is left is replaced by an empty one.
    let root = Root::new();
    root.log_meta(region_gone(&root.regions[1]));
    fs::rename(root.region_dir(1), root.directory.path().join("elsewhere")).unwrap();
    assert_eq!(root.found(), ["hole t"]);
    assert_eq!(root.repair(), 1);
    assert_eq!(root.found(), Vec::<String>::new());
    assert_eq!(root.check().regions, 3);

    let root = Root::new();
    let table = root.table.name.clone();
    let wide = RegionInfo::new(table, Bytes::from_static(b"a"), Bytes::from_static(b"c"), 1_700_000_000_009);
    root.log_meta(region_edits(&wide, "OPEN"));
    root.dir().create_region_dir(&wide).unwrap();
    assert_eq!(root.found(), ["overlap t", "overlap t"]);
}

/// The directory of a region that hbase:meta does not have.
fn with_orphan(root: &Root) -> (RegionInfo, PathBuf) {
    let table = root.table.name.clone();
    let orphan =
        RegionInfo::new(table, Bytes::from_static(b"c"), Bytes::from_static(b"d"), 1_700_000_000_009);
    root.dir().create_region_dir(&orphan).unwrap();
    let orphan_dir = root.dir().region_dir(&orphan.table, &orphan.encoded_name());
    fs::create_dir(orphan_dir.join("f")).unwrap();
    (orphan, orphan_dir)
}

#[test]
fn what_meta_does_not_know_is_moved_aside_and_kept() {
    let root = Root::new();
    let (orphan, orphan_dir) = with_orphan(&root);
    write_rows(
        &LocalFileSystem,
        &orphan_dir.join("f").join(FILE),
        WriterOptions::default(),
        [0x6300_0000],
        b"v",
    );
    let file = fs::read(orphan_dir.join("f").join(FILE)).unwrap();
    let strays = [
        root.directory.path().join("data/default/other/.tabledesc/x"),
        root.region_dir(0).join("g/x"),
        root.family_dir(0).join("no store file"),
        root.family_dir(1).join("11111111111111111111111111111111"),
        root.region_dir(1).join(".tmp/f/22222222222222222222222222222222"),
        root.directory.path().join(".tmp/data/default/u/x"),
        root.directory.path().join(".hbase-snapshot/.tmp/s/x"),
        root.directory.path().join("data/file"),
    ];
    for stray in &strays {
        fs::create_dir_all(stray.parent().unwrap()).unwrap();
        let torn = if stray.parent().unwrap().ends_with(".tmp/f") { &b"torn"[..] } else { b"" };
        fs::write(stray, torn).unwrap();
    }
    let mut found = root.found();
    found.sort();
    let mut expected = vec![
        format!("orphan-region {}", orphan.encoded_name()),
        "orphan-table other".to_owned(),
        "unknown-family g".to_owned(),
        "stray no store file".to_owned(),
        "stray file".to_owned(),
        "empty-store-file 11111111111111111111111111111111".to_owned(),
        "leftover f".to_owned(),
        "leftover data".to_owned(),
        "leftover s".to_owned(),
    ];
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(root.repair(), 9);
    assert!(root.check().findings.is_empty(), "{:#?}", root.check().findings);
    for stray in &strays {
        assert!(!stray.exists() && root.aside(stray).exists(), "{}", stray.display());
    }
    assert_eq!(fs::read(root.aside(&orphan_dir).join("f").join(FILE)).unwrap(), file);
}

/// Below `.hbck` nobody would find it; the next start moves it to the archive, where they do.
#[test]
fn what_others_have_files_of_stays_where_it_is() {
    let root = Root::new();
    let (orphan, orphan_dir) = with_orphan(&root);
    let region = orphan.encoded_name();
    let dirs = [
        ("t", orphan_dir),
        ("other", root.directory.path().join("data/default/other").join(&region)),
        ("u", root.directory.path().join(".tmp/data/default/u").join(&region)),
    ];
    let mut links = Vec::new();
    for ((table, dir), digit) in dirs.iter().zip(["6", "7", "8"]) {
        let file = digit.repeat(32);
        fs::create_dir_all(dir.join("f")).unwrap();
        fs::write(dir.join("f").join(&file), b"cells").unwrap();
        links.push(root.family_dir(0).join(format!("{table}={region}-{file}")));
    }
    links.iter().for_each(|link| fs::write(link, b"").unwrap());
    let report = root.check_by(false);
    let mut found = found_in(&report);
    found.sort();
    let orphan = format!("orphan-region {region}");
    assert_eq!(found, ["leftover data", orphan.as_str(), "orphan-table other"]);
    assert_eq!(report.repairs(Losses::Accepted).count(), 0);
    assert!(report.findings.iter().all(|finding| finding.message.contains("a link")), "{report:#?}");
    links.iter().for_each(|link| fs::remove_file(link).unwrap());
    assert_eq!(root.check_by(false).repairs(Losses::Accepted).count(), 3);
}

#[test]
fn what_others_have_files_of_is_looked_for_once() {
    let looks = |orphans: usize| {
        let root = Root::new();
        for number in 0..orphans {
            let family = root.directory.path().join(format!("data/default/o{number}/{FILE}/f"));
            fs::create_dir_all(&family).unwrap();
            fs::write(family.join(FILE), b"cells").unwrap();
        }
        let fs = FaultyFileSystem::new(Arc::new(LocalFileSystem));
        let faults = fs.faults();
        let dir = RootDir::new(Arc::new(fs), root.directory.path());
        let report = check_directory(&dir, CheckOptions { verifies_files: false }, &mut Silent).unwrap();
        assert_eq!(report.repairs(Losses::Accepted).count(), orphans, "{report:#?}");
        faults.reads()
    };
    // Each costs a look at itself, however many there are.
    let [few, more, many] = [10, 20, 30].map(looks);
    assert_eq!(many - more, more - few, "{few}, {more}, {many}");
}

#[test]
fn what_the_next_start_goes_on_with_is_left_alone() {
    let root = Root::new();
    let table = root.table.name.clone();
    let daughter =
        RegionInfo::new(table, Bytes::from_static(b"b"), Bytes::from_static(b"f"), 1_700_000_000_009);
    root.dir()
        .create_offspring(&daughter, &root.regions[1..2], &[Bytes::from_static(b"f")], &|_| None)
        .unwrap();
    let load = root.region_dir(0).join(".bulk_load/f");
    fs::create_dir_all(&load).unwrap();
    fs::write(load.join(FILE), b"loaded").unwrap();
    root.log_meta(region_edits(&root.regions[0], "OPEN"));
    let repairs = |root: &Root| {
        let report = root.check_by(false);
        let mut found = found_in(&report);
        found.sort();
        assert_eq!(found, ["leftover f".to_owned(), format!("orphan-region {}", daughter.encoded_name())]);
        report.repairs(Losses::Accepted).count()
    };
    assert_eq!(repairs(&root), 0);
    // Without a log nothing says that the load goes on.
    fs::remove_dir_all(root.directory.path().join("WALs/h,1,1")).unwrap();
    assert_eq!(repairs(&root), 1);
}

/// Its rows may be those that are missing: an empty region in their place would hide that.
#[test]
fn a_hole_is_not_filled_beside_a_region_that_nobody_knows_and_that_has_files() {
    let root = Root::new();
    root.log_meta(region_gone(&root.regions[1]));
    fs::write(root.region_dir(1).join(".regioninfo"), b"garbage").unwrap();
    let report = root.check();
    let encoded = root.regions[1].encoded_name();
    assert_eq!(found_in(&report), ["hole t".to_owned(), format!("orphan-region {encoded}")]);
    assert_eq!(report.repairs(Losses::Accepted).count(), 0);
}

#[test]
fn what_goes_aside_as_a_whole_is_not_repaired_before() {
    let root = Root::new();
    let (orphan, orphan_dir) = with_orphan(&root);
    let file = orphan_dir.join("f").join(FILE);
    fs::copy(root.family_dir(0).join(FILE), &file).unwrap();
    let mut bytes = fs::read(&file).unwrap();
    bytes[60] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let orphan = format!("orphan-region {}", orphan.encoded_name());
    assert_eq!(root.found(), [format!("damaged-file {FILE}"), orphan]);
    assert_eq!(root.repair_with(Losses::Accepted), 1);
    assert!(root.check().findings.is_empty(), "{:#?}", root.check().findings);
    assert_eq!(fs::read(root.aside(&file)).unwrap(), bytes);
}

#[test]
fn a_damaged_file_that_goes_aside_is_not_repaired_before() {
    let root = Root::new();
    let path = root.family_dir(0).join("a copy");
    let mut bytes = fs::read(root.family_dir(0).join(FILE)).unwrap();
    bytes[60] ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert_eq!(root.found(), ["damaged-file a copy", "stray a copy"]);
    assert_eq!(root.repair_with(Losses::Accepted), 1);
    assert!(root.check().findings.is_empty(), "{:#?}", root.check().findings);
    assert_eq!(fs::read(root.aside(&path)).unwrap(), bytes);
}

#[test]
fn what_meta_has_and_the_directory_lacks_is_made() {
    let root = Root::new();
    fs::remove_dir_all(root.region_dir(0)).unwrap();
    fs::remove_file(root.region_dir(1).join(".regioninfo")).unwrap();
    fs::remove_dir_all(root.dir().table_dir(&root.table.name).join(".tabledesc")).unwrap();
    let [first, second, _] = [0, 1, 2].map(|number| root.regions[number].encoded_name());
    let expected = [
        "descriptor-missing .tabledesc".to_owned(),
        format!("region-info-missing {second}"),
        format!("region-directory-missing {first}"),
    ];
    assert_eq!(root.found(), expected);
    assert_eq!(root.repair(), 3);
    assert!(root.check().findings.is_empty(), "{:#?}", root.check().findings);
    let table = root.dir().read_table_descriptor(&root.table.name).unwrap();
    assert_eq!(table.families[0].name, &b"f"[..]);
    let info = root.dir().read_region_info(&root.table.name, &second).unwrap();
    assert_eq!(info, root.regions[1]);
}

#[test]
fn references_and_links_that_lead_nowhere_are_found() {
    let root = Root::new();
    let gone = "33333333333333333333333333333333";
    let region = root.regions[0].encoded_name();
    let reference = root.family_dir(1).join(format!("{gone}.{region}"));
    let whole = finback_layout::Reference { split_row: b"b".to_vec(), half: finback_layout::Half::Top };
    fs::write(&reference, whole.encode()).unwrap();
    let link = root.family_dir(1).join(format!("t={region}-{gone}"));
    fs::write(&link, b"").unwrap();
    // These lead to the file of the first region.
    fs::write(root.family_dir(2).join(format!("{FILE}.{region}")), whole.encode()).unwrap();
    fs::write(root.family_dir(2).join(format!("t={region}-{FILE}")), b"").unwrap();
    let mut found = root.found();
    found.sort();
    assert_eq!(
        found,
        [format!("dangling-link t={region}-{gone}"), format!("lingering-reference {gone}.{region}")]
    );
    assert_eq!(root.repair(), 2);
    assert!(root.check().findings.is_empty());
    assert!(root.aside(&reference).exists() && root.aside(&link).exists());
    // One that says nothing may yet lead somewhere: it is not touched.
    fs::write(root.family_dir(2).join(format!("{FILE}.{region}")), b"PBUF?").unwrap();
    let report = root.check();
    assert_eq!(found_in(&report), [format!("lingering-reference {FILE}.{region}")]);
    assert_eq!(report.repairs(Losses::Refused).count(), 0);
}

/// A store file in the first region that says which MOB files it refers to.
fn write_referring_file(root: &Root, refs: &str) -> PathBuf {
    let path = root.family_dir(0).join("44444444444444444444444444444444");
    let parts = CellParts {
        row: b"a",
        family: b"f",
        qualifier: b"",
        timestamp: 1,
        type_code: CellType::Put.code(),
        value: b"value",
        tags: b"",
    };
    let file = LocalFileSystem.create_new(&path).unwrap();
    let mut writer = HFileWriter::new(file, &path, WriterOptions::default()).unwrap();
    writer.append(&Cell::parse(&parts.to_vec()).unwrap(), 1).unwrap();
    writer.append_file_info(b"MOB_FILE_REFS", refs.as_bytes());
    writer.finish(1).unwrap();
    path
}

#[test]
fn mob_files_that_are_referred_to_and_nowhere_are_found_and_no_others() {
    let family = ColumnFamilyDescriptor::with_defaults(b"f").with("IS_MOB", "true");
    let root = Root::with_family(family);
    let uuid = "576d886d16ff4d8e996c75d842dfbf8b";
    let name = |first: char| format!("{first}41d8cd98f00b204e9800998ecf8427e19700101{uuid}_{uuid}");
    let [served, archived, gone, orphan] = ['a', 'b', 'c', 'd'].map(name);
    let (dir, table) = (root.dir(), &root.table.name);
    let other = finback_cell::TableName::parse(b"ns:other").unwrap();
    let write = |file: PathBuf, content: &[u8]| {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    };
    let path = write_referring_file(&root, &format!("ns:other/{archived},{gone}//t/{served}"));
    let missing = "missing-mob-file 44444444444444444444444444444444";
    assert_eq!(root.found(), [missing; 3]);
    // A MOB file is a store file as others are.
    let bytes = fs::read(root.family_dir(0).join(FILE)).unwrap();
    write(dir.mob_family_dir(table, b"f").join(&served), &bytes);
    write(dir.archived_mob_family_dir(&other, b"f").join(&archived), &bytes);
    write(dir.mob_family_dir(table, b"f").join(&orphan), &bytes);
    write(dir.mob_temp_dir().join(&orphan), b"torn");
    let report = root.check();
    assert_eq!(found_in(&report), [missing]);
    assert!(report.findings[0].message.contains(&gone) && report.findings[0].path == path);
    assert_eq!((report.count(Severity::Problem), report.repairs(Losses::Refused).count()), (1, 0));
    write(dir.mob_family_dir(&other, b"f").join(&gone), &bytes);
    // A link keeps what it leads to in the archive.
    let link = |file: &str| format!("ns=other={}-{file}", finback_layout::mob_region(&other));
    for linked in [&archived, &orphan] {
        write(dir.mob_family_dir(table, b"f").join(link(linked)), b"");
    }
    assert_eq!(root.found(), [format!("dangling-link {}", link(&orphan))]);
    assert_eq!((root.repair(), root.found()), (1, Vec::new()));
}

#[test]
fn mob_files_may_be_gone_only_when_the_time_to_live_of_all_in_them_is_over() {
    let uuid = "576d886d16ff4d8e996c75d842dfbf8b";
    let of = |day: &str| format!("t/d41d8cd98f00b204e9800998ecf8427e{day}{uuid}_{uuid}");
    let family = || ColumnFamilyDescriptor::with_defaults(b"f");
    let found = |family: ColumnFamilyDescriptor, day: &str| {
        let root = Root::with_family(family);
        write_referring_file(&root, &of(day));
        root.found().len()
    };
    let of_a_week = || family().with("IS_MOB", "true").with("TTL", "604800");
    assert_eq!((found(of_a_week(), "20010203"), found(of_a_week(), "99991231")), (0, 1));
    let days_ago = |days: i64| {
        let moment = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(24 * days);
        moment.strftime("%Y%m%d").to_string()
    };
    // Wherever the server stood, and while midnight passes.
    assert_eq!((found(of_a_week(), &days_ago(7)), found(of_a_week(), &days_ago(9))), (1, 0));
    assert_eq!(found(of_a_week().with("MIN_VERSIONS", "1"), "20010203"), 1);
    assert_eq!(found(of_a_week().with("NEW_VERSION_BEHAVIOR", "true"), "20010203"), 1);
    assert_eq!(found(family().with("IS_MOB", "true"), "20010203"), 1);
    // One that has them no more, as far as new values go.
    assert_eq!((found(family(), "20010203"), found(family().with("IS_MOB", "false"), "20010203")), (1, 1));
}

#[test]
fn lists_of_store_files_are_compared() {
    let family = ColumnFamilyDescriptor::with_defaults(b"f").with("hbase.store.file-tracker.impl", "FILE");
    let root = Root::with_family(family);
    let list = |number: usize, files: &[(&str, u64)]| {
        let region = root.regions[number].encoded_name();
        root.dir().write_store_file_list(&root.table.name, &region, b"f", files.iter().copied()).unwrap();
    };
    // Without a list no region is opened that has files.
    let mut found = root.found();
    found.sort();
    assert_eq!(found, ["store-file-list .filelist"; 3]);
    list(0, &[(FILE, 100)]);
    list(1, &[(FILE, 100), ("44444444444444444444444444444444", 100)]);
    list(2, &[]);
    let mut found = root.found();
    found.sort();
    assert_eq!(
        found,
        ["store-file-list 44444444444444444444444444444444".to_owned(), format!("unlisted-file {FILE}")]
    );
    // HBase lists links and references with a size of 0.
    let other = root.regions[0].encoded_name();
    let (reference, link) = (format!("{FILE}.{other}"), format!("t={other}-{FILE}"));
    list(1, &[(FILE, 100), ("44444444444444444444444444444444", 0)]);
    list(2, &[(FILE, 100), (reference.as_str(), 0), (link.as_str(), 0)]);
    let mut found = root.found();
    found.sort();
    assert_eq!(found, [format!("store-file-list {reference}"), format!("store-file-list {link}")]);
    let report = root.check();
    let told = |name: &str| report.findings.iter().any(|finding| finding.message.contains(name));
    assert!(told("an empty file of that name"), "{:#?}", report.findings);
}

#[test]
fn damage_is_found_unless_nobody_wants_to_know() {
    let root = Root::new();
    let path = root.family_dir(0).join(FILE);
    let mut bytes = fs::read(&path).unwrap();
    bytes[50] ^= 1;
    fs::write(&path, bytes).unwrap();
    assert_eq!(root.found(), [format!("damaged-file {FILE}")]);
    assert!(root.check_by(false).is_sound());
    // A row of another region.
    let root = Root::new();
    let path = root.family_dir(0).join("55555555555555555555555555555555");
    write_rows(&LocalFileSystem, &path, WriterOptions::default(), [0x7a00_0000], b"v");
    assert_eq!(root.found(), ["damaged-file 55555555555555555555555555555555"]);
}

#[test]
fn an_empty_meta_makes_no_orphans() {
    let root = Root::new();
    let mut edits: Vec<_> = root.regions.iter().flat_map(region_gone).collect();
    edits.push((b"t".to_vec(), "table:state", None));
    root.log_meta(edits);
    let report = root.check();
    assert_eq!(found_in(&report), ["meta-unreadable meta"]);
    assert_eq!(report.repairs(Losses::Refused).count(), 0);
}

#[test]
fn snapshots_whose_files_are_gone_are_found() {
    let root = Root::new();
    let golden =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/hbase-2.5.11/snapshots/snap1");
    let snapshot = root.directory.path().join(".hbase-snapshot/snap1");
    fs::create_dir_all(&snapshot).unwrap();
    for entry in fs::read_dir(golden).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), snapshot.join(entry.file_name())).unwrap();
    }
    let report = root.check();
    assert_eq!((found_in(&report), report.snapshots), (vec!["snapshot-incomplete snap1".to_owned()], 1));
}

#[test]
fn the_report_is_json() {
    let root = Root::new();
    fs::write(root.family_dir(0).join("no \"store\" file"), b"x").unwrap();
    fs::remove_file(root.region_dir(1).join(".regioninfo")).unwrap();
    let report: CheckReport = root.check();
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!((&json["sound"], &json["problems"], &json["notes"]), (&false.into(), &1.into(), &1.into()));
    assert_eq!(json["findings"].as_array().unwrap().len(), 2);
    let kinds: Vec<_> = json["findings"].as_array().unwrap().iter().map(|finding| &finding["kind"]).collect();
    assert!(kinds.contains(&&"stray".into()) && kinds.contains(&&"region-info-missing".into()), "{kinds:?}");
}
