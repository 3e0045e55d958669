use super::*;
use finback_cell::cell::CellParts;
use finback_cell::{Bytes, Cell, CellType, RegionInfo};
use finback_fs::{MemFileSystem, write_file_durably};
use finback_hfile::{HFileWriter, WriterOptions};
use finback_layout::{FileLink, Half, Reference, mob_region, new_mob_file_name, new_store_file_name};
use std::sync::Arc;

const FAMILY: &[u8] = b"f";
const OTHER: &[u8] = b"g";
/// What a store file says that refers to none.
const NO_FILES: &[u8] = &[0];
const HOUR: Duration = Duration::from_secs(3600);

struct World {
    root: RootDir,
    sweeper: MobSweeper,
    begun: Instant,
}

impl World {
    fn new() -> Self {
        let root = RootDir::new(Arc::new(MemFileSystem::new()), "/hbase");
        root.initialize().unwrap();
        Self { sweeper: MobSweeper::new(root.clone(), HOUR, Arc::default()), root, begun: Instant::now() }
    }

    /// A table of one region, with two families.
    fn table(&self, name: &str, ttl: &str, min_versions: &str) -> RegionInfo {
        self.table_with(name, &[("TTL", ttl), ("MIN_VERSIONS", min_versions)])
    }

    /// The same; both families have these attributes.
    fn table_with(&self, name: &str, attributes: &[(&str, &str)]) -> RegionInfo {
        let info = RegionInfo::new(TableName::parse(name.as_bytes()).unwrap(), Bytes::new(), Bytes::new(), 1);
        let family = |name| {
            let family = ColumnFamilyDescriptor::with_defaults(name).with("IS_MOB", "true");
            attributes.iter().fold(family, |family, (key, value)| family.with(key, value))
        };
        let families = vec![family(FAMILY), family(OTHER)];
        let table = TableDescriptor { families, ..TableDescriptor::new(info.table.clone()) };
        self.root.create_table_dir(&table, std::slice::from_ref(&info)).unwrap();
        info
    }

    fn write(&self, dir: &std::path::Path, name: &str, content: &[u8]) {
        self.root.fs().create_dir_all(dir).unwrap();
        write_file_durably(&**self.root.fs(), &dir.join(name), content).unwrap();
    }

    /// A MOB file of that date.
    fn mob_file(&self, table: &TableName, family: &[u8], date: &str) -> String {
        let name = new_mob_file_name(b"", date, "0123456789abcdef0123456789abcdef").unwrap();
        self.write(&self.root.mob_family_dir(table, family), &name, b"large values");
        name
    }

    /// A store file of that name with a cell that has tags, which says that of MOB files, or nothing.
    fn store_file_named(&self, info: &RegionInfo, family: &[u8], name: &str, refs: Option<&[u8]>) {
        let file_info: Option<(&[u8], &[u8])> = refs.map(|refs| (&b"MOB_FILE_REFS"[..], refs));
        self.store_file_with(info, family, name, file_info.as_slice());
    }

    /// The same, with all of its file info.
    fn store_file_with(&self, info: &RegionInfo, family: &[u8], name: &str, file_info: &[(&[u8], &[u8])]) {
        let dir = self.root.family_dir(&info.table, &info.encoded_name(), family);
        let (path, fs) = (dir.join(name), self.root.fs());
        fs.create_dir_all(&dir).unwrap();
        let file = fs.create_new(&path).unwrap();
        let options = WriterOptions { include_tags: true, ..WriterOptions::default() };
        let mut writer = HFileWriter::new(file, &path, options).unwrap();
        let parts = CellParts {
            row: b"row",
            family,
            qualifier: b"q",
            timestamp: 1,
            type_code: CellType::Put.code(),
            value: b"value",
            tags: &[0, 1, 5],
        };
        writer.append(&Cell::parse(&parts.to_vec()).unwrap(), 0).unwrap();
        file_info.iter().for_each(|(key, value)| writer.append_file_info(key, value));
        writer.finish(0).unwrap();
    }

    fn store_file(&self, info: &RegionInfo, family: &[u8], refs: Option<&[u8]>) -> String {
        let name = new_store_file_name().unwrap();
        self.store_file_named(info, family, &name, refs);
        name
    }

