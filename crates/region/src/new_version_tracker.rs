//! Which puts of a row and family are hidden when deletes follow the order of writing (NEW_VERSION_BEHAVIOR; HBase's
//! `NewVersionBehaviorTracker`, with what it does to the letter, but for columns with an empty qualifier, which it
//! miscounts).
//!
//! A marker hides only what was written before it: puts with its own sequence id or a lower one. And a put that was
//! surplus at some moment stays hidden, although versions above it were deleted later. So that for each marker the
//! puts are remembered that stood when it was written; a put below as many of them as the family keeps is gone.
//!
//! Cells come in the order of the store, newest timestamps first, not in the order of writing. Each marker of all
//! versions (of the family or the column) is a *node*; the last node, of no marker, is the present. A marker of a single
//! version belongs to the first node written after it and divides its time into *segments*:
//!
//! ```text
//! nodes     |------------- DeleteFamily, id 7 -------------|--------- the present ---------|
//! segments  |-- Delete, id 3 --|-- up to DeleteFamily, 7 --|-- Delete, id 9 --|-- present --|
//! ```

use finback_cell::{Cell, CellType};
use std::cmp::Reverse;

/// Families that keep more versions than this do without the memory of what stood when: it grows with the versions.
const MOST_REMEMBERED: u32 = 1 << 16;

/// The sequence id of the present: higher than any.
const PRESENT: u64 = u64::MAX;

/// What the tracker says of a put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It can be seen, as far as markers and versions written later go.
    Visible,
    /// A marker of this timestamp hides it.
    Deleted(i64),
    /// It was a surplus version at some time, or another put took its place.
    Masked,
}

/// State for one row of one family.
#[derive(Debug)]
pub(crate) struct NewVersionTracker {
    max_versions: usize,
    /// The family's markers seen in this row.
    family: Nodes,
    /// Those and the markers of the current column, and what stood when.
    column: Nodes,
    qualifier: Vec<u8>,
    in_column: bool,
    /// Timestamp and sequence id of the newest put at the current place.
    newest_put: Option<(i64, u64)>,
}

impl NewVersionTracker {
    /// For a family that keeps so many versions.
    pub(crate) fn new(max_versions: u32) -> Self {
        let max_versions = if max_versions > MOST_REMEMBERED { usize::MAX } else { max_versions as usize };
        Self {
            max_versions,
            family: Nodes::default(),
            column: Nodes::default(),
            qualifier: Vec::new(),
            in_column: false,
            newest_put: None,
        }
    }

    /// Forgets everything: a new row.
    pub(crate) fn reset(&mut self) {
        self.family.clear();
        self.in_column = false;
    }

    /// Remembers a marker.
    pub(crate) fn add(&mut self, marker: &Cell<'_>, sequence_id: u64) {
        self.enter_column(marker.qualifier());
        self.newest_put = None;
        let timestamp = marker.timestamp();
        let (of_family, all_versions) = match CellType::from_code(marker.type_code()) {
            Some(CellType::DeleteFamily) => (true, true),
            Some(CellType::DeleteFamilyVersion) => (true, false),
            Some(CellType::DeleteColumn) => (false, true),
            Some(CellType::Delete) => (false, false),
            _ => return,
        };
        if of_family {
            self.family.add(timestamp, sequence_id, all_versions);
        }
        // A marker of the family stands among the cells of the empty qualifier, whose turn it is.
        self.column.add(timestamp, sequence_id, all_versions);
    }

    /// Whether a put can be seen. Puts must come in order, each once.
    pub(crate) fn check(&mut self, put: &Cell<'_>, sequence_id: u64) -> Standing {
        self.enter_column(put.qualifier());
        let timestamp = put.timestamp();
        let replaced = match self.newest_put {
            Some((newest, replaced)) if newest == timestamp => replaced,
            _ => {
                self.newest_put = Some((timestamp, sequence_id));
                PRESENT
            }
        };
        for node in self.column.written_after(sequence_id) {
            let deleted = node.single_delete_of(timestamp, sequence_id).unwrap_or(PRESENT);
            for segment in node.segments_between(sequence_id, replaced.min(deleted)) {
                if segment.standing.len() >= self.max_versions {
                    return Standing::Masked;
                }
                if self.max_versions != usize::MAX {
                    segment.stands(sequence_id);
                }
            }
            if deleted < PRESENT {
                return Standing::Deleted(timestamp);
            }
            if timestamp <= node.timestamp {
                return Standing::Deleted(node.timestamp);
            }
        }
        if replaced < PRESENT { Standing::Masked } else { Standing::Visible }
    }

    fn enter_column(&mut self, qualifier: &[u8]) {
        if self.in_column && self.qualifier == qualifier {
            return;
        }
        self.qualifier.clear();
        self.qualifier.extend_from_slice(qualifier);
        self.in_column = true;
        self.newest_put = None;
        self.column.clone_from(&self.family);
    }
}

