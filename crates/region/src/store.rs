//! One family of one region: a memstore and store files.

use crate::cache_config::CacheConfig;
use crate::checksum_config::ChecksumConfig;
use crate::compaction::Leftovers;
use crate::compaction_config::CompactionConfig;
use crate::compaction_policy::Cut;
use crate::compaction_policy::striped::cut_of_flush;
use crate::compaction_progress::CompactionProgress;
use crate::family_rules::FamilyRules;
use crate::file_source::FileSource;
use crate::heap::Heap;
use crate::kept_blocks::KeptBlocks;
use crate::log_floor::LogFloor;
use crate::matcher::Matcher;
use crate::memstore_keeper::MemStoreKeeper;
use crate::mob::{MobFiles, MobPlaces, MobReads};
use crate::recent_reads::RecentReads;
use crate::relevant::{BloomAnswer, Relevant};
use crate::row_range::RowRange;
use crate::source::Source;
use crate::store_file::StoreFile;
use crate::store_scanner::{StoreRead, StoreScanner};
use crate::tracked_files::TrackedFiles;
use crate::unsettled::{Sight, UnsettledCells};
use arc_swap::ArcSwap;
use finback_cell::{Bytes, Cell, CellOrder, ColumnFamilyDescriptor, FamilySelection, Scan};
use finback_fs::NextRead;
use finback_hfile::{
    BlockCache, BlockPriority, BloomOptions, BloomType, Compression, DataBlockEncoding, HFileScanner,
    WriterOptions, ZstdForm,
};
use finback_layout::{RootDir, StoreFileTracker};
use finback_memstore::{MemStore, Snapshot};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Bytes of a row that one read puts into the cache: a row of a GiB would only take the place of others.
const CACHED_OF_ROW_BYTES: usize = 16 << 20;
/// Of a store with many files at least so many bytes of each: blocks of ordinary size.
const CACHED_OF_ROW_IN_FILE_BYTES: usize = 1 << 20;

/// The part of the blocks of files from which on nearly all are in the cache.
const NEARLY_ALL: (u128, u128) = (3, 4);

/// Files as readers see them at one moment.
pub(crate) type Files = Box<[Arc<StoreFile>]>;

/// The store of one family.
pub(crate) struct Store {
    pub(crate) family: ColumnFamilyDescriptor,
    pub(crate) rules: FamilyRules,
    pub(crate) memstore: Arc<MemStore>,
    pub(crate) keeper: Arc<MemStoreKeeper>,
    log_floor: LogFloor,
    /// When its last flush began, or when it was opened, ms since the epoch.
    pub(crate) last_flush_ms: AtomicU64,
    /// How its files are compacted.
    compaction: ArcSwap<CompactionConfig>,
    /// Which blocks are cached besides those that were read.
    pub(crate) caching: CacheConfig,
    checksums: ChecksumConfig,
    zstd_form: ZstdForm,
    /// How much of the blocks of its files is in memory while they are merged.
    pub(crate) kept_blocks: KeptBlocks,
    /// Who says which files there are.
    pub(crate) tracked: TrackedFiles,
    /// One compaction at a time, and what earlier ones left in the directory.
    pub(crate) compaction_lock: Mutex<Leftovers>,
    /// Names of files that a flush could not take back: the next compaction counts them among the leftovers.
    pub(crate) flush_leftovers: Mutex<Vec<String>>,
    /// Whether a compaction of all files was asked for when there were none: as in HBase the next one is of all files.
    pub(crate) major_is_due: AtomicBool,
    /// Whether edits were recovered for it that have expired: as in HBase the next flush writes a file, if need be one without cells.
    pub(crate) recovered_expired: AtomicBool,
    /// How far the compaction is that is under way.
    pub(crate) progress: CompactionProgress,
    pub(crate) order: CellOrder,
    /// Newest first. Replaced as a whole, under the lock; readers need none.
    pub(crate) files: ArcSwap<Files>,
    files_lock: Mutex<()>,
    pub(crate) cache: Arc<dyn BlockCache>,
    /// Values of more bytes are kept in MOB files; `None` if no values are.
    pub(crate) mob_threshold: Option<u64>,
    /// Where MOB files are.
    pub(crate) mob_places: Arc<MobPlaces>,
    /// What data blocks are worth in the cache.
    pub(crate) data_priority: BlockPriority,
    pub(crate) recent_reads: RecentReads,
}

