//! Reads the cells of a file in order, forward from any key.
//!
//! A scanner never does I/O. An operation that needs a block which is neither in the cache nor given before returns
//! [`ScanInterrupt::NeedBlock`] and leaves the position as it was; after [`HFileScanner::provide`] the same call goes on.
//! Given blocks are kept until the operation is done, so that it ends even when the cache keeps nothing. Where the operation
//! leaves a large block it keeps of its position the key alone.

use crate::block::{Block, BlockRef};
use crate::block_cache::{BlockCache, BlockPriority};
use crate::block_type::BlockType;
use crate::copyable_block::StoredForm;
use crate::error::HFileError;
use crate::index::NodeIndex;
use crate::position::{Position, TakeRows};
use crate::read_ahead::ReadAhead;
use crate::reader::{BlockRequest, HFileReader};
use finback_cell::key::{Key, row_of};
use finback_cell::{Cell, CellOrder};
use finback_fs::RandomAccessFile;
use smallvec::{SmallVec, smallvec};
use std::cmp::Ordering;
use std::sync::Arc;

mod copying;
mod parked;
mod resting;

use parked::Parked;
use resting::{LEFT_BLOCK_BYTES, Resting};

/// Why an operation stopped.
#[derive(Debug)]
pub enum ScanInterrupt {
    /// This block is needed.
    NeedBlock(BlockRequest),
    /// The file cannot be read.
    Failed(HFileError),
}

impl From<HFileError> for ScanInterrupt {
    fn from(error: HFileError) -> Self {
        Self::Failed(error)
    }
}

/// A position in a file.
pub struct HFileScanner {
    reader: Arc<HFileReader>,
    cache: Option<Arc<dyn BlockCache>>,
    cache_data: bool,
    data_priority: BlockPriority,
    /// From the root down: which entry of each index block leads to the data block.
    path: Path,
    position: Option<Position>,
    /// Where it stands without its block. Then it has no `position`.
    resting: Option<Box<Resting>>,
    /// Blocks given for the operation in progress.
    given: Vec<Arc<Block>>,
    /// Whether data blocks may be copied.
    copies: bool,
    /// How data blocks are read, if not as everything else.
    stream: Option<Stream>,
    /// Of the data block given last.
    stored: Option<Box<StoredForm>>,
    ahead: ReadAhead,
    parked: Option<Parked>,
    /// Blocks of more bytes in memory are let go of before the next one is read.
    left_bytes: usize,
    /// Bytes of the blocks that it came through in the row at the position.
    row_bytes: usize,
    /// Of a row with more bytes before them, blocks are not put into the cache.
    cached_of_row_bytes: usize,
}

/// The storage's way for who reads a file once.
struct Stream {
    file: Arc<dyn RandomAccessFile>,
    /// Memory that it takes.
    bytes: usize,
}

/// Files of up to 2 index levels need no allocation for it.
type Path = SmallVec<[PathStep; 2]>;

#[derive(Clone)]
struct PathStep {
    /// The index block; `None` is the root.
    node: Option<Arc<Block>>,
    entry: usize,
}

impl HFileScanner {
    /// Bytes of the blocks that this scanner keeps in memory, and of what it streams.
    pub fn held_bytes(&self) -> usize {
        let of_path = self.path.iter().filter_map(|step| step.node.as_ref());
        let of_position = self.position.iter().map(Position::block);
        let blocks: usize =
            of_path.chain(of_position).chain(&self.given).map(|block| block.memory_bytes()).sum();
        let streamed = self.stream.as_ref().map_or(0, |stream| stream.bytes);
        blocks + self.stored.as_ref().map_or(0, |stored| stored.memory_bytes()) + streamed
    }

    /// A scanner that stands nowhere. `cache_data`: whether data blocks that were read are put into the cache (index
    /// blocks always are).
    pub fn new(reader: Arc<HFileReader>, cache: Option<Arc<dyn BlockCache>>, cache_data: bool) -> Self {
        let data_priority = BlockPriority::Normal;
        Self {
            reader,
            cache,
            cache_data,
            data_priority,
            path: Path::new(),
            position: None,
            resting: None,
            given: Vec::new(),
            copies: false,
            stream: None,
            stored: None,
            ahead: ReadAhead::default(),
            parked: None,
            left_bytes: LEFT_BLOCK_BYTES,
            row_bytes: 0,
            cached_of_row_bytes: usize::MAX,
        }
    }