    fn remove_store_file(&self, info: &RegionInfo, family: &[u8], name: &str) {
        let dir = self.root.family_dir(&info.table, &info.encoded_name(), family);
        self.root.fs().remove_file(&dir.join(name)).unwrap();
    }

    /// So long after the world began.
    fn sweep_after(&self, after: Duration) -> MobSwept {
        self.sweep_at(self.begun + after, SystemTime::now() + after, 0)
    }

    fn sweep_at(&self, now: Instant, time: SystemTime, utc_offset_ms: i64) -> MobSwept {
        let (utc_offset_ms, is_stopping) = (move |_: i64| utc_offset_ms, || false);
        self.sweeper.sweep(&Look {
            now,
            time,
            utc_offset_ms: &utc_offset_ms,
            is_stopping: &is_stopping,
            is_served: &|_| true,
        })
    }

    /// Twice, so that everything goes that nothing refers to.
    fn sweep_for_good(&self) -> MobSwept {
        self.sweep_after(2 * HOUR);
        self.sweep_after(4 * HOUR)
    }

    fn mob_files(&self, table: &TableName, family: &[u8]) -> Vec<String> {
        let files = self.root.list_mob_files(table, family).unwrap();
        files.into_iter().map(|file| file.name).collect()
    }

    fn is_archived(&self, table: &TableName, family: &[u8], name: &str) -> bool {
        self.root.fs().exists(&self.root.archived_mob_family_dir(table, family).join(name)).unwrap()
    }
}

fn refs(table: &TableName, names: &[&str]) -> Vec<u8> {
    format!("{table}/{}", names.join(",")).into_bytes()
}

fn swept(unreferenced: u64, expired: u64, waiting: u64) -> MobSwept {
    MobSwept { unreferenced, expired, waiting }
}

#[test]
fn a_file_goes_when_it_is_old_and_has_been_unreferenced_for_as_long() {
    let world = World::new();
    let info = world.table("t", "FOREVER", "0");
    let [kept, unneeded] = ["20260101", "20260102"].map(|date| world.mob_file(&info.table, FAMILY, date));
    world.store_file(&info, FAMILY, Some(&refs(&info.table, &[&kept])));
    assert_eq!(world.sweep_after(Duration::ZERO), swept(0, 0, 0), "it is young");
    assert_eq!(world.sweep_after(2 * HOUR), swept(0, 0, 1), "it may be about to be referred to");
    assert_eq!(world.sweep_after(3 * HOUR - Duration::from_secs(1)), swept(0, 0, 1));
    assert_eq!(world.mob_files(&info.table, FAMILY).len(), 2);
    assert_eq!(world.sweep_after(3 * HOUR), swept(1, 0, 0));
    assert_eq!(world.mob_files(&info.table, FAMILY), [kept]);
    assert!(world.is_archived(&info.table, FAMILY, &unneeded));
    assert_eq!(world.sweep_after(9 * HOUR), swept(0, 0, 0));
}

#[test]
fn a_file_that_is_referred_to_at_the_second_look_stays() {
    let world = World::new();
    let info = world.table("t", "FOREVER", "0");
    let late = world.mob_file(&info.table, FAMILY, "20260101");
    assert_eq!(world.sweep_after(2 * HOUR), swept(0, 0, 1));
    let store_file = world.store_file(&info, FAMILY, Some(&refs(&info.table, &[&late])));
    assert_eq!(world.sweep_after(4 * HOUR), swept(0, 0, 0));
    world.remove_store_file(&info, FAMILY, &store_file);
    assert_eq!(world.sweep_after(6 * HOUR), swept(0, 0, 1), "the first look counts no longer");
    assert_eq!(world.mob_files(&info.table, FAMILY), [late]);
}

#[test]
fn a_file_from_the_future_stays() {
    let world = World::new();
    let info = world.table("t", "FOREVER", "0");
    world.mob_file(&info.table, FAMILY, "20260101");
    for hours in [2, 4, 6] {
        let past = SystemTime::now() - 10 * HOUR;
        assert_eq!(world.sweep_at(world.begun + hours * HOUR, past, 0), swept(0, 0, 0));
    }
}