impl Store {
    /// A store over `files`.
    pub(crate) fn new(
        family: ColumnFamilyDescriptor,
        keeper: impl FnOnce(&Arc<MemStore>) -> Arc<MemStoreKeeper>,
        order: CellOrder,
        (compaction, caching, checksums, zstd_form, kept_blocks): (
            CompactionConfig,
            CacheConfig,
            ChecksumConfig,
            ZstdForm,
            KeptBlocks,
        ),
        (tracker, mut files): (StoreFileTracker, Vec<Arc<StoreFile>>),
        cache: Arc<dyn BlockCache>,
        (root, mob_files): (RootDir, Arc<MobFiles>),
    ) -> Self {
        sort_newest_first(&mut files, &compaction);
        files.iter().for_each(|file| file.reader().charge_to(&cache));
        // HBase keeps the catalogue like a family with IN_MEMORY.
        let is_in_memory = family.is_in_memory() || order == CellOrder::Meta;
        let memstore = Arc::new(MemStore::new(order));
        let mob_places =
            MobPlaces { root, family: family.name.clone(), files: mob_files, cache: Arc::clone(&cache) };
        Self {
            mob_threshold: family.mob_threshold_bytes(),
            mob_places: Arc::new(mob_places),
            rules: FamilyRules::of(&family),
            data_priority: if is_in_memory { BlockPriority::InMemory } else { BlockPriority::Normal },
            family,
            keeper: keeper(&memstore),
            memstore,
            log_floor: LogFloor::default(),
            last_flush_ms: AtomicU64::new(0),
            compaction: ArcSwap::from_pointee(compaction),
            caching,
            checksums,
            zstd_form,
            kept_blocks,
            tracked: TrackedFiles::new(tracker, &files),
            compaction_lock: Mutex::default(),
            flush_leftovers: Mutex::default(),
            major_is_due: AtomicBool::new(false),
            recovered_expired: AtomicBool::new(false),
            progress: CompactionProgress::default(),
            order,
            recent_reads: RecentReads::new(!files.is_empty()),
            files: ArcSwap::from_pointee(files.into()),
            files_lock: Mutex::default(),
            cache,
        }
    }

    /// When a file that is written now is going to be read.
    pub(crate) fn next_read(&self) -> NextRead {
        if self.caching.reads_what_is_written() || self.recent_reads.any() {
            NextRead::Soon
        } else {
            NextRead::Later
        }
    }

    /// Bytes of the data blocks of these files that are in the cache, if that is nearly all of them: so that a file that takes their
    /// place should be there, and nothing else sees to that.
    pub(crate) fn cached_bytes(&self, files: &[Arc<StoreFile>]) -> Option<u64> {
        let is_wanted = self.recent_reads.any() && self.rules.caches_blocks;
        let input_bytes = files.iter().map(|file| file.size_bytes()).fold(0, u64::saturating_add);
        if !is_wanted || self.caching.reads_compacted(input_bytes) || self.cache.has_stored() {
            return None;
        }
        // What has been read of a file that is elsewhere stays where it is.
        if files.iter().any(|file| file.is_elsewhere()) {
            return None;
        }
        let (mut cached, mut all) = (0, 0);
        for reader in files.iter().map(|file| file.reader()) {
            let (bytes, blocks) = (reader.trailer().fields.total_uncompressed_bytes(), reader.data_blocks());
            let blocks_there = blocks.min(self.cache.blocks_of(reader.id()) as u64);
            cached += u128::from(bytes) * u128::from(blocks_there) / u128::from(blocks.max(1));
            all += u128::from(bytes);
        }
        let is_nearly_all = all > 0 && cached * NEARLY_ALL.1 >= all * NEARLY_ALL.0;
        is_nearly_all.then(|| u64::try_from(cached).unwrap_or(u64::MAX))
    }

    /// How its files are compacted.
    pub(crate) fn compaction(&self) -> Arc<CompactionConfig> {
        self.compaction.load_full()
    }

    /// Has its files compacted otherwise from now on. The engine stays: the files that there are were laid out by it.
    pub(crate) fn reconfigure(&self, compaction: CompactionConfig) {
        let engine = self.compaction().engine;
        self.compaction.store(Arc::new(CompactionConfig { engine, ..compaction }));
    }

