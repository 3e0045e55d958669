//! A region: the stores of a range of rows, multi-version concurrency, row locks, reads, writes, flush and recovery.
//!
//! An embeddable engine with no network and no runtime of its own: time, timers and block reads come from a [`Host`].
//! Guarantees: a write is visible only when it is as durable as it asked to be; a scanner sees one state of the region
//! from its opening to its end; mutations of one call of [`Region::mutate_atomically`] become visible together.
//! It does not know about RPC, about other regions, or about who decided that the region is open here.

mod atomic_write;
mod background;
mod blocking;
mod bulk_load;
mod cache_config;
mod columns;
mod compaction;
mod compaction_config;
mod compaction_memory;
mod compaction_output;
mod compaction_policy;
mod compaction_progress;
mod config;
mod cutter;
mod date_tiered_config;
mod delayed_write;
mod delete_tracker;
mod edit;
mod error;
mod family_rules;
mod file_source;
mod file_switch;
mod flush;
mod flush_matcher;
mod flush_policy;
mod heap;
mod host;
mod java_random;
mod job_control;
mod local_time;
mod marker;
mod matcher;
mod memory_gauge;
mod memstore_keeper;
mod metrics;
mod mvcc;
mod new_version_tracker;
mod off_peak_hours;
mod open;
mod output_files;
mod prefetch;
mod region;
mod region_scanner;
mod relevant;
mod row_lock;
mod scan_output;
mod scanner_memory;
mod source;
mod split_row;
mod store;
mod store_file;
mod store_pressure;
mod store_scanner;
mod stripe_config;
mod table_rules;
mod write;
mod write_pace;

pub use atomic_write::{AtomicOutcome, CompareOperator, Condition, ConditionTest};
pub use bulk_load::{BulkLoadFile, BulkLoadOptions, BulkLoadOutcome};
pub use cache_config::CacheConfig;
pub use compaction::CompactionOutcome;
pub use compaction_config::{CompactionConfig, CompactionPolicy, StoreEngine};
pub use compaction_memory::CompactionMemory;
pub use compaction_progress::CompactionTotals;
pub use config::RegionConfig;
pub use date_tiered_config::DateTieredConfig;
pub use delayed_write::{DelayedWrites, WriteRoom};
pub use error::{Interrupt, RegionError};
pub use finback_memstore::InMemoryCompaction;
pub use flush::FlushOutcome;
pub use host::{BoxFuture, Host, PlainHost};
pub use job_control::{JobControl, Unhindered};
pub use memstore_keeper::InMemoryMetrics;
pub use metrics::RegionMetrics;
pub use off_peak_hours::OffPeakHours;
pub use open::NonceSink;
pub use region::{Region, RegionCounters, RegionEnvironment};
pub use region_scanner::{RegionScanner, ScanLimits, ScanStop};
pub use scan_output::ScanOutput;
pub use scanner_memory::SupersededSegment;
pub use stripe_config::StripeConfig;
