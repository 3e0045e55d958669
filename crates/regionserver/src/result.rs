//! Cells of a reply: in its cell block, or inside the message for clients without codec.

use finback_cell::block::CellIter;
use finback_proto::{convert, pb};
use finback_rpc::Call;

/// Where the cells of a reply go.
#[derive(Debug)]
pub(crate) struct ReplyCells {
    inline: bool,
    /// The cell block.
    pub(crate) block: Vec<u8>,
}

impl ReplyCells {
    pub(crate) fn new(call: &Call) -> Self {
        Self { inline: !call.connection.has_codec, block: Vec::new() }
    }

    /// A result of `count` cells, given as a cell block.
    pub(crate) fn result(&mut self, cells: Vec<u8>, count: usize) -> pb::Result {
        if self.inline {
            return convert::inline_result(CellIter::over_checked(&cells));
        }
        // The only result of most replies: no copy.
        if self.block.is_empty() {
            self.block = cells;
        } else {
            self.block.extend_from_slice(&cells);
        }
        convert::result_in_block(count)
    }

    /// Whether cells go into the message.
    pub(crate) fn is_inline(&self) -> bool {
        self.inline
    }
}
