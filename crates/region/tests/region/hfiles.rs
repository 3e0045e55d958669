//! HFiles as bulk load tools make them, outside the root directory.

use crate::world::{Plain, World};
use finback_cell::{Cell, CellOrder, CellType};
use finback_hfile::{HFileWriter, WriterOptions};
use finback_proto::{pb, pbuf};
use finback_region::BulkLoadFile;
use std::path::{Path, PathBuf};

/// A put of `value` in `row`, column `q`.
pub(crate) fn put_cell(row: &str, family: &str, timestamp: i64, value: &str) -> Plain {
    Plain {
        row: row.into(),
        family: family.into(),
        qualifier: b"q".to_vec(),
        timestamp,
        type_code: CellType::Put.code(),
        value: value.into(),
    }
}

/// Writes cells as they come: no sequence ids, no tags, and not synced, as a client may.
pub(crate) fn write_hfile(world: &World, path: &Path, cells: &[Plain], order: CellOrder) {
    let options =
        WriterOptions { order, include_mvcc: false, block_size_bytes: 256, ..WriterOptions::default() };
    write_hfile_as(world, path, cells, options);
}

/// The same with other options.
pub(crate) fn write_hfile_as(world: &World, path: &Path, cells: &[Plain], options: WriterOptions) {
    append_and_finish(new_hfile(world, path, options), cells, (0, true));
}

/// A file as a store of another table has it, of cells that all have this sequence id; or, `is_made_for_load`, one that keeps
/// what such a file says.
pub(crate) fn write_store_file(
    world: &World,
    path: &Path,
    cells: &[Plain],
    sequence_id: u64,
    is_made_for_load: bool,
) {
    let writer = new_hfile(world, path, WriterOptions::default());
    append_and_finish(writer, cells, (sequence_id, is_made_for_load));
}

/// A file whose cells keep their sequence id, this one, when it is loaded.
pub(crate) fn write_file_that_keeps_its_ids(world: &World, path: &Path, cells: &[Plain], sequence_id: u64) {
    let mut writer = new_hfile(world, path, WriterOptions::default());
    writer.append_file_info(b"SKIP_RESET_SEQ_ID", &[0xff]);
    append_and_finish(writer, cells, (sequence_id, false));
}

/// A file that names another one as what it was compacted from, under this key.
pub(crate) fn write_file_that_names(world: &World, path: &Path, cells: &[Plain], (key, name): (&str, &str)) {
    let options = WriterOptions { include_mvcc: false, ..WriterOptions::default() };
    let mut writer = new_hfile(world, path, options);
    let event = pb::CompactionEventTracker { compacted_store_file: vec![name.as_bytes().to_vec().into()] };
    writer.append_file_info(key.as_bytes(), &pbuf::encode(&event));
    append_and_finish(writer, cells, (0, false));
}

fn new_hfile(world: &World, path: &Path, options: WriterOptions) -> HFileWriter {
    world.fs.create_dir_all(path.parent().unwrap()).unwrap();
    HFileWriter::new(world.fs.create_new(path).unwrap(), path, options).unwrap()
}

fn append_and_finish(mut writer: HFileWriter, cells: &[Plain], (sequence_id, is_made_for_load): (u64, bool)) {
    if is_made_for_load {
        writer.append_file_info(b"BULKLOAD_TIMESTAMP", &1_000_000i64.to_be_bytes());
    }
    for cell in cells {
        let bytes = cell.parts().to_vec();
        writer.append(&Cell::parse(&bytes).unwrap(), sequence_id).unwrap();
    }
    writer.finish(sequence_id).unwrap();
}

/// A file of puts at `timestamp` into these rows, all with `value`.
pub(crate) fn file_of(
    world: &World,
    name: &str,
    family: &str,
    rows: &[&str],
    timestamp: i64,
    value: &str,
) -> BulkLoadFile {
    let path = PathBuf::from("/client").join(family).join(name);
    let cells: Vec<Plain> = rows.iter().map(|row| put_cell(row, family, timestamp, value)).collect();
    write_hfile(world, &path, &cells, CellOrder::User);
    BulkLoadFile { family: family.into(), path }
}
