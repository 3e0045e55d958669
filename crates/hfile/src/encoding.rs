//! Encodings of data blocks.
//!
//! ```text
//! ┌────────────────┬──────┐  body of PREFIX, DIFF, FAST_DIFF:  ┌──────────────────────┬────────────────────────┐
//! │ encoding id u16│ body │                                    │ unencoded length i32 │ a record for each cell │
//! └────────────────┴──────┘                                    └──────────────────────┴────────────────────────┘
//!                            body of ROW_INDEX_V1:  ┌────────────────────┬──────────┬─────────────┬──────────────┐
//!                                                   │ cells as in a      │ rows     │ offset of   │ length of    │
//!                                                   │ block without      │ i32      │ each row    │ the cells    │
//!                                                   │ encoding           │          │ i32 × rows  │ i32          │
//!                                                   └────────────────────┴──────────┴─────────────┴──────────────┘
//! ```
//! A block of ROW_INDEX_V1 is searched as it is, in memory too: its cells stand there in full. One of the others is decoded
//! when it is read, into the form that a block without encoding has: the same search by halves goes over both, a cell is a
//! slice of the block, and a cached block is never decoded again. What that costs is memory: the cache holds the cells at
//! their full length, so that for its first tier those encodings save nothing. In the file tier, and on disk, they do.

use crate::block::HEADER_SIZE;
use crate::data_block::CellLayout;
use crate::delta_decoder;
use std::ops::Range;

/// How the cells of data blocks are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum DataBlockEncoding {
    /// One after the other.
    #[default]
    None,
    /// Keys without what they share with the key before.
    Prefix,
    /// Also lengths, timestamps and types as differences from the cell before.
    Diff,
    /// Like DIFF, with timestamps cheaper to decode, and values that repeat left out.
    FastDiff,
    /// As they are, with an index of the rows.
    RowIndexV1,
}

/// Why a block cannot be decoded.
pub(crate) type BadEncoding = &'static str;

const KNOWN: [(DataBlockEncoding, u16, &str); 5] = [
    (DataBlockEncoding::None, 0, "NONE"),
    (DataBlockEncoding::Prefix, 2, "PREFIX"),
    (DataBlockEncoding::Diff, 3, "DIFF"),
    (DataBlockEncoding::FastDiff, 4, "FAST_DIFF"),
    (DataBlockEncoding::RowIndexV1, 7, "ROW_INDEX_V1"),
];

impl DataBlockEncoding {
    /// The number in front of an encoded block.
    pub(crate) fn id(self) -> u16 {
        KNOWN[self as usize].1
    }

    /// HBase's name.
    pub fn name(self) -> &'static str {
        KNOWN[self as usize].2
    }

    /// Whether records say what is other than in the cell before. Then all cells are of one family.
    pub(crate) fn is_delta(self) -> bool {
        !matches!(self, Self::None | Self::RowIndexV1)
    }

    /// The encoding of HBase's name, in upper or lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        KNOWN.iter().find(|(.., known)| known.eq_ignore_ascii_case(name)).map(|(encoding, ..)| *encoding)
    }

    /// The encoding with this number.
    pub(crate) fn from_id(id: u16) -> Option<Self> {
        KNOWN.iter().find(|(_, known, _)| *known == id).map(|(encoding, ..)| *encoding)
    }

    /// Brings an encoded block's payload into the form of a block without encoding. `tags_compressed`: whether tags are
    /// dictionary-compressed, where the encoding does that.
    pub(crate) fn decode(
        self,
        payload: &[u8],
        layout: CellLayout,
        tags_compressed: bool,
    ) -> Result<Decoded, BadEncoding> {
        let (id, body) = payload.split_first_chunk::<2>().ok_or("no encoding id")?;
        if u16::from_be_bytes(*id) != self.id() {
            return Err("another encoding's id");
        }
        match self {
            Self::None => Err("an encoded block in a file without encoding"),
            Self::RowIndexV1 => {
                let cells = cells_before_row_index(body)?.len();
                Ok(Decoded::InPlace(id.len()..id.len() + cells))
            }
            Self::Prefix | Self::Diff | Self::FastDiff => {
                let mut bytes = vec![0; HEADER_SIZE];
                delta_decoder::decode(self, body, layout, tags_compressed, &mut bytes)?;
                Ok(Decoded::Anew(bytes))
            }
        }
    }
}

/// The cells of an encoded block, as a block without encoding has them.
pub(crate) enum Decoded {
    /// They stand in the payload as they are.
    InPlace(Range<usize>),
    /// Room for a block's header, and then they.
    Anew(Vec<u8>),
}

/// The cells of a ROW_INDEX_V1 block. The row index is left: the block gets an index of its cells.
fn cells_before_row_index(body: &[u8]) -> Result<&[u8], BadEncoding> {
    let (before, length) = body.split_last_chunk::<4>().ok_or("no length of the cells")?;
    let length =
        usize::try_from(i32::from_be_bytes(*length)).map_err(|_| "a negative length of the cells")?;
    let (cells, index) = before.split_at_checked(length).ok_or("cells longer than the block")?;
    let (rows, offsets) = index.split_first_chunk::<4>().ok_or("no number of rows")?;
    if usize::try_from(i32::from_be_bytes(*rows)).ok().and_then(|rows| rows.checked_mul(4))
        != Some(offsets.len())
    {
        return Err("another number of rows than offsets");
    }
    Ok(cells)
}
