//! Values in files of their own, which belong to the table and not to a region.

use super::*;
use crate::mob_region;

/// Of regions that begin with the first row: all but the digits at 40 and behind are the same.
const MOB_FILE: &str = "d41d8cd98f00b204e9800998ecf8427e1970010192e5c125ae884bc68d9955e11bdd9611_f7638a2682b13d19ae8314e04fbc5f33";
const OTHER: &str = "d41d8cd98f00b204e9800998ecf8427e1970010102e5c125ae884bc68d9955e11bdd9611_f7638a2682b13d19ae8314e04fbc5f33";

/// A table with large values in `f`, of which one region has a store file.
fn with_mob_table(root: &RootDir) -> (TableDescriptor, RegionInfo) {
    let (table, region) = with_table(root);
    let of = |name: &[u8]| finback_cell::ColumnFamilyDescriptor::with_defaults(name);
    (table.with_family(of(b"f").with("IS_MOB", "true")).with_family(of(b"g")), region)
}

fn write_mob_file(root: &RootDir, table: &TableDescriptor, family: &[u8], name: &str) {
    write(root, root.mob_family_dir(&table.name, family).join(name), b"values");
}

/// The names of the MOB files in a family's directory.
fn there(root: &RootDir, table: &TableDescriptor) -> Vec<String> {
    let entries = root.list_mob_files(&table.name, b"f").unwrap();
    entries.into_iter().map(|entry| entry.name).collect()
}

fn named(root: &RootDir) -> Vec<(String, Option<u64>)> {
    let manifest = root.read_snapshot_manifest("s").unwrap();
    root.verify_snapshot("s", &manifest.table.name, &manifest).unwrap();
    let [family] = &manifest.mob_files().unwrap().families[..] else { panic!("one family") };
    assert_eq!(family.name, "f");
    family.files.iter().map(|file| (file.name.clone(), file.size)).collect()
}

#[test]
fn are_named_as_those_of_one_region_more() {
    let root = root();
    let (table, region) = with_mob_table(&root);
    take(&root, "none", &table, &region).unwrap();
    let manifest = root.read_snapshot_manifest("none").unwrap();
    let mob_files = manifest.mob_files().unwrap();
    assert_eq!(mob_files.region.encoded_name(), mob_region(&table.name));
    assert!(mob_files.families.is_empty(), "{mob_files:?}");
    assert_eq!(manifest.table_regions().count(), 1);
    write_mob_file(&root, &table, b"f", MOB_FILE);
    for nobodys in ["README", &format!("{MOB_FILE}.{FILE}")] {
        write_mob_file(&root, &table, b"f", nobodys);
    }
    take(&root, "s", &table, &region).unwrap();
    assert_eq!(named(&root), [(MOB_FILE.to_owned(), Some(6))]);
    let names: Vec<_> = root.fs().list(&root.snapshot_dir("s").unwrap()).unwrap();
    assert_eq!(names.len(), 2, "no part is left: {names:?}");
    // A table that never had any.
    let (table, region) = with_table(&root);
    root.delete_snapshot("s").unwrap();
    take(&root, "s", &table, &region).unwrap();
    assert_eq!(root.read_snapshot_manifest("s").unwrap().mob_files(), None);
}

/// A compaction writes values anew that a store file of the snapshot has references to.
#[test]
fn are_those_that_were_there_when_it_was_begun_and_those_that_have_come_since() {
    let root = root();
    let (table, region) = with_mob_table(&root);
    write_mob_file(&root, &table, b"f", MOB_FILE);
    root.begin_snapshot(&description("s")).unwrap();
    root.add_mob_files_to_snapshot("s", &table).unwrap();
    root.add_region_to_snapshot("s", &table, &region, None).unwrap();
    write_mob_file(&root, &table, b"f", OTHER);
    root.archive_mob_file(&table.name, b"f", MOB_FILE).unwrap();
    root.complete_snapshot(&description("s"), &table, std::slice::from_ref(&region)).unwrap();
    assert_eq!(named(&root), [(MOB_FILE.to_owned(), Some(6)), (OTHER.to_owned(), Some(6))]);
    // One that is nowhere is a snapshot that is not whole.
    root.archive_mob_file(&table.name, b"f", OTHER).unwrap();
    let archived = root.archived_mob_family_dir(&table.name, b"f").join(OTHER);
    root.fs().remove_file(&archived).unwrap();
    let manifest = root.read_snapshot_manifest("s").unwrap();
    let gone = root.verify_snapshot("s", &table.name, &manifest).unwrap_err().to_string();
    assert!(gone.contains(OTHER), "{gone}");
}

