//! Mutations, whose cells stand in the message or in the cell block of the request.

use super::counted_cells::take_counted;
use super::selection;
use super::time_range::time_range;
use crate::{ProtoError, pb};
use bytes::Bytes;
use finback_cell::block::CellBlockBuilder;
use finback_cell::cell::{CellParts, KEY_OVERHEAD, LENGTHS_SIZE};
use finback_cell::{
    CellBlock, CellType, LATEST_TIMESTAMP, MAX_ROW_LENGTH, Mutation, MutationKind, Shortened,
};
use pb::mutation_proto::column_value::QualifierValue;
use pb::mutation_proto::{ColumnValue, DeleteType, MutationType};

const MESSAGE: &str = "MutationProto";

/// Bytes of a cell in a block beside its row, family, qualifier, value and tags, at most: the lengths of itself and of the tags,
/// and what its key has.
const CELL_SIZE: usize = 4 + LENGTHS_SIZE + KEY_OVERHEAD + 2;

/// Decodes a mutation, taking the cells that it counts off the front of `cells`, the cell block of the request.
///
/// The cells are taken before anything else is looked at, so that after an error the next mutation finds its own;
/// unless the error [loses cells](ProtoError::loses_cells): then no cell is taken, and the next mutations have none.
///
/// # Errors
/// [`ProtoError::CellBlock`] where the block has not the cells that the mutation counts; otherwise [`ProtoError::Missing`]
/// and [`ProtoError::Invalid`].
pub fn decode_mutation(
    mutation: pb::MutationProto,
    cells: &mut Bytes,
    nonce_group: u64,
) -> Result<Mutation, ProtoError> {
    let taken = take_cells(&mutation, cells)?;
    let kind = kind(&mutation)?;
    let timestamp = mutation.timestamp.map_or(LATEST_TIMESTAMP, |timestamp| timestamp as i64);
    let (row, cells) = if taken.is_empty() {
        let row = mutation.row.clone().ok_or(ProtoError::missing(MESSAGE, "row"))?;
        check_row(&row)?;
        let cells = inline_cells(kind, &row, timestamp, &mutation.column_value)?;
        (row, cells)
    } else {
        let row = row_of(&mutation, &taken)?;
        check_cells(kind, &row, &taken)?;
        (row, taken)
    };
    Ok(Mutation {
        row,
        kind,
        cells,
        timestamp,
        durability: mutation.durability().into(),
        ttl_ms: ttl_ms(&mutation.attribute)?,
        time_range: time_range(mutation.time_range.as_deref())?,
        return_results: selection::flag(&mutation.attribute, "_rr_").unwrap_or(true),
        nonce: (nonce_group, mutation.nonce.unwrap_or(0)),
    })
}

/// Takes the cells that a mutation counts off the front of `cells`, for a mutation that is not decoded.
///
/// # Errors
/// [`ProtoError::CellBlock`], and [`ProtoError::Invalid`] for a negative count.
pub fn skip_cells(mutation: &pb::MutationProto, cells: &mut Bytes) -> Result<(), ProtoError> {
    take_cells(mutation, cells).map(|_| ())
}

fn take_cells(mutation: &pb::MutationProto, cells: &mut Bytes) -> Result<CellBlock, ProtoError> {
    take_counted(MESSAGE, mutation.associated_cell_count(), cells)
}

fn kind(mutation: &pb::MutationProto) -> Result<MutationKind, ProtoError> {
    let code = mutation.mutate_type.ok_or(ProtoError::missing(MESSAGE, "mutate_type"))?;
    match MutationType::try_from(code) {
        Ok(MutationType::Put) => Ok(MutationKind::Put),
        Ok(MutationType::Delete) => Ok(MutationKind::Delete),
        Ok(MutationType::Increment) => Ok(MutationKind::Increment),
        Ok(MutationType::Append) => Ok(MutationKind::Append),
        Err(e) => Err(ProtoError::invalid(MESSAGE, "mutate_type", e)),
    }
}

fn check_row(row: &[u8]) -> Result<(), ProtoError> {
    match row.len() {
        0 => Err(ProtoError::missing(MESSAGE, "row")),
        length if length > MAX_ROW_LENGTH => {
            Err(ProtoError::invalid(MESSAGE, "row", format!("{length} bytes, the limit is {MAX_ROW_LENGTH}")))
        }
        _ => Ok(()),
    }
}

/// The row of a mutation with cells in the block: all of them must have it, and it may be missing in the message.
fn row_of(mutation: &pb::MutationProto, cells: &CellBlock) -> Result<Bytes, ProtoError> {
    let row = match (&mutation.row, cells.iter().next()) {
        (Some(row), _) if !row.is_empty() => row.clone(),
        (_, Some(first)) => cells.bytes().slice_ref(first.row()),
        (_, None) => return Err(ProtoError::missing(MESSAGE, "row")),
    };
    check_row(&row)?;
    Ok(row)
}

