//! While a region is closed one of its store files is exchanged for one that HBase 2.5.11 wrote. The region opens, reads
//! what HBase reads there, takes writes, flushes and compacts.

use crate::fixtures::{fixtures, unhex};
use crate::world::{Plain, World, check_same, family, put, run, scan};
use finback_cell::key::Key;
use finback_cell::{Bytes, Cell, Get, Scan, cell::CellParts, tag};
use finback_fs::MemFileSystem;
use finback_hfile::{FileId, HFileReader, HFileScanner, read_through};
use finback_region::Region;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// In none of the files.
const NEW_ROW: &str = "ours and not HBase's";

/// Every encoding, with and without sequence ids and tags, every codec and checksum, index levels, Bloom filters of every
/// kind and hash, files of flushes, of compactions and of bulk loads.
const FILES: [&str; 52] = [
    "plain-none",
    "plain-prefix",
    "plain-diff",
    "plain-fast_diff",
    "plain-row_index_v1",
    "mixed-none",
    "mixed-prefix",
    "mixed-diff",
    "mixed-fast_diff",
    "mixed-row_index_v1",
    "mixed-mvcc-none",
    "mixed-mvcc-prefix",
    "mixed-mvcc-diff",
    "mixed-mvcc-fast_diff",
    "mixed-mvcc-row_index_v1",
    "mixed-mvcc-tags-none",
    "mixed-mvcc-tags-prefix",
    "mixed-mvcc-tags-diff",
    "mixed-mvcc-tags-fast_diff",
    "mixed-mvcc-tags-row_index_v1",
    "mixed-mvcc-ctags-none",
    "mixed-mvcc-ctags-prefix",
    "mixed-mvcc-ctags-diff",
    "mixed-mvcc-ctags-fast_diff",
    "mixed-mvcc-ctags-row_index_v1",
    "comp-gz",
    "comp-snappy",
    "comp-lz4",
    "comp-zstd-hadoopstream",
    "comp-zstd-blockstream",
    "comp-gz-fast_diff",
    "comp-snappy-fast_diff",
    "comp-lz4-fast_diff",
    "checksum-null",
    "checksum-crc32",
    "checksum-crc32c",
    "index-2level",
    "index-3level",
    "index-4level-gz",
    "bloom-row-murmur",
    "bloom-row-jenkins",
    "bloom-row-murmur3",
    "bloom-rowcol-murmur",
    "bloom-rowcol-jenkins",
    "bloom-rowcol-murmur3",
    "bloom-rowprefix-murmur",
    "bloom-rowprefix-jenkins",
    "bloom-rowprefix-murmur3",
    "empty",
    "major",
    "bulkload",
    "metablocks",
];

/// What HBase's reader finds in the file, in its order, tags included; of cells with equal keys the first, which hides the
/// others.
fn recorded(name: &str) -> Vec<Vec<u8>> {
    let expected = fixtures().join("expected");
    let meta = std::fs::read(expected.join(format!("{name}.hfile.meta.json"))).unwrap();
    let meta: Value = serde_json::from_slice(&meta).unwrap();
    let dump = std::fs::read_to_string(expected.join(meta["cells"].as_str().unwrap())).unwrap();
    let mut cells: Vec<Vec<u8>> =
        dump.lines().map(|line| recorded_cell(&serde_json::from_str(line).unwrap())).collect();
    cells.dedup_by_key(|cell| Cell::parse(cell).unwrap().key().to_vec());
    cells
}

fn recorded_cell(line: &Value) -> Vec<u8> {
    let mut tags = Vec::new();
    for one in line["tags"].as_array().into_iter().flatten() {
        tag::write_tag(&mut tags, one[0].as_u64().unwrap() as u8, &unhex(&one[1]));
    }
    let parts = CellParts {
        row: &unhex(&line["row"]),
        family: &unhex(&line["fam"]),
        qualifier: &unhex(&line["qual"]),
        timestamp: line["ts"].as_i64().unwrap(),
        type_code: line["type"].as_u64().unwrap() as u8,
        value: &unhex(&line["val"]),
        tags: &tags,
    };
    parts.to_vec()
}