#[test]
fn of_a_table_that_is_made_of_it_are_linked_both_ways() {
    let root = root();
    let (table, region) = with_mob_table(&root);
    write_mob_file(&root, &table, b"f", MOB_FILE);
    take(&root, "s", &table, &region).unwrap();
    let clone = TableDescriptor { name: TableName::parse(b"ns:c").unwrap(), ..table.clone() };
    root.create_table_dir(&clone, &[]).unwrap();
    let made = RegionInfo { table: clone.name.clone(), region_id: 8, ..region.clone() };
    let pair = [(region.clone(), made.clone())];
    root.make_regions_of_snapshot(&description("s"), &clone, &pair).unwrap();
    // Twice is once.
    root.make_regions_of_snapshot(&description("s"), &clone, &pair).unwrap();
    let (from, to) = (mob_region(&table.name), mob_region(&clone.name));
    let link = format!("t={from}-{MOB_FILE}");
    assert_eq!(there(&root, &clone), std::slice::from_ref(&link));
    assert!(is_there(&root, &format!("mobdir/data/ns/c/{to}/f/{link}")));
    assert!(is_there(&root, &format!("archive/data/default/t/{from}/f/.links-{MOB_FILE}/{to}.ns=c")));
    // A link in a snapshot stays what it is, and leads on when the file is archived.
    root.archive_table(&table.name).unwrap();
    root.delete_snapshot("s").unwrap();
    let description = pb::SnapshotDescription { table: Some("ns:c".into()), ..description("s") };
    root.begin_snapshot(&description).unwrap();
    root.add_region_to_snapshot("s", &clone, &made, None).unwrap();
    root.complete_snapshot(&description, &clone, std::slice::from_ref(&made)).unwrap();
    assert_eq!(named(&root), [(link.clone(), Some(0))]);
    let second = TableDescriptor { name: TableName::parse(b"d").unwrap(), ..table.clone() };
    root.create_table_dir(&second, &[]).unwrap();
    let again = RegionInfo { table: second.name.clone(), region_id: 9, ..region };
    root.make_regions_of_snapshot(&description, &second, &[(made, again)]).unwrap();
    assert_eq!(there(&root, &second), [link]);
    let to = mob_region(&second.name);
    assert!(is_there(&root, &format!("archive/data/default/t/{from}/f/.links-{MOB_FILE}/{to}.d")));
}

/// One that leads nowhere does not keep the others from being listed: it is told when the snapshot is to be complete.
#[test]
fn are_listed_wherever_links_lead() {
    let root = root();
    let (table, region) = with_mob_table(&root);
    write_mob_file(&root, &table, b"f", MOB_FILE);
    let other = TableName::parse(b"u").unwrap();
    let link = format!("u={}-{OTHER}", mob_region(&other));
    write(&root, root.mob_family_dir(&table.name, b"f").join(&link), b"");
    root.begin_snapshot(&description("s")).unwrap();
    root.add_mob_files_to_snapshot("s", &table).unwrap();
    root.add_region_to_snapshot("s", &table, &region, None).unwrap();
    let complete = || root.complete_snapshot(&description("s"), &table, std::slice::from_ref(&region));
    let refused = complete().unwrap_err().to_string();
    assert!(refused.contains(&link), "{refused}");
    write(&root, root.archived_mob_family_dir(&other, b"f").join(OTHER), b"of another length");
    complete().unwrap();
    assert_eq!(named(&root), [(MOB_FILE.to_owned(), Some(6)), (link, Some(0))]);
}

#[test]
fn all_stay_if_the_snapshot_tells_of_none() {
    let root = root();
    let (table, region) = with_table(&root);
    take(&root, "s", &table, &region).unwrap();
    assert_eq!(root.read_snapshot_manifest("s").unwrap().mob_files(), None);
    write_mob_file(&root, &table, b"f", MOB_FILE);
    root.archive_mob_files_not_in_snapshot(&description("s"), &table.name, &[region.encoded_name()]).unwrap();
    assert_eq!(there(&root, &table), [MOB_FILE]);
}

