//! Goes through the blocks of a damaged file by their own headers, without its index: over what is damaged it searches for
//! the next block that verifies.
//!
//! A value may hold a whole HFile, whose blocks verify, too. So a data block behind damage counts only when the next one does
//! not contradict it: that one says where the data block before it is, which cannot be before the one that was found. Blocks
//! of a file within a file know other places.

use crate::block::{Block, BlockRef, HEADER_SIZE, Header, MAX_BLOCK_SIZE};
use crate::block_type::BlockType;
use crate::error::HFileError;
use crate::stored_block::BlockHeader;
use finback_fs::RandomAccessFile;
use std::path::Path;

/// Bytes searched at a time.
const STEP_BYTES: usize = 256 << 10;
/// Bytes of the magic that a block begins with.
const MAGIC_BYTES: usize = 8;
/// A crafted file could hold many things that look like large blocks: what is read to find out is limited to this multiple of
/// the file (an honest one needs hardly more than one).
const MOST_PASSES: u64 = 8;

/// What lies before a data block and behind the one before it, and belongs to no block that verifies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gap {
    /// Where it begins.
    pub(super) at: Option<u64>,
    pub(super) bytes: u64,
}

impl Gap {
    /// Both; this one is the first.
    pub(super) fn and(self, other: Self) -> Self {
        Self { at: self.at.or(other.at), bytes: self.bytes + other.bytes }
    }
}

/// A block whose checksums hold, as it stands in the file.
#[derive(Debug)]
pub(super) struct SoundBlock {
    pub(super) header: BlockHeader,
    pub(super) place: BlockRef,
    pub(super) bytes: Vec<u8>,
    /// Of a data block: what is before it.
    pub(super) gap: Gap,
}

impl SoundBlock {
    pub(super) fn is_data(&self) -> bool {
        is_data(self.header.block_type)
    }

    /// What it and the gap before it are if it does not count.
    pub(super) fn as_a_gap(&self) -> Gap {
        self.gap.and(Gap { at: Some(self.place.offset), bytes: self.place.size.into() })
    }

    pub(super) fn end(&self) -> u64 {
        self.place.offset + u64::from(self.place.size)
    }

    /// As it is stored.
    pub(super) fn payload(&self) -> &[u8] {
        self.bytes.get(HEADER_SIZE..self.header.data_size as usize).unwrap_or_default()
    }
}

fn is_data(block_type: BlockType) -> bool {
    matches!(block_type, BlockType::Data | BlockType::EncodedData)
}

/// A way through a file.
pub(super) struct BlockWalk<'a> {
    file: &'a dyn RandomAccessFile,
    path: &'a Path,
    /// Where the next block ought to begin.
    at: u64,
    /// Where the blocks end.
    end: u64,
    /// Where the last data block of all is, if that is known.
    very_last_data: Option<u64>,
    /// The last data block that counts.
    last_data: Option<u64>,
    /// Damage behind that, and behind what is held.
    gap: Gap,
    /// A data block behind damage, which counts if the next one does not contradict it.
    held: Option<SoundBlock>,
    /// One that counts, and comes behind the one that was held.
    ready: Option<SoundBlock>,
    /// Bytes that may yet be read in a search.
    budget: u64,
}

impl<'a> BlockWalk<'a> {
    /// Begins at the beginning of a file whose blocks end at `end`. `very_last_data`: where the last data block is, if
    /// that is known.
    pub(super) fn new(
        file: &'a dyn RandomAccessFile,
        path: &'a Path,
        end: u64,
        very_last_data: Option<u64>,
    ) -> Self {
        let (last_data, gap, held, ready) = (None, Gap::default(), None, None);
        let budget = end.saturating_mul(MOST_PASSES);
        Self { file, path, at: 0, end, very_last_data, last_data, gap, held, ready, budget }
    }

    /// How far it is, in bytes.
    pub(super) fn position(&self) -> u64 {
        self.at
    }

    /// What lies behind the last data block and belongs to no block that verifies, once the end is reached.
    pub(super) fn last_gap(&self) -> Gap {
        self.gap
    }