#[test]
fn what_is_no_mob_file_stays() {
    let world = World::new();
    let info = world.table("t", "1", "0");
    world.write(&world.root.mob_family_dir(&info.table, FAMILY), "notes.txt", b"of somebody");
    assert_eq!(world.sweep_for_good(), swept(0, 0, 0));
    assert_eq!(world.mob_files(&info.table, FAMILY), ["notes.txt"]);
}

#[test]
fn all_regions_on_the_disk_count_and_what_their_files_lead_to() {
    let world = World::new();
    let info = world.table("t", "FOREVER", "0");
    let [of_parent, of_sibling, unneeded] =
        ["20260101", "20260102", "20260103"].map(|date| world.mob_file(&info.table, FAMILY, date));
    // Of a region that was split, whose file is in the archive, and of one that is in no catalogue.
    let file = world.store_file(&info, FAMILY, Some(&refs(&info.table, &[&of_parent])));
    let parent = info.encoded_name();
    world.root.archive_store_file(&info.table, &parent, FAMILY, &file).unwrap();
    let daughter = RegionInfo::new(info.table.clone(), Bytes::new(), Bytes::from_static(b"m"), 2);
    let reference = Reference { split_row: b"m".to_vec(), half: Half::Bottom }.encode();
    let dir = world.root.family_dir(&info.table, &daughter.encoded_name(), FAMILY);
    world.write(&dir, &format!("{file}.{parent}"), &reference);
    let sibling = RegionInfo::new(info.table.clone(), Bytes::from_static(b"m"), Bytes::new(), 3);
    world.store_file(&sibling, FAMILY, Some(&refs(&info.table, &[&of_sibling])));
    assert_eq!(world.sweep_for_good(), swept(1, 0, 0));
    assert!(world.is_archived(&info.table, FAMILY, &unneeded));
    assert_eq!(world.mob_files(&info.table, FAMILY).len(), 2);
}

#[test]
fn a_store_file_that_does_not_say_keeps_the_files_of_its_family() {
    let world = World::new();
    let info = world.table("t", "FOREVER", "0");
    for family in [FAMILY, OTHER] {
        world.mob_file(&info.table, family, "20260101");
        world.store_file(&info, family, Some(NO_FILES));
    }
    let silent = world.store_file(&info, FAMILY, None);
    assert_eq!(world.sweep_for_good(), swept(1, 0, 0));
    assert_eq!(world.mob_files(&info.table, FAMILY).len(), 1);
    assert_eq!(world.mob_files(&info.table, OTHER).len(), 0);
    world.remove_store_file(&info, FAMILY, &silent);
    assert_eq!(world.sweep_for_good(), swept(1, 0, 0));
}

#[test]
fn a_file_whose_cells_have_no_tags_refers_to_none() {
    let world = World::new();
    let info = world.table("t", "FOREVER", "0");
    world.mob_file(&info.table, FAMILY, "20260101");
    let dir = world.root.family_dir(&info.table, &info.encoded_name(), FAMILY);
    let path = dir.join(new_store_file_name().unwrap());
    let file = world.root.fs().create_new(&path).unwrap();
    HFileWriter::new(file, &path, WriterOptions::default()).unwrap().finish(0).unwrap();
    assert_eq!(world.sweep_for_good(), swept(1, 0, 0));
}

/// HBase's MOB compactions loaded files with references, once.
#[test]
fn a_file_that_was_bulk_loaded_does_not_say_unless_a_tool_of_hbase_made_it() {
    let world = World::new();
    let info = world.table("t", "FOREVER", "0");
    world.mob_file(&info.table, FAMILY, "20260101");
    let loaded = || format!("{}_SeqId_7_", new_store_file_name().unwrap());
    let time: (&[u8], &[u8]) = (b"BULKLOAD_TIMESTAMP", &[0, 0, 0, 0, 0, 0, 0, 7]);
    let task: (&[u8], &[u8]) = (b"BULKLOAD_SOURCE_TASK", b"attempt_1_r_0");
    world.store_file_with(&info, FAMILY, &loaded(), &[task, time]);
    let silent: [&[(&[u8], &[u8])]; 2] = [&[], &[time]];
    for file_info in silent {
        let name = loaded();
        world.store_file_with(&info, FAMILY, &name, file_info);
        assert_eq!(world.sweep_for_good(), swept(0, 0, 0), "{file_info:?}");
        assert_eq!(world.mob_files(&info.table, FAMILY).len(), 1);
        world.remove_store_file(&info, FAMILY, &name);
    }
    assert_eq!(world.sweep_for_good(), swept(1, 0, 0));
}

