//! One family of one region: a memstore and store files.

use crate::compaction::Leftovers;
use crate::compaction_config::CompactionConfig;
use crate::compaction_progress::CompactionProgress;
use crate::file_source::FileSource;
use crate::matcher::{Matcher, oldest_unexpired};
use crate::memstore_keeper::MemStoreKeeper;
use crate::source::Source;
use crate::store_file::StoreFile;
use crate::store_scanner::{StoreRead, StoreScanner};
use finback_cell::{Bytes, Cell, CellOrder, ColumnFamilyDescriptor, Scan, TimeRange};
use finback_hfile::{
    BlockCache, BlockPriority, BloomOptions, BloomProbe, BloomType, Compression, DataBlockEncoding,
    HFileScanner, WriterOptions,
};
use finback_memstore::MemStore;
use parking_lot::{Mutex, RwLock};
use std::sync::Arc;

/// The store of one family.
pub(crate) struct Store {
    pub(crate) family: ColumnFamilyDescriptor,
    pub(crate) memstore: Arc<MemStore>,
    pub(crate) keeper: Arc<MemStoreKeeper>,
    /// How its files are compacted.
    pub(crate) compaction: CompactionConfig,
    /// One compaction at a time, and what earlier ones left in the directory.
    pub(crate) compaction_lock: Mutex<Leftovers>,
    /// How far the compaction is that is under way.
    pub(crate) progress: CompactionProgress,
    order: CellOrder,
    /// Newest first. Replaced as a whole; held only to copy or exchange the pointer.
    files: RwLock<Arc<[Arc<StoreFile>]>>,
    cache: Arc<dyn BlockCache>,
    /// What data blocks are worth in the cache.
    data_priority: BlockPriority,
}

impl Store {
    /// A store over `files`.
    pub(crate) fn new(
        family: ColumnFamilyDescriptor,
        keeper: impl FnOnce(&Arc<MemStore>) -> Arc<MemStoreKeeper>,
        order: CellOrder,
        compaction: CompactionConfig,
        mut files: Vec<Arc<StoreFile>>,
        cache: Arc<dyn BlockCache>,
    ) -> Self {
        sort_newest_first(&mut files, &compaction);
        // HBase keeps the catalogue like a family with IN_MEMORY.
        let is_in_memory = family.is_in_memory() || order == CellOrder::Meta;
        let memstore = Arc::new(MemStore::new(order));
        Self {
            data_priority: if is_in_memory { BlockPriority::InMemory } else { BlockPriority::Normal },
            family,
            keeper: keeper(&memstore),
            memstore,
            compaction,
            compaction_lock: Mutex::default(),
            progress: CompactionProgress::default(),
            order,
            files: RwLock::new(files.into()),
            cache,
        }
    }

    /// How files of this family are written; `compression` is the attribute that counts for the occasion, with those
    /// more general in its place where it is not set. What has no codec here is written as it is.
    pub(crate) fn writer_options(&self, compression: &str, create_time_ms: i64) -> WriterOptions {
        let attributes = [compression, "COMPRESSION_COMPACT", "COMPRESSION"];
        let general = if compression == "COMPRESSION" { &attributes[2..] } else { &attributes[..] };
        let compression = general.iter().find_map(|attribute| self.family.attribute(attribute));
        let encoding = self.family.attribute("DATA_BLOCK_ENCODING");
        WriterOptions {
            order: self.order,
            block_size_bytes: self.family.block_size_bytes(),
            bloom: self.bloom(),
            compression: compression.and_then(Compression::from_name).unwrap_or_default(),
            encoding: encoding.and_then(DataBlockEncoding::from_name).unwrap_or_default(),
            compress_tags: self.family.flag("COMPRESS_TAGS", true),
            create_time_ms,
            ..WriterOptions::default()
        }
    }

