//! What a family with VERSIONS, MIN_VERSIONS, TTL and KEEP_DELETED_CELLS has left, and what is to be seen of it, by HBase's rules.
//!
//! What has expired or is deleted goes with flushes and compactions, in memory too, and then no longer counts or
//! hides: so the model knows what is in each segment in memory and in each file. It does not go from cell to cell
//! with a state, but has the cells of a column, or of a row, before it.

use crate::model::{hides, is_marker};
use crate::world::Plain;
use finback_cell::{CellType, KeepDeletedCells, TimeRange};
use finback_region::InMemoryCompaction;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Attributes of a family.
#[derive(Clone, Debug)]
pub(crate) struct Attributes {
    pub(crate) versions: u32,
    pub(crate) min_versions: u32,
    pub(crate) ttl_seconds: Option<i64>,
    pub(crate) keep_deleted: KeepDeletedCells,
}

/// A cell as it was written.
#[derive(Clone)]
pub(crate) struct Written {
    pub(crate) cell: Plain,
    /// Its own time to live.
    pub(crate) ttl_ms: Option<i64>,
    /// How many were written before it.
    pub(crate) number: usize,
}

/// How a memstore is kept small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InMemory {
    pub(crate) policy: InMemoryCompaction,
    /// The active segment goes into the pipeline above so many bytes.
    pub(crate) flushed_above_bytes: u32,
    /// Segments of the pipeline that may stay side by side. If that is one, all become one. If it is more, there
    /// must be no more: which of them would become one is a matter of their sizes.
    pub(crate) side_by_side: usize,
}

impl InMemory {
    /// Whether cells go in memory.
    pub(crate) fn leaves_out(&self) -> bool {
        matches!(self.policy, InMemoryCompaction::Eager | InMemoryCompaction::Adaptive)
    }
}

#[derive(Clone, Debug)]
struct File {
    name: String,
    cells: Vec<Written>,
}

/// The cells of one family.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    attributes: Attributes,
    /// What came last.
    active: Vec<Written>,
    /// What went out of the active segment before, as in-memory compactions have left it.
    pipeline: Vec<Vec<Written>>,
    /// Oldest first.
    files: Vec<File>,
    /// All that ever came.
    written: Vec<Written>,
}

/// What a read wants of a family.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) raw: bool,
    pub(crate) times: TimeRange,
    pub(crate) versions: u32,
    /// `None` is all.
    pub(crate) qualifiers: Option<Vec<&'static str>>,
}

/// A cell in one short line.
pub(crate) fn shown(cell: &Plain) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (row, family, qualifier) = (text(&cell.row), text(&cell.family), text(&cell.qualifier));
    let cell_type = CellType::from_code(cell.type_code).unwrap();
    format!("{row}/{family}:{qualifier}@{} {cell_type:?} {}", cell.timestamp, text(&cell.value))
}

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ttl = self.ttl_ms.map_or_else(String::new, |ttl| format!(" for {ttl} ms"));
        write!(f, "#{} {}{ttl}", self.number, shown(&self.cell))
    }
}

impl Written {
    /// Whether its own time is over.
    fn is_past(&self, now: i64) -> bool {
        self.ttl_ms.is_some_and(|ttl| self.cell.timestamp + ttl < now)
    }
}

impl Attributes {
    fn has_expired(&self, timestamp: i64, now: i64) -> bool {
        self.ttl_seconds.is_some_and(|seconds| timestamp < now - 1000 * seconds)
    }

    /// Whether a cell has expired that is not one of MIN_VERSIONS, or its own time is over.
    fn is_over(&self, written: &Written, now: i64) -> bool {
        self.min_versions == 0 && self.has_expired(written.cell.timestamp, now) || written.is_past(now)
    }

