//! What all mutations consist of, while they are put together.

use super::cells::DraftCells;
use crate::error::{Error, Result};
use crate::get::check_row;
use crate::selection::{attribute_messages, attributes_size};
use bytes::Bytes;
use finback_cell::cell::CellParts;
use finback_cell::{CellType, Durability, LATEST_TIMESTAMP, TimeRange};
use finback_proto::pb;
use finback_rpc::CellPiecesBuilder;
use pb::mutation_proto::{Durability as DurabilityMessage, MutationType};

/// Bytes of a mutation besides its row, cells and attributes, roughly: for bounds, not for the wire.
const OVERHEAD: usize = 64;

/// A mutation of any kind.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    row: Bytes,
    cells: DraftCells,
    largest_cell: usize,
    pub(super) timestamp: i64,
    pub(super) durability: Durability,
    pub(super) time_range: TimeRange,
    attributes: Vec<(String, Bytes)>,
    /// What was asked for and cannot be; told when the mutation is sent.
    fault: Option<String>,
}

impl Draft {
    pub(super) fn new(row: &[u8]) -> Self {
        Self {
            row: Bytes::copy_from_slice(row),
            cells: DraftCells::default(),
            largest_cell: 0,
            timestamp: LATEST_TIMESTAMP,
            durability: Durability::UseDefault,
            time_range: TimeRange::ALL,
            attributes: Vec::new(),
            fault: None,
        }
    }

    pub(crate) fn row(&self) -> &[u8] {
        &self.row
    }

    pub(super) fn push(
        &mut self,
        kind: CellType,
        family: &[u8],
        qualifier: &[u8],
        timestamp: i64,
        value: &[u8],
    ) {
        self.push_tagged(kind, family, qualifier, timestamp, value, &[]);
    }

    pub(super) fn push_tagged(
        &mut self,
        kind: CellType,
        family: &[u8],
        qualifier: &[u8],
        timestamp: i64,
        value: &[u8],
        tags: &[u8],
    ) {
        let parts =
            CellParts { row: &self.row, family, qualifier, timestamp, type_code: kind.code(), value, tags };
        match parts.check() {
            Ok(()) if timestamp < 0 => self.fault(format!("a timestamp must not be negative: {timestamp}")),
            Ok(()) if family.is_empty() => self.fault("a family must have a name".to_owned()),
            Ok(()) => {
                self.largest_cell = self.largest_cell.max(parts.size());
                self.cells.push_parts(&parts);
            }
            Err(error) => self.fault(error.to_string()),
        }
    }

    pub(super) fn fault(&mut self, fault: String) {
        self.fault.get_or_insert(fault);
    }

    pub(super) fn attribute(&mut self, name: &str, value: Bytes) {
        self.attributes.retain(|(known, _)| known != name);
        self.attributes.push((name.to_owned(), value));
    }

    pub(super) fn size(&self) -> usize {
        OVERHEAD + self.row.len() + self.cells.len() + attributes_size(&self.attributes)
    }

    pub(super) fn check(&self, max_cell_size: usize, may_be_empty: bool) -> Result<()> {
        check_row(&self.row)?;
        if let Some(fault) = &self.fault {
            return Err(Error::Argument(fault.clone()));
        }
        if self.cells.is_empty() && !may_be_empty {
            return Err(Error::Argument("No columns to insert".to_owned()));
        }
        if max_cell_size > 0 && self.largest_cell > max_cell_size {
            return Err(Error::Argument(format!(
                "KeyValue size too large: {} bytes; the limit is {max_cell_size}",
                self.largest_cell
            )));
        }
        Ok(())
    }

    pub(super) fn seal(&mut self) {
        self.cells.seal();
    }

    pub(super) fn to_message(&self, kind: MutationType, cells: &mut CellPiecesBuilder) -> pb::MutationProto {
        cells.push(&self.cells.block());
        let ranged =
            matches!(kind, MutationType::Increment | MutationType::Append) && !self.time_range.is_all();
        pb::MutationProto {
            row: Some(self.row.clone()),
            mutate_type: Some(kind.into()),
            timestamp: Some(self.timestamp as u64),
            attribute: attribute_messages(&self.attributes),
            durability: Some(DurabilityMessage::from(self.durability).into()),
            time_range: ranged.then(|| Box::new(self.time_range.into())),
            associated_cell_count: (!self.cells.is_empty())
                .then(|| i32::try_from(self.cells.count()).unwrap_or(i32::MAX)),
            ..Default::default()
        }
    }
}