    /// How files of this family are written; `compression` is the attribute that counts for the occasion, with those
    /// more general in its place where it is not set. What has no codec here is written as it is.
    pub(crate) fn writer_options(&self, compression: &str, create_time_ms: i64) -> WriterOptions {
        let attributes = [compression, "COMPRESSION_COMPACT", "COMPRESSION"];
        let general = if compression == "COMPRESSION" { &attributes[2..] } else { &attributes[..] };
        let compression = general.iter().find_map(|attribute| self.family.attribute(attribute));
        WriterOptions {
            order: self.order,
            block_size_bytes: self.family.block_size_bytes(),
            bloom: self.bloom(),
            compression: compression.and_then(Compression::from_name).unwrap_or_default(),
            zstd_form: self.zstd_form,
            encoding: self.encoding(),
            compress_tags: self.family.flag("COMPRESS_TAGS", true),
            checksum_type: self.checksums.checksum_type,
            bytes_per_checksum: self.checksums.bytes_per_checksum,
            create_time_ms,
            says_if_plain: true,
            ..WriterOptions::default()
        }
    }

    /// The data block encoding of this family's files.
    pub(crate) fn encoding(&self) -> DataBlockEncoding {
        let encoding = self.family.attribute("DATA_BLOCK_ENCODING");
        encoding.and_then(DataBlockEncoding::from_name).unwrap_or_default()
    }

    /// The Bloom filters of this family's files.
    fn bloom(&self) -> BloomOptions {
        let filter = self.family.attribute("BLOOMFILTER").unwrap_or("ROW").to_ascii_uppercase();
        let filter = match filter.as_str() {
            "ROW" => Some(BloomType::Row),
            "ROWCOL" => Some(BloomType::RowColumn),
            "ROWPREFIX_FIXED_LENGTH" => self
                .family
                .setting("RowPrefixBloomFilter.prefix_length")
                .and_then(|length| length.parse().ok())
                .filter(|&length| length > 0)
                .map(BloomType::RowPrefix),
            _ => None,
        };
        BloomOptions { filter, family_delete: true, ..BloomOptions::default() }
    }

    /// Where a flush of so many cells is cut into files.
    pub(crate) fn cut_of_flush(&self, cells: u64) -> Cut {
        let files = self.files_oldest_first();
        cut_of_flush(&self.compaction(), files.iter().map(|file| file.in_stripe()), cells)
    }

    /// The store files, newest first.
    pub(crate) fn files(&self) -> Arc<Files> {
        self.files.load_full()
    }

    /// Exchanges the files for others.
    fn change_files(&self, change: impl FnOnce(&mut Vec<Arc<StoreFile>>)) {
        let _alone = self.files_lock.lock();
        let mut files = self.files().to_vec();
        change(&mut files);
        files.iter().for_each(|file| file.reader().charge_to(&self.cache));
        sort_newest_first(&mut files, &self.compaction());
        self.files.store(Arc::new(files.into()));
    }

    /// The store files, oldest first.
    pub(crate) fn files_oldest_first(&self) -> Vec<Arc<StoreFile>> {
        self.files().iter().rev().cloned().collect()
    }

    /// From which sequence id on the log is needed; `None` if all there is is in store files.
    pub(crate) fn needs_log_from(&self) -> Option<u64> {
        Some(self.log_floor.limits(self.memstore.lowest_sequence_id()?))
    }

    /// Before cells of this family are inserted that are in no log; writes that are under way have sequence ids from `under_way` on.
    pub(crate) fn before_unlogged(&self, under_way: u64) {
        self.log_floor.before_unlogged(|| {
            self.memstore.lowest_sequence_id().map_or(under_way, |lowest| lowest.min(under_way))
        });
    }

    /// Whether a flush has nothing to write.
    pub(crate) fn is_flushed(&self) -> bool {
        self.memstore.is_empty() && !self.recovered_expired.load(Ordering::Relaxed)
    }

    /// Makes all that is in memory the snapshot of a flush. Called while nobody writes.
    pub(crate) fn begin_flush(&self) -> Snapshot {
        self.log_floor.begin_flush();
        self.memstore.snapshot()
    }

    /// After a flush of all edits up to this sequence id.
    pub(crate) fn flushed(&self, sequence_id: u64) {
        self.recovered_expired.store(false, Ordering::Relaxed);
        self.log_floor.flushed(sequence_id);
    }

