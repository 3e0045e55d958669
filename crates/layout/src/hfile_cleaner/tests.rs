use std::sync::Arc;

use finback_cell::{ColumnFamilyDescriptor, RegionInfo, TableDescriptor};
use finback_fs::{MemFileSystem, write_file_durably};
use finback_proto::pb;

use super::*;

const FILE: &str = "576d886d16ff4d8e996c75d842dfbf8b";
const TTL: Duration = Duration::from_secs(300);

fn later() -> SystemTime {
    SystemTime::now() + 2 * TTL
}

fn snapshot() -> pb::SnapshotDescription {
    pb::SnapshotDescription {
        name: "s".into(),
        table: Some("t".into()),
        version: Some(2),
        ..Default::default()
    }
}

/// A table with a region that has a file, and what its clone will be.
struct World {
    root: RootDir,
    table: TableDescriptor,
    region: RegionInfo,
    clone: TableDescriptor,
    cloned: RegionInfo,
}

impl World {
    fn new() -> Self {
        let root = RootDir::new(Arc::new(MemFileSystem::new()), "/hbase");
        let table = |name: &[u8]| {
            let mut table = TableDescriptor::new(TableName::parse(name).unwrap());
            table.families.push(ColumnFamilyDescriptor::with_defaults(b"f"));
            table
        };
        let (table, clone) = (table(b"t"), table(b"ns:c"));
        let region = RegionInfo::new(table.name.clone(), "".into(), "".into(), 7);
        let cloned = RegionInfo::new(clone.name.clone(), "".into(), "".into(), 8);
        root.create_table_dir(&table, std::slice::from_ref(&region)).unwrap();
        let dir = root.family_dir(&table.name, &region.encoded_name(), b"f");
        root.fs().create_dir_all(&dir).unwrap();
        write_file_durably(&**root.fs(), &dir.join(FILE), b"cells").unwrap();
        Self { root, table, region, clone, cloned }
    }

    fn take(&self) {
        self.root.begin_snapshot(&snapshot()).unwrap();
        self.root.add_region_to_snapshot("s", &self.table, &self.region, None).unwrap();
        self.root.complete_snapshot(&snapshot(), &self.table, std::slice::from_ref(&self.region)).unwrap();
    }

    fn make_clone(&self) {
        self.root.create_table_dir(&self.clone, &[]).unwrap();
        let pair = [(self.region.clone(), self.cloned.clone())];
        self.root.make_regions_of_snapshot(&snapshot(), &self.clone, &pair).unwrap();
    }

    fn clean(&self) -> u64 {
        self.root.clean_archive(later(), TTL).unwrap().files
    }

    fn archived(&self) -> PathBuf {
        self.root.archived_family_dir(&self.table.name, &self.region.encoded_name(), b"f").join(FILE)
    }

    fn is_kept(&self) -> bool {
        self.root.fs().exists(&self.archived()).unwrap()
    }
}

#[test]
fn what_nothing_needs_goes_when_it_is_old_enough() {
    let world = World::new();
    world.root.archive_table(&world.table.name).unwrap();
    let cleaned = world.root.clean_archive(SystemTime::now(), TTL).unwrap();
    assert_eq!((cleaned, world.is_kept()), (Cleaned::default(), true));
    let cleaned = world.root.clean_archive(later(), TTL).unwrap();
    assert_eq!((cleaned, world.is_kept()), (Cleaned { files: 1, bytes: 5 }, false));
    assert!(world.root.list_if_exists(&world.root.archive_dir().join("data")).unwrap().is_empty());
    assert_eq!(world.clean(), 0);
}

#[test]
fn what_a_snapshot_names_stays_as_long_as_the_snapshot() {
    let world = World::new();
    world.take();
    world.root.archive_table(&world.table.name).unwrap();
    assert_eq!((world.clean(), world.is_kept()), (0, true));
    world.root.delete_snapshot("s").unwrap();
    assert_eq!((world.clean(), world.is_kept()), (1, false));
}

#[test]
fn one_that_is_being_taken_counts() {
    let world = World::new();
    world.root.begin_snapshot(&snapshot()).unwrap();
    world.root.add_region_to_snapshot("s", &world.table, &world.region, None).unwrap();
    world.root.archive_region(&world.table.name, &world.region.encoded_name()).unwrap();
    assert_eq!((world.clean(), world.is_kept()), (0, true));
    world.root.discard_snapshot("s").unwrap();
    assert_eq!((world.clean(), world.is_kept()), (1, false));
}

#[test]
fn a_snapshot_that_cannot_be_read_may_need_anything() {
    let world = World::new();
    world.take();
    world.root.archive_table(&world.table.name).unwrap();
    let manifest = world.root.snapshot_dir("s").unwrap().join("data.manifest");
    write_file_durably(&**world.root.fs(), &manifest, b"garbage").unwrap();
    assert!(world.root.clean_archive(later(), TTL).is_err());
    assert!(world.is_kept());
}

