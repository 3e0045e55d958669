//! MOB files: large values in files of their own.

use super::BYTES;
use super::block_cache::percent;
use crate::bean::Bean::RegionServer;
use crate::metric::Kind::{Counter, Gauge};
use crate::metric::Source::Server as S;
use crate::metric::{Metric, metric};

#[rustfmt::skip]
pub(super) const MOB: &[Metric] = &[
    metric(RegionServer, &["mobFileCacheCount"], "finback_mob_open_files", Gauge, "files", "MOB files that are open.", S(|s| s.mob.open_files.into())),
    metric(RegionServer, &["mobFileCacheAccessCount"], "finback_mob_file_lookups_total", Counter, "look-ups", "Look-ups of MOB files among those that are open.", S(|s| s.mob.accesses.into())),
    metric(RegionServer, &["mobFileCacheMissCount"], "finback_mob_file_misses_total", Counter, "look-ups", "Those of them that had to open the file.", S(|s| s.mob.misses.into())),
    metric(RegionServer, &["mobFileCacheHitPercent"], "", Gauge, "%", "Share of the others.", S(|s| percent(s.mob.accesses.saturating_sub(s.mob.misses), s.mob.accesses))),
    metric(RegionServer, &["mobFileCacheEvictedCount"], "finback_mob_files_evicted_total", Counter, "files", "MOB files that were closed to open others, or since they were not read lately.", S(|s| s.mob.evicted.into())),
    metric(RegionServer, &["mobFlushCount"], "finback_mob_flushes_total", Counter, "flushes", "Flushes that wrote a MOB file.", S(|s| s.mob.flushes.into())),
    metric(RegionServer, &["mobFlushedCellsCount"], "finback_mob_flushed_cells_total", Counter, "cells", "Cells that flushes have written to MOB files.", S(|s| s.mob.flushed_cells.into())),
    metric(RegionServer, &["mobFlushedCellsSize"], "finback_mob_flushed_bytes_total", Counter, BYTES, "Bytes of their values.", S(|s| s.mob.flushed_bytes.into())),
    metric(RegionServer, &["mobScanCellsCount"], "finback_mob_read_cells_total", Counter, "cells", "Cells whose values were read from MOB files.", S(|s| s.mob.scanned_cells.into())),
    metric(RegionServer, &["mobScanCellsSize"], "finback_mob_read_bytes_total", Counter, BYTES, "Bytes of these values.", S(|s| s.mob.scanned_bytes.into())),
    metric(RegionServer, &["cellsCountCompactedToMob"], "finback_compacted_to_mob_cells_total", Counter, "cells", "Cells whose values compactions have moved to MOB files.", S(|s| s.mob.cells_compacted_to_mob.into())),
    metric(RegionServer, &["cellsSizeCompactedToMob"], "finback_compacted_to_mob_bytes_total", Counter, BYTES, "Bytes of these values.", S(|s| s.mob.bytes_compacted_to_mob.into())),
    metric(RegionServer, &["cellsCountCompactedFromMob"], "finback_compacted_from_mob_cells_total", Counter, "cells", "Cells whose values compactions have moved from MOB files back to store files.", S(|s| s.mob.cells_compacted_from_mob.into())),
    metric(RegionServer, &["cellsSizeCompactedFromMob"], "finback_compacted_from_mob_bytes_total", Counter, BYTES, "Bytes of these values.", S(|s| s.mob.bytes_compacted_from_mob.into())),
];
