//! Verifies the whole of a file, in one pass and little memory: every block and its checksums, the order of the cells,
//! the index, the Bloom filters, and what file info and trailer say of all that.

mod bloom_check;
mod cells;
mod index_check;

use crate::block_type::BlockType;
use crate::error::HFileError;
use crate::reader::HFileReader;
use bloom_check::BloomChecks;
use cells::CellCheck;
use finback_fs::RandomAccessFile;
use index_check::IndexCheck;
use std::path::Path;
use std::sync::Arc;

/// So many problems of a file are told; others are counted.
const MOST_PROBLEMS: usize = 20;

/// What a file must not have cells outside of.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowBounds<'a> {
    /// The first row that may be there; empty: any.
    pub start: &'a [u8],
    /// The first row that may not; empty: none.
    pub end: &'a [u8],
}

/// What was found out about a file.
#[derive(Debug, Default)]
pub struct Verification {
    /// What is wrong, in the order in which it was found.
    pub problems: Vec<HFileError>,
    /// How many more there are.
    pub untold_problems: u64,
    /// Blocks that are as they should be, but for those that are read at opening.
    pub blocks: u64,
    /// Cells in those.
    pub cells: u64,
    /// Bytes that were looked at.
    pub bytes: u64,
    /// Whether cells are out of order, or of rows that the file must not have. Their bytes are whole.
    pub has_misplaced_cells: bool,
    /// Whether it was ended before the end.
    pub was_interrupted: bool,
}

impl Verification {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty() && !self.was_interrupted
    }

    fn note(&mut self, problem: HFileError) {
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem);
        } else {
            self.untold_problems += 1;
        }
    }
}

/// Verifies a file. `watch` is told after each block how many bytes of the file are done; it says whether to go on.
pub fn verify(
    file: Arc<dyn RandomAccessFile>,
    path: &Path,
    bounds: RowBounds<'_>,
    watch: &mut dyn FnMut(u64) -> bool,
) -> Verification {
    let mut found = Verification::default();
    match HFileReader::open_to_inspect(file, path) {
        Ok(reader) => Pass::new(&reader, bounds).run(&mut found, watch),
        Err(error) => found.note(error),
    }
    found
}

/// One way through a file.
struct Pass<'a> {
    reader: &'a HFileReader,
    index: IndexCheck<'a>,
    cells: CellCheck<'a>,
    blooms: BloomChecks<'a>,
    /// Offset of the data block before.
    previous_data: i64,
    /// Whether something could not be read, so that totals cannot be compared.
    has_gaps: bool,
}

impl<'a> Pass<'a> {
    fn new(reader: &'a HFileReader, bounds: RowBounds<'a>) -> Self {
        Self {
            reader,
            index: IndexCheck::new(reader),
            cells: CellCheck::new(reader, bounds),
            blooms: BloomChecks::new(reader),
            previous_data: -1,
            has_gaps: false,
        }
    }

    fn run(mut self, found: &mut Verification, watch: &mut dyn FnMut(u64) -> bool) {
        let end = self.reader.trailer().fields.load_on_open_data_offset();
        let mut offset = 0;
        while offset < end {
            let next = match self.block(offset, end, found) {
                Some(next) => next,
                // The header is damaged: the index knows where the next data block is.
                None => {
                    self.has_gaps = true;
                    match self.index.next_block_behind(offset, found) {
                        Some(next) => next,
                        None => break,
                    }
                }
            };
            found.bytes = next;
            offset = next;
            if !watch(offset.min(self.reader.size_bytes())) {
                found.was_interrupted = true;
                return;
            }
        }
        if !self.has_gaps {
            self.index.finish(found);
            self.cells.finish(found);
        }
        found.bytes = self.reader.size_bytes();
    }

    /// Looks at the block at `offset`. Where the next one begins, if that is known.
    fn block(&mut self, offset: u64, end: u64, found: &mut Verification) -> Option<u64> {
        let stored = match self.reader.stored_block(offset) {
            Ok(stored) => stored,
            Err(error) => {
                found.note(error);
                return None;
            }
        };
        let (header, place) = (stored.header, stored.place);
        let next = offset + u64::from(place.size);
        if next > end {
            let to = format!("one that ends at {next}");
            found.note(self.reader.corrupt(
                "block header",
                offset,
                &format!("a block that ends at {end}"),
                to,
            ));
            return None;
        }
        let block = match self.reader.check_stored(stored) {
            Ok(block) => block,
            Err(error) => {
                found.note(error);
                self.has_gaps = true;
                // Of a block whose checksums are wrong the size may be wrong, too.
                self.cells.gap();
                return match self.reader.stored_block(next) {
                    Ok(_) => Some(next),
                    Err(_) if next == end => Some(next),
                    Err(_) => None,
                };
            }
        };
        found.blocks += 1;
        match block.block_type() {
            BlockType::Data | BlockType::EncodedData => {
                if header.previous != self.previous_data && !self.has_gaps {
                    let expected = format!("the data block before it at {}", self.previous_data);
                    let there = header.previous.to_string();
                    found.note(self.reader.corrupt("block header", offset, &expected, there));
                }
                self.previous_data = offset as i64;
                self.index.data_block(&block, self.has_gaps, found);
                self.cells.data_block(&block, found);
                self.blooms.data_block(&block, found);
                found.cells += block.cells.as_ref().map_or(0, |cells| cells.len() as u64);
            }
            BlockType::LeafIndex | BlockType::IntermediateIndex | BlockType::BloomChunk | BlockType::Meta => {
            }
            other => {
                let expected = "a block of the file's body";
                found.note(self.reader.corrupt("file", offset, expected, other.name().to_owned()));
            }
        }
        Some(next)
    }
}
