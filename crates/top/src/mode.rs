//! The six ways to look at a cluster, and which fields each has.

use crate::field::Field;

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// A namespace.
    Namespace,
    /// A table.
    Table,
    /// A replica of a region.
    Region,
    /// A region server.
    RegionServer,
    /// A user.
    User,
    /// A host from which somebody calls.
    Client,
}

/// A field of a mode: how wide its column is if its values ask for no more, and whether it is shown unless somebody says
/// otherwise. Both are HBase's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModeField {
    /// The field.
    pub field: Field,
    /// Columns of the terminal; 0 leaves it to the values.
    pub width: usize,
    /// Whether it is shown at first.
    pub is_shown: bool,
}

const fn shown(field: Field, width: usize) -> ModeField {
    ModeField { field, width, is_shown: true }
}

const fn hidden(field: Field, width: usize) -> ModeField {
    ModeField { field, width, is_shown: false }
}

const REGION: &[ModeField] = &[
    hidden(Field::RegionName, 0),
    shown(Field::Namespace, 0),
    shown(Field::Table, 0),
    hidden(Field::StartCode, 13),
    hidden(Field::ReplicaId, 5),
    shown(Field::Region, 32),
    shown(Field::RegionServer, 0),
    hidden(Field::LongRegionServer, 0),
    shown(Field::Requests, 8),
    shown(Field::Reads, 8),
    shown(Field::FilteredReads, 8),
    shown(Field::Writes, 8),
    shown(Field::StoreFileSize, 10),
    hidden(Field::UncompressedSize, 12),
    shown(Field::StoreFiles, 4),
    shown(Field::MemstoreSize, 8),
    shown(Field::Locality, 8),
    hidden(Field::StartKey, 0),
    hidden(Field::CompactingCells, 12),
    hidden(Field::CompactedCells, 12),
    hidden(Field::CompactionProgress, 7),
    hidden(Field::LastMajorCompaction, 19),
];

const NAMESPACE: &[ModeField] = &[
    shown(Field::Namespace, 0),
    shown(Field::Regions, 7),
    shown(Field::Requests, 10),
    shown(Field::Reads, 10),
    shown(Field::FilteredReads, 8),
    shown(Field::Writes, 10),
    shown(Field::StoreFileSize, 13),
    hidden(Field::UncompressedSize, 15),
    shown(Field::StoreFiles, 7),
    shown(Field::MemstoreSize, 11),
];

const TABLE: &[ModeField] = &[
    shown(Field::Namespace, 0),
    shown(Field::Table, 0),
    shown(Field::Regions, 7),
    shown(Field::Requests, 10),
    shown(Field::Reads, 10),
    shown(Field::FilteredReads, 8),
    shown(Field::Writes, 10),
    shown(Field::StoreFileSize, 13),
    hidden(Field::UncompressedSize, 15),
    shown(Field::StoreFiles, 7),
    shown(Field::MemstoreSize, 11),
];

const REGION_SERVER: &[ModeField] = &[
    shown(Field::RegionServer, 0),
    hidden(Field::LongRegionServer, 0),
    shown(Field::Regions, 7),
    shown(Field::Requests, 10),
    shown(Field::Reads, 10),
    shown(Field::FilteredReads, 8),
    shown(Field::Writes, 10),
    shown(Field::StoreFileSize, 13),
    hidden(Field::UncompressedSize, 15),
    shown(Field::StoreFiles, 7),
    shown(Field::MemstoreSize, 11),
    shown(Field::UsedHeap, 11),
    shown(Field::MaxHeap, 11),
];

const USER: &[ModeField] = &[
    shown(Field::User, 0),
    shown(Field::Clients, 7),
    shown(Field::Requests, 10),
    shown(Field::Reads, 10),
    shown(Field::Writes, 10),
    shown(Field::FilteredReads, 10),
];

const CLIENT: &[ModeField] = &[
    shown(Field::Client, 0),
    shown(Field::Users, 5),
    shown(Field::Requests, 10),
    shown(Field::Reads, 10),
    shown(Field::Writes, 10),
    shown(Field::FilteredReads, 10),
];

impl Mode {
    /// All modes, in HBase's order.
    pub const ALL: [Self; 6] =
        [Self::Namespace, Self::Table, Self::Region, Self::RegionServer, Self::User, Self::Client];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Namespace => "Namespace",
            Self::Table => "Table",
            Self::Region => "Region",
            Self::RegionServer => "RegionServer",
            Self::User => "User",
            Self::Client => "Client",
        }
    }

    /// The letter by which command lines choose it.
    pub fn letter(self) -> char {
        match self {
            Self::Namespace => 'n',
            Self::Table => 't',
            Self::Region => 'r',
            Self::RegionServer => 's',
            Self::User => 'u',
            Self::Client => 'c',
        }
    }

    /// The mode of this letter.
    pub fn of_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.letter() == letter)
    }

    /// Its fields, in the order in which they are shown at first.
    pub fn fields(self) -> &'static [ModeField] {
        match self {
            Self::Namespace => NAMESPACE,
            Self::Table => TABLE,
            Self::Region => REGION,
            Self::RegionServer => REGION_SERVER,
            Self::User => USER,
            Self::Client => CLIENT,
        }
    }

    /// Whether it has a field.
    pub fn has(self, field: Field) -> bool {
        self.fields().iter().any(|known| known.field == field)
    }

    /// Whether its records are made of those of users and clients, and not of regions.
    pub(crate) fn is_of_clients(self) -> bool {
        matches!(self, Self::User | Self::Client)
    }

    /// Whether records can be chosen by a field: one of its own, or one of what its records are summed up from.
    pub fn can_filter(self, field: Field) -> bool {
        let of_parts = match self.is_of_clients() {
            true => matches!(field, Field::User | Field::Client),
            false => Self::Region.has(field),
        };
        of_parts || self.has(field)
    }

    /// What a record is looked into with.
    pub fn drill_down(self) -> Self {
        match self {
            Self::Namespace => Self::Table,
            Self::Table | Self::RegionServer => Self::Region,
            Self::Region => Self::RegionServer,
            Self::User => Self::Client,
            Self::Client => Self::User,
        }
    }

    /// The fields that say which record of this mode is meant, in a drill-down.
    pub(crate) fn drill_down_fields(self) -> &'static [Field] {
        match self {
            Self::Namespace => &[Field::Namespace],
            Self::Table => &[Field::Namespace, Field::Table],
            Self::Region | Self::RegionServer => &[Field::RegionServer],
            Self::User => &[Field::User],
            Self::Client => &[Field::Client],
        }
    }
}

#[cfg(test)]
mod tests;
