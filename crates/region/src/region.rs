//! A region: what it consists of, and how it is read.

use crate::bulk_load::StagedFile;
use crate::config::RegionConfig;
use crate::delayed_write::DelayedWrites;
use crate::error::RegionError;
use crate::file_switch::{FileSwitch, FilesSeen};
use crate::host::Host;
use crate::large_row::LargeRow;
use crate::memory_gauge::MemoryGauge;
use crate::mvcc::{Mvcc, ReadPoint};
use crate::recovery::Recovered;
use crate::refused_writes::RefusedWrites;
use crate::region_scanner::RegionScanner;
use crate::row_lock::RowLocks;
use crate::row_range::RowRange;
use crate::store::Store;
use crate::store_file::StoreFile;
use crate::store_scanner::StoreScanner;
use crate::table_rules::TableRules;
use crate::unsettled::{Sight, UnsettledWrites};
use crate::write_times::WriteTimes;
use finback_cell::{Bytes, CellOrder, Mutation, MutationKind, RegionInfo, Scan, Shortened, TableDescriptor};
use finback_filter::Filter;
use finback_hfile::BlockCache;
use finback_layout::RootDir;
use finback_metrics::TableTimes;
use finback_wal::Wal;
use parking_lot::Mutex;
use std::cell::OnceCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::RwLock;

/// What a region shares with the other regions of its server.
#[derive(Clone)]
pub struct RegionEnvironment {
    /// The root directory.
    pub root: RootDir,
    /// The log that takes this region's edits.
    pub wal: Arc<Wal>,
    /// The block cache.
    pub cache: Arc<dyn BlockCache>,
    /// Clock, timers, block reads.
    pub host: Arc<dyn Host>,
    /// Settings.
    pub config: Arc<RegionConfig>,
}

/// Numbers that a region counts.
#[derive(Debug, Default)]
pub struct RegionCounters {
    /// Rows read.
    pub reads: AtomicU64,
    /// Rows that filters dropped.
    pub filtered_reads: AtomicU64,
    /// Mutations.
    pub writes: AtomicU64,
    /// Gets.
    pub gets: AtomicU64,
    /// Calls of scans.
    pub scans: AtomicU64,
    /// Puts.
    pub puts: AtomicU64,
    /// Deletes.
    pub deletes: AtomicU64,
    /// Increments.
    pub increments: AtomicU64,
    /// Appends.
    pub appends: AtomicU64,
    /// Mutations that no log has.
    pub unlogged_writes: AtomicU64,
    /// Bytes of their cells.
    pub unlogged_bytes: AtomicU64,
    /// How long writes have waited for memory, in microseconds.
    pub waited_us: AtomicU64,
    /// Where the table's regions count together, if anybody wants that.
    table: OnceLock<Arc<TableTimes>>,
}

impl RegionCounters {
    /// Has the operations of this region counted with those of its table's other regions. The first place stays.
    pub fn count_for_table(&self, times: Arc<TableTimes>) {
        let _ = self.table.set(times);
    }

    /// Where they are counted.
    #[inline]
    pub fn table(&self) -> Option<&Arc<TableTimes>> {
        self.table.get()
    }

