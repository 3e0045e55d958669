//! The numbers of a server at one moment, as plain data: whoever knows them fills them in.

use crate::file_io::FileIoFigures;
use crate::histogram::HistogramSnapshot;
use crate::meter::Meter;
use crate::operation::Operation;
use crate::size::Size;
use std::sync::Arc;

mod ipc;
mod master;
mod process;
mod region;
mod table;

pub use ipc::{ExceptionCounts, IpcFigures};
pub use master::{MasterFigures, ProcedureFigures};
pub use process::{ProcessFigures, SpanFigures};
pub use region::RegionFigures;
pub use table::TableFigures;

/// Everything that the [table](crate::metrics) draws on.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The machine's name as clients know it.
    pub host: String,
    /// The region server, where there is one.
    pub server: Option<ServerFigures>,
    /// Its open regions.
    pub regions: Vec<RegionFigures>,
    /// The tables that these are of, by namespace and name.
    pub tables: Vec<TableFigures>,
    /// The master, where there is one.
    pub master: Option<MasterFigures>,
    /// The process.
    pub process: ProcessFigures,
    /// The same as they were some seconds ago, without regions: what was counted lately is what has been added since.
    pub earlier: Option<Arc<Snapshot>>,
}

/// A region server, but for its regions.
#[derive(Clone, Debug, Default)]
pub struct ServerFigures {
    /// `host,port,startcode`.
    pub name: String,
    /// The cluster's id.
    pub cluster_id: String,
    /// `host:port` of the ZooKeeper responder.
    pub zookeeper_quorum: String,
    /// When it was started, ms since the epoch.
    pub start_ms: u64,
    /// The time, ms since the epoch.
    pub now_ms: u64,
    /// Calls of clients.
    pub calls: u64,
    /// Calls of `Get`.
    pub get_calls: u64,
    /// Calls of `Scan`.
    pub scan_calls: u64,
    /// Calls of `Mutate`.
    pub mutate_calls: u64,
    /// Calls of `Multi`.
    pub multi_calls: u64,
    /// Conditions that held.
    pub checks_passed: u64,
    /// Conditions that did not.
    pub checks_failed: u64,
    /// Open scanners.
    pub open_scanners: u64,
    /// Bytes of all memstores.
    pub memstore_bytes: u64,
    /// At which writes wait.
    pub memstore_limit_bytes: u64,
    /// Compactions that wait, of many bytes.
    pub large_compactions_waiting: u64,
    /// Compactions that wait, of few bytes.
    pub small_compactions_waiting: u64,
    /// Flushes that wait.
    pub flushes_waiting: u64,
    /// Regions of all that this server has open; sums over them.
    pub regions: RegionFigures,
    /// How many regions are open.
    pub region_count: u64,
    /// Durations, in the order of [`Operation::ALL`].
    pub operations: Vec<HistogramSnapshot>,
    /// How many of them took longer than a second, likewise.
    pub slow: Vec<u64>,
    /// Sizes, in the order of [`Size`].
    pub sizes: Vec<HistogramSnapshot>,
    /// Scans of whole regions.
    pub full_scans: u64,
    /// Scanners whose clients have not come back in time.
    pub expired_scanners: u64,
    /// Flushes.
    pub flushes: Work,
    /// Compactions, those of all files included.
    pub compactions: Work,
    /// Compactions of all files of a store.
    pub major_compactions: Work,
    /// Compactions that failed.
    pub failed_compactions: u64,
    /// Splits that the master was asked for.
    pub split_requests: u64,
    /// Those of them that it has begun.
    pub splits: u64,
    /// Long reads that are carried out.
    pub active_reads: u64,
    /// Long writes that are carried out.
    pub active_writes: u64,
    /// How many rows are read, lately.
    pub read_rate: Meter,
    /// How many mutations there are, lately.
    pub write_rate: Meter,
    /// How many bulk loads there are, lately.
    pub bulk_load_rate: Meter,
    /// What users have asked for.
    pub users: Vec<UserFigures>,
    /// The logs.
    pub wal: WalFigures,
    /// Reads and writes of store files.
    pub io: FileIoFigures,
    /// Large values in files of their own.
    pub mob: MobFigures,
    /// The block cache.
    pub cache: CacheFigures,
    /// The RPC server.
    pub ipc: IpcFigures,
}