    /// The same scanner, with what its data blocks are worth in the cache.
    pub fn with_data_priority(self, data_priority: BlockPriority) -> Self {
        Self { data_priority, ..self }
    }

    /// The same scanner, which lets go of a block of more than so many bytes in memory before it reads the next one.
    pub fn with_blocks_left(self, left_bytes: usize) -> Self {
        Self { left_bytes, ..self }
    }

    /// The same scanner, which goes through the file once, from one end to the other, with so many bytes of memory for what it reads at
    /// a time, where that [can be done](HFileReader::can_be_streamed).
    pub fn streaming(self, piece_bytes: usize) -> Self {
        let bytes = usize::try_from(self.reader.size_bytes()).unwrap_or(usize::MAX).min(piece_bytes);
        let stream = self.reader.file.streamed(piece_bytes).map(|file| Stream { file, bytes });
        Self { stream, ..self }
    }

    /// The same scanner, which puts into the cache no more than so many bytes of a row that it comes through: one that is
    /// larger than the cache would take the place of all others, and be gone before it is read again.
    pub fn with_cached_of_row(self, cached_of_row_bytes: usize) -> Self {
        Self { cached_of_row_bytes, ..self }
    }

    /// The file.
    pub fn reader(&self) -> &HFileReader {
        &self.reader
    }

    /// The cell at the position and its sequence id; `None` before the first seek, after the last cell, and while it rests.
    #[inline]
    pub fn peek(&self) -> Option<(Cell<'_>, u64)> {
        self.position.as_ref().map(Position::cell)
    }

    /// Whether the cell behind the one at the position is known to have another key, or not to be there, without a block
    /// being read.
    pub fn next_has_another_key(&self) -> bool {
        let Some(position) = &self.position else { return false };
        let (order, key) = (self.reader.order(), Key::of(&position.cell().0));
        self.next_key()
            .is_some_and(|next| next.is_none_or(|next| order.compare_flat_to_key(next, &key).is_gt()))
    }

    /// Whether the row of the cell at the position is known to end with it, without a block being read.
    #[inline]
    pub fn is_last_of_row(&self) -> bool {
        let Some(position) = &self.position else { return false };
        let (order, row) = (self.reader.order(), position.cell().0.row());
        self.next_key()
            .is_some_and(|next| next.is_none_or(|next| order.compare_rows(row_of(next), row).is_gt()))
    }

    /// The flat key of the cell behind the one at the position, or one that is between the two if that cell is in another block;
    /// `Some(None)`: there is none. `None`: it stands nowhere.
    #[inline]
    fn next_key(&self) -> Option<Option<&[u8]>> {
        let position = self.position.as_ref()?;
        let (number, cells) = position.among()?;
        if number + 1 < cells.len() {
            return cells.flat_key(position.block().payload(), number + 1).map(Some);
        }
        Some(self.key_behind_block())
    }

    /// The key that leads to the next data block, which has no cell before it; `None`: there is none. Where a block of the index
    /// ends the one above it has it.
    fn key_behind_block(&self) -> Option<&[u8]> {
        self.path.iter().rev().find_map(|step| match &step.node {
            None => self.reader.root().key(step.entry + 1),
            Some(node) => NodeIndex::over_checked(node.payload()).key(step.entry + 1),
        })
    }

    /// Moves to the first cell at or after `key`.
    ///
    /// # Errors
    /// [`ScanInterrupt`].
    pub fn seek(&mut self, key: &Key<'_>) -> Result<(), ScanInterrupt> {
        let found = self.locate(key)?;
        self.settle(found);
        Ok(())
    }

    /// Moves forward to the first cell at or after `key`; stays where it is if the position is there already.
    ///
    /// # Errors
    /// [`ScanInterrupt`].
    pub fn reseek(&mut self, key: &Key<'_>) -> Result<(), ScanInterrupt> {
        let order = self.reader.order();
        let Some(position) = &mut self.position else {
            return if self.resting.is_none() || self.rests_at_or_after(key) {
                Ok(())
            } else {
                self.seek(key)
            };
        };
        if order.compare_cell_to_key(&position.cell().0, key) != Ordering::Less {
            return Ok(());
        }
        let found = position.among().map(|(number, cells)| {
            cells.next_at_or_after(position.block().payload(), number + 1, order, key)
        });
        if found.is_some_and(|number| position.move_to(number)) {
            return Ok(());
        }
        // In another block.
        self.rest_at_end_of_block();
        self.seek(key)
    }