#[test]
fn a_directory_that_is_no_snapshot_is_in_nobodys_way() {
    let world = World::new();
    world.take();
    world.root.archive_table(&world.table.name).unwrap();
    world.root.fs().create_dir_all(&world.root.snapshot_dir("mistake").unwrap()).unwrap();
    assert_eq!((world.clean(), world.is_kept()), (0, true));
    world.root.delete_snapshot("s").unwrap();
    assert_eq!((world.clean(), world.is_kept()), (1, false));
}

#[test]
fn what_a_link_leads_to_stays_as_long_as_the_link() {
    let world = World::new();
    world.take();
    world.make_clone();
    world.root.delete_snapshot("s").unwrap();
    world.root.archive_table(&world.table.name).unwrap();
    assert_eq!((world.clean(), world.is_kept()), (0, true));
    // Without the back reference as well: the link itself counts.
    let links = world.archived().with_file_name(format!("{LINKS_PREFIX}{FILE}"));
    world.root.fs().remove_dir_all(&links).unwrap();
    assert_eq!((world.clean(), world.is_kept()), (0, true));
    world.root.archive_table(&world.clone.name).unwrap();
    // The link in the archive, and what it led to.
    assert_eq!((world.clean(), world.is_kept()), (2, false));
}

#[test]
fn a_back_reference_goes_when_its_link_is_gone() {
    let world = World::new();
    world.take();
    world.make_clone();
    world.root.delete_snapshot("s").unwrap();
    let links = world.archived().with_file_name(format!("{LINKS_PREFIX}{FILE}"));
    // The file itself is in its place.
    assert_eq!(world.clean(), 0);
    assert_eq!(world.root.fs().list(&links).unwrap().len(), 1);
    world.root.archive_table(&world.clone.name).unwrap();
    assert_eq!(world.clean(), 2, "the archived link, and the back reference");
    assert!(!world.root.fs().exists(&links).unwrap());
    assert!(world.root.list_if_exists(&world.root.archive_dir().join("data")).unwrap().is_empty());
}

#[test]
fn a_reference_keeps_what_it_leads_to() {
    let world = World::new();
    let merged = RegionInfo { region_id: 9, ..world.region.clone() };
    world
        .root
        .create_offspring(&merged, std::slice::from_ref(&world.region), &["f".into()], &|_| None)
        .unwrap();
    // As HBase restores merged regions: what they came of is in the archive alone.
    world.root.archive_region(&world.table.name, &world.region.encoded_name()).unwrap();
    assert_eq!((world.clean(), world.is_kept()), (0, true));
    world.root.archive_region(&world.table.name, &merged.encoded_name()).unwrap();
    assert_eq!((world.clean(), world.is_kept()), (2, false));
}

/// Two of a region that begins with the first row: half of their names is the same.
const MOB_FILE: &str = "d41d8cd98f00b204e9800998ecf8427e1970010192e5c125ae884bc68d9955e11bdd9611_f7638a2682b13d19ae8314e04fbc5f33";
const OTHER_MOB_FILE: &str = "d41d8cd98f00b204e9800998ecf8427e1970010102e5c125ae884bc68d9955e11bdd9611_f7638a2682b13d19ae8314e04fbc5f33";

impl World {
    fn with_mob_file() -> Self {
        let world = Self::new();
        world.write_mob_file(MOB_FILE);
        world
    }

    fn write_mob_file(&self, name: &str) {
        let dir = self.root.mob_family_dir(&self.table.name, b"f");
        self.root.fs().create_dir_all(&dir).unwrap();
        write_file_durably(&**self.root.fs(), &dir.join(name), b"values").unwrap();
    }

    fn has_mob_file(&self, name: &str) -> bool {
        let archived = self.root.archived_mob_family_dir(&self.table.name, b"f").join(name);
        self.root.fs().exists(&archived).unwrap()
    }
}

#[test]
fn mob_files_of_a_snapshot_stay_and_no_others() {
    let world = World::with_mob_file();
    world.take();
    world.write_mob_file(OTHER_MOB_FILE);
    world.root.archive_table(&world.table.name).unwrap();
    assert_eq!((world.clean(), world.has_mob_file(OTHER_MOB_FILE)), (1, false));
    assert!(world.has_mob_file(MOB_FILE) && world.is_kept());
    world.root.delete_snapshot("s").unwrap();
    assert_eq!((world.clean(), world.has_mob_file(MOB_FILE)), (2, false));
}

