//! Goes from references to the cells in MOB files.
//!
//! A state machine like all that reads: it may stop for a block, or for a file that is not open, and goes on when it is called again
//! with the same reference.

use super::files::{FileRequest, MobPlaces};
use super::reference::{Reference, is_reference, own_tags, reference_of};
use crate::error::{Interrupt, RegionError};
use crate::scan_output::ScanOutput;
use crate::timed_file::read_to_compact;
use finback_cell::cell::CellParts;
use finback_cell::key::Key;
use finback_cell::{Cell, MobRead, TableName};
use finback_hfile::{Block, HFileError, HFileScanner, ScanInterrupt};
use std::sync::Arc;

/// The references that one read of a store comes upon.
pub(crate) struct MobReads {
    places: Arc<MobPlaces>,
    how: MobRead,
    /// The file of the last reference: the next one is mostly to the same.
    file: Option<OpenFile>,
    request: Option<FileRequest>,
    step: Step,
    /// Whether the scanner of the file has asked for a block.
    waits: bool,
    /// The cell in the place of one whose file, or which itself, is not there.
    empty: Vec<u8>,
}

struct OpenFile {
    /// The table's name, as references have it.
    table: Box<[u8]>,
    name: Box<str>,
    scanner: HFileScanner,
}

/// What comes next for the reference that is being followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Its file has to be found.
    File,
    /// The file's scanner goes to the first cell of the key.
    Seek,
    /// It goes on among those of the key, for the one of the sequence id.
    Next,
    /// There is none: the file was loaded, or was written by an HBase that keeps no old sequence ids. As there, it is the first one.
    Back,
}

/// Where the cell is.
#[derive(Clone, Copy)]
enum Found {
    InFile,
    Nowhere,
}

impl MobReads {
    pub(crate) fn new(places: Arc<MobPlaces>, how: MobRead) -> Self {
        Self { places, how, file: None, request: None, step: Step::File, waits: false, empty: Vec::new() }
    }

