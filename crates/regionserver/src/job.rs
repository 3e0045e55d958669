//! What is done in the background.

use finback_cell::Bytes;
use std::sync::Arc;

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Job {
    /// Flush a region.
    Flush {
        /// Encoded name.
        region: Arc<str>,
    },
    /// Flush a region that was too large when this was asked for, if it still is.
    FlushForSize {
        /// Encoded name.
        region: Arc<str>,
    },
    /// Flush some families of a region.
    FlushFamilies {
        /// Encoded name.
        region: Arc<str>,
        /// The families, in order.
        families: Vec<Bytes>,
    },
    /// Flush whatever frees most memory.
    FlushForMemory,
    /// Compact a store.
    Compaction {
        /// Encoded name.
        region: Arc<str>,
        /// The store's family.
        family: Bytes,
        /// Whether of all files.
        major: bool,
    },
}

impl Job {
    /// The region that it is about, where it is about one.
    pub(crate) fn region(&self) -> Option<&str> {
        match self {
            Self::Flush { region }
            | Self::FlushForSize { region }
            | Self::FlushFamilies { region, .. }
            | Self::Compaction { region, .. } => Some(region),
            Self::FlushForMemory => None,
        }
    }

    pub(crate) fn is_compaction(&self) -> bool {
        matches!(self, Self::Compaction { .. })
    }

    /// The region of a flush of which that is known.
    pub(crate) fn flushed_region(&self) -> Option<&str> {
        if self.is_compaction() { None } else { self.region() }
    }

    /// Whether it would only wait for `other`: a store is compacted, and a region flushed, by one at a time.
    pub(crate) fn must_wait_for(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Compaction { region, family, .. },
                Self::Compaction { region: other, family: other_family, .. },
            ) => region == other && family == other_family,
            _ => self.flushed_region().is_some() && self.flushed_region() == other.flushed_region(),
        }
    }
}

/// Who does it: each pool has its own threads, so that no long compaction stands in the way of a short one, and no
/// compaction in the way of a flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Pool {
    /// `hbase.hstore.flusher.count` threads.
    Flushes,
    /// `hbase.regionserver.thread.compaction.small` threads. HBase's queue "short".
    SmallCompactions,
    /// `hbase.regionserver.thread.compaction.large` threads, which help with small ones when nothing large waits. HBase's
    /// queue "long".
    LargeCompactions,
}

impl Pool {
    /// The pools whose jobs this pool takes, those first that it would rather do.
    pub(crate) fn takes_from(self) -> &'static [Self] {
        match self {
            Self::Flushes => &[Self::Flushes],
            Self::SmallCompactions => &[Self::SmallCompactions],
            Self::LargeCompactions => &[Self::LargeCompactions, Self::SmallCompactions],
        }
    }
}

/// Priorities: lower goes first. Those of compactions count files, as in HBase: the less a store may still get, the
/// sooner it is compacted, and at 0 or below it holds up flushes.
pub(crate) mod priority {
    /// What somebody asked for goes before all stores that are not stuck yet (HBase's `PRIORITY_USER`).
    pub(crate) const USER: i64 = 1;
    /// What still has files of the region that it was split or merged from goes first: until then it can be neither again, and that one
    /// stays.
    pub(crate) const AFTER_SPLIT: i64 = i32::MIN as i64;
    /// Flushes that free memory for all regions.
    pub(crate) const MEMORY: i64 = -1;
    /// Flushes of single regions.
    pub(crate) const FLUSH: i64 = 0;

    /// Of a compaction that nobody asked for, of a store that may still get so many files.
    pub(crate) fn of_store(files_before_blocking: i64) -> i64 {
        // As in HBase: not the same as what somebody asked for.
        if files_before_blocking == USER { USER + 1 } else { files_before_blocking }
    }
}
