//! A cell block in pieces, which need not be put together before they are sent.

use bytes::Bytes;

/// Shorter pieces are copied: each that is sent by itself costs the kernel some work.
const LEAST_PIECE_BYTES: usize = 512;
/// Short pieces that were copied together become one of so many bytes.
const COPIED_BYTES: usize = 64 << 10;

/// A cell block, in pieces that follow each other.
#[derive(Debug, Clone, Default)]
pub struct CellPieces {
    pieces: Vec<Bytes>,
    length: usize,
}

impl CellPieces {
    /// Length of the block in bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The pieces, none of which is empty.
    pub fn iter(&self) -> impl Iterator<Item = &Bytes> {
        self.pieces.iter()
    }

    /// The block in one piece: a copy, unless it has only one.
    pub fn joined(mut self) -> Bytes {
        match self.pieces.len() {
            0 => Bytes::new(),
            1 => self.pieces.swap_remove(0),
            _ => self.pieces.concat().into(),
        }
    }

    fn push(&mut self, piece: Bytes) {
        if !piece.is_empty() {
            self.length += piece.len();
            self.pieces.push(piece);
        }
    }
}

impl From<Bytes> for CellPieces {
    fn from(block: Bytes) -> Self {
        let mut pieces = Self::default();
        pieces.push(block);
        pieces
    }
}

impl From<Vec<u8>> for CellPieces {
    fn from(block: Vec<u8>) -> Self {
        Bytes::from(block).into()
    }
}

/// Gathers the cells of a request.
#[derive(Debug, Default)]
pub struct CellPiecesBuilder {
    done: CellPieces,
    copied: Vec<u8>,
}

impl CellPiecesBuilder {
    /// Appends cells: shared, not copied, if there is much of them.
    pub fn push(&mut self, cells: &Bytes) {
        if cells.len() >= LEAST_PIECE_BYTES {
            self.end_copied();
            self.done.push(cells.clone());
            return;
        }
        if self.copied.len() + cells.len() > COPIED_BYTES {
            self.end_copied();
        }
        self.copied.extend_from_slice(cells);
    }

    /// All that was appended.
    pub fn finish(mut self) -> CellPieces {
        self.end_copied();
        self.done
    }

    fn end_copied(&mut self) {
        self.done.push(std::mem::take(&mut self.copied).into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_what_was_appended_and_what_is_long_is_not_copied() {
        let mut builder = CellPiecesBuilder::default();
        let (mut all, mut long) = (Vec::new(), Vec::new());
        for length in [0, 1, 511, 512, 3, 4000, 4000, 0, 7, 100_000, 511].into_iter().chain([500; 300]) {
            let cells = Bytes::from(vec![length as u8 ^ all.len() as u8; length]);
            all.extend_from_slice(&cells);
            builder.push(&cells);
            if length >= 512 {
                long.push(cells.as_ptr());
            }
        }
        let block = builder.finish();
        assert_eq!((block.len(), block.is_empty()), (all.len(), false));
        assert!(block.iter().all(|piece| !piece.is_empty()));
        let shared = |place: &*const u8| block.iter().any(|piece| piece.as_ptr() == *place);
        assert!(long.iter().all(shared));
        assert!(block.iter().count() < 12, "{} pieces", block.iter().count());
        assert!(block.iter().all(|piece| piece.len() <= 100_000));
        assert_eq!(block.joined(), all);
    }

    #[test]
    fn a_block_of_one_piece_is_that_piece() {
        let cells = Bytes::from(vec![1; 10]);
        let block = CellPieces::from(cells.clone());
        assert_eq!(block.joined().as_ptr(), cells.as_ptr());
        assert!(CellPieces::from(Bytes::new()).is_empty());
        assert_eq!(CellPiecesBuilder::default().finish().iter().count(), 0);
        assert!(CellPieces::default().joined().is_empty());
    }
}
