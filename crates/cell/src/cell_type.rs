//! Type codes of cells.

/// The type code of a cell, as stored in the last byte of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum CellType {
    /// Only in seek keys: sorts after every real type.
    Minimum = 0,
    /// A value.
    Put = 4,
    /// Deletes one version of a column.
    Delete = 8,
    /// Deletes all columns of a family at exactly one timestamp.
    DeleteFamilyVersion = 10,
    /// Deletes all versions of a column up to a timestamp.
    DeleteColumn = 12,
    /// Deletes all columns of a family up to a timestamp.
    DeleteFamily = 14,
    /// Only in seek keys: sorts before every real type.
    Maximum = 255,
}

impl CellType {
    /// The type of a code, or `None` for a code that HBase does not use.
    pub fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Minimum,
            4 => Self::Put,
            8 => Self::Delete,
            10 => Self::DeleteFamilyVersion,
            12 => Self::DeleteColumn,
            14 => Self::DeleteFamily,
            255 => Self::Maximum,
            _ => return None,
        })
    }

    /// The byte stored in keys.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Whether this is one of the four delete markers.
    pub fn is_delete(self) -> bool {
        matches!(self, Self::Delete | Self::DeleteFamilyVersion | Self::DeleteColumn | Self::DeleteFamily)
    }
}
