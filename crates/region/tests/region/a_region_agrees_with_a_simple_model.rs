//! Random writes, flushes, compactions, restarts and crashes; random reads in pieces of all sizes. The region must agree with a list
//! of everything written.

use crate::column_test::{ColumnTest, Kind};
use crate::model::{Model, Read, has_new_versions};
use crate::random_operations::{
    FAMILIES, MobThresholds, NO_MOB_FILES, Operation, Query, Write, mob_thresholds, operation, query,
};
use crate::world::{
    Plain, ResultRow, World, compare_plain_gets, family, mutation_of, next, rest, results_of, run, scan,
};
use finback_cell::cell::CellParts;
use finback_cell::{
    Bytes, Cell, CellType, ColumnFamilyDescriptor, FamilySelection, LATEST_TIMESTAMP, Mutation, MutationKind,
    Scan, TableDescriptor, TimeRange,
};
use finback_filter::comparators::BinaryComparator;
use finback_filter::filters::PageFilter;
use finback_filter::{Filter, FilterCode, FilterError, RowCells};
use finback_fs::{CrashMode, MemFileSystem};
use finback_region::{
    CompactionConfig, CompactionPolicy, CompareOperator, Condition, ConditionTest, DateTieredConfig,
    InMemoryCompaction, KeptBlocks, Region, RegionScanner, ScanLimits, ScanOutput, ScanStop, StoreEngine,
    StripeConfig,
};
use proptest::prelude::*;
use proptest::sample::select;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Drops rows with an odd number of cells.
#[derive(Default)]
struct EvenRows {
    cells: usize,
}

impl Filter for EvenRows {
    fn reset(&mut self) {
        self.cells = 0;
    }
    fn filter_cell(&mut self, _: &Cell<'_>) -> Result<FilterCode, FilterError> {
        Ok(FilterCode::Include)
    }
    fn has_filter_row(&self) -> bool {
        true
    }
    fn filter_row_cells(&mut self, cells: &mut dyn RowCells) {
        cells.retain(&mut |_| {
            self.cells += 1;
            true
        });
    }
    fn filter_row(&mut self) -> bool {
        self.cells % 2 == 1
    }
}

struct WithoutValue(u8);

impl Filter for WithoutValue {
    fn filter_cell(&mut self, cell: &Cell<'_>) -> Result<FilterCode, FilterError> {
        Ok(if cell.value().first() == Some(&self.0) { FilterCode::Skip } else { FilterCode::Include })
    }
}

fn scan_of(read: &Read) -> (Scan, Option<Box<dyn Filter>>) {
    let open = |bound: &Bound<Vec<u8>>, default: bool| match bound {
        Bound::Unbounded => (Bytes::new(), default),
        Bound::Included(row) => (row.clone().into(), true),
        Bound::Excluded(row) => (row.clone().into(), false),
    };
    let (first, last) = if read.reversed { (&read.to, &read.from) } else { (&read.from, &read.to) };
    let ((start_row, include_start_row), (stop_row, include_stop_row)) =
        (open(first, true), open(last, false));
    let families = read.families.iter().map(|(family, qualifiers)| FamilySelection {
        family: family.clone().into(),
        qualifiers: qualifiers.as_ref().map(|all| all.iter().map(|one| one.clone().into()).collect()),
    });
    let own_times = read
        .own_times
        .iter()
        .map(|(family, (min, max))| (Bytes::copy_from_slice(family), TimeRange { min: *min, max: *max }));
    let scan = Scan {
        start_row,
        include_start_row,
        stop_row,
        include_stop_row,
        reversed: read.reversed,
        families: families.collect(),
        time_range: TimeRange { min: read.times.0, max: read.times.1 },
        family_time_ranges: own_times.collect(),
        max_versions: u32::try_from(read.versions).unwrap_or(u32::MAX),
        store_offset: read.store_offset as u32,
        store_limit: read.store_limit.map(|limit| limit as u32),
        load_column_families_on_demand: read.on_demand,
        ..Scan::default()
    };
    let filter: Option<Box<dyn Filter>> = if read.even_rows {
        Some(Box::new(EvenRows::default()))
    } else if let Some(byte) = read.without_value {
        Some(Box::new(WithoutValue(byte)))
    } else if let Some(test) = &read.column {
        Some(test.filter())
    } else {
        read.page.map(|page| Box::new(PageFilter::new(page as u64)) as Box<dyn Filter>)
    };
    (scan, filter)
}

