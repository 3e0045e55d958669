//! WALKey, the protobuf in front of each entry's cells. Hand-written, because every edit passes here: decoding
//! allocates nothing, the key only remembers where its fields are.

use std::ops::Range;

use crate::{
    integrity,
    varint::{FieldValue, Fields, put_uint},
};

pub(crate) const REGION: u64 = 1;
pub(crate) const TABLE: u64 = 2;
pub(crate) const SEQUENCE_ID: u64 = 3;
pub(crate) const WRITE_TIME: u64 = 4;
pub(crate) const SCOPES: u64 = 6;
pub(crate) const CELL_COUNT: u64 = 7;
const CLUSTER_IDS: u64 = 8;
pub(crate) const NONCE_GROUP: u64 = 9;
pub(crate) const NONCE: u64 = 10;
const ORIGINAL_SEQUENCE_ID: u64 = 11;
pub(crate) const ATTRIBUTES: u64 = 12;

/// Where the fields of a key are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct KeyLayout {
    region: Range<usize>,
    table: Range<usize>,
    sequence_id: u64,
    write_time_ms: u64,
    pub(crate) cell_count: u32,
    nonce_group: u64,
    nonce: u64,
    original_sequence_id: Option<u64>,
}

impl KeyLayout {
    /// Of the bytes of a key without its length. `Err` says what is wrong.
    pub(crate) fn parse(key: &[u8]) -> Result<Self, &'static str> {
        let mut layout = KeyLayout::default();
        let mut seen = 0u32;
        for field in Fields::of(key) {
            let field = field.ok_or("the key is not a protobuf message")?;
            match (field.number, field.value) {
                (REGION, FieldValue::Bytes(b)) => layout.region = field.end - b.len()..field.end,
                (TABLE, FieldValue::Bytes(b)) => layout.table = field.end - b.len()..field.end,
                (SEQUENCE_ID, FieldValue::Varint(v)) => layout.sequence_id = v,
                (WRITE_TIME, FieldValue::Varint(v)) => layout.write_time_ms = v,
                (CELL_COUNT, FieldValue::Varint(v)) => layout.cell_count = v as u32,
                (NONCE_GROUP, FieldValue::Varint(v)) => layout.nonce_group = v,
                (NONCE, FieldValue::Varint(v)) => layout.nonce = v,
                (ORIGINAL_SEQUENCE_ID, FieldValue::Varint(v)) => layout.original_sequence_id = Some(v),
                (SCOPES | CLUSTER_IDS | ATTRIBUTES, FieldValue::Bytes(_)) => {}
                (REGION..=WRITE_TIME | SCOPES..=ATTRIBUTES, _) => {
                    return Err("a key field has the wrong type");
                }
                _ => {}
            }
            if field.number <= WRITE_TIME {
                seen |= 1 << field.number;
            }
        }
        if seen != 1 << REGION | 1 << TABLE | 1 << SEQUENCE_ID | 1 << WRITE_TIME {
            return Err("a required key field is missing");
        }
        Ok(layout)
    }
}

/// The key of an entry, borrowed from the reader.
#[derive(Debug, Clone)]
pub struct WalKey<'a> {
    bytes: &'a [u8],
    layout: KeyLayout,
}

impl<'a> WalKey<'a> {
    pub(crate) fn new(bytes: &'a [u8], layout: KeyLayout) -> Self {
        Self { bytes, layout }
    }

    /// Decodes a key without its length prefix.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, &'static str> {
        Ok(Self { bytes, layout: KeyLayout::parse(bytes)? })
    }

    /// Encoded region name (ASCII).
    pub fn region(&self) -> &'a [u8] {
        self.bytes.get(self.layout.region.clone()).unwrap_or_default()
    }

    /// `ns:name`, or `name` in the default namespace.
    pub fn table(&self) -> &'a [u8] {
        self.bytes.get(self.layout.table.clone()).unwrap_or_default()
    }

    /// The region's sequence id of this edit.
    pub fn sequence_id(&self) -> u64 {
        self.layout.sequence_id
    }

    /// When it was written, ms since the epoch.
    pub fn write_time_ms(&self) -> u64 {
        self.layout.write_time_ms
    }

    /// Cells that follow.
    pub fn cell_count(&self) -> u32 {
        self.layout.cell_count
    }

    /// Nonce group, 0 if none.
    pub fn nonce_group(&self) -> u64 {
        self.layout.nonce_group
    }

    /// Nonce, 0 if none.
    pub fn nonce(&self) -> u64 {
        self.layout.nonce
    }

    /// On replayed edits: the sequence id that the edit had first.
    pub fn original_sequence_id(&self) -> Option<u64> {
        self.layout.original_sequence_id
    }

    /// Families with replication and their scope (1 global, 2 serial).
    pub fn scopes(&self) -> impl Iterator<Item = (&'a [u8], u64)> {
        self.messages(SCOPES).map(|scope| (bytes_field(scope, 1), uint_field(scope, 2)))
    }

    /// Clusters that have this edit already, as 128-bit UUIDs.
    pub fn cluster_ids(&self) -> impl Iterator<Item = u128> {
        self.messages(CLUSTER_IDS)
            .map(|id| u128::from(uint_field(id, 2)) << 64 | u128::from(uint_field(id, 1)))
    }

    /// Extended attributes.
    pub fn attributes(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        self.messages(ATTRIBUTES).map(|attribute| (bytes_field(attribute, 1), bytes_field(attribute, 2)))
    }

    fn messages(&self, number: u64) -> impl Iterator<Item = &'a [u8]> {
        Fields::of(self.bytes).flatten().filter_map(move |field| match field.value {
            FieldValue::Bytes(bytes) if field.number == number => Some(bytes),
            _ => None,
        })
    }

    /// Appends this key to `out` with another number of cells and without the mark that guards the entry; every other
    /// field, known or not, as it is.
    pub(crate) fn copy_with_cell_count(&self, cell_count: u32, out: &mut Vec<u8>) {
        let mut counted = false;
        for field in Fields::of(self.bytes).flatten() {
            if field.number >= CELL_COUNT && !counted {
                put_uint(out, CELL_COUNT, u64::from(cell_count));
                counted = true;
            }
            if field.number != CELL_COUNT && field.number != integrity::MARK {
                out.extend_from_slice(&self.bytes[field.start..field.end]);
            }
        }
        if !counted {
            put_uint(out, CELL_COUNT, u64::from(cell_count));
        }
    }
}

fn bytes_field(message: &[u8], number: u64) -> &[u8] {
    let found = Fields::of(message).flatten().filter(|f| f.number == number).last();
    match found.map(|f| f.value) {
        Some(FieldValue::Bytes(bytes)) => bytes,
        _ => &[],
    }
}

fn uint_field(message: &[u8], number: u64) -> u64 {
    let found = Fields::of(message).flatten().filter(|f| f.number == number).last();
    match found.map(|f| f.value) {
        Some(FieldValue::Varint(value)) => value,
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
