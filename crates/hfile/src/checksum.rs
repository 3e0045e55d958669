//! Checksums of blocks: one 32-bit word for each chunk of the block's bytes.

#[cfg(target_arch = "x86_64")]
mod fused;

use crc_fast::CrcAlgorithm;
use std::str::FromStr;

/// How blocks are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ChecksumType {
    /// Not at all; the words are there, and zero. They are checked to be, for the type of a block is one bit away from
    /// this one.
    Null,
    /// CRC-32 of zlib.
    Crc32,
    /// CRC-32C (Castagnoli).
    #[default]
    Crc32c,
}

/// Bytes of one word.
pub(crate) const WORD: usize = 4;

impl FromStr for ChecksumType {
    type Err = ();

    /// Understands HBase's name, as HBase does: in capital letters.
    fn from_str(name: &str) -> Result<Self, ()> {
        [Self::Null, Self::Crc32, Self::Crc32c].into_iter().find(|known| known.name() == name).ok_or(())
    }
}

impl ChecksumType {
    /// HBase's name of it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Crc32 => "CRC32",
            Self::Crc32c => "CRC32C",
        }
    }

    /// The type of the code in a block header.
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Null,
            1 => Self::Crc32,
            2 => Self::Crc32c,
            _ => return None,
        })
    }

    /// The code in a block header.
    pub(crate) fn code(self) -> u8 {
        self as u8
    }

    /// The word of one chunk.
    pub fn of(self, bytes: &[u8]) -> u32 {
        match self {
            Self::Null => 0,
            Self::Crc32 => crc_fast::checksum(CrcAlgorithm::Crc32IsoHdlc, bytes) as u32,
            Self::Crc32c => crc32c(bytes),
        }
    }

    /// Appends the words for all that `memory` has from `start` on.
    pub(crate) fn append(self, memory: &mut Vec<u8>, start: usize, chunk_size: usize) {
        let block = &memory[start..];
        let words: Vec<u8> =
            block.chunks(chunk_size).flat_map(|chunk| self.of(chunk).to_be_bytes()).collect();
        memory.extend_from_slice(&words);
    }

    /// The first chunk whose word is wrong: its number, the word stored, and the word computed.
    pub(crate) fn verify(
        self,
        bytes: &[u8],
        words: &[u8],
        chunk_size: usize,
    ) -> Result<(), (usize, u32, u32)> {
        for (number, (chunk, word)) in bytes.chunks(chunk_size).zip(words.chunks_exact(WORD)).enumerate() {
            let stored = u32::from_be_bytes([word[0], word[1], word[2], word[3]]);
            let computed = self.of(chunk);
            if stored != computed {
                return Err((number, stored, computed));
            }
        }
        Ok(())
    }
}

fn crc32c(bytes: &[u8]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if let Some(fused) = fused::Fused::where_best() {
        return fused.crc32c(bytes);
    }
    crc_fast::checksum(CrcAlgorithm::Crc32Iscsi, bytes) as u32
}