/// Nodes by ascending sequence id; the last is the present, once there is one.
#[derive(Debug)]
struct Nodes(Vec<Node>);

impl Default for Nodes {
    fn default() -> Self {
        Self(vec![Node::new(i64::MIN, PRESENT)])
    }
}

impl Clone for Nodes {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    fn clone_from(&mut self, source: &Self) {
        self.0.clone_from(&source.0);
    }
}

impl Nodes {
    /// Only the present, in which nothing stands.
    fn clear(&mut self) {
        self.0.drain(..self.0.len() - 1);
        self.0[0].clear();
    }

    fn add(&mut self, timestamp: i64, sequence_id: u64, all_versions: bool) {
        let at = self.0.partition_point(|node| node.sequence_id < sequence_id);
        let Some(next) = self.0.get_mut(at) else { return };
        if !all_versions {
            next.add_single_delete(timestamp, sequence_id);
        } else if next.sequence_id == sequence_id {
            // Several markers of one batch: HBase remembers the last of them alone, and shows what the others hide.
            next.timestamp = next.timestamp.max(timestamp);
        } else {
            self.0.insert(at, Node::new(timestamp, sequence_id));
        }
    }

    fn written_after(&mut self, sequence_id: u64) -> &mut [Node] {
        let at = self.0.partition_point(|node| node.sequence_id < sequence_id);
        &mut self.0[at..]
    }
}

/// The time before a marker of all versions, or before the present.
#[derive(Debug)]
struct Node {
    sequence_id: u64,
    /// The marker hides what is not newer than this.
    timestamp: i64,
    /// Markers of single versions: timestamp and sequence id, newest timestamps first, as they come.
    single: Vec<(Reverse<i64>, u64)>,
    /// Sorted by their ends; the last ends with the node.
    segments: Vec<Segment>,
}

impl Node {
    fn new(timestamp: i64, sequence_id: u64) -> Self {
        let end = Segment { end: PRESENT, standing: Vec::new() };
        Self { sequence_id, timestamp, single: Vec::new(), segments: vec![end] }
    }

    fn clear(&mut self) {
        self.single.clear();
        self.segments.drain(..self.segments.len() - 1);
        self.segments[0].standing.clear();
    }

    fn add_single_delete(&mut self, timestamp: i64, sequence_id: u64) {
        let marker = (Reverse(timestamp), sequence_id);
        if let Err(at) = self.single.binary_search(&marker) {
            self.single.insert(at, marker);
        }
        let at = self.segments.partition_point(|segment| segment.end < sequence_id);
        let Some(later) = self.segments.get(at) else { return };
        // What stood later and was there already stood then too.
        let older = later.standing.partition_point(|&put| put >= sequence_id);
        let standing = later.standing[older..].to_vec();
        let segment = Segment { end: sequence_id, standing };
        if later.end == sequence_id {
            self.segments[at] = segment;
        } else {
            self.segments.insert(at, segment);
        }
    }

    /// The sequence id of the first marker of a single version that hides a put.
    fn single_delete_of(&self, timestamp: i64, sequence_id: u64) -> Option<u64> {
        let at = self.single.partition_point(|&marker| marker < (Reverse(timestamp), sequence_id));
        self.single.get(at).filter(|marker| marker.0.0 == timestamp).map(|marker| marker.1)
    }

    fn segments_between(&mut self, first: u64, last: u64) -> &mut [Segment] {
        let first = self.segments.partition_point(|segment| segment.end < first);
        let last = self.segments.partition_point(|segment| segment.end <= last);
        &mut self.segments[first.min(last)..last]
    }
}

impl Clone for Node {
    fn clone(&self) -> Self {
        let (single, segments) = (self.single.clone(), self.segments.clone());
        Self { sequence_id: self.sequence_id, timestamp: self.timestamp, single, segments }
    }

    /// Keeps what is allocated: this happens at each column.
    fn clone_from(&mut self, source: &Self) {
        self.sequence_id = source.sequence_id;
        self.timestamp = source.timestamp;
        self.single.clone_from(&source.single);
        self.segments.clone_from(&source.segments);
    }
}

/// A time that ends with a marker.
#[derive(Debug)]
struct Segment {
    end: u64,
    /// Sequence ids of the puts seen so far that stood at its end, descending: mostly the order in which they come.
    standing: Vec<u64>,
}

impl Segment {
    fn stands(&mut self, put: u64) {
        let at = self.standing.partition_point(|&other| other > put);
        // Puts of one mutation count once.
        if self.standing.get(at) != Some(&put) {
            self.standing.insert(at, put);
        }
    }
}

impl Clone for Segment {
    fn clone(&self) -> Self {
        Self { end: self.end, standing: self.standing.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.end = source.end;
        self.standing.clone_from(&source.standing);
    }
}

#[cfg(test)]
mod tests;