    /// A write has waited for memory.
    pub(crate) fn waited(&self, time: Duration) {
        self.waited_us.fetch_add(u64::try_from(time.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// Counts mutations, each with whether it goes without a log.
    pub(crate) fn wrote<'a>(&self, mutations: impl Iterator<Item = (&'a Mutation, bool)>) {
        let (mut all, mut kinds, mut unlogged, mut bytes) = (0, [0_u64; 4], 0, 0);
        for (mutation, is_unlogged) in mutations {
            all += 1;
            kinds[mutation.kind as usize] += 1;
            if is_unlogged {
                unlogged += 1;
                bytes += mutation.cells.bytes().len() as u64;
            }
        }
        let of = |kind: MutationKind| kinds[kind as usize];
        for (counter, count) in [
            (&self.writes, all),
            (&self.puts, of(MutationKind::Put)),
            (&self.deletes, of(MutationKind::Delete)),
            (&self.increments, of(MutationKind::Increment)),
            (&self.appends, of(MutationKind::Append)),
            (&self.unlogged_writes, unlogged),
            (&self.unlogged_bytes, bytes),
        ] {
            // Most batches are of one kind.
            if count > 0 {
                counter.fetch_add(count, Ordering::Relaxed);
            }
        }
    }
}

/// An open region.
pub struct Region {
    pub(crate) info: RegionInfo,
    pub(crate) name: Bytes,
    pub(crate) encoded_name: Arc<str>,
    pub(crate) wal_region: Arc<[u8]>,
    pub(crate) wal_table: Arc<[u8]>,
    pub(crate) table: Arc<TableDescriptor>,
    pub(crate) rules: TableRules,
    pub(crate) order: CellOrder,
    pub(crate) environment: RegionEnvironment,
    /// Sorted by family.
    pub(crate) stores: Vec<Store>,
    pub(crate) mvcc: Arc<Mvcc>,
    pub(crate) row_locks: RowLocks,
    pub(crate) write_times: WriteTimes,
    /// Makes taking a sequence id and appending to the log one step.
    pub(crate) append_lock: Mutex<()>,
    /// Shared by writes from before they take a sequence id until they are in the memstore; exclusive while a flush
    /// takes its snapshot and while the region closes.
    pub(crate) updates: RwLock<()>,
    /// One flush at a time.
    pub(crate) flush_lock: Mutex<()>,
    /// Loads that failed, and that could not be taken back yet.
    pub(crate) failed_loads: Mutex<Vec<Vec<StagedFile>>>,
    /// Files of several stores appear together.
    pub(crate) file_switch: FileSwitch,
    /// Shared by a write while it makes several reads; exclusive while the files of a load appear in several families.
    pub(crate) several_reads: RwLock<()>,
    pub(crate) closing: AtomicBool,
    pub(crate) to_be_closed: AtomicBool,
    /// One close at a time.
    pub(crate) close_lock: Mutex<()>,
    /// Whether nothing is left to be closed but for readers.
    pub(crate) closed: AtomicBool,
    /// Until when it is read from: to the end of a close, or longer.
    pub(crate) readable: AtomicBool,
    pub(crate) flush_asked: AtomicBool,
    pub(crate) delayed_writes: DelayedWrites,
    pub(crate) refused_writes: RefusedWrites,
    pub(crate) large_row: LargeRow,
    pub(crate) memstore_bytes: Arc<MemoryGauge>,
    pub(crate) open_sequence_id: u64,
    pub(crate) last_flush_sequence_id: AtomicU64,
    /// What an earlier server left, until a flush.
    pub(crate) recovered: Mutex<Option<Recovered>>,
    pub(crate) counters: RegionCounters,
}

impl Region {
    /// Identity of the region.
    pub fn info(&self) -> &RegionInfo {
        &self.info
    }

    /// Full region name.
    pub fn name(&self) -> &Bytes {
        &self.name
    }

    /// Encoded region name.
    pub fn encoded_name(&self) -> &Arc<str> {
        &self.encoded_name
    }

    /// The table's schema as of opening.
    pub fn table(&self) -> &Arc<TableDescriptor> {
        &self.table
    }

    /// Families that have values in MOB files.
    pub fn mob_families(&self) -> Vec<Bytes> {
        let families = self.stores.iter().filter(|store| store.mob_threshold.is_some());
        families.map(|store| store.family.name.clone()).collect()
    }

    /// Whether any store file of a family refers to MOB files, or does not say.
    pub fn refers_to_mob(&self, family: &[u8]) -> bool {
        let refers = |file: &Arc<StoreFile>| file.refers_to_mob() || !file.says_if_it_refers_to_mob();
        self.store(family).is_ok_and(|store| store.files().iter().any(refers))
    }

    /// The sequence id at which the region was opened: HBase's `openSeqNum`.
    pub fn open_sequence_id(&self) -> u64 {
        self.open_sequence_id
    }

    /// The newest sequence id that readers see.
    pub fn read_point(&self) -> u64 {
        self.mvcc.read_point()
    }

    /// Counters.
    pub fn counters(&self) -> &RegionCounters {
        &self.counters
    }

    /// Whether the region takes no more writes.
    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Whether it is read from, which goes on while it closes.
    pub fn is_readable(&self) -> bool {
        self.readable.load(Ordering::Acquire)
    }

    pub(crate) fn check_readable(&self) -> Result<(), RegionError> {
        if self.is_readable() { Ok(()) } else { Err(self.not_served()) }
    }

    pub(crate) fn check_open(&self) -> Result<(), RegionError> {
        if self.is_closing() { Err(self.not_served()) } else { Ok(()) }
    }

    /// Fails for a row that is not this region's.
    pub fn check_row(&self, row: &[u8], operation: &'static str) -> Result<(), RegionError> {
        if self.info.is_meta() || self.info.contains_row(row) {
            return Ok(());
        }
        Err(RegionError::WrongRegion {
            operation,
            region: Shortened(&self.name).to_string(),
            start: Shortened(&self.info.start_key).to_string(),
            row: Shortened(row).to_string(),
        })
    }

    pub(crate) fn store(&self, family: &[u8]) -> Result<&Store, RegionError> {
        self.stores.iter().find(|store| &store.family.name[..] == family).ok_or_else(|| {
            RegionError::NoSuchFamily {
                family: Shortened(family).to_string(),
                region: Shortened(&self.name).to_string(),
                table: self.info.table.to_string(),
            }
        })
    }

    /// Opens a scanner on this region's part of `scan`.
    ///
    /// # Errors
    /// A family that the table does not have; columns named in a raw scan; a region that is closed.
    pub fn scanner(
        &self,
        scan: &Scan,
        filter: Option<Box<dyn Filter>>,
    ) -> Result<RegionScanner, RegionError> {
        self.scanner_over(scan, filter, UnsettledWrites::none())
    }

