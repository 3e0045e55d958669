//! Times, sizes and rates of tables.

use super::BYTES;
use crate::bean::Bean::{self, TableLatencies, Tables};
use crate::histogram::HistogramSnapshot;
use crate::metric::Kind::{Counter, Gauge, Histogram, Sizes};
use crate::metric::Source::Table as T;
use crate::metric::{Metric, metric};
use crate::operation::Operation;
use crate::size::Size;
use crate::snapshot::TableFigures;
use crate::value::Value;
use std::sync::LazyLock;

/// What never happened is told as such.
static NONE: LazyLock<HistogramSnapshot> = LazyLock::new(HistogramSnapshot::default);

fn times(table: &TableFigures, operation: Operation) -> Value<'_> {
    Value::Times(table.operations.times(operation).unwrap_or(&NONE))
}

fn sizes(table: &TableFigures, size: Size) -> Value<'_> {
    Value::Sizes(table.operations.sizes(size).unwrap_or(&NONE))
}

/// All sizes of a kind together.
fn sum(table: &TableFigures, size: Size) -> Value<'static> {
    table.operations.sizes(size).map_or(0, HistogramSnapshot::sum).into()
}

macro_rules! duration {
    ($bean:expr, $name:literal, $label:literal, $operation:ident, $help:literal) => {
        metric(
            $bean,
            &[$name],
            "finback_table_operation_duration_seconds",
            Histogram,
            "ms",
            $help,
            T(|t| times(t, Operation::$operation)),
        )
        .labelled("operation", $label)
    };
}

macro_rules! size {
    ($bean:expr, $name:literal, $label:literal, $size:ident, $help:literal) => {
        metric(
            $bean,
            &[$name],
            "finback_table_operation_bytes",
            Sizes,
            BYTES,
            $help,
            T(|t| sizes(t, Size::$size)),
        )
        .labelled("operation", $label)
    };
}

/// Without a name in Prometheus, which has it as the sum of a histogram.
const fn bytes(
    name: &'static [&'static str],
    help: &'static str,
    of: for<'a> fn(&'a TableFigures) -> Value<'a>,
) -> Metric {
    metric(Tables, name, "", Counter, BYTES, help, T(of))
}

const fn files(
    name: &'static [&'static str],
    help: &'static str,
    of: for<'a> fn(&'a TableFigures) -> Value<'a>,
) -> Metric {
    metric(Tables, name, "", Sizes, "files", help, T(of))
}

const fn rate(
    name: &'static [&'static str],
    help: &'static str,
    of: for<'a> fn(&'a TableFigures) -> Value<'a>,
) -> Metric {
    metric(LATENCIES, name, "", Gauge, "a second", help, T(of))
}

const LATENCIES: Bean = TableLatencies;

