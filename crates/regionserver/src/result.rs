//! Cells of a reply: in its cell block, or inside the message for clients without codec.

use crate::read_memory::{INLINE_FACTOR, ReadMemory, TURN_BYTES};
use crate::server::RegionServer;
use finback_cell::block::CellIter;
use finback_proto::Message;
use finback_proto::{convert, pb};
use finback_region::ScanOutput;
use finback_rpc::{Call, Reply};

/// What a cell inside the message counts besides its bytes: as a part of the message it takes more than a short one has.
const INLINE_CELL_BYTES: usize = size_of::<pb::Cell>() / INLINE_FACTOR;

/// Where the cells of a reply go.
#[derive(Debug)]
pub(crate) struct ReplyCells {
    inline: bool,
    /// The cell block.
    pub(crate) block: Vec<u8>,
    /// Whether any of its cells may have tags.
    pub(crate) may_have_tags: bool,
    /// What the reply takes while it is built.
    pub(crate) memory: ReadMemory,
    /// Bytes of cells inside the message, as they are counted.
    inline_bytes: usize,
}

impl ReplyCells {
    pub(crate) fn new(server: &RegionServer, call: &Call) -> Self {
        let memory = ReadMemory::new(server, call);
        Self {
            inline: !call.connection.has_codec,
            block: Vec::new(),
            may_have_tags: true,
            memory,
            inline_bytes: 0,
        }
    }

    /// Puts the cells inside the message, whatever the client takes.
    pub(crate) fn go_inside(&mut self) {
        self.inline = true;
        self.memory.go_inside();
    }

    /// Bytes of cells so far.
    pub(crate) fn bytes(&self) -> usize {
        self.block.len() + self.inline_bytes
    }

    /// Makes room for so many bytes of cells, of several results.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        if !self.inline {
            self.block.reserve_exact(bytes);
            self.memory.set_done(self.block.capacity());
        }
    }

    /// Bytes of cells for which there is room, of several results.
    pub(crate) fn room(&self) -> usize {
        if self.inline { usize::MAX } else { self.block.capacity() - self.block.len() }
    }

    /// Makes room for so many bytes of cells, if they can be counted.
    pub(crate) fn try_reserve(&mut self, bytes: usize) {
        if self.memory.try_hold(bytes) {
            self.reserve(bytes);
        }
    }

    /// Takes all cells back but the first so many bytes.
    pub(crate) fn cut_back(&mut self, bytes: usize) {
        if self.inline {
            self.inline_bytes = bytes;
            self.memory.set_done(bytes);
        } else {
            self.block.truncate(bytes);
            let block = std::mem::take(&mut self.block);
            self.put_back(block);
        }
    }

    /// Makes the block one that grew behind its cells, and does not any more.
    pub(crate) fn put_back(&mut self, mut block: Vec<u8>) {
        block.shrink_to_fit();
        self.put_behind(block);
    }

    /// Puts the block back that more cells were put behind.
    pub(crate) fn put_behind(&mut self, block: Vec<u8>) {
        self.memory.set_done(block.capacity());
        self.block = block;
    }

    /// The reply of these cells with a message.
    pub(crate) fn reply<M: Message>(mut self, message: &M) -> Reply {
        let capacity = self.block.capacity();
        if capacity > TURN_BYTES && self.block.len() < capacity / 2 {
            self.block.shrink_to_fit();
        }
        let reply = Reply { is_untagged: !self.may_have_tags, ..Reply::with_cells(message, self.block) };
        reply.counted(self.memory.into_share())
    }

    /// A result of `count` cells, given as a cell block.
    pub(crate) fn result(&mut self, cells: Vec<u8>, count: usize) -> pb::Result {
        if self.inline {
            self.inline_bytes += cells.len() + count * INLINE_CELL_BYTES;
            self.memory.set_done(self.inline_bytes);
            return convert::inline_result(CellIter::over_checked(&cells));
        }
        // The only result of most replies: no copy.
        if self.block.capacity() == 0 {
            self.block = cells;
        } else {
            if self.room() < cells.len() {
                // Not by as much again.
                self.block.reserve_exact(cells.len().max(self.block.len() / 4));
            }
            self.block.extend_from_slice(&cells);
        }
        self.memory.set_done(self.block.capacity());
        convert::result_in_block(count)
    }

    /// Counts what was found, before it is put into the message.
    pub(crate) fn count_inside(&mut self, out: &ScanOutput) {
        let count: usize = out.counts.iter().map(|&count| count as usize).sum();
        self.inline_bytes += out.cells.len() + count * INLINE_CELL_BYTES;
        self.memory.set_done(self.inline_bytes);
        self.memory.hold_beyond(0);
    }

    /// Whether cells go into the message.
    pub(crate) fn is_inline(&self) -> bool {
        self.inline
    }
}
