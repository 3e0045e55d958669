//! HBase's write-ahead log: format, group commit, rolling, splitting, replay.
//!
//! * Format: [`WalReader`] reads every unencrypted WAL of HBase 2.x and 3.0 and refuses the others;
//!   [`WalFileWriter`] writes files that HBase reads. Layout: `docs/formats/wal.md`.
//! * The log: [`Wal`] takes entries in order, and one thread groups what is waiting into one write and one sync.
//! * Recovery: [`fence`], [`split`] and [`split_server`] turn a dead server's logs into recovered edits of each
//!   region, [`begin_split`] and [`finish_split`] without waiting for the disk in between; [`replay`] hands those back under
//!   HBase's rules.
//!
//! Guarantees: an entry is durable when [`Wal::sync`] of its position says so; a torn tail is told from corruption
//! (entries carry a CRC32C of their own), and corruption is an error with file and offset, never skipped.
//!
//! This crate does not know what a region does with its edits, nor which sequence ids it gives out.

mod accounting;
mod commit_here;
mod compressed_cells;
mod compressed_key;
mod compression;
mod decompressor;
mod dictionary;
mod entry_head;
mod error;
mod failed_ranges;
mod fence;
mod file_writer;
mod gathering;
mod group_commit;
mod header;
mod integrity;
mod log;
mod log_name;
mod old_logs;
mod options;
mod precise_timer;
mod queue;
mod queued_entries;
mod reader;
mod replay;
mod salvage;
mod server_split;
mod split;
mod split_output;
mod torn_tail;
mod trailer;
mod turns;
mod value_codec;
mod varint;
mod wal_key;
mod window;

pub use commit_here::{commit_on_this_thread, others_are_served_here};
pub use compression::WalCompression;
pub use error::WalError;
pub use fence::fence;
pub use file_writer::{KeyFields, WalFileWriter};
pub use log::{Permit, Position, RegionToFlush, SyncFuture, Wal, WalAppend, WalStats, WalTimes};
pub use log_name::{LogName, WalKind, server_log_dir};
pub use old_logs::{clean_old_logs, old_logs_dir};
pub use options::{SyncMode, WalOptions};
pub use reader::{TornTail, WalEntry, WalReader};
pub use replay::{ReplayRules, ReplaySink, ReplaySummary, delete_recovered_edits, recovered_edits, replay};
pub use salvage::{LogLoss, SalvagedLog, copy_sound_entries, find_sound_entries};
pub use server_split::{begin_split, finish_split, split_server};
pub use split::{FlushedSequenceIds, SplitReport, split};
pub use wal_key::WalKey;

/// The family of cells that are about the region, not in it (HBase's `WALEdit.METAFAMILY`).
pub const META_FAMILY: &[u8] = b"METAFAMILY";
/// Qualifier of a second cell in the entry of a `HBASE::BULK_LOAD` marker: the files are yet to be placed. HBase's markers
/// come after the placing, and a split drops them; one with this cell it keeps. HBase ignores it.
pub const BULK_LOAD_INTENT: &[u8] = b"FINBACK::BULK_LOAD_INTENT";
/// The largest entry (key and cells) that is written or read, in bytes. HBase's largest request
/// (`hbase.ipc.max.request.size`) has 256 MiB; twice that leaves room for what an entry adds to it.
pub const MAX_ENTRY_BYTES: usize = 512 << 20;
/// Stands where the entries end, before zeros: the length, as a varint, of a key that no file can hold. HBase's reader takes it for
/// an entry that is not there yet; zeros it would take for a damaged one.
pub(crate) const END_MARK: &[u8] = &[0xff, 0xff, 0xff, 0xff, 0x07];