    /// The Bloom filters of this family's files.
    fn bloom(&self) -> BloomOptions {
        let filter = match self.family.attribute("BLOOMFILTER").unwrap_or("ROW") {
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

    /// The store files, newest first.
    pub(crate) fn files(&self) -> Arc<[Arc<StoreFile>]> {
        Arc::clone(&self.files.read())
    }

    /// The store files, oldest first.
    pub(crate) fn files_oldest_first(&self) -> Vec<Arc<StoreFile>> {
        self.files().iter().rev().cloned().collect()
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

    /// Stops serving the files of these names, and gives them back.
    pub(crate) fn remove_files(&self, names: &[String]) -> Vec<Arc<StoreFile>> {
        let named = |file: &Arc<StoreFile>| names.contains(&file.name());
        let mut files = self.files.write();
        let (gone, kept): (Vec<_>, Vec<_>) = files.iter().cloned().partition(named);
        *files = kept.into();
        drop(files);
        self.forget_blocks(&gone);
        gone
    }

    /// Frees the cache of files that are no longer served, and that nobody will open again.
    pub(crate) fn forget_blocks(&self, files: &[Arc<StoreFile>]) {
        for file in files {
            file.reader().retire();
            self.cache.evict_file(file.reader().id());
        }
    }

    /// Frees the cache of this store's blocks if the family wants that at a close (EVICT_BLOCKS_ON_CLOSE). Else the next
    /// opening finds them.
    pub(crate) fn close_files(&self) {
        if self.family.flag("EVICT_BLOCKS_ON_CLOSE", false) {
            self.forget_blocks(&self.files());
        }
    }

    /// Puts the outputs of a compaction, if there are any, in the place of its inputs.
    pub(crate) fn replace_files(&self, inputs: &[Arc<StoreFile>], outputs: Vec<Arc<StoreFile>>) {
        let mut files = self.files.write();
        let is_input = |file: &Arc<StoreFile>| inputs.iter().any(|input| Arc::ptr_eq(input, file));
        let mut all: Vec<_> = files.iter().filter(|file| !is_input(file)).cloned().collect();
        all.extend(outputs);
        sort_newest_first(&mut all, &self.compaction);
        *files = all.into();
        drop(files);
        self.forget_blocks(inputs);
    }

    /// Adds the output of a flush.
    pub(crate) fn add_file(&self, file: Arc<StoreFile>) {
        let mut files = self.files.write();
        let mut all: Vec<_> = files.to_vec();
        all.push(file);
        sort_newest_first(&mut all, &self.compaction);
        *files = all.into();
    }

    /// Highest sequence id that store files hold.
    pub(crate) fn max_sequence_id(&self) -> Option<u64> {
        self.files.read().iter().filter_map(|file| file.max_sequence_id()).max()
    }

    /// A scanner over this store, without the sources that cannot hold anything of the scan.
    pub(crate) fn scanner(
        &self,
        scan: &Scan,
        qualifiers: Option<Vec<Bytes>>,
        read_point: u64,
        now: i64,
        has_filter: bool,
    ) -> StoreScanner {
        let relevant = Relevant::new(scan, &self.family, self.order, now);
        // Segments first: a flush adds its file before it drops its segments, so that nothing is missed in between.
        let segments = self.memstore.segments();
        let files = self.files();
        let mut sources = Vec::with_capacity(segments.len() + files.len());
        for segment in segments.iter() {
            if segment.timestamps().is_some_and(|(min, max)| relevant.times(min, max)) {
                sources.push(Source::Segment(segment.scanner()));
            }
        }
        let cache_blocks = scan.cache_blocks && self.family.block_cache_enabled();
        for file in files.iter() {
            if relevant.file(file) {
                let cache = Some(Arc::clone(&self.cache));
                let scanner = HFileScanner::new(Arc::clone(file.reader()), cache, cache_blocks)
                    .with_data_priority(self.data_priority);
                let probe = relevant.bloom_probe(file, &self.cache);
                let source = FileSource::new(scanner, file.bulk_sequence_id(), probe);
                sources.push(Source::File(Box::new(source)));
            }
        }
        let read = StoreRead {
            order: self.order,
            family: self.family.name.clone(),
            read_point,
            reversed: scan.reversed,
            store_offset: scan.store_offset,
            store_limit: scan.store_limit,
        };
        StoreScanner::new(read, sources, Matcher::new(scan, &self.family, qualifiers, now, has_filter))
    }
}

fn sort_newest_first(files: &mut [Arc<StoreFile>], compaction: &CompactionConfig) {
    files.sort_by(|a, b| b.age_order(a, compaction.engine));
}

/// What a source must overlap with to matter to a scan.
struct Relevant<'a> {
    /// The row of a read of a single row, and its column, if it is a single one too.
    single: Option<(&'a [u8], Option<&'a [u8]>)>,
    order: CellOrder,
    lower: &'a [u8],
    upper: &'a [u8],
    time_range: TimeRange,
    /// Sources with nothing newer have expired.
    oldest: i64,
}

impl<'a> Relevant<'a> {
    fn new(scan: &'a Scan, family: &ColumnFamilyDescriptor, order: CellOrder, now: i64) -> Self {
        let (lower, upper) =
            if scan.reversed { (&scan.stop_row, &scan.start_row) } else { (&scan.start_row, &scan.stop_row) };
        let expires = !scan.raw && family.min_versions() == 0;
        Self {
            single: single(scan, family),
            order,
            lower,
            upper,
            time_range: scan.time_range_of(&family.name),
            oldest: if expires { oldest_unexpired(family, now) } else { i64::MIN },
        }
    }

    /// The question to the file's Bloom filter, if it has one for this read.
    fn bloom_probe(&self, file: &StoreFile, cache: &Arc<dyn BlockCache>) -> Option<BloomProbe> {
        let (row, column) = self.single?;
        file.reader().bloom_type()?;
        let (reader, cache) = (Arc::clone(file.reader()), Some(Arc::clone(cache)));
        Some(match column {
            Some(column) => BloomProbe::column(reader, cache, row, column),
            None => BloomProbe::row(reader, cache, row),
        })
    }

    fn times(&self, min: i64, max: i64) -> bool {
        self.time_range.overlaps(min, max) && max >= self.oldest
    }

    fn file(&self, file: &StoreFile) -> bool {
        let Some((first, last)) = file.row_range() else { return false };
        let below = !self.upper.is_empty() && self.order.compare_rows(first, self.upper).is_gt();
        let above = !self.lower.is_empty() && self.order.compare_rows(last, self.lower).is_lt();
        !below && !above && file.time_range().is_none_or(|(min, max)| self.times(min, max))
    }
}

/// The row of a read of a single row, and the column of the family, if the read names just one.
fn single<'a>(scan: &'a Scan, family: &ColumnFamilyDescriptor) -> Option<(&'a [u8], Option<&'a [u8]>)> {
    let is_single = !scan.start_row.is_empty()
        && scan.start_row == scan.stop_row
        && scan.include_start_row
        && scan.include_stop_row;
    if !is_single || scan.reversed {
        return None;
    }
    let selection = scan.families.iter().find(|selection| selection.family == family.name);
    let column = match selection.and_then(|selection| selection.qualifiers.as_deref()) {
        Some([column]) => Some(&column[..]),
        _ => None,
    };
    Some((&scan.start_row, column))
}