    /// Puts cells of one sequence id into the memstore; gives back by how many bytes it grew.
    pub(crate) fn insert_all<'a>(
        &self,
        cells: impl IntoIterator<Item = Cell<'a>>,
        sequence_id: u64,
    ) -> usize {
        let growth = self.memstore.insert_all(cells, sequence_id);
        self.keeper.after_insertion(growth);
        growth.heap_bytes
    }

    /// Whether new versions of counters take the place of old ones in memory: there is one version, nothing that counts
    /// others, and what is surplus need not wait for a flush. HBase has code for it that nothing calls: a raw scan sees
    /// all versions, and a put that a deleted counter had hidden comes back.
    pub(crate) fn keeps_one_version(&self) -> bool {
        self.family.max_versions() == 1 && self.keeper.leaves_out_versions()
    }

    /// Puts new versions of counters into the memstore, see [`MemStore::upsert`]; gives back by how many bytes it grew.
    pub(crate) fn upsert_all<'a>(
        &self,
        cells: impl Iterator<Item = Cell<'a>>,
        sequence_id: u64,
        smallest_read_point: u64,
    ) -> usize {
        let mut grown = 0;
        for cell in cells {
            let growth = self.memstore.upsert(&cell, sequence_id, smallest_read_point);
            self.keeper.after_insertion(growth);
            grown += growth.heap_bytes;
        }
        grown
    }

    /// Stops serving the files of these names, and gives them back.
    pub(crate) fn remove_files(&self, names: &[String]) -> Vec<Arc<StoreFile>> {
        let named = |file: &mut Arc<StoreFile>| names.contains(&file.name());
        let mut gone = Vec::new();
        self.change_files(|files| gone = files.extract_if(.., named).collect());
        self.forget_blocks(&gone);
        gone
    }

    /// Frees the cache of files that are no longer served, and that nobody will open again.
    pub(crate) fn forget_blocks(&self, files: &[Arc<StoreFile>]) {
        // Of a file that is elsewhere others may be reading the same blocks.
        for file in files.iter().filter(|file| !file.is_elsewhere()) {
            file.reader().retire();
            self.cache.evict_file(file.reader().id());
        }
    }

    /// Frees the cache of this store's blocks if that is wanted at a close (EVICT_BLOCKS_ON_CLOSE). Else the next opening
    /// finds them.
    pub(crate) fn close_files(&self) {
        if self.caching.evict_on_close {
            self.forget_blocks(&self.files());
        }
    }

    /// Puts the outputs of a compaction, if there are any, in the place of its inputs.
    pub(crate) fn exchange_files(&self, inputs: &[Arc<StoreFile>], outputs: Vec<Arc<StoreFile>>) {
        let is_input = |file: &Arc<StoreFile>| inputs.iter().any(|input| Arc::ptr_eq(input, file));
        self.change_files(|files| {
            files.retain(|file| !is_input(file));
            files.extend(outputs);
        });
    }

    /// Adds the output of a flush.
    pub(crate) fn add_file(&self, file: Arc<StoreFile>) {
        self.change_files(|files| files.push(file));
    }

    /// Highest sequence id of any file or any cell of it: a file may have cells above its own id, which would not be seen
    /// under a lower read point. What a file says of cells that got another when it was loaded is another table's.
    pub(crate) fn highest_sequence_id(&self) -> u64 {
        let highest = |file: &Arc<StoreFile>| {
            file.max_sequence_id().unwrap_or(0).max(file.highest_sequence_id_of_cells())
        };
        self.files.load().iter().map(highest).max().unwrap_or(0)
    }

    /// Highest sequence id that store files hold.
    pub(crate) fn max_sequence_id(&self) -> Option<u64> {
        self.files().iter().filter_map(|file| file.max_sequence_id()).max()
    }

    /// Bytes of a row that a read puts into the cache of each of so many files.
    fn cached_of_row(&self, files: usize) -> usize {
        match self.data_priority {
            BlockPriority::InMemory => usize::MAX,
            _ => (CACHED_OF_ROW_BYTES / files.max(1)).max(CACHED_OF_ROW_IN_FILE_BYTES),
        }
    }

    /// Whether values of these files may be in MOB files, or go there.
    pub(crate) fn has_mob(&self, files: &[Arc<StoreFile>]) -> bool {
        self.mob_threshold.is_some() || files.iter().any(|file| file.refers_to_mob())
    }

    /// Whether compactions write what no read of the present needs to files of its own. Not where what is hidden depends on what was
    /// written before.
    pub(crate) fn keeps_history_apart(&self) -> bool {
        self.compaction().keeps_history_apart && !self.rules.new_version_behavior
    }

    /// Whether a file is one of history, and the read has no need of it.
    pub(crate) fn leaves_out(&self, file: &StoreFile, read: &Relevant<'_>) -> bool {
        file.is_historical() && read.is_of_present() && self.keeps_history_apart()
    }

    /// A scanner over this store, without the sources that cannot hold anything of the scan; `None` if no source can.
    pub(crate) fn scanner(
        &self,
        scan: &Scan,
        rows: &RowRange<&Bytes>,
        selection: Option<&FamilySelection>,
        sight: Sight<'_>,
        now: &dyn Fn() -> i64,
        is_filtered: bool,
    ) -> Option<StoreScanner> {
        self.recent_reads.note();
        let relevant = Relevant::new(scan, rows, (&self.family.name, &self.rules), self.order, now);
        // Segments first: a flush adds its file before it drops its segments, so that nothing is missed in between.
        let segments = self.memstore.look_at_segments();
        let files = self.files.load();
        let mut has_references = self.mob_threshold.is_some();
        let mut sources = Vec::new();
        let mut add = |source| {
            if sources.capacity() == 0 {
                sources.reserve(segments.len() + files.len());
            }
            sources.push(source);
        };
        if let Some(cells) = UnsettledCells::of_family(sight.unsettled, &self.family.name, self.order) {
            add(Source::Unsettled(Box::new(cells)));
        }
        for segment in segments.iter() {
            if segment.timestamps().is_some_and(|(min, max)| relevant.times(min, max)) {
                add(Source::Segment(segment.scanner()));
            }
        }
        let cache_blocks = scan.cache_blocks && self.rules.caches_blocks;
        let cached_of_row = self.cached_of_row(files.len());
        for file in files.iter() {
            if relevant.file(file) && !self.leaves_out(file, &relevant) {
                let probe = match relevant.bloom(file, &self.cache) {
                    BloomAnswer::No => continue,
                    BloomAnswer::Perhaps => None,
                    BloomAnswer::Ask(probe) => Some(probe),
                };
                has_references |= file.refers_to_mob();
                let cache = Some(Arc::clone(&self.cache));
                let scanner = HFileScanner::new(Arc::clone(file.reader()), cache, cache_blocks)
                    .with_data_priority(self.data_priority)
                    .with_blocks_left(self.kept_blocks.left_bytes)
                    .with_cached_of_row(cached_of_row);
                let source = FileSource::new(scanner, file, probe);
                add(Source::File(Box::new(source)));
            }
        }
        if sources.is_empty() {
            return None;
        }
        let read = StoreRead {
            order: self.order,
            family: self.family.name.clone(),
            read_point: sight.read_point,
            lowest: sight.lowest,
            reversed: rows.reversed,
            single_row: rows.single().is_some(),
            store_offset: scan.store_offset,
            store_limit: scan.store_limit,
        };
        let time_range = scan.time_range_of(&self.family.name);
        let qualifiers = selection.and_then(|selection| selection.qualifiers.clone());
        let matcher = Matcher::new(scan, time_range, &self.rules, qualifiers, now(), is_filtered);
        let is_merge = sources.len() > 1;
        let heap = Heap::new(self.order, sources, self.kept_blocks);
        // Raw reads see all there is; NEW_VERSION_BEHAVIOR goes by more than timestamps.
        let by_time = !scan.raw && !self.rules.new_version_behavior;
        let one_column = if by_time && is_merge { relevant.one_column() } else { None };
        let heap = match one_column {
            Some(column) => heap.of_one_column(column),
            None => heap,
        };
        let mob = has_references.then(|| Box::new(MobReads::new(Arc::clone(&self.mob_places), scan.mob)));
        Some(StoreScanner::new(read, heap, matcher, mob))
    }
}

fn sort_newest_first(files: &mut [Arc<StoreFile>], compaction: &CompactionConfig) {
    files.sort_by(|a, b| b.age_order(a, compaction.engine));
}
