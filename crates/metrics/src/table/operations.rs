//! How long operations take, and how large they are.

use super::BYTES;
use crate::bean::Bean::RegionServer;
use crate::metric::Kind::{Counter, Histogram, Sizes};
use crate::metric::Source::{self, Server as S};
use crate::metric::{Metric, metric};
use crate::operation::Operation;
use crate::size::Size;
use crate::snapshot::ServerFigures;
use crate::value::Value;

const fn duration(
    hbase: &'static [&'static str],
    operation: &'static str,
    help: &'static str,
    source: Source,
) -> Metric {
    let name = "finback_operation_duration_seconds";
    metric(RegionServer, hbase, name, Histogram, "ms", help, source).labelled("operation", operation)
}

fn times(server: &ServerFigures, operation: Operation) -> Value<'_> {
    server.times(operation).map_or(Value::Absent, Value::Times)
}

fn sizes(server: &ServerFigures, size: Size) -> Value<'_> {
    server.sizes(size).map_or(Value::Absent, Value::Sizes)
}

/// Operations that took longer than a second.
macro_rules! slow {
    ($operation:ident, $label:literal) => {
        metric(
            RegionServer,
            &[concat!("slow", stringify!($operation), "Count")],
            "finback_slow_operations_total",
            Counter,
            "operations",
            "Operations that took longer than a second.",
            S(|s| s.slow(Operation::$operation).into()),
        )
        .labelled("operation", $label)
    };
}

#[rustfmt::skip]
pub(super) const OPERATIONS: &[Metric] = &[
    duration(&["Get"], "get", "How long operations took, in the server; without waiting to be read from the socket.", S(|s| times(s, Operation::Get))),
    duration(&["Put"], "put", "Puts by themselves.", S(|s| times(s, Operation::Put))),
    duration(&["Delete"], "delete", "Deletes by themselves.", S(|s| times(s, Operation::Delete))),
    duration(&["Increment"], "increment", "Increments by themselves.", S(|s| times(s, Operation::Increment))),
    duration(&["Append"], "append", "Appends by themselves.", S(|s| times(s, Operation::Append))),
    duration(&["CheckAndMutate"], "check_and_mutate", "Mutations with a condition, by themselves.", S(|s| times(s, Operation::CheckAndMutate))),
    duration(&["CheckAndPut"], "check_and_put", "Puts with a condition, by themselves; they are in check_and_mutate too.", S(|s| times(s, Operation::CheckAndPut))),
    duration(&["CheckAndDelete"], "check_and_delete", "Deletes with a condition, by themselves; they are in check_and_mutate too.", S(|s| times(s, Operation::CheckAndDelete))),
    duration(&["PutBatch"], "put_batch", "The puts of a batch to one region, with the deletes among them.", S(|s| times(s, Operation::PutBatch))),
    duration(&["DeleteBatch"], "delete_batch", "The deletes of a batch to one region, with the puts among them.", S(|s| times(s, Operation::DeleteBatch))),
    duration(&["Bulkload"], "bulk_load", "Bulk loads into a region.", S(|s| times(s, Operation::BulkLoad))),
    duration(&["ScanTime"], "scan_next", "One call of a scan: its opening with the first rows, or the next ones.", S(|s| times(s, Operation::Scan))),
    duration(&[], "multi", "Batches, as a whole.", S(|s| times(s, Operation::Multi))),
    duration(&["FlushTime"], "flush", "Flushes of regions.", S(|s| times(s, Operation::Flush))),
    duration(&["CompactionTime"], "compaction", "Compactions of some files of a store.", S(|s| times(s, Operation::Compaction))),
    duration(&["MajorCompactionTime"], "major_compaction", "Compactions of all files of a store.", S(|s| times(s, Operation::MajorCompaction))),
    slow!(Get, "get"),
    slow!(Put, "put"),
    slow!(Delete, "delete"),
    slow!(Increment, "increment"),
    slow!(Append, "append"),
    metric(RegionServer, &["ScanSize"], "finback_operation_bytes", Sizes, BYTES, "Sizes: the cells in one answer of a scan.", S(|s| sizes(s, Size::Scan))).labelled("operation", "scan_next"),
    metric(RegionServer, &["FlushMemstoreSize"], "finback_operation_bytes", Sizes, BYTES, "The memstores that a flush begins with.", S(|s| sizes(s, Size::FlushMemstore))).labelled("operation", "flush_input"),
    metric(RegionServer, &["FlushOutputSize"], "finback_operation_bytes", Sizes, BYTES, "The files that a flush writes.", S(|s| sizes(s, Size::FlushOutput))).labelled("operation", "flush_output"),
    metric(RegionServer, &["CompactionInputSize"], "finback_operation_bytes", Sizes, BYTES, "The files that a compaction reads.", S(|s| sizes(s, Size::CompactionInput))).labelled("operation", "compaction_input"),
    metric(RegionServer, &["CompactionOutputSize"], "finback_operation_bytes", Sizes, BYTES, "The files that a compaction writes.", S(|s| sizes(s, Size::CompactionOutput))).labelled("operation", "compaction_output"),
    metric(RegionServer, &["MajorCompactionInputSize"], "finback_operation_bytes", Sizes, BYTES, "The files that a compaction of all files reads.", S(|s| sizes(s, Size::MajorCompactionInput))).labelled("operation", "major_compaction_input"),
    metric(RegionServer, &["MajorCompactionOutputSize"], "finback_operation_bytes", Sizes, BYTES, "The files that a compaction of all files writes.", S(|s| sizes(s, Size::MajorCompactionOutput))).labelled("operation", "major_compaction_output"),
    metric(RegionServer, &["CompactionInputFileCount"], "finback_compaction_files", Sizes, "files", "Files that a compaction reads.", S(|s| sizes(s, Size::CompactionInputFiles))).labelled("operation", "compaction"),
    metric(RegionServer, &["MajorCompactionInputFileCount"], "finback_compaction_files", Sizes, "files", "Files that a compaction of all files reads.", S(|s| sizes(s, Size::MajorCompactionInputFiles))).labelled("operation", "major_compaction"),
];