    /// Moves to the next cell.
    ///
    /// # Errors
    /// [`ScanInterrupt`].
    #[inline]
    pub fn advance(&mut self) -> Result<(), ScanInterrupt> {
        let Some(position) = &mut self.position else { return self.advance_from_rest() };
        if position.advance() {
            return Ok(());
        }
        self.rest_at_end_of_block();
        let found = self.beside(&self.path, Direction::Forward)?;
        self.settle(found);
        Ok(())
    }

    /// Moves to the next cells as long as no other block is needed, they are of the same row, and `take`, given the cell before,
    /// the cell and its sequence id, takes them. Then the position is at the last one that was taken.
    #[inline]
    pub fn advance_in_row(&mut self, take: impl FnMut(&Cell<'_>, &Cell<'_>, u64) -> bool) {
        if let Some(position) = &mut self.position {
            position.advance_in_row(take);
        }
    }

    /// Moves from the first cell of a row behind whole rows, as long as no other block is needed and `rows` takes them; whether it
    /// has moved. Then the position is at the first cell of a row that was not taken.
    #[inline]
    pub fn advance_rows(&mut self, rows: &mut impl TakeRows) -> bool {
        self.position.as_mut().is_some_and(|position| position.advance_rows(rows))
    }

    /// Moves to the next cell if no other block is needed and `goes`, given the cell and the next one, says so; whether it has
    /// moved.
    #[inline]
    pub fn advance_if(&mut self, goes: impl FnOnce(&Cell<'_>, &Cell<'_>) -> bool) -> bool {
        self.position.as_mut().is_some_and(|position| position.advance_if(goes))
    }

    /// The greatest row strictly before `row` (`None`: the last row). The position stays.
    ///
    /// # Errors
    /// [`ScanInterrupt`].
    pub fn previous_row(&mut self, row: Option<&[u8]>) -> Result<Option<Vec<u8>>, ScanInterrupt> {
        let Some(row) = row else {
            return Ok(self.reader.last_key().map(|key| Key::from_checked(key).row.to_vec()));
        };
        let key = Key::first_on_row(row);
        let order = self.reader.order();
        let found = match self.descend(&key)? {
            None => None,
            Some(path) => {
                let block = self.child(&path)?;
                let number = first_at_or_after(&block, order, &key);
                match number.checked_sub(1) {
                    Some(number) => Position::new(block, number),
                    None => self.beside(&path, Direction::Backward)?.map(|(_, position)| position),
                }
            }
        };
        self.given.clear();
        let found = found.as_ref().map(|position| (position, position.cell().0.row()));
        // A lying index may lead to a later row, with which a reversed scan would not end.
        if let Some((position, found)) = found
            && order.compare_rows(found, row).is_ge()
        {
            return Err(self.reader.misplaced(position.block().place(), position.block().place()).into());
        }
        Ok(found.map(|(_, row)| row.to_vec()))
    }

    /// Hands over a block that was asked for.
    pub fn provide(&mut self, block: Arc<Block>) {
        let is_index = block.block_type().is_index();
        if let Some(cache) = &self.cache
            && (is_index || self.caches_data(block.memory_bytes()))
            && self.reader.is_worth_caching()
        {
            let priority = if is_index { BlockPriority::Index } else { self.data_priority };
            cache.insert(self.reader.id(), &block, priority);
        }
        self.given.push(block);
    }

    /// Whether a data block of so many bytes is put into the cache, if it is of the row at the position.
    fn caches_data(&self, bytes: usize) -> bool {
        self.cache_data && self.row_bytes.saturating_add(bytes) <= self.cached_of_row_bytes
    }

    fn settle(&mut self, found: Option<(Path, Position)>) {
        match found {
            Some((path, position)) => {
                self.moved_to(&position);
                self.path = path;
                self.position = Some(position);
            }
            None => self.position = None,
        }
        self.resting = None;
        self.parked = None;
        self.given.clear();
    }

    /// Counts the block that it goes to.
    fn moved_to(&mut self, position: &Position) {
        let place = position.block().place();
        let before = self.position.as_ref().map(|before| before.block().place());
        let before = before.or(self.resting.as_ref().map(|resting| resting.place));
        if before == Some(place) || self.parked.is_some() {
            return;
        }
        if let Some(before) = before {
            self.ahead.moved(before, place);
        }
        let is_same_row = self.key().is_some_and(|(key, _)| key.row == position.cell().0.row());
        let so_far = if is_same_row { self.row_bytes } else { 0 };
        self.row_bytes = so_far.saturating_add(position.block().memory_bytes());
    }

