use bytes::Bytes;
use finback_cell::{CellBlockBuilder, Durability, cell::CellParts};

use super::*;
use crate::{WalAppend, queued_entries::QueuedEntries};

fn region(name: &str) -> Region {
    Arc::from(name.as_bytes())
}

/// An entry with a cell of each of these families and qualifiers.
fn entry(region: &Region, sequence_id: u64, columns: &[(&[u8], &[u8])]) -> WalAppend {
    let mut cells = CellBlockBuilder::default();
    for (family, qualifier) in columns {
        let (row, value, tags) = (&b"r"[..], &b"v"[..], &b""[..]);
        cells.push_parts(&CellParts { row, family, qualifier, timestamp: 1, type_code: 4, value, tags });
    }
    WalAppend {
        region: region.clone(),
        table: Arc::from(&b"t"[..]),
        sequence_id,
        write_time_ms: 1,
        nonce_group: 0,
        nonce: 0,
        cell_count: cells.count() as u32,
        cells: Bytes::clone(cells.finish().bytes()),
        durability: Durability::AsyncWal,
        after: None,
    }
}

fn edit(region: &Region, sequence_id: u64) -> WalAppend {
    entry(region, sequence_id, &[(b"f", b"q")])
}

fn wrote(accounting: &mut Accounting, entry: &WalAppend) {
    let mut queued = QueuedEntries::default();
    queued.push(entry.into(), 0);
    accounting.wrote(queued.iter());
}

fn taken(accounting: &mut Accounting) -> Vec<PathBuf> {
    accounting.take_unneeded().into_iter().map(|log| log.path).collect()
}

#[test]
fn a_file_is_needed_until_every_region_is_flushed_past_it() {
    let (a, b) = (region("a"), region("b"));
    let mut accounting = Accounting::default();
    wrote(&mut accounting, &edit(&a, 5));
    wrote(&mut accounting, &edit(&b, 9));
    accounting.rolled("1".into());
    wrote(&mut accounting, &edit(&a, 6));
    accounting.rolled("2".into());
    accounting.flushed(&a, 6, &[]);
    assert!(taken(&mut accounting).is_empty(), "b still needs file 1");
    accounting.flushed(&b, 9, &[]);
    assert!(taken(&mut accounting).is_empty(), "edit 9 is not below 9");
    accounting.flushed(&b, 10, &[]);
    assert_eq!(taken(&mut accounting), [PathBuf::from("1")]);
    accounting.flushed(&a, 7, &[]);
    assert_eq!(taken(&mut accounting), [PathBuf::from("2")]);
}

#[test]
fn an_entry_that_was_flushed_before_it_was_written_needs_no_file() {
    let a = region("a");
    let mut accounting = Accounting::default();
    accounting.flushed(&a, 8, &[(b"old", 3)]);
    wrote(&mut accounting, &edit(&a, 7));
    accounting.rolled("1".into());
    assert_eq!(taken(&mut accounting), [PathBuf::from("1")]);
    wrote(&mut accounting, &edit(&a, 8));
    accounting.rolled("2".into());
    wrote(&mut accounting, &entry(&a, 7, &[(b"old", b"q")]));
    accounting.rolled("3".into());
    assert!(taken(&mut accounting).is_empty());
    accounting.closed(&a);
    assert_eq!(taken(&mut accounting), [PathBuf::from("2"), PathBuf::from("3")]);
}

#[test]
fn a_flush_of_one_family_frees_the_files_that_have_only_its_edits() {
    let a = region("a");
    let mut accounting = Accounting::default();
    wrote(&mut accounting, &entry(&a, 1, &[(b"cold", b"q"), (b"hot", b"q")]));
    accounting.rolled("1".into());
    wrote(&mut accounting, &entry(&a, 2, &[(b"hot", b"q"), (b"hot", b"r")]));
    accounting.rolled("2".into());
    wrote(&mut accounting, &entry(&a, 3, &[(b"hot", b"q"), (b"cold", b"q")]));
    accounting.rolled("3".into());
    accounting.flushed(&a, 4, &[(b"cold", 1)]);
    assert_eq!(taken(&mut accounting), [PathBuf::from("2")]);
    // The cold family's first edit is dropped in memory, because its second hides it.
    accounting.flushed(&a, 4, &[(b"cold", 3)]);
    assert_eq!(taken(&mut accounting), [PathBuf::from("1")]);
    accounting.flushed(&a, 5, &[]);
    assert_eq!(taken(&mut accounting), [PathBuf::from("3")]);
}

#[test]
fn of_the_markers_only_those_that_recovery_needs_keep_a_file() {
    let a = region("a");
    let mut accounting = Accounting::default();
    for (id, marker) in
        [&b"HBASE::FLUSH"[..], b"HBASE::REGION_EVENT::REGION_OPEN", b"HBASE::BULK_LOAD"].iter().enumerate()
    {
        wrote(&mut accounting, &entry(&a, id as u64 + 1, &[(META_FAMILY, marker)]));
    }
    accounting.rolled("1".into());
    assert_eq!(taken(&mut accounting), [PathBuf::from("1")]);
    wrote(&mut accounting, &entry(&a, 4, &[(META_FAMILY, b"HBASE::COMPACTION")]));
    accounting.rolled("2".into());
    wrote(
        &mut accounting,
        &entry(&a, 5, &[(META_FAMILY, b"HBASE::BULK_LOAD"), (META_FAMILY, BULK_LOAD_INTENT)]),
    );
    accounting.rolled("3".into());
    assert!(taken(&mut accounting).is_empty());
    accounting.flushed(&a, 5, &[]);
    assert_eq!(taken(&mut accounting), [PathBuf::from("2")]);
    accounting.flushed(&a, 6, &[(b"f", 2)]);
    assert_eq!(taken(&mut accounting), [PathBuf::from("3")]);
}

#[test]
fn too_many_files_name_the_regions_and_families_of_the_oldest() {
    let (a, b) = (region("a"), region("b"));
    let mut accounting = Accounting::default();
    wrote(&mut accounting, &entry(&a, 1, &[(b"f", b"q"), (b"g", b"q")]));
    accounting.rolled("1".into());
    wrote(&mut accounting, &edit(&b, 1));
    accounting.rolled("2".into());
    assert!(accounting.to_flush(3).is_empty());
    let a_with = |families: &[&[u8]]| RegionToFlush {
        region: a.clone(),
        families: families.iter().map(|family| Box::from(*family)).collect(),
    };
    assert_eq!(accounting.to_flush(2), [a_with(&[b"f", b"g"])]);
    accounting.flushed(&a, 2, &[(b"g", 1)]);
    assert_eq!(accounting.to_flush(2), [a_with(&[b"g"])]);
}