/// What becomes of a scanner that waits for its client: now and then it has to let go of its blocks, or to go on with the
/// segments and files of now, if its region is still the one that it was opened on.
fn wait(scanner: &mut RegionScanner, turn: usize, region: Option<&Region>, query: &Query) {
    if turn % 3 == 1 {
        scanner.park();
        assert_eq!(scanner.held_bytes(), scanner.carried_bytes());
    }
    if let Some(region) = region.filter(|_| turn % 4 != 2) {
        let within_row = scanner.is_in_row();
        let renewed = region.renew_scanner(&scan_of(&query.read).0, scanner).unwrap();
        assert!(!renewed || !within_row);
        if renewed {
            region.superseded_segments(scanner, &mut |segment| panic!("{segment:?} is still kept"));
        }
    }
}

/// Reads in the pieces of the query, checks each piece, and puts the rows together. `region`: the one of the scanner, if it
/// is still open.
fn read_in_pieces(scanner: &mut RegionScanner, query: &Query, region: Option<&Region>) -> Vec<Vec<Plain>> {
    let mut rows: Vec<Vec<Plain>> = Vec::new();
    let (mut completed, mut goes_on) = (0, false);
    for turn in 0.. {
        assert!(turn < 10_000, "a scan does not get on");
        let limits = query.pieces[turn % query.pieces.len()];
        wait(scanner, turn, region, query);
        let mut out = ScanOutput::default();
        let stop = next(scanner, &mut out, &limits).unwrap();
        let may_cut = limits.partial_rows && query.suspends_partial;
        scanner.suspend(&mut out, may_cut);
        let results = results_of(&out);
        check_piece(&results, &limits, stop, scanner, may_cut);
        assert!(out.rows_completed <= limits.rows);
        completed += out.rows_completed;
        for ResultRow { cells, partial } in results {
            assert!(cells.is_sorted_by_key(|cell| &cell.family), "families out of their order");
            match rows.last_mut() {
                Some(last) if last[0].row == cells[0].row => {
                    assert!(goes_on, "two results of a row of which the first was whole");
                    last.extend(cells);
                }
                _ => rows.push(cells),
            }
            goes_on = partial;
        }
        if stop == ScanStop::Exhausted {
            assert_eq!(
                next(scanner, &mut ScanOutput::default(), &limits).unwrap(),
                stop,
                "the end is the end"
            );
            break;
        }
    }
    assert_eq!(completed, rows.len(), "each row is counted once");
    if query.read.column.is_some() {
        // Pieces of a row of which families are loaded on demand begin with those that the filter needs.
        rows.iter_mut().for_each(|row| row.sort_by(|a, b| a.family.cmp(&b.family)));
    }
    rows
}

fn check_piece(
    results: &[ResultRow],
    limits: &ScanLimits,
    stop: ScanStop,
    scanner: &RegionScanner,
    may_cut: bool,
) {
    assert!(results.len() <= limits.results, "{} results", results.len());
    for (at, result) in results.iter().enumerate() {
        if scanner.needs_whole_rows() {
            assert!(!result.partial, "a row was cut under a filter of rows");
        } else {
            assert!(result.cells.len() <= limits.batch.max(1) || !result.partial || at == 0);
        }
        let last = at + 1 == results.len();
        let batched = limits.batch != usize::MAX;
        let cut = batched || last && (limits.partial_rows || may_cut);
        assert!(!result.partial || cut, "a partial result in the middle of a reply");
    }
    match stop {
        ScanStop::Results => assert_eq!(results.len(), limits.results),
        ScanStop::Bytes => assert!(!results.is_empty()),
        _ => {}
    }
}