    /// The first cell at or after `key`.
    fn locate(&self, key: &Key<'_>) -> Result<Option<(Path, Position)>, ScanInterrupt> {
        let order = self.reader.order();
        let found = match self.descend(key)? {
            Some(path) => {
                let place = self.target(&path);
                if self.resting.as_ref().is_some_and(|resting| resting.is_before(place, order, key)) {
                    return self.behind(&path, key);
                }
                let block = self.child(&path)?;
                Some((path, block))
            }
            None => self.edge(Path::new(), None, Direction::Forward)?,
        };
        let Some((path, block)) = found else { return Ok(None) };
        let number = first_at_or_after(&block, order, key);
        let Some(position) = Position::new(block, number) else { return self.behind(&path, key) };
        // Of cells out of order one before the key may be found, and whoever looks for it would find that again and again.
        if order.compare_cell_to_key(&position.cell().0, key) == Ordering::Less {
            return Err(self.reader.out_of_order(position.block().place()).into());
        }
        Ok(Some((path, position)))
    }

    /// The first cell of the block behind the one that `path` leads to: `key` lies between that one's last cell and it.
    fn behind(&self, path: &[PathStep], key: &Key<'_>) -> Result<Option<(Path, Position)>, ScanInterrupt> {
        let found = self.beside(path, Direction::Forward)?;
        // A lying index may lead back to a cell before the key, and whoever looks for it would be led there again and again.
        if let Some((_, position)) = &found
            && self.reader.order().compare_cell_to_key(&position.cell().0, key) == Ordering::Less
        {
            return Err(self.reader.misplaced(self.target(path), position.block().place()).into());
        }
        Ok(found)
    }

    /// The way to the data block in which `key` would be; `None` if it is before every block.
    fn descend(&self, key: &Key<'_>) -> Result<Option<Path>, ScanInterrupt> {
        let order = self.reader.order();
        let Some(entry) = self.reader.root().find(order, key) else { return Ok(None) };
        let mut path: Path = smallvec![PathStep { node: None, entry }];
        while path.len() < self.reader.index_levels() {
            let block = self.child(&path)?;
            let Some(entry) = NodeIndex::over_checked(block.payload()).find(&block.entry_rows, order, key)
            else {
                // Its first key should be that of the entry that led here: take the first child.
                path.push(PathStep { node: Some(block), entry: 0 });
                continue;
            };
            path.push(PathStep { node: Some(block), entry });
        }
        Ok(Some(path))
    }

    /// The nearest cell of the data block before or after the one that `path` leads to.
    fn beside(
        &self,
        path: &[PathStep],
        direction: Direction,
    ) -> Result<Option<(Path, Position)>, ScanInterrupt> {
        let from = self.target(path);
        let mut path = Path::from(path);
        while let Some(mut step) = path.pop() {
            let moved = match direction {
                Direction::Forward => Some(step.entry + 1).filter(|&entry| entry < self.entries(&step)),
                Direction::Backward => step.entry.checked_sub(1),
            };
            if let Some(entry) = moved {
                step.entry = entry;
                let found = self.edge(path, Some(step), direction)?;
                if let Some((_, block)) = &found {
                    self.check_beside(from, block.place(), direction)?;
                }
                return Ok(found.and_then(|(path, block)| {
                    let number = match direction {
                        Direction::Forward => 0,
                        Direction::Backward => block.cells.as_ref().map_or(0, |cells| cells.len() - 1),
                    };
                    Some((path, Position::new(block, number)?))
                }));
            }
        }
        Ok(None)
    }

    /// Blocks lie in the file in the order of their entries. A lying index that leads in circles would make a scan
    /// endless.
    fn check_beside(&self, from: BlockRef, to: BlockRef, direction: Direction) -> Result<(), ScanInterrupt> {
        let (first, second) = match direction {
            Direction::Forward => (from, to),
            Direction::Backward => (to, from),
        };
        if first.offset.saturating_add(u64::from(first.size)) <= second.offset {
            return Ok(());
        }
        Err(self.reader.misplaced(from, to).into())
    }