    /// What a user's read finds among all cells of a row.
    fn seen(&self, row: &[&Written], asked: &Asked, now: i64) -> Vec<Plain> {
        let is_left = |written: &&Written| !self.is_over(written, now);
        let left: Vec<&Plain> = row.iter().copied().filter(is_left).map(|written| &written.cell).collect();
        // Where deleted cells are kept, who reads times before a marker sees what was there then.
        let counts = |time: i64| self.keep_deleted == KeepDeletedCells::False || asked.times.contains(time);
        let markers: Vec<&Plain> =
            left.iter().copied().filter(|&cell| is_marker(cell) && counts(cell.timestamp)).collect();
        let mut columns: BTreeMap<&[u8], BTreeMap<Reverse<i64>, &Plain>> = BTreeMap::new();
        for put in left.into_iter().filter(|&cell| !is_marker(cell) && asked.wants(cell)) {
            if !markers.iter().any(|marker| hides(marker, put)) {
                // Of several at one place the last one written comes first.
                columns.entry(&put.qualifier).or_default().entry(Reverse(put.timestamp)).or_insert(put);
            }
        }
        columns.into_values().flat_map(|column| self.newest(column.into_values(), asked, now)).collect()
    }

    /// Of the versions of a column, newest first, those that a read gets. As in HBase, where columns are named the first one that has
    /// expired is among them, even behind MIN_VERSIONS of others (with none, the expired do not come here).
    fn newest<'a>(&self, versions: impl Iterator<Item = &'a Plain>, asked: &Asked, now: i64) -> Vec<Plain> {
        let mut found = Vec::new();
        for (count, version) in (1u32..).zip(versions) {
            let has_expired = self.has_expired(version.timestamp, now);
            let is_surplus = has_expired && count > self.min_versions && asked.qualifiers.is_none();
            if count > asked.versions.min(self.versions) || is_surplus {
                break;
            }
            found.push(version.clone());
            if has_expired && count >= self.min_versions {
                break;
            }
        }
        found
    }
}

impl Asked {
    fn wants(&self, cell: &Plain) -> bool {
        let is_named = |names: &Vec<&'static str>| names.iter().any(|name| name.as_bytes() == cell.qualifier);
        self.times.contains(cell.timestamp) && self.qualifiers.as_ref().is_none_or(is_named)
    }
}

/// What a raw scan finds among all cells of a row: of each column so many puts, and all markers before the first put too many.
fn raw(row: &[&Written], asked: &Asked, now: i64) -> Vec<Plain> {
    let is_left = |written: &&Written| !written.is_past(now) && asked.wants(&written.cell);
    let left: Vec<&Written> = row.iter().copied().filter(is_left).collect();
    let mut found = Vec::new();
    for column in left.chunk_by(|a, b| are_of_one_column(a, b)) {
        let mut counted = Counted::default();
        for written in column {
            let is_new = counted.count(&written.cell);
            if counted.puts > asked.versions {
                break;
            }
            if is_new {
                found.push(written.cell.clone());
            }
        }
    }
    found
}

/// What was counted of a column.
#[derive(Default)]
struct Counted {
    last: Option<(i64, u8)>,
    puts: u32,
}

impl Counted {
    /// Counts a cell, unless it is at the place of the one before, which was written later; whether it did.
    fn count(&mut self, cell: &Plain) -> bool {
        let place = Some((cell.timestamp, cell.type_code));
        let is_new = self.last != place;
        self.last = place;
        self.puts += u32::from(is_new && !is_marker(cell));
        is_new
    }
}

/// The order of the store.
fn sorted<'a>(cells: impl Iterator<Item = &'a Written>) -> Vec<&'a Written> {
    let mut cells: Vec<&Written> = cells.collect();
    cells.sort_by(|a, b| {
        let columns = (&a.cell.row, &a.cell.qualifier).cmp(&(&b.cell.row, &b.cell.qualifier));
        let age = |of: &Written| Reverse((of.cell.timestamp, of.cell.type_code, of.number));
        columns.then_with(|| age(a).cmp(&age(b)))
    });
    cells
}

fn are_of_one_column(a: &Written, b: &Written) -> bool {
    a.cell.row == b.cell.row && a.cell.qualifier == b.cell.qualifier
}