/// The region and what it should contain.
struct Tested {
    mem: MemFileSystem,
    world: World,
    region: Arc<Region>,
    model: Model,
    /// An open scanner, what it reads, and what there was when it was opened.
    scanner: Option<(RegionScanner, Query, Model)>,
    /// Whether the scanner is one of the region as it is open now: its compactions know of it.
    scanner_is_known: bool,
    /// Of each family, whether it has MOB files, or has had some.
    has_mob_files: [bool; FAMILIES.len()],
}

/// The families, in blocks of a few cells each.
fn described(mob_thresholds: &MobThresholds) -> Vec<ColumnFamilyDescriptor> {
    let families = [
        family("a", 2)
            .with("BLOCKSIZE", "100")
            .with("DATA_BLOCK_ENCODING", "FAST_DIFF")
            .with("COMPRESSION", "SNAPPY"),
        family("b", 1000).with("BLOCKSIZE", "64").with("COMPRESSION", "ZSTD").with("BLOOMFILTER", "ROWCOL"),
        family("c", 2).with("BLOCKSIZE", "64").with("NEW_VERSION_BEHAVIOR", "true"),
        family("d", 2).with("DATA_BLOCK_ENCODING", "DIFF").with("NEW_VERSION_BEHAVIOR", "true"),
    ];
    let with_mob_files = |(family, threshold): (ColumnFamilyDescriptor, &Option<u64>)| match threshold {
        Some(bytes) => family.with("IS_MOB", "true").with("MOB_THRESHOLD", &bytes.to_string()),
        None => family,
    };
    families.into_iter().zip(mob_thresholds).map(with_mob_files).collect()
}

impl Tested {
    fn new(
        forgets: bool,
        kept_blocks: KeptBlocks,
        compaction: CompactionConfig,
        policy: InMemoryCompaction,
        mob_thresholds: &MobThresholds,
    ) -> Self {
        let mem = MemFileSystem::new();
        let mut world = World::new(Arc::new(mem.clone()), described(mob_thresholds));
        world.cache = crate::world::TestCache::new(forgets);
        world.config.compaction = compaction;
        world.config.kept_blocks = kept_blocks;
        world.compact_in_memory(policy);
        world.host.has_no_background.store(true, Ordering::SeqCst);
        let region = world.start().unwrap();
        let has_mob_files = mob_thresholds.map(|threshold| threshold.is_some());
        let model = Model::default();
        Self { mem, world, region, model, scanner: None, scanner_is_known: false, has_mob_files }
    }

    /// From the next opening on. Families that never had MOB files get none: their values may be filtered.
    fn alter(&mut self, mob_thresholds: &MobThresholds) {
        let mut thresholds = *mob_thresholds;
        for (threshold, has) in thresholds.iter_mut().zip(self.has_mob_files) {
            *threshold = threshold.filter(|_| has);
        }
        let families = described(&thresholds);
        self.world.table = Arc::new(TableDescriptor { families, ..(*self.world.table).clone() });
    }

    /// Without what looks at values of families with MOB files: as in HBase, filters see what stands for those.
    fn without_filters_of_references(&self, query: &Query) -> Query {
        let has_mob_files = |name: &[u8]| {
            FAMILIES.iter().zip(self.has_mob_files).any(|(family, has)| has && family.as_bytes() == name)
        };
        let mut query = query.clone();
        let read = &mut query.read;
        let reads_some = read.families.iter().any(|(family, _)| has_mob_files(family));
        if reads_some {
            read.without_value = None;
        }
        let looks_at_one =
            |test: &ColumnTest| has_mob_files(&test.family) || test.kind == Kind::Needed && reads_some;
        if read.column.as_ref().is_some_and(looks_at_one) {
            read.column = None;
        }
        query
    }

    fn now(&self) -> i64 {
        self.world.host.now_ms.load(Ordering::SeqCst)
    }