#[test]
fn what_cannot_be_read_keeps_the_files_of_its_table() {
    let world = World::new();
    let infos = ["t", "u"].map(|name| world.table(name, "FOREVER", "0"));
    infos.iter().for_each(|info| drop(world.mob_file(&info.table, FAMILY, "20260101")));
    let name = new_store_file_name().unwrap();
    let dir = world.root.family_dir(&infos[0].table, &infos[0].encoded_name(), FAMILY);
    world.write(&dir, &name, b"no store file");
    assert_eq!(world.sweep_for_good(), swept(1, 0, 0));
    assert_eq!(world.mob_files(&infos[0].table, FAMILY).len(), 1);
    world.remove_store_file(&infos[0], FAMILY, &name);
    // Nor do references count that make no sense.
    let nonsense = world.store_file(&infos[0], FAMILY, Some(b"no table and no names"));
    assert_eq!(world.sweep_for_good(), swept(0, 0, 0));
    world.remove_store_file(&infos[0], FAMILY, &nonsense);
    assert_eq!(world.sweep_for_good(), swept(1, 0, 0));
}

#[test]
fn a_clone_keeps_its_links_and_not_the_files_of_its_original() {
    let world = World::new();
    let [original, clone] = ["ns:t", "clone"].map(|name| world.table(name, "FOREVER", "0"));
    let name = world.mob_file(&original.table, FAMILY, "20260101");
    let region = mob_region(&original.table);
    let link = FileLink { table: original.table.clone(), region: &region, file: &name }.to_string();
    world.write(&world.root.mob_family_dir(&clone.table, FAMILY), &link, b"");
    let store_file = world.store_file(&clone, FAMILY, Some(&refs(&original.table, &[&name])));
    assert_eq!(world.sweep_for_good(), swept(1, 0, 0));
    assert!(world.is_archived(&original.table, FAMILY, &name), "where the link leads to it");
    assert_eq!(world.mob_files(&clone.table, FAMILY), [link.as_str()]);
    world.remove_store_file(&clone, FAMILY, &store_file);
    assert_eq!(world.sweep_for_good(), swept(1, 0, 0));
    assert_eq!(world.mob_files(&clone.table, FAMILY), [""; 0]);
}

/// As in a table that was restored.
#[test]
fn a_file_and_a_link_to_it_in_the_same_directory_stay_and_go_together() {
    let world = World::new();
    let info = world.table("t", "FOREVER", "0");
    let name = world.mob_file(&info.table, FAMILY, "20260101");
    let region = mob_region(&info.table);
    let link = FileLink { table: info.table.clone(), region: &region, file: &name }.to_string();
    world.write(&world.root.mob_family_dir(&info.table, FAMILY), &link, b"");
    let store_file = world.store_file(&info, FAMILY, Some(&refs(&info.table, &[&name])));
    assert_eq!(world.sweep_for_good(), swept(0, 0, 0));
    assert_eq!(world.mob_files(&info.table, FAMILY), [name.as_str(), link.as_str()]);
    world.remove_store_file(&info, FAMILY, &store_file);
    assert_eq!(world.sweep_after(6 * HOUR), swept(0, 0, 2));
    assert_eq!(world.sweep_after(8 * HOUR), swept(2, 0, 0));
    assert_eq!(world.mob_files(&info.table, FAMILY), [""; 0]);
}

#[test]
fn a_table_without_a_descriptor_is_left_to_its_makers() {
    let world = World::new();
    let info = RegionInfo::new(TableName::parse(b"half").unwrap(), Bytes::new(), Bytes::new(), 1);
    let dir = world.root.family_dir(&info.table, &info.encoded_name(), FAMILY);
    world.root.fs().create_dir_all(&dir).unwrap();
    world.mob_file(&info.table, FAMILY, "20260101");
    assert_eq!(world.sweep_for_good(), swept(0, 0, 0));
    assert_eq!(world.mob_files(&info.table, FAMILY).len(), 1);
}