fn check_cells(kind: MutationKind, row: &[u8], cells: &CellBlock) -> Result<(), ProtoError> {
    for cell in cells {
        if cell.row() != row {
            let reason =
                format!("a cell of row {} in a mutation of row {}", Shortened(cell.row()), Shortened(row));
            return Err(ProtoError::invalid(MESSAGE, "row", reason));
        }
        if !fits(kind, cell.type_code()) {
            let reason = format!("a cell of type {} in a {kind:?}", cell.type_code());
            return Err(ProtoError::invalid(MESSAGE, "cell", reason));
        }
    }
    Ok(())
}

/// A Put may hold delete markers, a Delete nothing else.
fn fits(kind: MutationKind, type_code: u8) -> bool {
    CellType::from_code(type_code).is_some_and(|cell_type| match kind {
        MutationKind::Put => cell_type == CellType::Put || cell_type.is_delete(),
        MutationKind::Delete => cell_type.is_delete(),
        MutationKind::Increment | MutationKind::Append => cell_type == CellType::Put,
    })
}

/// Bytes of the row, which the message has once and each of its cells has to have, in all cells together.
const MAX_REPEATED_BYTES: usize = 64 << 20;

fn inline_cells(
    kind: MutationKind,
    row: &[u8],
    timestamp: i64,
    columns: &[ColumnValue],
) -> Result<CellBlock, ProtoError> {
    let of_column = |column: &ColumnValue| {
        let parts = row.len() + column.family.len() + CELL_SIZE;
        let length = |part: &Option<Bytes>| part.as_ref().map_or(0, Bytes::len);
        let of_value = |value: &QualifierValue| {
            parts + length(&value.qualifier) + length(&value.value) + length(&value.tags)
        };
        column.qualifier_value.iter().map(of_value).sum::<usize>()
    };
    let cells: usize = columns.iter().map(|column| column.qualifier_value.len()).sum();
    if cells.saturating_mul(row.len()) > MAX_REPEATED_BYTES {
        let reason = format!("{cells} cells of a row of {} bytes", row.len());
        return Err(ProtoError::invalid("MutationProto", "column_value", reason));
    }
    let mut block = CellBlockBuilder::with_capacity(columns.iter().map(of_column).sum());
    for column in columns {
        for value in &column.qualifier_value {
            if value.value.is_none() && kind != MutationKind::Delete {
                // HBase's words: an empty value is another thing than none.
                let reason = "Missing required field: qualifier value";
                return Err(ProtoError::invalid("QualifierValue", "value", reason));
            }
            let cell_type = match (kind, value.delete_type) {
                (MutationKind::Put | MutationKind::Delete, Some(code)) => marker(code)?,
                // The message's default, which hbase-driver counts on.
                (MutationKind::Delete, None) => CellType::Delete,
                _ => CellType::Put,
            };
            let is_of_family = matches!(cell_type, CellType::DeleteFamily | CellType::DeleteFamilyVersion);
            let qualifier = match kind {
                // What deletes a family has no qualifier, whatever the client says.
                MutationKind::Delete if is_of_family => &[],
                _ => value.qualifier.as_deref().unwrap_or_default(),
            };
            let parts = CellParts {
                row,
                family: &column.family,
                qualifier,
                timestamp: match (value.timestamp, kind) {
                    (Some(timestamp), _) => timestamp as i64,
                    (None, MutationKind::Put) => timestamp,
                    // As in HBase, the mutation's own is not theirs.
                    (None, _) => LATEST_TIMESTAMP,
                },
                type_code: cell_type.code(),
                value: value.value.as_deref().unwrap_or_default(),
                tags: value.tags.as_deref().unwrap_or_default(),
            };
            parts.check().map_err(|e| ProtoError::invalid(MESSAGE, "column_value", e))?;
            block.push_parts(&parts);
        }
    }
    Ok(block.finish())
}

fn marker(code: i32) -> Result<CellType, ProtoError> {
    match DeleteType::try_from(code) {
        Ok(DeleteType::DeleteOneVersion) => Ok(CellType::Delete),
        Ok(DeleteType::DeleteMultipleVersions) => Ok(CellType::DeleteColumn),
        Ok(DeleteType::DeleteFamily) => Ok(CellType::DeleteFamily),
        Ok(DeleteType::DeleteFamilyVersion) => Ok(CellType::DeleteFamilyVersion),
        Err(e) => Err(ProtoError::invalid("QualifierValue", "delete_type", e)),
    }
}

/// `_ttl`: eight bytes, milliseconds. The largest is none, as in HBase.
fn ttl_ms(attributes: &[pb::NameBytesPair]) -> Result<Option<i64>, ProtoError> {
    let Some(value) = selection::attribute(attributes, "_ttl") else { return Ok(None) };
    let bytes = value.try_into().map_err(|_| {
        ProtoError::invalid(MESSAGE, "attribute", format!("_ttl of {} bytes instead of 8", value.len()))
    })?;
    Ok(Some(i64::from_be_bytes(bytes)).filter(|&ttl| ttl != i64::MAX))
}

#[cfg(test)]
mod tests;