    fn apply(&mut self, operation: &Operation) {
        self.world.host.now_ms.fetch_add(1, Ordering::SeqCst);
        match operation {
            Operation::Batch(rows, atomic) => self.write(rows, *atomic),
            Operation::Increment(row, delta) => self.increment(row, *delta),
            Operation::Append(row, suffix) => self.append(row, suffix),
            Operation::CheckAndMutate(row, value, writes) => self.check_and_mutate(row, value, writes),
            Operation::Flush(family) => {
                let families = family.map(|family| vec![family.as_bytes().to_vec()]);
                self.region.flush(families.as_deref()).unwrap();
                self.flushed(family.as_ref().map_or(&FAMILIES[..], std::slice::from_ref));
            }
            Operation::Compact(family, major) => self.compact(family, *major),
            Operation::OpenScanner(query) => {
                let query = self.without_filters_of_references(query);
                let (scan, filter) = scan_of(&query.read);
                let scanner = self.region.scanner(&scan, filter).unwrap();
                self.scanner = Some((scanner, query, self.model.clone()));
                self.scanner_is_known = true;
            }
            Operation::ReadScanner => self.read_scanner(),
            Operation::Query(query) => self.query(query),
            Operation::Reopen(mob_thresholds) => {
                self.region.close().unwrap();
                assert_eq!(self.world.host.memstore_bytes(), 0, "memory left after a close");
                self.alter(mob_thresholds);
                self.region = self.world.start().unwrap();
                self.scanner_is_known = false;
                self.flushed(&FAMILIES);
            }
            Operation::Crash => {
                self.scanner = None;
                self.mem = self.mem.crash(CrashMode::Strict);
                self.world = self.world.after_crash(Arc::new(self.mem.clone()));
                self.region = self.world.recover().unwrap();
            }
        }
    }

    fn flushed(&mut self, families: &[&str]) {
        families.iter().for_each(|family| self.model.flush(family.as_bytes()));
    }

    fn compact(&mut self, family: &str, major: bool) {
        let known = self.scanner.as_ref().filter(|_| self.scanner_is_known);
        let stable = known.map_or(self.model.written.len(), |(_, _, opened)| opened.written.len());
        let outcome = self.region.compact(family.as_bytes(), major).unwrap();
        if let Some(rows) = outcome.and_then(|outcome| outcome.whole_rows) {
            self.model.compact_all(family.as_bytes(), stable, &rows);
        }
    }