    /// Puts a cell of the store, or what `transform` makes of it, into the output, and of a reference the cell that it leads to; see
    /// [`ScanOutput::push_or_leave`].
    ///
    /// As in HBase a filter changes the reference: a key alone has no tags, and is none any more.
    pub(crate) fn put(
        &mut self,
        (cell, sequence_id): (&Cell<'_>, u64),
        out: &mut ScanOutput,
        (end, left): (usize, &mut usize),
        transform: impl FnOnce(&Cell<'_>, &mut Vec<u8>) -> bool,
    ) -> Result<bool, Interrupt> {
        if !is_reference(cell) {
            return Ok(self.how.references_only || out.push_or_leave(cell, end, left, transform));
        }
        let mut transformed = Vec::new();
        if transform(cell, &mut transformed) {
            return Ok(out.push_or_leave(&Cell::from_checked(&transformed), end, left, |_, _| false));
        }
        if self.how.raw {
            return Ok(out.push_or_leave(cell, end, left, |_, _| false));
        }
        let found = self.find(cell, sequence_id)?;
        let (takes, bytes) = (out.push_or_leave(&found, end, left, |_, _| false), found.value_length());
        if takes {
            self.places.files.counters.scanned.add(bytes);
        }
        Ok(takes)
    }

    /// The cell that a reference leads to.
    pub(super) fn find(&mut self, cell: &Cell<'_>, sequence_id: u64) -> Result<Cell<'_>, Interrupt> {
        let located = self.locate(cell, sequence_id);
        if !matches!(located, Err(Interrupt::NeedBlock(_) | Interrupt::NeedFile(_))) {
            self.step = Step::File;
        }
        let found = match located {
            Err(Interrupt::Failed(error)) if self.how.empty_if_missing && is_unreadable(&error) => {
                Found::Nowhere
            }
            located => located?,
        };
        if let (Found::InFile, Some(file)) = (found, &self.file)
            && let Some((found, _)) = file.scanner.peek()
        {
            return Ok(found);
        }
        self.empty.clear();
        let tags = own_tags(cell);
        CellParts { value: b"", tags: &tags, ..CellParts::from(*cell) }.write(&mut self.empty);
        Ok(Cell::from_checked(&self.empty))
    }

    /// The same, for a compaction, which may wait. `told` hears how many bytes of blocks are kept, with each block that is read.
    pub(super) fn find_waiting(
        &mut self,
        cell: &Cell<'_>,
        sequence_id: u64,
        mut told: impl FnMut(usize),
    ) -> Result<Cell<'_>, RegionError> {
        loop {
            match self.find(cell, sequence_id) {
                Ok(_) => break,
                Err(Interrupt::NeedBlock(request)) => {
                    self.provide(read_to_compact(&request)?.0);
                    told(self.held_bytes());
                }
                Err(Interrupt::NeedFile(request)) => request.open(),
                Err(Interrupt::Failed(error)) => return Err(error),
            }
        }
        match self.file.as_ref().and_then(|file| file.scanner.peek()) {
            Some((found, _)) if self.empty.is_empty() => Ok(found),
            _ => Ok(Cell::from_checked(&self.empty)),
        }
    }

    fn locate(&mut self, cell: &Cell<'_>, sequence_id: u64) -> Result<Found, Interrupt> {
        loop {
            match self.step {
                Step::File => {
                    self.empty.clear();
                    let Some(reference) = reference_of(cell) else {
                        // As in HBase: its value is nowhere.
                        tracing::warn!(?cell, "a reference to a MOB file that leads nowhere");
                        return Ok(Found::Nowhere);
                    };
                    self.take_file(&reference)?;
                    self.step = Step::Seek;
                }
                Step::Seek | Step::Back => {
                    let is_first = self.step == Step::Seek;
                    self.move_scanner(|scanner| scanner.seek(&Key::of(cell)))?;
                    match self.sequence_id_at(cell) {
                        Some(found) if !is_first || sequence_id == 0 || found == sequence_id => {
                            return Ok(Found::InFile);
                        }
                        Some(_) => self.step = Step::Next,
                        None => return Err(Interrupt::Failed(self.is_not_there(cell))),
                    }
                }
                Step::Next => {
                    self.move_scanner(HFileScanner::advance)?;
                    match self.sequence_id_at(cell) {
                        Some(found) if found == sequence_id => return Ok(Found::InFile),
                        Some(_) => {}
                        None => self.step = Step::Back,
                    }
                }
            }
        }
    }

    /// Makes the file of a reference the one that is read.
    fn take_file(&mut self, reference: &Reference<'_>) -> Result<(), Interrupt> {
        let is_it = |file: &OpenFile| *file.name == *reference.file && *file.table == *reference.table;
        if self.file.as_ref().is_some_and(is_it) {
            return Ok(());
        }
        self.file = None;
        let table = TableName::parse(reference.table)
            .map_err(|error| Interrupt::Failed(RegionError::Invalid(error.to_string())))?;
        let asked = self.request.take().filter(|request| request.is_for(&table, reference.file));
        let reader = match asked.as_ref().and_then(FileRequest::outcome) {
            Some(outcome) => outcome.map_err(Interrupt::Failed)?,
            None => match self.places.get(&table, reference.file) {
                Some(reader) => reader,
                None => {
                    let request =
                        asked.unwrap_or_else(|| FileRequest::new(&self.places, table, reference.file));
                    self.request = Some(request.clone());
                    return Err(Interrupt::NeedFile(request));
                }
            },
        };
        let cache = Some(Arc::clone(&self.places.cache));
        let scanner = HFileScanner::new(reader, cache, self.how.cache_blocks);
        self.file = Some(OpenFile { table: reference.table.into(), name: reference.file.into(), scanner });
        Ok(())
    }

    fn move_scanner(
        &mut self,
        operation: impl FnOnce(&mut HFileScanner) -> Result<(), ScanInterrupt>,
    ) -> Result<(), Interrupt> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let moved = operation(&mut file.scanner);
        self.waits = matches!(moved, Err(ScanInterrupt::NeedBlock(_)));
        Ok(moved?)
    }

    /// The sequence id of the cell at which the file's scanner stands, if it has the key of the reference.
    fn sequence_id_at(&self, reference: &Cell<'_>) -> Option<u64> {
        let (found, sequence_id) = self.file.as_ref()?.scanner.peek()?;
        (found.key() == reference.key()).then_some(sequence_id)
    }

    fn is_not_there(&self, cell: &Cell<'_>) -> RegionError {
        let path = self.file.as_ref().map(|file| file.scanner.reader().path().to_owned());
        RegionError::MissingMobCell { path: path.unwrap_or_default(), cell: format!("{cell:?}") }
    }

    /// Whether the block that was asked for last is one of a MOB file.
    pub(crate) fn waits(&self) -> bool {
        self.waits
    }

    /// Hands over that block.
    pub(crate) fn provide(&mut self, block: Arc<Block>) {
        self.waits = false;
        if let Some(file) = &mut self.file {
            file.scanner.provide(block);
        }
    }

    /// Lets go of all blocks.
    pub(crate) fn park(&mut self) {
        (self.file, self.request, self.step, self.waits) = (None, None, Step::File, false);
        self.empty = Vec::new();
    }

    /// Bytes of the blocks that are kept in memory.
    pub(crate) fn held_bytes(&self) -> usize {
        self.file.as_ref().map_or(0, |file| file.scanner.held_bytes()) + self.empty.capacity()
    }
}

/// Whether the value is nowhere, and there is nothing wrong besides.
pub(super) fn is_missing(error: &RegionError) -> bool {
    matches!(error, RegionError::MissingMobFile { .. } | RegionError::MissingMobCell { .. })
}

/// The same, or, as in HBase, the file is damaged.
fn is_unreadable(error: &RegionError) -> bool {
    let is_damaged = |error: &RegionError| match error {
        RegionError::DamagedMobFile(_) => true,
        RegionError::StoreFile(error) => matches!(**error, HFileError::Corrupt { .. }),
        _ => false,
    };
    is_missing(error) || is_damaged(error)
}