#[test]
fn mob_files_of_a_snapshot_that_is_being_taken_count() {
    let world = World::with_mob_file();
    world.root.begin_snapshot(&snapshot()).unwrap();
    world.root.add_mob_files_to_snapshot("s", &world.table).unwrap();
    world.root.archive_mob_file(&world.table.name, b"f", MOB_FILE).unwrap();
    assert_eq!((world.clean(), world.has_mob_file(MOB_FILE)), (0, true));
    world.root.discard_snapshot("s").unwrap();
    assert_eq!((world.clean(), world.has_mob_file(MOB_FILE)), (1, false));
}

#[test]
fn mob_files_stay_as_long_as_a_clone_has_links_to_them() {
    let world = World::with_mob_file();
    world.take();
    world.make_clone();
    world.root.delete_snapshot("s").unwrap();
    world.root.archive_table(&world.table.name).unwrap();
    assert_eq!((world.clean(), world.has_mob_file(MOB_FILE)), (0, true));
    // Without the back reference as well.
    let archived = world.root.archived_mob_family_dir(&world.table.name, b"f");
    let links = archived.join(format!("{LINKS_PREFIX}{MOB_FILE}"));
    assert_eq!(world.root.fs().list(&links).unwrap().len(), 1);
    world.root.fs().remove_dir_all(&links).unwrap();
    assert_eq!((world.clean(), world.has_mob_file(MOB_FILE)), (0, true));
    world.root.archive_table(&world.clone.name).unwrap();
    // The files, their links in the archive, and the back reference of the store file.
    while world.clean() > 0 {}
    assert!(!world.has_mob_file(MOB_FILE) && !world.is_kept());
    assert!(world.root.list_if_exists(&world.root.archive_dir().join("data")).unwrap().is_empty());
}

fn has_files_of_others(world: &World, dir: &Path) -> bool {
    world.root.has_files_of_others(dir, &world.root.kept_files().unwrap()).unwrap()
}

#[test]
fn a_directory_has_files_of_others_where_a_snapshot_or_a_region_elsewhere_leads_there() {
    let world = World::new();
    let (table, region) = (&world.table.name, &world.region);
    let is_needed = || {
        let dir = world.root.region_dir(table, &region.encoded_name());
        has_files_of_others(&world, &dir)
    };
    assert!(!is_needed());
    let merged = RegionInfo { region_id: 9, ..region.clone() };
    world.root.create_offspring(&merged, std::slice::from_ref(region), &["f".into()], &|_| None).unwrap();
    assert!(is_needed());
    // The table as a whole has both.
    assert!(!has_files_of_others(&world, &world.root.table_dir(table)));
    world.root.archive_region(table, &merged.encoded_name()).unwrap();
    assert!(!is_needed());
    world.take();
    assert!(is_needed());
    assert!(has_files_of_others(&world, &world.root.table_dir(table)));
}

#[test]
fn what_a_directory_leads_to_itself_is_of_others_too_if_they_lead_there() {
    let world = World::new();
    let table = &world.table.name;
    world.take();
    world.make_clone();
    world.root.delete_snapshot("s").unwrap();
    let merged = RegionInfo { region_id: 9, ..world.region.clone() };
    world
        .root
        .create_offspring(&merged, std::slice::from_ref(&world.region), &["f".into()], &|_| None)
        .unwrap();
    let of_table = world.root.table_dir(table);
    assert!(has_files_of_others(&world, &of_table));
    assert!(has_files_of_others(&world, of_table.parent().unwrap()));
    assert!(!has_files_of_others(&world, &world.root.data_dir()));
    world.root.archive_table(&world.clone.name).unwrap();
    assert!(!has_files_of_others(&world, &of_table));
    assert!(has_files_of_others(&world, &world.root.region_dir(table, &world.region.encoded_name())));
}

#[test]
fn what_hbase_archives_along_with_a_family_goes_too() {
    let world = World::new();
    let family = world.archived().parent().unwrap().to_owned();
    let along = [family.join(".filelist/f1.1700000000000"), family.join(format!("recovered.hfiles/{FILE}"))];
    for path in &along {
        world.root.fs().create_dir_all(path.parent().unwrap()).unwrap();
        write_file_durably(&**world.root.fs(), path, b"list").unwrap();
    }
    assert_eq!(world.root.clean_archive(SystemTime::now(), TTL).unwrap(), Cleaned::default());
    assert!(along.iter().all(|path| world.root.fs().exists(path).unwrap()));
    assert_eq!(world.clean(), 2);
    assert!(world.root.list_if_exists(&world.root.archive_dir().join("data")).unwrap().is_empty());
}

#[test]
fn a_file_that_was_archived_late_is_as_old_as_its_time_there() {
    let world = World::new();
    let before = SystemTime::now();
    world.root.archive_table(&world.table.name).unwrap();
    assert!(world.root.fs().metadata(&world.archived()).unwrap().modified >= before);
}