    /// Without what HBase counts in its own way under NEW_VERSION_BEHAVIOR: several puts of a write in one column, and
    /// several at one place.
    fn sane(&self, rows: &[(&'static str, Vec<Write>)]) -> Vec<(&'static str, Vec<Write>)> {
        let mut columns = std::collections::BTreeSet::new();
        let mut is_sane = |row: &'static str, write: &Write| {
            let place = (row.as_bytes(), write.family.as_bytes(), write.qualifier.as_bytes());
            !has_new_versions(write.family.as_bytes())
                || write.cell_type != CellType::Put
                || columns.insert((row, write.family, write.qualifier))
                    && write.timestamp.is_none_or(|at| !self.model.has_put(place, at))
        };
        let sane = |(row, writes): &(&'static str, Vec<Write>)| {
            let writes: Vec<Write> = writes.iter().filter(|write| is_sane(row, write)).cloned().collect();
            (!writes.is_empty()).then_some((*row, writes))
        };
        rows.iter().filter_map(sane).collect()
    }

    fn mutations(&self, row: &str, writes: &[Write]) -> Vec<Mutation> {
        let of = |puts: bool| {
            let cells = writes.iter().filter(move |write| (write.cell_type == CellType::Put) == puts);
            cells.map(move |write| CellParts {
                row: row.as_bytes(),
                family: write.family.as_bytes(),
                qualifier: write.qualifier.as_bytes(),
                timestamp: write.timestamp.unwrap_or(LATEST_TIMESTAMP),
                type_code: write.cell_type.code(),
                value: if puts { &write.value } else { b"" },
                tags: b"",
            })
        };
        let mut mutations = Vec::new();
        if of(true).next().is_some() {
            mutations.push(mutation_of(MutationKind::Put, row.as_bytes(), of(true)));
        }
        if of(false).next().is_some() {
            mutations.push(mutation_of(MutationKind::Delete, row.as_bytes(), of(false)));
        }
        mutations
    }

    /// What mutations do to the model, which they all see as it was before the first.
    fn note(&mut self, mutations: &[Mutation], now: i64) {
        let before = self.model.clone();
        let mut written = Vec::new();
        for mutation in mutations {
            let mut newest = std::collections::HashMap::new();
            for cell in &mutation.cells {
                let mut plain = Plain::from(&cell);
                if plain.timestamp == LATEST_TIMESTAMP {
                    plain.timestamp = now;
                    if plain.type_code == CellType::Delete.code() {
                        let nth: &mut usize = newest.entry((cell.family(), cell.qualifier())).or_default();
                        let versions = before.column(cell.row(), cell.family(), cell.qualifier());
                        plain.timestamp = versions.get(*nth).map_or(now, |version| version.timestamp);
                        *nth += 1;
                    }
                }
                written.push(plain);
            }
        }
        self.model.write(written);
    }

    fn write(&mut self, rows: &[(&'static str, Vec<Write>)], atomic: bool) {
        let rows = self.sane(rows);
        let mutations: Vec<Mutation> =
            rows.iter().flat_map(|(row, writes)| self.mutations(row, writes)).collect();
        if mutations.is_empty() {
            return;
        }
        if atomic {
            assert!(run(self.region.mutate_atomically(Vec::new(), mutations.clone())).unwrap().applied);
        } else {
            run(self.region.batch(mutations.clone())).into_iter().for_each(|result| result.unwrap());
        }
        self.note(&mutations, self.now());
    }

    fn atomic_cell(&mut self, mutation: Mutation, expected: Plain) {
        let outcome = run(self.region.mutate_atomically(Vec::new(), vec![mutation])).unwrap();
        let cells: Vec<Plain> = outcome.cells.iter().map(|cell| Plain::from(&cell)).collect();
        assert_eq!(cells, std::slice::from_ref(&expected));
        self.model.write(vec![expected]);
    }

    /// A cell of b:`qualifier` made from the newest version.
    fn next_version(
        &self,
        row: &str,
        qualifier: &str,
        change: impl FnOnce(Option<&[u8]>) -> Vec<u8>,
    ) -> Plain {
        let old = self.model.column(row.as_bytes(), b"b", qualifier.as_bytes()).into_iter().next();
        Plain {
            row: row.into(),
            family: b"b".to_vec(),
            qualifier: qualifier.into(),
            timestamp: old.as_ref().map_or(self.now(), |old| self.now().max(old.timestamp + 1)),
            type_code: CellType::Put.code(),
            value: change(old.as_ref().map(|old| &old.value[..])),
        }
    }

    fn increment(&mut self, row: &str, delta: i64) {
        let mutation = crate::world::increment((row, "b", "n"), delta);
        let old = self.model.column(row.as_bytes(), b"b", b"n").into_iter().next();
        if old.is_some_and(|old| old.value.len() != 8) {
            let refused = run(self.region.mutate_atomically(Vec::new(), vec![mutation]));
            assert!(refused.unwrap_err().to_string().starts_with("Field is not a long"));
            return;
        }
        let expected = self.next_version(row, "n", |old| {
            let old = old.map_or(0, |old| i64::from_be_bytes(old.try_into().unwrap()));
            old.wrapping_add(delta).to_be_bytes().to_vec()
        });
        self.atomic_cell(mutation, expected);
    }

    fn append(&mut self, row: &str, suffix: &[u8]) {
        let expected = self.next_version(row, "q", |old| [old.unwrap_or_default(), suffix].concat());
        let parts = CellParts { timestamp: LATEST_TIMESTAMP, value: suffix, ..expected.parts() };
        let mutation = mutation_of(MutationKind::Append, row.as_bytes(), [parts]);
        self.atomic_cell(mutation, expected);
    }

    fn check_and_mutate(&mut self, row: &'static str, value: &[u8], writes: &[Write]) {
        let stored = self.model.column(row.as_bytes(), b"b", b"q").into_iter().next();
        let holds = match &stored {
            None => value.is_empty(),
            Some(stored) => stored.value == value,
        };
        let test = ConditionTest::Value {
            family: Bytes::from_static(b"b"),
            qualifier: Bytes::from_static(b"q"),
            operator: CompareOperator::Equal,
            comparator: Box::new(BinaryComparator::new(Bytes::copy_from_slice(value))),
        };
        let row_bytes = Bytes::from_static(row.as_bytes());
        let condition = Condition { row: row_bytes, time_range: TimeRange::ALL, test };
        let writes = self.sane(&[(row, writes.to_vec())]);
        let mutations: Vec<Mutation> =
            writes.iter().flat_map(|(row, writes)| self.mutations(row, writes)).collect();
        let outcome = run(self.region.mutate_atomically(vec![condition], mutations.clone())).unwrap();
        assert_eq!(outcome.applied, holds, "stored {stored:?}");
        if holds {
            let now = stored.map_or(self.now(), |stored| self.now().max(stored.timestamp));
            self.note(&mutations, now);
        }
    }

    fn read_scanner(&mut self) {
        if let Some((mut scanner, query, opened)) = self.scanner.take() {
            if scanner.read_point() >= self.region.open_sequence_id() {
                // A client that lost its scanner opens another that sees the same.
                let (described, filter) = scan_of(&query.read);
                let described = Scan { read_point: Some(scanner.read_point()), ..described };
                let again = scan(&self.region, &described, filter).unwrap();
                // But for markers that a compaction dropped meanwhile.
                let expected = self.model.rows(opened.written.len(), &query.read).concat();
                assert_eq!(again, expected, "at an earlier read point");
            }
            let region = Some(&*self.region).filter(|_| self.scanner_is_known);
            let found = read_in_pieces(&mut scanner, &query, region);
            assert_eq!(found, opened.rows(opened.written.len(), &query.read), "a scanner opened earlier");
        }
    }

    fn query(&self, query: &Query) {
        let query = &self.without_filters_of_references(query);
        let expected = self.model.rows(self.model.written.len(), &query.read);
        let (described, filter) = scan_of(&query.read);
        let mut scanner = self.region.scanner(&described, filter).unwrap();
        assert_eq!(read_in_pieces(&mut scanner, query, Some(&*self.region)), expected);
        let (described, filter) = scan_of(&query.read);
        let mut scanner = self.region.scanner(&described, filter).unwrap();
        assert_eq!(rest(&mut scanner).unwrap(), expected.concat(), "in one piece");
        // Of the families that may be read at once.
        for columns in [None, Some(vec![Bytes::from_static(b"n"), Bytes::from_static(b"q")])] {
            let of = |family: &'static [u8]| FamilySelection {
                family: family.into(),
                qualifiers: columns.clone(),
            };
            let max_versions = described.max_versions;
            for families in [vec![of(b"a")], vec![of(b"a"), of(b"b")]] {
                let get = Scan { families, max_versions, ..Scan::default() };
                compare_plain_gets(&self.region, &get).unwrap();
            }
        }
        self.raw_scan(&query.read);
    }

    /// A raw scan gives nothing that was not written, and everything that can be seen, and all markers of
    /// families; one of a column goes when a flush drops what is left of that column.
    fn raw_scan(&self, read: &Read) {
        let all = Read {
            families: FAMILIES.map(|family| (family.as_bytes().to_vec(), None)).to_vec(),
            times: (0, i64::MAX),
            own_times: None,
            versions: usize::MAX,
            store_offset: 0,
            store_limit: None,
            without_value: None,
            even_rows: false,
            page: None,
            column: None,
            ..read.clone()
        };
        let (described, _) = scan_of(&all);
        let raw = scan(&self.region, &Scan { raw: true, families: Vec::new(), ..described }, None).unwrap();
        assert!(raw.iter().all(|cell| self.model.written.contains(cell)));
        let visible = self.model.rows(self.model.written.len(), &all).concat();
        assert!(visible.iter().all(|cell| raw.contains(cell)), "{visible:?} not in {raw:?}");
        let is_marker = |cell: &&Plain| {
            let markers = [CellType::DeleteFamily.code(), CellType::DeleteFamilyVersion.code()];
            markers.contains(&cell.type_code) && all.has_row(&cell.row)
        };
        for marker in self.model.markers().filter(is_marker) {
            assert!(raw.contains(marker), "{marker:?} not in {raw:?}");
        }
    }
}

/// Every engine and policy, with parameters so small that few files are enough for it to do what it does.
pub(crate) fn tiny_policies() -> Vec<CompactionConfig> {
    let default = CompactionConfig { min_files: 2, max_files: 3, ..CompactionConfig::default() };
    let date_tiered = DateTieredConfig {
        base_window_ms: 1,
        windows_per_tier: 2,
        incoming_window_min_files: 2,
        ..DateTieredConfig::default()
    };
    let tiered = CompactionConfig {
        engine: StoreEngine::DateTiered,
        date_tiered: date_tiered.clone(),
        max_files: 10,
        ..default.clone()
    };
    let parted = DateTieredConfig {
        single_output_for_minor: false,
        window_policy: CompactionPolicy::RatioBased,
        ..date_tiered
    };
    vec![
        CompactionConfig { policy: CompactionPolicy::RatioBased, ..default.clone() },
        CompactionConfig { policy: CompactionPolicy::Fifo, ..default.clone() },
        CompactionConfig { date_tiered: parted, ..tiered.clone() },
        CompactionConfig { blocking_files: 3, ..tiered.clone() },
        striped(1, &default),
        striped(3, &default),
        tiered,
        default,
    ]
}

const POLICIES: [InMemoryCompaction; 4] = [
    InMemoryCompaction::None,
    InMemoryCompaction::Basic,
    InMemoryCompaction::Eager,
    InMemoryCompaction::Adaptive,
];

/// Stripes of a few cells.
pub(crate) fn striped(initial_stripes: usize, default: &CompactionConfig) -> CompactionConfig {
    let stripe = StripeConfig {
        level0_min_files: 2,
        flush_to_level0: initial_stripes == 1,
        min_files: Some(2),
        initial_stripes,
        split_size_bytes: Some(if initial_stripes == 1 { 1 } else { 1 << 30 }),
        ..StripeConfig::default()
    };
    CompactionConfig { engine: StoreEngine::Stripe, stripe, max_files: 10, ..default.clone() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, max_shrink_iters: 3000, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_in_between(
        operations in prop::collection::vec(operation(), 1..40),
        forgets in any::<bool>(),
        kept_blocks in select(vec![KeptBlocks::default(), KeptBlocks::NONE]),
        policy in select(POLICIES.to_vec()),
        last in query(),
        compaction in select(tiny_policies()),
        mob_thresholds in prop_oneof![2 => Just(NO_MOB_FILES), 1 => mob_thresholds()],
    ) {
        let mut tested = Tested::new(forgets, kept_blocks, compaction, policy, &mob_thresholds);
        for operation in &operations {
            tested.apply(operation);
        }
        tested.read_scanner();
        tested.query(&last);
    }
}

/// Chance comes to this once in some thousand sequences.
#[test]
fn a_put_that_a_reader_does_not_see_yet_goes_with_the_marker_that_hides_it() {
    let read = Read::everything(vec![(b"b".to_vec(), None)]);
    let query = Query { read, pieces: vec![ScanLimits::NONE], suspends_partial: false };
    let write = |cell_type| {
        let cell = Write { family: "b", qualifier: "q", cell_type, timestamp: Some(1), value: Vec::new() };
        Operation::Batch(vec![("a", vec![cell])], false)
    };
    let (kept_blocks, compaction) = (KeptBlocks::default(), CompactionConfig::default());
    let mut tested = Tested::new(false, kept_blocks, compaction, InMemoryCompaction::None, &NO_MOB_FILES);
    let operations = [
        write(CellType::Delete),
        Operation::OpenScanner(query.clone()),
        write(CellType::Put),
        Operation::Flush(None),
        Operation::Compact("b", true),
        Operation::Query(query.clone()),
        Operation::ReadScanner,
        Operation::Query(query),
    ];
    operations.iter().for_each(|operation| tested.apply(operation));
    assert!(tested.model.markers().next().is_none());
}
