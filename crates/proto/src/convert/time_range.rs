//! Time ranges, and durabilities.

use crate::{ProtoError, pb};
use finback_cell::{Durability, TimeRange};
use pb::mutation_proto::Durability as PbDurability;

impl TryFrom<&pb::TimeRange> for TimeRange {
    type Error = ProtoError;

    fn try_from(range: &pb::TimeRange) -> Result<Self, ProtoError> {
        // The fields are unsigned in the message, but Java writes and reads signed timestamps.
        let min = range.from.unwrap_or(0) as i64;
        let max = range.to.map_or(i64::MAX, |to| to as i64);
        if min < 0 || max < min {
            return Err(ProtoError::invalid("TimeRange", "from", format!("no range: from {min} to {max}")));
        }
        Ok(Self { min, max })
    }
}

impl From<TimeRange> for pb::TimeRange {
    fn from(range: TimeRange) -> Self {
        Self { from: Some(range.min as u64), to: Some(range.max as u64) }
    }
}

/// The range of a message that may be absent.
pub(super) fn time_range(range: Option<&pb::TimeRange>) -> Result<TimeRange, ProtoError> {
    range.map_or(Ok(TimeRange::ALL), TimeRange::try_from)
}

impl From<PbDurability> for Durability {
    fn from(durability: PbDurability) -> Self {
        match durability {
            PbDurability::UseDefault => Self::UseDefault,
            PbDurability::SkipWal => Self::SkipWal,
            PbDurability::AsyncWal => Self::AsyncWal,
            PbDurability::SyncWal => Self::SyncWal,
            PbDurability::FsyncWal => Self::FsyncWal,
        }
    }
}

impl From<Durability> for PbDurability {
    fn from(durability: Durability) -> Self {
        match durability {
            Durability::UseDefault => Self::UseDefault,
            Durability::SkipWal => Self::SkipWal,
            Durability::AsyncWal => Self::AsyncWal,
            Durability::SyncWal => Self::SyncWal,
            Durability::FsyncWal => Self::FsyncWal,
        }
    }
}

#[cfg(test)]
mod tests;