    /// The next block; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<SoundBlock>, HFileError> {
        if let Some(ready) = self.ready.take() {
            return Ok(Some(ready));
        }
        loop {
            let Some(mut block) = self.next_sound()? else { return self.last_held() };
            if !block.is_data() {
                return Ok(Some(block));
            }
            let held = self.held.take();
            let confirmed = held.filter(|held| {
                let is_confirmed = block.header.previous >= held.place.offset as i64;
                if !is_confirmed {
                    self.gap = held.as_a_gap().and(self.gap);
                }
                is_confirmed
            });
            block.gap = std::mem::take(&mut self.gap);
            if let Some(held) = &confirmed {
                self.last_data = Some(held.place.offset);
            }
            if block.gap.at.is_some() {
                self.held = Some(block);
                if confirmed.is_some() {
                    return Ok(confirmed);
                }
                continue;
            }
            self.last_data = Some(block.place.offset);
            if confirmed.is_some() {
                self.ready = Some(block);
                return Ok(confirmed);
            }
            return Ok(Some(block));
        }
    }

    /// The block that was held, at the end of the file, where none comes to say that it counts.
    fn last_held(&mut self) -> Result<Option<SoundBlock>, HFileError> {
        let Some(held) = self.held.take() else { return Ok(None) };
        let offset = held.place.offset;
        if self.very_last_data == Some(offset) || self.is_behind_a_data_block(held.header.previous)? {
            self.last_data = Some(offset);
            return Ok(Some(held));
        }
        self.gap = held.as_a_gap().and(self.gap);
        Ok(None)
    }

    /// Whether what was a data block, sound or not, begins at `previous`.
    fn is_behind_a_data_block(&self, previous: i64) -> Result<bool, HFileError> {
        let Ok(previous) = u64::try_from(previous) else { return Ok(false) };
        let mut magic = [0; MAGIC_BYTES];
        self.read(previous, &mut magic)?;
        Ok(BlockType::from_magic(&magic).is_some_and(is_data))
    }

    /// The next block whose checksums hold.
    fn next_sound(&mut self) -> Result<Option<SoundBlock>, HFileError> {
        if self.at >= self.end {
            return Ok(None);
        }
        let mut found = self.block_at(self.at)?;
        if found.is_none() {
            found = self.behind_damage()?;
            let to = found.as_ref().map_or(self.end, |block| block.place.offset);
            self.gap = self.gap.and(Gap { at: Some(self.at), bytes: to - self.at });
        }
        self.at = found.as_ref().map_or(self.end, SoundBlock::end);
        Ok(found)
    }

    /// Whether the data block before one at `offset` can be at `previous`: there may only be damage between the two.
    fn follows(&self, previous: i64, offset: u64) -> bool {
        let Ok(previous) = u64::try_from(previous) else {
            return offset == 0;
        };
        let held = self.held.as_ref().map(|held| held.place.offset);
        let damage = self.held.as_ref().map_or(self.gap.at, |held| held.gap.at).unwrap_or(self.at);
        [self.last_data, held].contains(&Some(previous)) || (damage..offset).contains(&previous)
    }

    /// The block at `offset`, if there is one whose checksums hold, and that can follow what was before.
    pub(super) fn block_at(&mut self, offset: u64) -> Result<Option<SoundBlock>, HFileError> {
        let room = self.end.saturating_sub(offset);
        if room < HEADER_SIZE as u64 {
            return Ok(None);
        }
        let mut head = [0; HEADER_SIZE];
        self.read(offset, &mut head)?;
        let Some(parsed) = Header::parse(&head) else { return Ok(None) };
        let (size, header) = ((parsed.on_disk_size + HEADER_SIZE) as u64, BlockHeader::of(&parsed, &head));
        let is_possible = size <= MAX_BLOCK_SIZE && size <= room && parsed.has_room_for_checksums();
        let is_stranger = is_data(header.block_type) && !self.follows(header.previous, offset);
        if !is_possible || is_stranger || size > self.budget {
            return Ok(None);
        }
        self.budget -= size;
        let place = BlockRef { offset, size: size as u32 };
        let mut bytes = vec![0; size as usize];
        self.read(offset, &mut bytes)?;
        let is_sound = Block::check_sums(self.path, place, &bytes).is_ok();
        Ok(is_sound.then_some(SoundBlock { header, place, bytes, gap: Gap::default() }))
    }

    /// Searches for a block behind the position, where none is.
    fn behind_damage(&mut self) -> Result<Option<SoundBlock>, HFileError> {
        let mut from = self.at + 1;
        let mut step = vec![0; STEP_BYTES];
        while from + (HEADER_SIZE as u64) <= self.end {
            let length = usize::try_from(self.end - from).unwrap_or(STEP_BYTES).min(STEP_BYTES);
            self.read(from, &mut step[..length])?;
            for (number, magic) in step[..length].windows(MAGIC_BYTES).enumerate() {
                if b"DIBMF".contains(&magic[0])
                    && BlockType::from_magic(magic).is_some()
                    && let Some(block) = self.block_at(from + number as u64)?
                {
                    return Ok(Some(block));
                }
            }
            from += (length - (MAGIC_BYTES - 1)) as u64;
        }
        Ok(None)
    }

    fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<(), HFileError> {
        self.file.read_exact_at(offset, bytes).map_err(|source| HFileError::Io {
            path: self.path.to_owned(),
            what: "read what is left of a damaged file",
            offset,
            source,
        })
    }
}
