//! How the data blocks of a file store their cells, and the way from a block that was read to its cells.

use crate::block::Block;
use crate::block_type::BlockType;
use crate::data_block::{CellLayout, CellOffsets};
use crate::encoding::{DataBlockEncoding, Decoded};
use crate::error::HFileError;
use crate::file_info::{FileInfo, keys};
use finback_cell::CellOrder;
use std::path::Path;

/// How the data blocks of a file store their cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellFormat {
    pub(crate) layout: CellLayout,
    pub(crate) encoding: DataBlockEncoding,
    /// Whether tags are dictionary-compressed, where the encoding does that.
    pub(crate) tags_compressed: bool,
    pub(crate) order: CellOrder,
}

impl CellFormat {
    /// As file info has it; its encoding is known already.
    pub(crate) fn of(info: &FileInfo, encoding: DataBlockEncoding, order: CellOrder) -> Self {
        let layout = CellLayout {
            tags: info.get(keys::MAX_TAGS_LEN).is_some(),
            mvcc: info.int(keys::KEY_VALUE_VERSION) == Some(1),
        };
        let tags_compressed = info.get(keys::TAGS_COMPRESSED).is_some_and(|flag| flag != [0]);
        Self { layout, encoding, tags_compressed, order }
    }

    /// The type of the file's data blocks.
    pub(crate) fn data_type(self) -> BlockType {
        match self.encoding {
            DataBlockEncoding::None => BlockType::Data,
            _ => BlockType::EncodedData,
        }
    }

    /// Decodes a block of cells, checks every cell, and notes where they are.
    pub(crate) fn find_cells(self, path: &Path, mut block: Block) -> Result<Block, HFileError> {
        let (found, offset) = (block.block_type(), block.place().offset);
        let corrupt = |part: &'static str, expected: &str, found: String| {
            let expected = expected.to_owned();
            HFileError::Corrupt { path: path.to_owned(), part, offset, expected, found }
        };
        if found != self.data_type() {
            return Err(corrupt("block index", self.data_type().name(), found.name().to_owned()));
        }
        if self.encoding != DataBlockEncoding::None {
            match self.encoding.decode(block.payload(), self.layout, self.tags_compressed) {
                Ok(Decoded::InPlace(cells)) => block.narrow(cells),
                Ok(Decoded::Anew(bytes)) => block = block.decoded(bytes),
                Err(reason) => return Err(corrupt(found.name(), self.encoding.name(), reason.to_owned())),
            }
        }
        let cells = CellOffsets::find(block.payload(), self.layout, self.order)
            .map_err(|at| corrupt(found.name(), "well-formed cells", format!("a bad one at byte {at}")))?;
        block.cells = Some(cells);
        Ok(block)
    }
}
