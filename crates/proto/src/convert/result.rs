//! Results: cells in the message, or counted there and standing in the cell block.

use super::counted_cells::take_counted;
use crate::{ProtoError, pb};
use bytes::Bytes;
use finback_cell::block::CellBlockBuilder;
use finback_cell::cell::CellParts;
use finback_cell::{Cell, CellBlock};

/// A result whose `count` cells stand in the cell block. Without cells it is empty, as HBase's are.
pub fn result_in_block(count: usize) -> pb::Result {
    if count == 0 {
        return pb::Result::default();
    }
    pb::Result {
        associated_cell_count: Some(i32::try_from(count).unwrap_or(i32::MAX)),
        stale: Some(false),
        ..pb::Result::default()
    }
}

/// A result with its cells inside, for clients without codec.
pub fn inline_result<'a>(cells: impl IntoIterator<Item = Cell<'a>>) -> pb::Result {
    let cell: Vec<pb::Cell> = cells.into_iter().map(inline_cell).collect();
    if cell.is_empty() {
        return pb::Result::default();
    }
    pb::Result { cell, stale: Some(false), ..pb::Result::default() }
}

/// A cell as a message: without its tags, which HBase tells no client in one: some say who may see a cell.
pub fn inline_cell(cell: Cell<'_>) -> pb::Cell {
    let copy = |bytes: &[u8]| Some(Bytes::copy_from_slice(bytes));
    pb::Cell {
        row: copy(cell.row()),
        family: copy(cell.family()),
        qualifier: copy(cell.qualifier()),
        timestamp: Some(cell.timestamp() as u64),
        cell_type: Some(i32::from(cell.type_code())),
        value: copy(cell.value()),
        tags: None,
    }
}

/// The cells of a result: first those it counts, off the front of `block`, then those inside.
///
/// # Errors
/// [`ProtoError::CellBlock`] where the block has not the cells that the result counts, [`ProtoError::Invalid`].
pub fn decode_result(result: &pb::Result, block: &mut Bytes) -> Result<CellBlock, ProtoError> {
    let counted = take_counted("Result", result.associated_cell_count(), block)?;
    if result.cell.is_empty() {
        return Ok(counted);
    }
    let mut all = CellBlockBuilder::with_capacity(counted.bytes().len());
    counted.iter().for_each(|cell| all.push(&cell));
    for cell in &result.cell {
        all.push_parts(&parts(cell)?);
    }
    Ok(all.finish())
}

fn parts(cell: &pb::Cell) -> Result<CellParts<'_>, ProtoError> {
    let code = cell.cell_type.ok_or(ProtoError::missing("Cell", "cell_type"))?;
    let parts = CellParts {
        row: cell.row.as_deref().unwrap_or_default(),
        family: cell.family.as_deref().unwrap_or_default(),
        qualifier: cell.qualifier.as_deref().unwrap_or_default(),
        timestamp: cell.timestamp.unwrap_or(0) as i64,
        type_code: u8::try_from(code).map_err(|e| ProtoError::invalid("Cell", "cell_type", e))?,
        value: cell.value.as_deref().unwrap_or_default(),
        tags: cell.tags.as_deref().unwrap_or_default(),
    };
    parts.check().map_err(|e| ProtoError::invalid("Cell", "row", e))?;
    Ok(parts)
}

#[cfg(test)]
mod tests;