/// The only store file of the region's family.
fn store_file(world: &World, family: &str) -> PathBuf {
    let (table, region) = (&world.info.table, world.info.encoded_name());
    let mut files = world.root.list_store_files(table, &region, family.as_bytes()).unwrap();
    assert_eq!(files.len(), 1);
    files.swap_remove(0).path
}

/// The cells of a file, tags included.
fn stored(world: &World, path: &Path) -> Vec<Vec<u8>> {
    let reader = HFileReader::open(world.fs.open(path).unwrap(), path, FileId::next()).unwrap();
    let mut scanner = HFileScanner::new(reader, None, false);
    read_through(&mut scanner, |scanner| scanner.seek(&Key::first_on_row(b""))).unwrap();
    let mut cells = Vec::new();
    while let Some((cell, _)) = scanner.peek() {
        cells.push(CellParts::from(cell).to_vec());
        read_through(&mut scanner, HFileScanner::advance).unwrap();
    }
    cells
}

fn everything(region: &Region) -> Vec<Plain> {
    scan(region, &Scan { max_versions: u32::MAX, raw: true, ..Scan::default() }, None).unwrap()
}

/// Each row by itself, which asks the Bloom filters, gives what a scan gives.
fn check_gets(region: &Region, what: &str) {
    let all = scan(region, &Scan::default(), None).unwrap();
    let rows: BTreeSet<&[u8]> = all.iter().map(|cell| &cell.row[..]).collect();
    let found = rows.iter().flat_map(|row| {
        scan(region, &Get::new(Bytes::copy_from_slice(row)).scan, None)
            .unwrap_or_else(|e| panic!("{what}: {e}"))
    });
    assert!(found.eq(all.iter().cloned()), "{what}: gets differ from a scan");
}

fn without_new(cells: &[Plain]) -> Vec<Plain> {
    cells.iter().filter(|cell| cell.row != NEW_ROW.as_bytes()).cloned().collect()
}

/// Exchanges the file of a closed region.
fn exchange(world: &World, path: &Path, by: &str) {
    let bytes = std::fs::read(fixtures().join("hfiles").join(format!("{by}.hfile"))).unwrap();
    world.fs.remove_file(path).unwrap();
    let mut file = world.fs.create_new(path).unwrap();
    file.append(&bytes).unwrap();
    file.sync_data().unwrap();
    world.fs.sync_dir(path.parent().unwrap()).unwrap();
}

fn write(region: &Region, family: &str) {
    run(region.batch(vec![put((NEW_ROW, family, "q"), b"ours")])).remove(0).unwrap();
    assert!(region.flush(None).unwrap().flushed);
}

#[test]
fn it_is_opened_read_and_compacted() {
    for name in FILES {
        let recorded = recorded(name);
        let plain: Vec<Plain> =
            recorded.iter().map(|cell| Plain::from(&Cell::parse(cell).unwrap())).collect();
        let family_name =
            plain.first().map_or("f".to_owned(), |cell| String::from_utf8(cell.family.clone()).unwrap());
        let keeps_all = family(&family_name, i32::MAX as u32).with("KEEP_DELETED_CELLS", "TRUE");
        let mut world = World::new(Arc::new(MemFileSystem::new()), vec![keeps_all]);
        let region = world.start().unwrap();
        write(&region, &family_name);
        region.close().unwrap();
        let ours = store_file(&world, &family_name);
        exchange(&world, &ours, name);

        let region = world.open().unwrap();
        check_same(&everything(&region), &plain, name);
        check_gets(&region, name);
        write(&region, &family_name);
        let with_new = everything(&region);
        check_same(&without_new(&with_new), &plain, name);
        assert_eq!(with_new.len(), plain.len() + 1, "{name}");
        region.compact_run(family_name.as_bytes(), 0..2).unwrap();
        check_same(&everything(&region), &with_new, &format!("{name}, compacted"));
        check_gets(&region, name);
        let mut compacted = stored(&world, &store_file(&world, &family_name));
        compacted.retain(|cell| Cell::parse(cell).unwrap().row() != NEW_ROW.as_bytes());
        assert!(compacted == recorded, "{name}: tags");
        region.close().unwrap();
        check_same(&everything(&world.start().unwrap()), &with_new, &format!("{name}, after a restart"));
    }
}