/// A flush, or a compaction, in memory or of files.
struct Rewriting<'a> {
    attributes: &'a Attributes,
    /// All cells, in order.
    cells: Vec<&'a Written>,
    /// Whether these are those of all files.
    all_files: bool,
    /// The number of the one that no read sees yet.
    unseen: Option<usize>,
    now: i64,
}

impl Rewriting<'_> {
    /// What is written.
    fn left(&self) -> Vec<Written> {
        let columns = self.cells.chunk_by(|a, b| are_of_one_column(a, b));
        columns.flat_map(|column| self.left_of_column(column)).collect()
    }

    fn left_of_column(&self, column: &[&Written]) -> Vec<Written> {
        let attributes = self.attributes;
        // Markers of the family, which have no qualifier, may stand among cells that have none: these are all looked at. Otherwise,
        // where a put goes with all that is older, so do the markers.
        let goes_on = column[0].cell.qualifier.is_empty();
        let markers = self.effective_markers(&column[0].cell.row);
        let (mut counted, mut left, mut older_go) = (Counted::default(), Vec::new(), false);
        for &written in column.iter().filter(|written| !attributes.is_over(written, self.now)) {
            let cell = &written.cell;
            // It stays, and neither counts nor hides anything.
            if self.is_unseen(written) {
                left.push(written.clone());
                continue;
            }
            if older_go {
                continue;
            }
            if is_marker(cell) {
                if !self.all_files {
                    left.push(written.clone());
                    continue;
                }
                if self.takes_effect(cell) || cell.timestamp < self.earliest_put() {
                    continue;
                }
            }
            match how_hidden(&markers, cell) {
                Some(Hidden::Alone) => continue,
                Some(Hidden::WithAllOlder) => {
                    older_go = !goes_on;
                    continue;
                }
                None => {}
            }
            if !counted.count(cell) {
                continue;
            }
            let has_expired = attributes.has_expired(cell.timestamp, self.now);
            let is_surplus = has_expired && counted.puts > attributes.min_versions;
            if counted.puts <= attributes.versions && !is_surplus {
                left.push(written.clone());
            } else {
                older_go = !goes_on;
            }
        }
        left
    }

    fn is_unseen(&self, written: &Written) -> bool {
        self.unseen == Some(written.number)
    }

    /// Whether what a marker hides goes, and in a compaction of all files the marker itself.
    fn takes_effect(&self, marker: &Plain) -> bool {
        match self.attributes.keep_deleted {
            KeepDeletedCells::False => true,
            KeepDeletedCells::True => false,
            KeepDeletedCells::Ttl => self.attributes.has_expired(marker.timestamp, self.now),
        }
    }

    fn effective_markers(&self, row: &[u8]) -> Vec<&Plain> {
        let is_effective = |written: &&&Written| {
            let marker = &written.cell;
            marker.row == row
                && is_marker(marker)
                && !self.is_unseen(written)
                && !self.attributes.is_over(written, self.now)
                && self.takes_effect(marker)
        };
        self.cells.iter().filter(is_effective).map(|written| &written.cell).collect()
    }

    /// As the files say it: whether it has expired or not.
    fn earliest_put(&self) -> i64 {
        let puts = self.cells.iter().filter(|written| !is_marker(&written.cell));
        puts.map(|written| written.cell.timestamp).min().unwrap_or(i64::MAX)
    }
}

enum Hidden {
    Alone,
    WithAllOlder,
}

/// Of several markers that hide a put the first one of these says how.
fn how_hidden(markers: &[&Plain], put: &Plain) -> Option<Hidden> {
    if is_marker(put) {
        return None;
    }
    let is_hidden =
        |by: CellType| markers.iter().any(|marker| marker.type_code == by.code() && hides(marker, put));
    if is_hidden(CellType::DeleteFamily) {
        Some(Hidden::WithAllOlder)
    } else if is_hidden(CellType::DeleteFamilyVersion) {
        Some(Hidden::Alone)
    } else if is_hidden(CellType::DeleteColumn) {
        Some(Hidden::WithAllOlder)
    } else {
        is_hidden(CellType::Delete).then_some(Hidden::Alone)
    }
}

