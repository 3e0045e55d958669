use super::*;
use finback_cell::ColumnFamilyDescriptor;
use finback_fs::{MemFileSystem, write_file_durably};
use std::sync::Arc;

const FILE: &str = "576d886d16ff4d8e996c75d842dfbf8b";

fn region(start: &'static str, end: &'static str, id: u64) -> RegionInfo {
    let table = TableName::parse(b"ns:t").unwrap();
    RegionInfo::new(table, start.as_bytes().into(), end.as_bytes().into(), id)
}

fn root_with(parents: &[RegionInfo]) -> RootDir {
    let root = RootDir::new(Arc::new(MemFileSystem::new()), "/hbase");
    for (number, parent) in parents.iter().enumerate() {
        let encoded = parent.encoded_name();
        root.create_region_dir(parent).unwrap();
        root.write_sequence_id_file(&parent.table, &encoded, 10 + number as u64).unwrap();
        let dir = root.family_dir(&parent.table, &encoded, b"f");
        root.fs().create_dir_all(&dir).unwrap();
        write_file_durably(&**root.fs(), &dir.join(FILE), b"cells").unwrap();
    }
    root
}

fn references(root: &RootDir, region: &RegionInfo) -> Vec<(String, Reference)> {
    let files = root.list_store_files(&region.table, &region.encoded_name(), b"f").unwrap();
    files.into_iter().map(|file| (file.name, file.reference.unwrap())).collect()
}

fn reference(row: &str, half: Half) -> Reference {
    Reference { split_row: row.as_bytes().to_vec(), half }
}

#[test]
fn daughters_have_a_half_each() {
    let parent = region("a", "z", 1);
    let (below, above) = (region("a", "m", 2), region("m", "z", 2));
    let root = root_with(std::slice::from_ref(&parent));
    let families = [Bytes::from_static(b"f"), Bytes::from_static(b"empty")];
    for (daughter, half) in [(&below, Half::Bottom), (&above, Half::Top)] {
        let encoded = daughter.encoded_name();
        root.create_offspring(daughter, std::slice::from_ref(&parent), &families, &|_| None).unwrap();
        let name = format!("{FILE}.{}", parent.encoded_name());
        assert_eq!(references(&root, daughter), [(name, reference("m", half))]);
        assert_eq!(root.read_region_info(&daughter.table, &encoded).unwrap(), *daughter);
        assert_eq!(root.max_noted_sequence_id(&daughter.table, &encoded).unwrap(), Some(10));
        let leads_to = root.leads_to(&daughter.table, &encoded).unwrap();
        assert_eq!(leads_to, [parent.encoded_name()].into());
    }
    let grandchild = region("a", "c", 3);
    let error = root.create_offspring(&grandchild, &[below], &families, &|_| None).unwrap_err();
    assert!(error.to_string().contains("a reference, of which"), "{error}");
}

#[test]
fn a_file_that_is_all_on_one_side_is_linked_there_and_the_other_side_has_nothing_of_it() {
    let parent = region("a", "z", 1);
    let (below, above) = (region("a", "m", 2), region("m", "z", 2));
    let root = root_with(&[]);
    root.create_region_dir(&parent).unwrap();
    let (of_parent, family) = (parent.encoded_name(), [Bytes::from_static(b"f")]);
    let dir = root.family_dir(&parent.table, &of_parent, b"f");
    root.fs().create_dir_all(&dir).unwrap();
    let name = |digit: char| FILE.replace('5', &digit.to_string());
    let files = ["a..l", "m..y", "b..m", "no rows", "nobody knows"];
    for (number, rows) in ('1'..).zip(files) {
        write_file_durably(&**root.fs(), &dir.join(name(number)), rows.as_bytes()).unwrap();
    }
    // A link to a file of another table, which the parent has from a snapshot.
    let other = RegionInfo { table: TableName::parse(b"o").unwrap(), ..parent.clone() };
    let other_dir = root.family_dir(&other.table, &other.encoded_name(), b"f");
    root.fs().create_dir_all(&other_dir).unwrap();
    write_file_durably(&**root.fs(), &other_dir.join(name('6')), b"m..m").unwrap();
    let linked = format!("o={}-{}", other.encoded_name(), name('6'));
    drop(root.fs().create_new(&dir.join(&linked)).unwrap());

    let rows_of = |path: &Path| {
        let text = String::from_utf8(small_file::read(&**root.fs(), path).unwrap()).unwrap();
        match text.split_once("..") {
            Some((first, last)) => Some(RowsOfFile::Range(first.into(), last.into())),
            None => (text == "no rows").then_some(RowsOfFile::None),
        }
    };
    let link = |digit| format!("ns=t={of_parent}-{}", name(digit));
    let part = |digit| format!("{}.{of_parent}", name(digit));
    let expected = [
        (&below, vec![link('1')], Half::Bottom, vec![part('3'), part('5')]),
        (&above, vec![link('2'), linked], Half::Top, vec![part('3'), part('5')]),
    ];
    for (daughter, links, half, parts) in expected {
        let encoded = daughter.encoded_name();
        root.create_offspring(daughter, std::slice::from_ref(&parent), &family, &rows_of).unwrap();
        let found = root.list_store_files(&daughter.table, &encoded, b"f").unwrap();
        let (linked, referred): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|file| file.reference.is_none());
        assert_eq!(linked.iter().map(|file| file.name.clone()).collect::<Vec<_>>(), links);
        assert!(linked.iter().all(|file| file.elsewhere.is_some()));
        assert_eq!(referred.iter().map(|file| file.name.clone()).collect::<Vec<_>>(), parts);
        assert!(referred.iter().all(|file| file.reference == Some(reference("m", half))));
        assert_eq!(root.refers_to(&daughter.table, &encoded).unwrap(), [of_parent.clone()].into());
    }
    // Put away, the file is found where it is, and the archive keeps it.
    root.archive_region(&parent.table, &of_parent).unwrap();
    let found = root.list_store_files(&below.table, &below.encoded_name(), b"f").unwrap();
    let archived = root.archived_family_dir(&parent.table, &of_parent, b"f").join(name('1'));
    let link = found.iter().find(|file| file.reference.is_none()).unwrap();
    assert_eq!(link.elsewhere.as_ref(), Some(&archived));
    let knows = archived.with_file_name(format!(".links-{}", name('1')));
    let of_below = knows.join(format!("{}.ns=t", below.encoded_name()));
    assert!(root.fs().exists(&of_below).unwrap());
}