#[rustfmt::skip]
pub(super) const TABLES: &[Metric] = &[
    duration!(LATENCIES, "getTime", "get", Get, "How long operations on a table took, as `finback_operation_duration_seconds` tells of all: gets by themselves; those of batches are among the rows read."),
    duration!(LATENCIES, "putTime", "put", Put, "Puts by themselves."),
    duration!(LATENCIES, "deleteTime", "delete", Delete, "Deletes by themselves."),
    duration!(LATENCIES, "incrementTime", "increment", Increment, "Increments by themselves."),
    duration!(LATENCIES, "appendTime", "append", Append, "Appends by themselves."),
    duration!(LATENCIES, "checkAndMutateTime", "check_and_mutate", CheckAndMutate, "Mutations with a condition, by themselves."),
    duration!(LATENCIES, "checkAndPutTime", "check_and_put", CheckAndPut, "Puts with a condition, by themselves; they are in check_and_mutate too."),
    duration!(LATENCIES, "checkAndDeleteTime", "check_and_delete", CheckAndDelete, "Deletes with a condition, by themselves; they are in check_and_mutate too."),
    duration!(LATENCIES, "putBatchTime", "put_batch", PutBatch, "The puts of a batch to one region, with the deletes among them."),
    duration!(LATENCIES, "deleteBatchTime", "delete_batch", DeleteBatch, "The deletes of a batch to one region, with the puts among them."),
    duration!(LATENCIES, "scanTime", "scan_next", Scan, "One call of a scan: its opening with the first rows, or the next ones."),
    size!(LATENCIES, "scanSize", "scan_next", Scan, "Sizes: the cells in one answer of a scan."),
    rate(&["tableReadQueryPerSecond_mean_rate"], "Rows read, since the start.", |t| t.read_rate.mean().into()),
    rate(&["tableReadQueryPerSecond_1min_rate"], "Rows read, as an average that forgets in 1 minute.", |t| t.read_rate.rates()[0].into()),
    rate(&["tableReadQueryPerSecond_5min_rate"], "Rows read, as an average that forgets in 5 minutes.", |t| t.read_rate.rates()[1].into()),
    rate(&["tableReadQueryPerSecond_15min_rate"], "Rows read, as an average that forgets in 15 minutes.", |t| t.read_rate.rates()[2].into()),
    rate(&["tableWriteQueryPerSecond_mean_rate"], "Mutations, since the start.", |t| t.write_rate.mean().into()),
    rate(&["tableWriteQueryPerSecond_1min_rate"], "Mutations, as an average that forgets in 1 minute.", |t| t.write_rate.rates()[0].into()),
    rate(&["tableWriteQueryPerSecond_5min_rate"], "Mutations, as an average that forgets in 5 minutes.", |t| t.write_rate.rates()[1].into()),
    rate(&["tableWriteQueryPerSecond_15min_rate"], "Mutations, as an average that forgets in 15 minutes.", |t| t.write_rate.rates()[2].into()),
    duration!(Tables, "flushTime", "flush", Flush, "Flushes of regions."),
    duration!(Tables, "compactionTime", "compaction", Compaction, "Compactions of some files of a store, or all."),
    duration!(Tables, "majorCompactionTime", "major_compaction", MajorCompaction, "Compactions of all files of a store."),
    size!(Tables, "flushMemstoreSize", "flush_input", FlushMemstore, "The memstores that a flush begins with."),
    size!(Tables, "flushOutputSize", "flush_output", FlushOutput, "The files that a flush writes."),
    size!(Tables, "compactionInputSize", "compaction_input", CompactionInput, "The files that a compaction reads."),
    size!(Tables, "compactionOutputSize", "compaction_output", CompactionOutput, "The files that a compaction writes."),
    size!(Tables, "majorCompactionInputSize", "major_compaction_input", MajorCompactionInput, "The files that a compaction of all files reads."),
    size!(Tables, "majorCompactionOutputSize", "major_compaction_output", MajorCompactionOutput, "The files that a compaction of all files writes."),
    files(&["compactionInputFileCount"], "Files that a compaction reads.", |t| sizes(t, Size::CompactionInputFiles)),
    files(&["majorCompactionInputFileCount"], "Files that a compaction of all files reads.", |t| sizes(t, Size::MajorCompactionInputFiles)),
    bytes(&["flushedMemstoreBytes"], "Memory of the memstores that flushes began with.", |t| sum(t, Size::FlushMemstore)),
    bytes(&["flushedOutputBytes"], "Bytes that flushes have written.", |t| sum(t, Size::FlushOutput)),
    bytes(&["compactedInputBytes"], "Bytes that compactions have read.", |t| sum(t, Size::CompactionInput)),
    bytes(&["majorCompactedInputBytes"], "Bytes that compactions of all files have read.", |t| sum(t, Size::MajorCompactionInput)),
    bytes(&["majorCompactedOutputBytes"], "Bytes that compactions of all files have written.", |t| sum(t, Size::MajorCompactionOutput)),
];