#[test]
fn files_go_whose_day_is_over_for_longer_than_values_live() {
    // Two days before, of which one is for the zones, are the last of February: 2100 has no 29th.
    let noon = UNIX_EPOCH + Duration::from_millis(4_107_672_000_000);
    let left = |attributes: &[(&str, &str)], utc_offset_hours: i64| {
        let world = World::new();
        let info = world.table_with("t", attributes);
        let names = ["21000226", "21000227", "21000228", "21000302"]
            .map(|date| world.mob_file(&info.table, FAMILY, date));
        let all = names.each_ref().map(String::as_str);
        world.store_file(&info, FAMILY, Some(&refs(&info.table, &all)));
        let swept = world.sweep_at(world.begun, noon, utc_offset_hours * 3600 * 1000);
        let left: Vec<_> =
            names.iter().filter(|name| !world.is_archived(&info.table, FAMILY, name)).collect();
        assert_eq!((swept.expired as usize, swept.unreferenced), (names.len() - left.len(), 0));
        assert_eq!(world.mob_files(&info.table, FAMILY).len(), left.len());
        left.len()
    };
    let day = ("TTL", "86400");
    assert_eq!(left(&[day], 0), 2, "of the 28th something may be alive");
    assert_eq!(left(&[day], -13), 3, "it was the 27th there");
    assert_eq!(left(&[day], 13), 1, "it was the 1st there");
    assert_eq!(left(&[day, ("MIN_VERSIONS", "1")], 0), 4, "a version stays, however old");
    assert_eq!(left(&[day, ("NEW_VERSION_BEHAVIOR", "true")], 0), 4, "it counts as a version");
    assert_eq!(left(&[("TTL", "FOREVER")], 0), 4);
}

#[test]
fn a_server_that_goes_down_sweeps_nothing() {
    let world = World::new();
    let info = world.table("t", "FOREVER", "0");
    world.mob_file(&info.table, FAMILY, "20260101");
    world.store_file(&info, FAMILY, Some(NO_FILES));
    assert_eq!(world.sweep_after(2 * HOUR), swept(0, 0, 1));
    let (now, time) = (world.begun + 4 * HOUR, SystemTime::now() + 4 * HOUR);
    let look = Look { now, time, utc_offset_ms: &|_| 0, is_stopping: &|| true, is_served: &|_| true };
    assert_eq!(world.sweeper.sweep(&look), swept(0, 0, 1));
    assert_eq!(world.mob_files(&info.table, FAMILY).len(), 1);
}

/// What its new regions refer to is not seen by who has looked before they were there.
#[test]
fn a_table_that_may_be_restored_keeps_all() {
    let world = World::new();
    let info = world.table("t", "FOREVER", "0");
    world.mob_file(&info.table, FAMILY, "20260101");
    world.store_file(&info, FAMILY, Some(NO_FILES));
    assert_eq!(world.sweep_after(2 * HOUR), swept(0, 0, 1));
    let (now, time) = (world.begun + 4 * HOUR, SystemTime::now() + 4 * HOUR);
    // It is disabled before, and then while it is looked at.
    for looks in [0, 1] {
        let asked = std::cell::Cell::new(0);
        let is_served = |_: &TableName| asked.replace(asked.get() + 1) < looks;
        let look = Look { now, time, utc_offset_ms: &|_| 0, is_stopping: &|| false, is_served: &is_served };
        assert_eq!(world.sweeper.sweep(&look).unreferenced, 0);
        assert_eq!(world.mob_files(&info.table, FAMILY).len(), 1);
    }
}

/// A table that cannot be looked through keeps what is known of its files.
#[test]
fn a_file_that_has_waited_has_not_waited_in_vain() {
    let world = World::new();
    let info = world.table("t", "FOREVER", "0");
    world.mob_file(&info.table, FAMILY, "20260101");
    world.store_file(&info, FAMILY, Some(NO_FILES));
    assert_eq!(world.sweep_after(2 * HOUR), swept(0, 0, 1));
    let bad = world.store_file(&info, FAMILY, Some(b"no table and no names"));
    assert_eq!(world.sweep_after(4 * HOUR).unreferenced, 0);
    world.remove_store_file(&info, FAMILY, &bad);
    assert_eq!(world.sweep_after(4 * HOUR), swept(1, 0, 0));
}