    /// Goes down from `step` (`None`: from the root's edge) to the first data block forward, the last backward.
    fn edge(
        &self,
        mut path: Path,
        step: Option<PathStep>,
        direction: Direction,
    ) -> Result<Option<(Path, Arc<Block>)>, ScanInterrupt> {
        let root_entries = self.reader.root().len();
        if root_entries == 0 {
            return Ok(None);
        }
        let at_edge = |entries: usize| match direction {
            Direction::Forward => 0,
            Direction::Backward => entries - 1,
        };
        path.push(step.unwrap_or(PathStep { node: None, entry: at_edge(root_entries) }));
        while path.len() < self.reader.index_levels() {
            let block = self.child(&path)?;
            let entry = at_edge(NodeIndex::over_checked(block.payload()).len());
            path.push(PathStep { node: Some(block), entry });
        }
        let block = self.child(&path)?;
        Ok(Some((path, block)))
    }

    /// Where the last step of `path` leads.
    fn target(&self, path: &[PathStep]) -> BlockRef {
        let place = path.last().and_then(|step| match &step.node {
            None => self.reader.root().place(step.entry),
            Some(node) => NodeIndex::over_checked(node.payload()).place(step.entry),
        });
        // Entries are chosen among those that there are.
        place.unwrap_or(BlockRef { offset: 0, size: 0 })
    }

    fn entries(&self, step: &PathStep) -> usize {
        match &step.node {
            None => self.reader.root().len(),
            Some(node) => NodeIndex::over_checked(node.payload()).len(),
        }
    }

    /// The block that the last step of `path` leads to.
    fn child(&self, path: &[PathStep]) -> Result<Arc<Block>, ScanInterrupt> {
        let is_data_level = path.len() == self.reader.index_levels();
        let priority = if is_data_level { self.data_priority } else { BlockPriority::Index };
        let block = self.block(self.target(path), priority)?;
        if is_data_level && block.cells.is_none() {
            return Err(self.reader.unexpected(&block, BlockType::Data).into());
        }
        if !is_data_level
            && !matches!(block.block_type(), BlockType::LeafIndex | BlockType::IntermediateIndex)
        {
            return Err(self.reader.unexpected(&block, BlockType::LeafIndex).into());
        }
        Ok(block)
    }

    /// A block from what was given, the current path, or the cache.
    fn block(&self, place: BlockRef, priority: BlockPriority) -> Result<Arc<Block>, ScanInterrupt> {
        let current = self.position.as_ref().map(Position::block);
        let nodes = self.path.iter().filter_map(|step| step.node.as_ref());
        if let Some(block) =
            self.given.iter().chain(current).chain(nodes).find(|block| block.place() == place)
        {
            return Ok(Arc::clone(block));
        }
        let cached =
            self.cache.as_ref().and_then(|cache| cache.get(self.reader.id(), place.offset, priority));
        if let Some(cache) = &self.cache
            && !self.cache_data
            && priority != BlockPriority::Index
        {
            cache.only_looked(cached.is_some());
        }
        // A lying index may give one offset two sizes.
        if let Some(block) = cached.filter(|block| block.place() == place) {
            return Ok(block);
        }
        Err(ScanInterrupt::NeedBlock(BlockRequest {
            file: Arc::clone(&self.reader),
            block: place,
            cache: self.cache.clone(),
            keep: priority == BlockPriority::Index || self.caches_data(place.size as usize),
            ahead: if priority == BlockPriority::Index {
                0..0
            } else {
                self.ahead.after(place, self.reader.size_bytes())
            },
            to_copy: priority != BlockPriority::Index && self.copies_block(place),
            // Index blocks stand elsewhere.
            stream: self
                .stream
                .as_ref()
                .filter(|_| priority != BlockPriority::Index)
                .map(|stream| Arc::clone(&stream.file)),
            is_bloom: false,
        }))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

fn first_at_or_after(block: &Block, order: CellOrder, key: &Key<'_>) -> usize {
    block.cells.as_ref().map_or(0, |cells| cells.first_at_or_after(block.payload(), order, key))
}

/// Repeats an operation, reading the blocks that it asks for, until it is done. For threads that may wait.
///
/// # Errors
/// What the operation or a read failed with.
pub fn read_through<T>(
    scanner: &mut HFileScanner,
    mut operation: impl FnMut(&mut HFileScanner) -> Result<T, ScanInterrupt>,
) -> Result<T, HFileError> {
    loop {
        match operation(scanner) {
            Ok(done) => return Ok(done),
            Err(ScanInterrupt::NeedBlock(request)) => scanner.provide(request.read()?),
            Err(ScanInterrupt::Failed(error)) => return Err(error),
        }
    }
}

impl std::fmt::Debug for HFileScanner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HFileScanner({} at {:?})", self.reader.path().display(), self.key())
    }
}
