//! Cells that a message counts, and that stand in the cell block beside it.

use crate::ProtoError;
use bytes::Bytes;
use finback_cell::CellBlock;

/// Takes as many cells as `message` counts off the front of `block`; none if that has not as many.
pub(super) fn take_counted(
    message: &'static str,
    count: i32,
    block: &mut Bytes,
) -> Result<CellBlock, ProtoError> {
    let count = usize::try_from(count)
        .map_err(|_| ProtoError::invalid(message, "associated_cell_count", format!("{count} is negative")))?;
    CellBlock::take_or_index(block, count).map_err(|(index, source)| {
        let available = block.len();
        ProtoError::CellBlock { message, count, index, available, source }
    })
}