#[test]
fn a_merged_region_has_all_of_its_parents() {
    let parents = [region("", "m", 1), region("m", "", 1)];
    let root = root_with(&parents);
    let merged = region("", "", 2);
    root.create_offspring(&merged, &parents, &[Bytes::from_static(b"f")], &|_| None).unwrap();
    let mut expected = parents.each_ref().map(|parent| {
        let row = std::str::from_utf8(&parent.start_key).unwrap();
        (format!("{FILE}.{}", parent.encoded_name()), reference(row, Half::Top))
    });
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(references(&root, &merged), expected);
    assert_eq!(root.max_noted_sequence_id(&merged.table, &merged.encoded_name()).unwrap(), Some(11));
}

#[test]
fn lists_of_daughters_are_called_as_those_of_their_parents_are() {
    let parent = region("a", "z", 1);
    let root = root_with(std::slice::from_ref(&parent));
    let family = ColumnFamilyDescriptor::with_defaults(b"f").with(crate::TRACKER, "FILE");
    root.fs().create_dir_all(&root.temp_dir()).unwrap();
    root.write_table_descriptor(&TableDescriptor::new(parent.table.clone()).with_family(family)).unwrap();
    let encoded = parent.encoded_name();
    let files = [(FILE, 5)];
    root.write_store_file_list_as(&parent.table, &encoded, b"f", files, Some(1700)).unwrap();
    let daughter = region("a", "m", 2);
    root.create_offspring(&daughter, std::slice::from_ref(&parent), &[Bytes::from_static(b"f")], &|_| None)
        .unwrap();
    let directory = root.family_dir(&daughter.table, &daughter.encoded_name(), b"f").join(".filelist");
    let lists = root.fs().list(&directory).unwrap();
    assert_eq!(lists.iter().map(|list| list.name.as_str()).collect::<Vec<_>>(), ["f1.1700"]);
    let listed = root.listed_store_files(&daughter.table, &daughter.encoded_name(), b"f").unwrap();
    assert_eq!(listed.len(), 1);
}

#[test]
fn a_family_that_who_divides_does_not_know_is_not_left_behind() {
    let parent = region("a", "z", 1);
    let root = root_with(std::slice::from_ref(&parent));
    root.fs().create_dir_all(&root.temp_dir()).unwrap();
    let families = [b"f", b"g"].map(|name| ColumnFamilyDescriptor::with_defaults(name));
    let table =
        families.into_iter().fold(TableDescriptor::new(parent.table.clone()), TableDescriptor::with_family);
    root.write_table_descriptor(&table).unwrap();
    let (daughter, known) = (region("a", "m", 2), [Bytes::from_static(b"f")]);
    let error =
        root.create_offspring(&daughter, std::slice::from_ref(&parent), &known, &|_| None).unwrap_err();
    assert!(error.to_string().contains("a family g"), "{error}");
    let dir = root.region_dir(&daughter.table, &daughter.encoded_name());
    assert!(!root.fs().exists(&dir).unwrap(), "nothing is there for it");
}