#[test]
fn of_a_table_that_becomes_what_it_was_are_linked_also_where_they_are_and_later_ones_go() {
    let root = root();
    let (table, region) = with_mob_table(&root);
    let late = MOB_FILE.replace("92e5c125", "12e5c125");
    write_mob_file(&root, &table, b"f", MOB_FILE);
    write_mob_file(&root, &table, b"f", OTHER);
    take(&root, "s", &table, &region).unwrap();
    // What was there is written anew.
    root.archive_mob_file(&table.name, b"f", OTHER).unwrap();
    write_mob_file(&root, &table, b"f", &late);
    write_mob_file(&root, &table, b"g", &late);
    let made = RegionInfo { region_id: 8, ..region.clone() };
    let new = late.replace("f7638a2682b13d19ae8314e04fbc5f33", &made.encoded_name());
    root.make_regions_of_snapshot(&description("s"), &table, &[(region, made.clone())]).unwrap();
    let from = mob_region(&table.name);
    let links = [OTHER, MOB_FILE].map(|file| format!("t={from}-{file}"));
    let with_links = |files: &[&str]| -> Vec<String> {
        files.iter().map(|&file| file.to_owned()).chain(links.iter().cloned()).collect()
    };
    assert_eq!(there(&root, &table), with_links(&[&late, MOB_FILE]));
    for file in [OTHER, MOB_FILE] {
        assert!(
            is_there(&root, &format!("archive/data/default/t/{from}/f/.links-{file}/{from}.t")),
            "{file}"
        );
    }
    write_mob_file(&root, &table, b"f", &new);
    let keep = [made.encoded_name()];
    root.archive_mob_files_not_in_snapshot(&description("s"), &table.name, &keep).unwrap();
    assert_eq!(there(&root, &table), with_links(&[&new, MOB_FILE]));
    for family in ["f", "g"] {
        assert!(is_there(&root, &format!("archive/data/default/t/{from}/{family}/{late}")), "{family}");
    }
    // Of one that is gone nobody knows what it had.
    root.delete_snapshot("s").unwrap();
    root.archive_mob_files_not_in_snapshot(&description("s"), &table.name, &[]).unwrap();
    assert_eq!(there(&root, &table), with_links(&[&new, MOB_FILE]));
}

/// Between the look at what is there and the publication nothing refers to the files.
#[test]
fn of_a_table_that_becomes_what_it_was_stay_in_the_archive_if_they_go_there_before_it_is_that() {
    let root = root();
    let (table, region) = with_mob_table(&root);
    write_mob_file(&root, &table, b"f", MOB_FILE);
    take(&root, "s", &table, &region).unwrap();
    let made = RegionInfo { region_id: 8, ..region.clone() };
    root.make_regions_of_snapshot(&description("s"), &table, &[(region, made)]).unwrap();
    root.archive_mob_file(&table.name, b"f", MOB_FILE).unwrap();
    root.delete_snapshot("s").unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
    root.clean_archive(later, std::time::Duration::ZERO).unwrap();
    let archived = root.archived_mob_family_dir(&table.name, b"f").join(MOB_FILE);
    assert!(root.fs().exists(&archived).unwrap());
    // Not for any other reason than the link.
    for link in there(&root, &table) {
        root.fs().remove_file(&root.mob_family_dir(&table.name, b"f").join(link)).unwrap();
    }
    for _ in 0..2 {
        root.clean_archive(later, std::time::Duration::ZERO).unwrap();
    }
    assert!(!root.fs().exists(&archived).unwrap());
}

#[test]
fn are_no_references() {
    let root = root();
    let (table, region) = with_mob_table(&root);
    write_mob_file(&root, &table, b"f", MOB_FILE);
    take(&root, "s", &table, &region).unwrap();
    let mut lie = root.read_snapshot_manifest("s").unwrap();
    let (from, made) = (region.encoded_name(), RegionInfo { region_id: 8, ..region.clone() });
    let files = lie.regions.iter_mut().find(|files| files.region != region).unwrap();
    // Its cells are where it leads: in the region.
    files.families[0].files[0].name = format!("t={from}-{FILE}.{from}");
    files.families[0].files[0].size = Some(5);
    write(&root, ".hbase-snapshot/s/data.manifest", &lie.encode());
    let answer = root.make_regions_of_snapshot(&description("s"), &table, &[(region, made)]);
    assert!(matches!(answer, Err(LayoutError::Corrupt { .. })), "{answer:?}");
}
