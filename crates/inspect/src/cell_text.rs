//! Cells and keys as HBase prints them.

use finback_cell::key::Key;
use finback_cell::{Cell, StringBinary};
use std::fmt::{Display, Formatter, Result};

/// `row/family:qualifier/timestamp/Type`, as HBase's `KeyValue.keyToString`.
pub(crate) struct KeyText<'a>(pub(crate) Key<'a>);

/// The same of a flat key, followed by the `/seqid=0` of a key that stands for no cell.
pub(crate) struct OptionalKey<'a>(pub(crate) Option<&'a [u8]>);

/// A whole cell: its key, the length of its value, its sequence id.
pub(crate) struct CellText<'a>(pub(crate) &'a Cell<'a>, pub(crate) u64);

impl Display for KeyText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Key { row, family, qualifier, timestamp, type_code } = self.0;
        write!(f, "{}/{}", StringBinary(row), StringBinary(family))?;
        // A colon only behind a family, as HBase does it.
        if !family.is_empty() {
            f.write_str(":")?;
        }
        write!(f, "{}/", StringBinary(qualifier))?;
        match timestamp {
            i64::MAX => f.write_str("LATEST_TIMESTAMP")?,
            i64::MIN => f.write_str("OLDEST_TIMESTAMP")?,
            timestamp => write!(f, "{timestamp}")?,
        }
        match type_name(type_code) {
            Some(name) => write!(f, "/{name}"),
            None => write!(f, "/type {type_code}"),
        }
    }
}

impl Display for OptionalKey<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.0 {
            Some(flat) => write!(f, "Optional[{}/seqid=0]", KeyText(Key::from_checked(flat))),
            None => f.write_str("Optional.empty"),
        }
    }
}

impl Display for CellText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self(cell, sequence_id) = self;
        write!(f, "{}/vlen={}/seqid={sequence_id}", KeyText(Key::of(cell)), cell.value_length())
    }
}

/// HBase's name of a type of cells.
pub(crate) fn type_name(code: u8) -> Option<&'static str> {
    Some(match code {
        0 => "Minimum",
        4 => "Put",
        8 => "Delete",
        10 => "DeleteFamilyVersion",
        12 => "DeleteColumn",
        14 => "DeleteFamily",
        255 => "Maximum",
        _ => return None,
    })
}
