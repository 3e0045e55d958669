//! The curves.

use super::curve::{Curve, GET, INCREMENT, PUT, SCAN, Table};

/// The curve of that name.
pub(super) fn named(name: &str) -> Option<&'static Curve> {
    ALL.iter().find(|curve| curve.name == name)
}

pub(super) static ALL: [Curve; 7] = [
    Curve {
        name: "connections",
        title: "Connections",
        axis: "connections, one call at a time on each",
        points: &[1, 3, 10, 30, 100, 300, 1000],
        settings: &[],
        theory: "Throughput rises until the processors are busy, and is flat from there on; p99 is flat at first, and linear from \
                 there on (Little's law: calls at a time by calls a second). Processor time of an operation falls, since more \
                 calls are there whenever a thread looks, and puts share writes of the log; it must not rise again.",
        table: |connections| Table { clients: connections, connections, ..Table::USUAL },
        operations: &[GET, PUT],
    },
    Curve {
        name: "value-size",
        title: "Size of values",
        axis: "bytes of a value",
        points: &[10, 100, 1_000, 10_000, 100_000, 1_000_000],
        settings: &[],
        theory: "Processor time is flat while the call costs more than its bytes, and linear from there on: a get copies each byte \
                 a few times, a put checks and writes it too.",
        table: |bytes| Table {
            value_bytes: bytes,
            rows: (100_000_000 / bytes).clamp(100, 100_000),
            clients: 4,
            ..Table::USUAL
        },
        operations: &[GET, PUT],
    },
    Curve {
        name: "regions",
        title: "Regions",
        axis: "regions of the table, all on one server",
        points: &[1, 10, 100, 1_000, 10_000],
        settings: &[],
        theory: "Flat: a region is found by a hash of its name, and one that is not asked costs nothing. Each has a memstore and a file \
                 of its own, so that the processor's caches help less.",
        table: |regions| Table { regions, ..Table::USUAL },
        operations: &[GET, PUT],
    },
    Curve {
        name: "rows",
        title: "Rows of a table",
        axis: "rows of the table, in one region",
        points: &[100_000, 1_000_000, 10_000_000],
        settings: &[("hbase.hregion.max.filesize", "1099511627776")],
        theory: "Logarithmic, and next to flat: a get searches the index of blocks, whose depth is the logarithm of their number; a put \
                 goes into a memstore that is flushed at a fixed size. Where the table is larger than the block cache, a get reads \
                 a block from a file.",
        table: |rows| Table { rows, ..Table::USUAL },
        operations: &[GET, PUT],
    },
    Curve {
        name: "columns",
        title: "Columns of a row",
        axis: "columns of a row, of 10 bytes each",
        points: &[1, 10, 100, 1_000, 10_000],
        settings: &[],
        theory: "Linear in the columns, on top of what a call costs.",
        table: |columns| Table {
            columns,
            value_bytes: 10,
            rows: (1_000_000 / columns).clamp(100, 100_000),
            clients: 4,
            ..Table::USUAL
        },
        operations: &[GET, PUT],
    },
    Curve {
        name: "files",
        title: "Store files",
        axis: "files of the store",
        points: &[1, 2, 5, 10, 20, 50],
        settings: &[
            ("hbase.regionserver.compaction.enabled", "false"),
            ("hbase.hstore.blockingStoreFiles", "1000"),
        ],
        theory: "A get asks each file's Bloom filter, and reads the one or the few that may have the row: linear with a small slope, a \
                 filter at a time. A scan merges the files by a heap: logarithmic for each row.",
        table: |files| Table { files, ..Table::USUAL },
        operations: &[GET, SCAN],
    },
    Curve {
        name: "writers",
        title: "Writers of one row",
        axis: "clients that increment one counter",
        points: &[1, 4, 16, 64, 256],
        settings: &[],
        theory: "Increments of a row are carried out one after the other, but share syncs of the log: throughput rises with the clients \
                 until a processor is busy, and is flat from there on; p99 is linear from there on. Processor time of an operation \
                 falls, and must not rise again.",
        table: |clients| Table { rows: 1, clients, ..Table::USUAL },
        operations: &[INCREMENT],
    },
];

#[cfg(test)]
mod tests;
