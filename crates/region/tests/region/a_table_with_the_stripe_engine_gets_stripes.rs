//! A table whose CONFIGURATION names HBase's StripeStoreEngine has files by rows, and says so in them as HBase does.

use crate::world::{World, family, put, run, value};
use finback_cell::{Bytes, RegionInfo, TableDescriptor, TableName};
use finback_fs::MemFileSystem;
use finback_hfile::{FileId, HFileReader};
use finback_region::Region;
use std::sync::Arc;

const ENGINE: (&str, &str) =
    ("hbase.hstore.engine.class", "org.apache.hadoop.hbase.regionserver.StripeStoreEngine");
const ROWS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// A region of a table with these settings, as HBase's shell writes them into the table's attributes.
fn started(settings: &[(&str, &str)]) -> (World, Arc<Region>) {
    let name = TableName::parse(b"t").unwrap();
    let mut table = TableDescriptor { families: vec![family("a", 1)], ..TableDescriptor::new(name.clone()) };
    let bytes = |text: &str| Bytes::copy_from_slice(text.as_bytes());
    table.attributes.extend(settings.iter().map(|(name, value)| (bytes(name), bytes(value))));
    let info = RegionInfo::new(name, Bytes::new(), Bytes::new(), 1);
    let mut world = World::of_region(Arc::new(MemFileSystem::new()), info, table);
    let region = world.start().unwrap();
    (world, region)
}

/// So many files with all rows.
fn fill(region: &Region, files: usize) {
    for file in 0..files {
        for row in ROWS {
            let cell = put((row, "a", "q"), file.to_string().as_bytes());
            run(region.batch(vec![cell])).swap_remove(0).unwrap();
        }
        region.flush(None).unwrap();
    }
}

/// Where the stripes of the files begin and end, in order; nothing for a file without.
fn stripes(world: &World) -> Vec<Option<(String, String)>> {
    let dir = world.root.family_dir(&world.info.table, &world.info.encoded_name(), b"a");
    let stripe_of = |name: String| {
        let path = dir.join(name);
        let reader = HFileReader::open(world.fs.open(&path).unwrap(), &path, FileId::next()).unwrap();
        let row = |key: &[u8]| reader.file_info(key).map(|row| String::from_utf8(row.to_vec()).unwrap());
        row(b"STRIPE_START_KEY").zip(row(b"STRIPE_END_KEY"))
    };
    let names = world.fs.list(&dir).unwrap().into_iter().map(|entry| entry.name);
    let mut stripes: Vec<_> = names.map(stripe_of).collect();
    stripes.sort();
    stripes
}

fn stripe(start: &str, end: &str) -> Option<(String, String)> {
    Some((start.to_owned(), end.to_owned()))
}

#[test]
fn flushes_go_into_stripes_the_first_of_them_into_as_many_as_the_table_says() {
    let (mut world, region) = started(&[
        ENGINE,
        ("hbase.store.stripe.initialStripeCount", "3"),
        ("hbase.store.stripe.compaction.minFiles", "2"),
    ]);
    fill(&region, 1);
    // Of 6 cells a stripe should have 2: it ends after the row in which so many are written.
    let three = [stripe("", "c"), stripe("c", "e"), stripe("e", "")];
    assert_eq!(stripes(&world), three);
    region.close().unwrap();
    let region = world.start().unwrap();
    fill(&region, 1);
    let twice: Vec<_> = three.iter().flat_map(|stripe| [stripe.clone(), stripe.clone()]).collect();
    assert_eq!(stripes(&world), twice);
    // A flush has files only where it has rows.
    run(region.batch(vec![put(("d", "a", "q"), b"2")])).swap_remove(0).unwrap();
    region.flush(None).unwrap();
    assert_eq!(stripes(&world).len(), 7);
    // The stripe with most files goes first, and no other.
    let outcome = region.compact(b"a", false).unwrap().unwrap();
    assert_eq!((outcome.inputs, outcome.cells_written), (3, 2));
    assert_eq!(outcome.whole_rows, Some((Bytes::from_static(b"c"), Bytes::from_static(b"e"))));
    for row in ROWS {
        let newest = if row == "d" { b"2" } else { b"0" };
        assert_eq!(value(&region, (row, "a", "q")).as_deref(), Some(&newest[..]), "{row}");
    }
}

#[test]
fn files_that_were_flushed_into_stripes_are_compacted_less_eagerly() {
    for (to_level0, files) in [("false", 4), ("true", 3)] {
        let (_world, region) = started(&[
            ENGINE,
            ("hbase.store.stripe.compaction.flushToL0", to_level0),
            ("hbase.store.stripe.compaction.minFilesL0", "1"),
        ]);
        for file in 1..=files {
            assert!(region.families_to_compact().is_empty(), "{to_level0}: {file}");
            fill(&region, 1);
            if to_level0 == "true" {
                // From level 0 into the stripe, which gets a file more.
                region.compact(b"a", false).unwrap().unwrap();
            }
        }
        assert_eq!(region.families_to_compact(), ["a"], "{to_level0}");
    }
}

#[test]
fn level_0_becomes_as_many_stripes_as_the_table_says_and_later_goes_into_them() {
    let (mut world, region) = started(&[
        ENGINE,
        ("hbase.store.stripe.compaction.flushToL0", "true"),
        ("hbase.store.stripe.initialStripeCount", "3"),
        ("hbase.store.stripe.compaction.minFilesL0", "2"),
    ]);
    fill(&region, 1);
    assert!(region.families_to_compact().is_empty());
    fill(&region, 1);
    assert_eq!(stripes(&world), [None, None]);
    assert_eq!(region.families_to_compact(), ["a"]);
    region.compact(b"a", false).unwrap().unwrap();
    // Of 12 cells, two of each row, a stripe should have 4. A stripe ends after the row in which so many have been read, and
    // they are counted when one is written, the first of its row: the 5th (c), and the 4th after it (e).
    let three = [stripe("", "d"), stripe("d", "f"), stripe("f", "")];
    assert_eq!(stripes(&world), three);
    // What there are is known after a restart too.
    region.close().unwrap();
    let region = world.start().unwrap();
    fill(&region, 2);
    region.compact(b"a", false).unwrap().unwrap();
    let twice: Vec<_> = three.iter().flat_map(|stripe| [stripe.clone(), stripe.clone()]).collect();
    assert_eq!(stripes(&world), twice);
    for row in ROWS {
        assert_eq!(value(&region, (row, "a", "q")).as_deref(), Some(&b"1"[..]), "{row}");
    }
}

#[test]
fn a_region_is_split_between_stripes() {
    let (world, region) = started(&[ENGINE, ("hbase.store.stripe.initialStripeCount", "2")]);
    fill(&region, 1);
    assert_eq!(stripes(&world), [stripe("", "d"), stripe("d", "")]);
    // No block of either file has a row in its middle.
    assert_eq!(region.split_row().unwrap().as_deref(), Some(&b"d"[..]));
}

#[test]
fn without_the_engine_there_are_none() {
    let (world, region) = started(&[("hbase.store.stripe.initialStripeCount", "3")]);
    fill(&region, 3);
    region.compact(b"a", false).unwrap().unwrap();
    assert_eq!(stripes(&world), [None]);
}
