//! Block types and their magics.

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BlockType {
    Data,
    EncodedData,
    LeafIndex,
    BloomChunk,
    Meta,
    IntermediateIndex,
    RootIndex,
    FileInfo,
    GeneralBloomMeta,
    DeleteFamilyBloomMeta,
}

const MAGICS: [(BlockType, &[u8; 8], &str); 10] = [
    (BlockType::Data, b"DATABLK*", "data block"),
    (BlockType::EncodedData, b"DATABLKE", "encoded data block"),
    (BlockType::LeafIndex, b"IDXLEAF2", "leaf index block"),
    (BlockType::BloomChunk, b"BLMFBLK2", "Bloom chunk"),
    (BlockType::Meta, b"METABLKc", "meta block"),
    (BlockType::IntermediateIndex, b"IDXINTE2", "intermediate index block"),
    (BlockType::RootIndex, b"IDXROOT2", "root index block"),
    (BlockType::FileInfo, b"FILEINF2", "file info block"),
    (BlockType::GeneralBloomMeta, b"BLMFMET2", "Bloom meta block"),
    (BlockType::DeleteFamilyBloomMeta, b"DFBLMET2", "delete family Bloom meta block"),
];

/// Number of block types.
pub(crate) const BLOCK_TYPES: usize = MAGICS.len();

impl BlockType {
    /// The type of a magic.
    pub(crate) fn from_magic(magic: &[u8]) -> Option<Self> {
        MAGICS.iter().find(|(_, known, _)| &known[..] == magic).map(|(block_type, ..)| *block_type)
    }

    /// The eight bytes at the start of the block.
    pub(crate) fn magic(self) -> &'static [u8; 8] {
        MAGICS[self as usize].1
    }

    /// A name for messages.
    pub fn name(self) -> &'static str {
        MAGICS[self as usize].2
    }

    /// Whether the block belongs to the block index.
    pub fn is_index(self) -> bool {
        matches!(self, Self::LeafIndex | Self::IntermediateIndex | Self::RootIndex)
    }
}
