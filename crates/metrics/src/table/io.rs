//! Reads and writes of store files.

use crate::bean::Bean::{Io, RegionServer};
use crate::metric::Kind::{Counter, Histogram};
use crate::metric::Source::Server as S;
use crate::metric::{Metric, metric};
use crate::value::Value;

#[rustfmt::skip]
pub(super) const IO: &[Metric] = &[
    metric(Io, &["FsPReadTime"], "finback_block_read_duration_seconds", Histogram, "ms", "How long reads of blocks from store files took, by what needed them, from the system's memory or the device; with the check of the block.", S(|s| Value::Times(&s.io.reads))).labelled("for", "clients"),
    metric(Io, &["FsReadTime"], "finback_block_read_duration_seconds", Histogram, "ms", "Reads of blocks that compactions needed.", S(|s| Value::Times(&s.io.compaction_reads))).labelled("for", "compactions"),
    metric(Io, &["FsWriteTime"], "finback_block_write_duration_seconds", Histogram, "ms", "How long writes of blocks of flushes and compactions took.", S(|s| Value::Times(&s.io.writes))),
    metric(Io, &["fsChecksumFailureCount"], "finback_damaged_blocks_total", Counter, "blocks", "Blocks that were read and are not as they were written: their checksums tell, or what is in them.", S(|s| s.io.damaged_blocks.into())),
    metric(RegionServer, &["bloomFilterRequestsCount"], "finback_bloom_filter_requests_total", Counter, "questions", "How often a store file's Bloom filter was asked.", S(|s| s.io.bloom_requests.into())),
    metric(RegionServer, &["bloomFilterNegativeResultsCount"], "finback_bloom_filter_negatives_total", Counter, "questions", "How often it said that the file has nothing of the row or column.", S(|s| s.io.bloom_negatives.into())),
];