impl Store {
    pub(crate) fn new(attributes: Attributes) -> Self {
        Self { attributes, active: Vec::new(), pipeline: Vec::new(), files: Vec::new(), written: Vec::new() }
    }

    pub(crate) fn file_count(&self) -> usize {
        self.files.len()
    }

    pub(crate) fn write(&mut self, written: Written) {
        self.active.push(written.clone());
        self.written.push(written);
    }

    /// A rewriting that has not all files, of cells that are all seen.
    fn rewriting<'a>(&'a self, cells: impl Iterator<Item = &'a Written>, now: i64) -> Rewriting<'a> {
        let (attributes, cells) = (&self.attributes, sorted(cells));
        Rewriting { attributes, cells, all_files: false, unseen: None, now }
    }

    /// What an in-memory compaction leaves. It comes within the write of the last cell, which no read sees yet.
    fn left_in_memory(&self, cells: &[Written], now: i64) -> Vec<Written> {
        let unseen = self.written.last().map(|written| written.number);
        Rewriting { unseen, ..self.rewriting(cells.iter(), now) }.left()
    }

    /// An in-memory flush, and what came of it within the same write: the segment was compacted, and then all of
    /// them together, if they do not stay side by side. `dropped` cells were left out.
    ///
    /// What EAGER leaves out is known. So is what ADAPTIVE leaves out of a segment that becomes flat: it asks of its
    /// first cells, and there are no others here. Of several together it leaves out the same as EAGER, or nothing,
    /// if that is not worth a copy: `dropped` says which of the two it was.
    pub(crate) fn compact_in_memory(&mut self, now: i64, in_memory: InMemory, dropped: usize) {
        let active = std::mem::take(&mut self.active);
        let flat = self.left_in_memory(&active, now);
        let mut left_out = active.len() - flat.len();
        self.pipeline.push(flat);
        self.pipeline.retain(|segment| !segment.is_empty());
        if in_memory.side_by_side == 1 && self.pipeline.len() > 1 {
            let merged = self.pipeline.concat();
            let left = self.left_in_memory(&merged, now);
            let pays = in_memory.policy == InMemoryCompaction::Eager || dropped != left_out;
            if pays {
                left_out += merged.len() - left.len();
            }
            self.pipeline = vec![if pays { left } else { merged }];
            self.pipeline.retain(|segment| !segment.is_empty());
        }
        assert_eq!(dropped, left_out, "cells left out in memory, of {active:?}, then {self:#?}");
        assert!(self.pipeline.len() <= in_memory.side_by_side, "segments became one, and nobody says which");
    }

    /// A flush, after which the files have these names.
    pub(crate) fn flush(&mut self, now: i64, names: &BTreeSet<String>) {
        let mut memory = std::mem::take(&mut self.active);
        memory.extend(self.pipeline.drain(..).flatten());
        let left = self.rewriting(memory.iter(), now).left();
        self.add_file(self.files.len(), left, names);
    }

    /// What a compaction, but one of files that were named, does first: files go of which all has expired, but for the newest.
    pub(crate) fn drop_expired(&mut self, now: i64) {
        let (attributes, newest) = (&self.attributes, self.files.last().map(|file| file.name.clone()));
        let has_expired = |file: &File| {
            attributes.min_versions == 0
                && !file.cells.is_empty()
                && file.cells.iter().all(|written| attributes.has_expired(written.cell.timestamp, now))
        };
        self.files.retain(|file| newest.as_ref() == Some(&file.name) || !has_expired(file));
    }

