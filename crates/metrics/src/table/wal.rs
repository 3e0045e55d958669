//! Write-ahead logs.

use super::BYTES;
use crate::bean::Bean::Wal;
use crate::metric::Kind::{Counter, Gauge, Histogram, Sizes};
use crate::metric::Source::Server as S;
use crate::metric::{Metric, metric};
use crate::value::Value;

#[rustfmt::skip]
pub(super) const WAL: &[Metric] = &[
    metric(Wal, &["appendCount"], "finback_wal_entries_total", Counter, "entries", "Entries written to write-ahead logs.", S(|s| s.wal.entries.into())),
    metric(Wal, &["writtenBytes"], "finback_wal_bytes_total", Counter, BYTES, "Bytes written to write-ahead logs.", S(|s| s.wal.bytes.into())),
    metric(Wal, &[], "finback_wal_groups_total", Counter, "groups", "Groups of entries that were written and made durable together.", S(|s| s.wal.writes.into())),
    metric(Wal, &[], "finback_wal_failures_total", Counter, "groups", "Groups of entries whose write failed.", S(|s| s.wal.failures.into())),
    metric(Wal, &["successfulLogRolls"], "finback_wal_rolls_total", Counter, "files", "Write-ahead logs that were finished.", S(|s| s.wal.rolls.into())),
    metric(Wal, &[], "finback_wal_queued_bytes", Gauge, BYTES, "Bytes that wait to be written to a write-ahead log.", S(|s| s.wal.queued_bytes.into())),
    metric(Wal, &["AppendTime"], "finback_wal_append_duration_seconds", Histogram, "ms", "How long writing a group of entries took.", S(|s| Value::Times(&s.wal.append))),
    metric(Wal, &["SyncTime"], "finback_wal_sync_duration_seconds", Histogram, "ms", "How long making a group of entries durable took.", S(|s| Value::Times(&s.wal.sync))),
    metric(Wal, &["slowAppendCount"], "finback_wal_slow_total", Counter, "groups", "Groups of entries whose write or sync took longer than a second.", S(|s| s.wal.slow.into())),
    metric(Wal, &["AppendSize"], "finback_wal_entry_bytes", Sizes, BYTES, "Sizes of groups of entries.", S(|s| Value::Sizes(&s.wal.entry_bytes))),
    metric(Wal, &["errorRollRequest"], "", Counter, "files", "Logs that were given up since a write to them failed.", S(|s| s.wal.failures.into())),
];