    /// Opens a scanner of what the edit of this sequence id has written, and that is still there under this id.
    ///
    /// # Errors
    /// As [`scanner`](Self::scanner).
    pub fn scanner_of_edit(&self, scan: &Scan, sequence_id: u64) -> Result<RegionScanner, RegionError> {
        let scan = Scan { read_point: Some(sequence_id), ..scan.clone() };
        self.scanner_at(
            || self.mvcc.register_scanner(scan.read_point),
            &scan,
            None,
            sequence_id,
            UnsettledWrites::none(),
        )
    }

    /// Opens a scanner for a scan that goes on elsewhere, or after its scanner was lost: at its read point if all is still there
    /// that is seen there, and otherwise at the current one. Better to see newer versions than to miss rows.
    ///
    /// # Errors
    /// As [`Region::scanner`].
    pub fn resumed_scanner(
        &self,
        scan: &Scan,
        filter: Option<Box<dyn Filter>>,
    ) -> Result<RegionScanner, RegionError> {
        let register = || match scan.read_point {
            Some(point) => self.mvcc.register_resumed(point),
            None => self.mvcc.register_scanner(None),
        };
        self.scanner_at(register, scan, filter, 0, UnsettledWrites::none())
    }

    /// [`Region::scanner`] for who has the row of the scan locked, and sees what is not settled of it.
    pub(crate) fn scanner_over(
        &self,
        scan: &Scan,
        filter: Option<Box<dyn Filter>>,
        unsettled: &UnsettledWrites,
    ) -> Result<RegionScanner, RegionError> {
        self.scanner_at(|| self.mvcc.register_scanner(scan.read_point), scan, filter, 0, unsettled)
    }

    /// `lowest`: cells with lower sequence ids are not seen.
    fn scanner_at(
        &self,
        register: impl FnOnce() -> ReadPoint,
        scan: &Scan,
        filter: Option<Box<dyn Filter>>,
        lowest: u64,
        unsettled: &UnsettledWrites,
    ) -> Result<RegionScanner, RegionError> {
        self.check_readable()?;
        if scan.raw && scan.families.iter().any(|selection| selection.qualifiers.is_some()) {
            return Err(RegionError::Invalid("Cannot specify any column for a raw scan".into()));
        }
        for selection in &scan.families {
            self.store(&selection.family)?;
        }
        let registered = register();
        let range = self.clamp(scan);
        let sight = Sight { read_point: registered.get(), lowest, unsettled };
        let (stores, seen) =
            self.store_scanners(scan, &range, sight, filter.as_ref().is_some_and(Filter::drops_cells));
        let default = self.environment.config.loads_families_on_demand;
        let on_demand = scan.load_column_families_on_demand.unwrap_or(default);
        Ok(RegionScanner::new(registered, self.order, &range, (stores, seen), filter, on_demand))
    }

    /// A scanner for each family of the scan, over the memstores and files of now.
    pub(crate) fn store_scanners(
        &self,
        scan: &Scan,
        range: &RowRange<&Bytes>,
        mut sight: Sight<'_>,
        is_filtered: bool,
    ) -> (Vec<StoreScanner>, FilesSeen) {
        // Who sees what is not settled has the row locked, and some of that may be in the memstore already.
        if scan.read_uncommitted || !sight.unsettled.is_empty() {
            sight.read_point = u64::MAX;
        }
        let now = OnceCell::new();
        let now = || *now.get_or_init(|| self.environment.host.now_ms());
        self.file_switch.look(|| {
            let mut stores = Vec::new();
            for store in &self.stores {
                let selection = scan.families.iter().find(|selection| selection.family == store.family.name);
                if (scan.families.is_empty() || selection.is_some())
                    && let Some(store) = store.scanner(scan, range, selection, sight, &now, is_filtered)
                {
                    if stores.is_empty() {
                        stores.reserve_exact(1); // They are large, and mostly there is one.
                    }
                    stores.push(store);
                }
            }
            stores
        })
    }

    /// The part of a scan's rows that this region has.
    pub(crate) fn clamp<'a>(&'a self, scan: &'a Scan) -> RowRange<&'a Bytes> {
        let mut range = RowRange {
            start: &scan.start_row,
            include_start: scan.include_start_row,
            stop: &scan.stop_row,
            include_stop: scan.include_stop_row,
            reversed: scan.reversed,
        };
        let (first, end) = (&self.info.start_key, &self.info.end_key);
        let (low, include_low, high, include_high) = if scan.reversed {
            (&mut range.stop, &mut range.include_stop, &mut range.start, &mut range.include_start)
        } else {
            (&mut range.start, &mut range.include_start, &mut range.stop, &mut range.include_stop)
        };
        if !first.is_empty() && self.order.compare_rows(low, first).is_lt() {
            *low = first;
            *include_low = true;
        }
        if !end.is_empty() && (high.is_empty() || self.order.compare_rows(high, end).is_ge()) {
            *high = end;
            *include_high = false;
        }
        range
    }
}

impl std::fmt::Debug for Region {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Region({})", self.name.escape_ascii())
    }
}