    /// A compaction of those files, neighbours, whose names are not among these any more.
    pub(crate) fn compact(&mut self, now: i64, names: &BTreeSet<String>) {
        let is_input = |file: &File| !names.contains(&file.name);
        if let Some(place) = self.files.iter().position(is_input) {
            let (inputs, others): (Vec<File>, Vec<File>) =
                std::mem::take(&mut self.files).into_iter().partition(is_input);
            let cells = inputs.iter().flat_map(|file| &file.cells);
            let left = Rewriting { all_files: others.is_empty(), ..self.rewriting(cells, now) }.left();
            self.files = others;
            self.add_file(place, left, names);
        } else {
            self.add_file(self.files.len(), Vec::new(), names);
        }
    }

    /// The cells are in the file that is new among these.
    fn add_file(&mut self, place: usize, cells: Vec<Written>, names: &BTreeSet<String>) {
        let is_new = |name: &&String| self.files.iter().all(|file| file.name != **name);
        let new: Vec<String> = names.iter().filter(is_new).cloned().collect();
        assert!(new.len() <= 1, "more than one new file: {new:?}");
        assert_eq!(self.files.len() + new.len(), names.len(), "files are missing: {names:?}, {self:?}");
        match new.into_iter().next() {
            Some(name) => self.files.insert(place, File { name, cells }),
            None => assert!(cells.is_empty(), "no file has {cells:?}"),
        }
    }

    /// What a read finds in a row.
    pub(crate) fn read(&self, row: &str, asked: &Asked, now: i64) -> Vec<Plain> {
        let memory = self.pipeline.iter().flatten().chain(&self.active);
        let cells = self.files.iter().flat_map(|file| &file.cells).chain(memory);
        let cells = sorted(cells.filter(|written| written.cell.row == row.as_bytes()));
        if asked.raw { raw(&cells, asked, now) } else { self.attributes.seen(&cells, asked, now) }
    }

    /// What a read would find if nothing had ever been left out.
    pub(crate) fn read_all_written(&self, row: &str, asked: &Asked, now: i64) -> Vec<Plain> {
        let of_row = self.written.iter().filter(|written| written.cell.row == row.as_bytes());
        self.attributes.seen(&sorted(of_row), asked, now)
    }

    /// Qualifiers of a row for which it makes no difference to a read of all columns and times what was flushed and compacted when:
    /// no put came after a marker that hides it, and nothing that was counted for a version goes before what is older: by a marker
    /// of one version, or in its own time. Deleted cells are not kept: where they are, markers count for surplus in a compaction.
    pub(crate) fn lasting_columns(&self, row: &str) -> BTreeSet<Vec<u8>> {
        if self.attributes.keep_deleted != KeepDeletedCells::False {
            return BTreeSet::new();
        }
        let of_row: Vec<&Written> =
            self.written.iter().filter(|written| written.cell.row == row.as_bytes()).collect();
        let is_simple = |written: &Written| {
            let of_version = [CellType::Delete.code(), CellType::DeleteFamilyVersion.code()];
            written.ttl_ms.is_none() && !of_version.contains(&written.cell.type_code)
        };
        let of_family = [CellType::DeleteFamily.code(), CellType::DeleteFamilyVersion.code()];
        let is_lasting = |qualifier: &Vec<u8>| {
            let concerns = |cell: &Plain| cell.qualifier == *qualifier || of_family.contains(&cell.type_code);
            let cells: Vec<&Written> =
                of_row.iter().copied().filter(|written| concerns(&written.cell)).collect();
            let hides_later = |marker: &Written, put: &Written| {
                marker.number < put.number
                    && is_marker(&marker.cell)
                    && !is_marker(&put.cell)
                    && hides(&marker.cell, &put.cell)
            };
            let is_late = |put: &Written| cells.iter().any(|&marker| hides_later(marker, put));
            cells.iter().all(|&written| is_simple(written) && !is_late(written))
        };
        let qualifiers: BTreeSet<Vec<u8>> =
            of_row.iter().map(|written| written.cell.qualifier.clone()).collect();
        qualifiers.into_iter().filter(is_lasting).collect()
    }
}