impl ServerFigures {
    /// The durations of an operation.
    pub fn times(&self, operation: Operation) -> Option<&HistogramSnapshot> {
        self.operations.get(operation as usize)
    }

    /// How many of an operation took longer than a second.
    pub fn slow(&self, operation: Operation) -> u64 {
        self.slow.get(operation as usize).copied().unwrap_or(0)
    }

    /// The sizes of something.
    pub fn sizes(&self, size: Size) -> Option<&HistogramSnapshot> {
        self.sizes.get(size as usize)
    }
}

/// What flushes or compactions did, since the start of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// How many came to their end.
    pub count: u64,
    /// Cells read.
    pub cells: u64,
    /// Bytes of them.
    pub cell_bytes: u64,
    /// Bytes read; of flushes those of memstores.
    pub bytes_read: u64,
    /// Bytes written.
    pub bytes_written: u64,
}

/// A user on a machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserFigures {
    /// The user's name.
    pub user: String,
    /// The machine's address.
    pub client: String,
    /// Rows read.
    pub reads: u64,
    /// Rows that filters dropped.
    pub filtered_reads: u64,
    /// Mutations.
    pub writes: u64,
}

/// The write-ahead logs.
#[derive(Clone, Debug, Default)]
pub struct WalFigures {
    /// Entries written.
    pub entries: u64,
    /// Bytes written.
    pub bytes: u64,
    /// Groups of entries written.
    pub writes: u64,
    /// Groups that failed.
    pub failures: u64,
    /// Files finished.
    pub rolls: u64,
    /// Files that are still needed, that which is being written counted.
    pub files: u64,
    /// Bytes waiting to be written.
    pub queued_bytes: u64,
    /// Writes and syncs of groups that took longer than a second.
    pub slow: u64,
    /// Bytes of the entries.
    pub entry_bytes: HistogramSnapshot,
    /// How long writes to the file took.
    pub append: HistogramSnapshot,
    /// How long the file system took to make them durable.
    pub sync: HistogramSnapshot,
}

/// MOB files, which have large values. But for the number of open ones, all since the start of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MobFigures {
    /// Files that are open.
    pub open_files: u64,
    /// Look-ups of a file among these: one for each run of references to the same file.
    pub accesses: u64,
    /// Look-ups of files that were not open.
    pub misses: u64,
    /// Files that were closed to open others, or since they were not read lately.
    pub evicted: u64,
    /// Flushes that wrote one.
    pub flushes: u64,
    /// Cells that flushes wrote to them.
    pub flushed_cells: u64,
    /// Bytes of the values of these.
    pub flushed_bytes: u64,
    /// Cells whose values were read from them.
    pub scanned_cells: u64,
    /// Bytes of the values of these.
    pub scanned_bytes: u64,
    /// Cells whose values compactions moved from store files to them.
    pub cells_compacted_to_mob: u64,
    /// Bytes of the values of these.
    pub bytes_compacted_to_mob: u64,
    /// Cells whose values compactions moved from them back to store files.
    pub cells_compacted_from_mob: u64,
    /// Bytes of the values of these.
    pub bytes_compacted_from_mob: u64,
}

/// The block cache.
#[derive(Clone, Copy, Debug, Default)]
pub struct CacheFigures {
    /// Look-ups that found a block.
    pub hits: u64,
    /// Look-ups that did not.
    pub misses: u64,
    /// Blocks that made room for others.
    pub evictions: u64,
    /// Blocks in memory.
    pub blocks: u64,
    /// Bytes in memory.
    pub bytes: u64,
    /// Bytes that it may have.
    pub capacity_bytes: u64,
    /// Those of `hits` that were for blocks of indexes and Bloom filters.
    pub index_hits: u64,
    /// Those of `misses` that were for blocks of indexes and Bloom filters.
    pub index_misses: u64,
    /// Those of `hits` that were of reads that put nothing into the cache.
    pub passing_hits: u64,
    /// Those of `misses` that were of reads that put nothing into the cache.
    pub passing_misses: u64,
    /// The second tier, where there is one.
    pub file: Option<FileTierFigures>,
}

/// The second tier of the block cache.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileTierFigures {
    /// Look-ups that found a block.
    pub hits: u64,
    /// Look-ups that did not.
    pub misses: u64,
    /// Blocks in it.
    pub blocks: u64,
    /// Bytes of the file.
    pub bytes: u64,
}
