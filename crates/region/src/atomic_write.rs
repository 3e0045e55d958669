//! Writes that read first: checkAndMutate, increment, append, and atomic groups of mutations.
//!
//! The rows are locked exclusively from before the read until the write is visible; a single row, mostly, until the write has
//! its place in the log ([`crate::unsettled`]).

use crate::edit::{Edit, check_row_length, size_in_block, tags_with_ttl};
use crate::error::{Interrupt, RegionError};
use crate::large_updates::LARGE_UPDATE_BYTES;
use crate::locked_read::{CELLS_PER_LOOK, LargeTurn};
use crate::region::Region;
use crate::row_lock::{LockMode, RowLock};
use crate::scan_limits::{ScanLimits, ScanStop};
use crate::scan_output::ScanOutput;
use crate::unsettled::{MAX_UNSETTLED, UnsettledWrites};
use crate::write::{column_of, row_scan, select_columns};
use crate::write_times::{Contents, MOST_AHEAD_MS, Times};
use bytes::Bytes;
use finback_cell::block::CellIter;
use finback_cell::cell::CellParts;
use finback_cell::{
    Cell, CellBlock, CellBlockBuilder, CellOrder, CellType, Durability, FamilySelection, LATEST_TIMESTAMP,
};
use finback_cell::{Mutation, MutationKind, TimeRange};
use finback_filter::{Comparator, Filter};
use finback_wal::Position;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// How a stored value must compare with the given one. "Less" means that the *given* value is less than the stored one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CompareOperator {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    GreaterOrEqual,
    Greater,
    NoOp,
}

/// Under what condition an atomic write is carried out.
pub struct Condition {
    /// The row to look at.
    pub row: Bytes,
    /// Versions to look at.
    pub time_range: TimeRange,
    /// What must hold.
    pub test: ConditionTest,
}

/// What a condition tests.
pub enum ConditionTest {
    /// The newest version of a column against what the comparator was given; nothing given stands for "no such column".
    Value {
        /// Family.
        family: Bytes,
        /// Qualifier.
        qualifier: Bytes,
        /// Comparison.
        operator: CompareOperator,
        /// What compares, with the given value.
        comparator: Box<dyn Comparator>,
    },
    /// The row has cells that pass a filter.
    Filter(Box<dyn Filter>),
}

/// Whose rules conditions go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionRules {
    /// Those of checkAndMutate: of a comparator only what it was given counts, byte by byte.
    CheckAndMutate,
    /// Those of HBase's `MultiRowMutationEndpoint`: comparators are asked, puts have their time whatever a condition saw, which
    /// may be of another row, and with nothing given the operator does not matter.
    MutateRows,
}

/// What an atomic write did.
#[derive(Debug, Default)]
pub struct AtomicOutcome {
    /// Whether the conditions held, and so the mutations were carried out.
    pub applied: bool,
    /// The new cells of increments and appends that want them, in order.
    pub cells: CellBlock,
    /// The write's sequence id; 0 when nothing was written.
    pub sequence_id: u64,
}

/// Bytes that the increments and appends of one request may write. Each builds upon what is there: a few words of a client, any number of
/// times, are a large cell any number of times.
const MAX_BUILT_BYTES: usize = 64 << 20;
/// What is further ahead than this was given its time by a client, or by a clock that was wrong.
const MADE_UP_MS: i64 = 2 * MOST_AHEAD_MS;

impl Region {
    /// Carries out `mutations` together if all `conditions` hold.
    ///
    /// # Errors
    /// The region's; nothing was written then.
    pub async fn mutate_atomically(
        &self,
        conditions: Vec<Condition>,
        mutations: Vec<Mutation>,
    ) -> Result<AtomicOutcome, RegionError> {
        self.mutate_atomically_until(conditions, mutations, None).await
    }

    /// Does what [`mutate_atomically`](Self::mutate_atomically) does, for a client that waits until `deadline`: no longer are
    /// rows waited for.
    ///
    /// # Errors
    /// As [`mutate_atomically`](Self::mutate_atomically).
    pub fn mutate_atomically_until(
        &self,
        conditions: Vec<Condition>,
        mutations: Vec<Mutation>,
        deadline: Option<Instant>,
    ) -> impl Future<Output = Result<AtomicOutcome, RegionError>> {
        self.mutate_atomically_by(ConditionRules::CheckAndMutate, conditions, mutations, deadline)
    }

    /// Does what [`mutate_atomically_until`](Self::mutate_atomically_until) does, by the rules of whoever asks.
    ///
    /// # Errors
    /// As [`mutate_atomically`](Self::mutate_atomically).
    pub async fn mutate_atomically_by(
        &self,
        rules: ConditionRules,
        conditions: Vec<Condition>,
        mutations: Vec<Mutation>,
        deadline: Option<Instant>,
    ) -> Result<AtomicOutcome, RegionError> {
        self.check_writable()?;
        for mutation in &mutations {
            self.check_row(&mutation.row, "atomic mutation")?;
            self.check_mutation(mutation)?;
        }
        for condition in &conditions {
            self.check_row(&condition.row, "checkAndMutate")?;
            check_row_length(&condition.row)?;
        }
        let bytes = mutations.iter().map(|mutation| mutation.cells.bytes().len()).sum();
        self.wait_for_room(bytes).await?;
        let rows = mutations.iter().map(|mutation| &mutation.row);
        let rows = self.row_keys(rows.chain(conditions.iter().map(|condition| &condition.row)));
        self.wait_for_clock(rows.iter().map(|(key, _)| *key)).await;
        let mut locks = self.lock_rows(rows, LockMode::Exclusive, deadline).await?;
        self.check_open()?;
        let unsettled = self.unsettled_before(&locks, &mutations).await?;
        let after = unsettled.last().map(|write| write.position);
        // Later than the look at what is unsettled: what is not in there any more is readable, or was dropped.
        self.wait_for_dropped_writes().await?;
        // Behind the row locks, and before any turn and the updates lock: who has it waits for nobody who waits for it.
        let reads = self.keep_loads_off(conditions.len(), &mutations).await;
        // As in HBase, puts of the row never hide behind what its condition saw; increments, appends and deletes read for
        // themselves.
        let mut seen = i64::MIN;
        // Given back before the log is waited for.
        let mut turn_to_check = LargeTurn::new(self, deadline);
        for condition in conditions {
            self.counters.reads.fetch_add(1, Ordering::Relaxed);
            let checked = match self.check_condition(rules, condition, &unsettled, &mut turn_to_check).await {
                // What it was asked of may not be on disk yet.
                Err(error @ RegionError::Filter(_)) => {
                    drop((locks, reads, turn_to_check));
                    self.wait_until_seen(after).await?;
                    return Err(error);
                }
                checked => checked?,
            };
            match checked {
                Some(timestamp) if rules == ConditionRules::CheckAndMutate => seen = seen.max(timestamp),
                Some(_) => {}
                None => {
                    // Nobody else has written to the row meanwhile.
                    self.check_open()?;
                    drop((locks, reads, turn_to_check));
                    self.wait_until_seen(after).await?;
                    return Ok(AtomicOutcome::default());
                }
            }
        }
        drop(turn_to_check);
        let mut large = LargeTurn::new(self, deadline);
        let now = self.environment.host.now_ms();
        let time = self.write_times.time(locks.iter().map(RowLock::key), now, Contents::of(mutations.iter()));
        let times = Times { clock: now, write: time };
        let reads_first =
            |mutation: &Mutation| matches!(mutation.kind, MutationKind::Increment | MutationKind::Append);
        let mut edit = Edit { replaces_older: mutations.iter().all(reads_first), ..Edit::default() };
        let mut results = CellBlockBuilder::default();
        for mutation in &mutations {
            if mutation.nonce.1 != 0 {
                edit.nonce = mutation.nonce;
            }
            match mutation.kind {
                MutationKind::Put => {
                    self.add_to_edit(&mut edit, mutation, time.max(seen), &unsettled, &mut large).await?;
                }
                MutationKind::Delete => {
                    self.add_to_edit(&mut edit, mutation, time, &unsettled, &mut large).await?;
                }
                MutationKind::Increment | MutationKind::Append => {
                    let found = self.read_to_modify(mutation, &mut large, &unsettled).await?;
                    if let Err(error) = self.add_modified(&mut edit, &mut results, mutation, &found, times) {
                        self.check_open()?;
                        drop((locks, reads, large));
                        self.wait_until_seen(after).await?;
                        return Err(error);
                    }
                }
            }
        }
        drop(reads);
        // The last look at them, before this one comes to them.
        let has_room = unsettled.len() < MAX_UNSETTLED;
        drop(unsettled);
        // Not before: flushes and closing, and with them all other writes, wait for who has it, and reads and turns may take
        // long. The locks keep the rows as they were found.
        let _updates = self.keep_updating().await;
        self.check_open()?;
        self.counters.wrote(mutations.iter().map(|mutation| (mutation, self.is_unlogged(mutation))));
        let puts = mutations.iter().filter(|mutation| mutation.kind == MutationKind::Put);
        puts.for_each(|mutation| self.note_row_of(mutation));
        let sequence_id = match self.append(edit, now, after).await? {
            Some(mut appended) => {
                if has_room && locks.len() == 1 {
                    appended.let_go(&mut locks);
                }
                appended.commit().await?
            }
            None => {
                drop(locks);
                self.wait_until_seen(after).await?;
                self.read_point()
            }
        };
        Ok(AtomicOutcome { applied: true, cells: results.finish(), sequence_id })
    }

    /// Keeps a load of several families from appearing between the reads of a write, if it makes several.
    async fn keep_loads_off(
        &self,
        conditions: usize,
        mutations: &[Mutation],
    ) -> Option<tokio::sync::RwLockReadGuard<'_, ()>> {
        let may_read = mutations.iter().filter(|mutation| mutation.kind != MutationKind::Put);
        if self.stores.len() < 2 || conditions + may_read.count() < 2 {
            return None;
        }
        Some(self.several_reads.read().await)
    }

    /// What is not settled of the locked rows and is to be read with them; nothing where that is waited for: with several rows,
    /// and where a write is answered before the log has it, which must not be before what it was made of.
    async fn unsettled_before(
        &self,
        locks: &[RowLock<'_>],
        mutations: &[Mutation],
    ) -> Result<UnsettledWrites, RegionError> {
        let is_synced = |mutation: &Mutation| self.effective_durability(mutation) >= Durability::SyncWal;
        match locks {
            [of_one] if mutations.iter().all(is_synced) => Ok(of_one.unsettled()),
            _ => {
                self.settle(locks).await?;
                Ok(UnsettledWrites::default())
            }
        }
    }

    /// Waits until the write at `after` is on disk and readers see it. Nobody may be told of it before, and what is answered without a
    /// write of its own waits for nothing else.
    async fn wait_until_seen(&self, after: Option<Position>) -> Result<(), RegionError> {
        if let Some(position) = after {
            self.environment.wal.sync(position).await?;
            self.wait_for_writes_under_way().await?;
        }
        Ok(())
    }

    /// Whether a condition holds; if so, the timestamp of the first cell it saw (or the least there is).
    async fn check_condition(
        &self,
        rules: ConditionRules,
        condition: Condition,
        unsettled: &UnsettledWrites,
        large: &mut LargeTurn<'_>,
    ) -> Result<Option<i64>, RegionError> {
        let Condition { row, time_range, test } = condition;
        match test {
            ConditionTest::Filter(filter) => {
                let mut scan = finback_cell::Scan { time_range, ..row_scan(&row, Vec::new()) };
                // As in HBase, whatever the server does for reads.
                scan.load_column_families_on_demand = Some(false);
                // The first cell tells all: no more is read than the filter needs.
                let limits = ScanLimits { bytes: 1, partial_rows: true, ..ScanLimits::NONE };
                let found = self.read_locked(&scan, Some(filter), &limits, unsettled, large).await?;
                Ok(CellIter::over_checked(&found.cells).next().map(|cell| cell.timestamp()))
            }
            ConditionTest::Value { family, qualifier, operator, comparator } => {
                self.store(&family)?;
                let selection = FamilySelection { family, qualifiers: Some(vec![qualifier]) };
                let scan = finback_cell::Scan { time_range, ..row_scan(&row, vec![selection]) };
                let found = self.read_locked(&scan, None, &ScanLimits::NONE, unsettled, large).await?;
                let stored = CellIter::over_checked(&found.cells).next();
                let holds = value_matches(rules, operator, &*comparator, stored.map(|cell| cell.value()))?;
                Ok(holds.then(|| stored.map_or(i64::MIN, |cell| cell.timestamp())))
            }
        }
    }

    /// The cells that an increment or append builds upon. For large ones it takes its turn in `large`, if it has none yet.
    async fn read_to_modify(
        &self,
        mutation: &Mutation,
        large: &mut LargeTurn<'_>,
        unsettled: &UnsettledWrites,
    ) -> Result<Vec<u8>, RegionError> {
        let selection = select_columns(mutation.cells.iter());
        let scan =
            finback_cell::Scan { time_range: mutation.time_range, ..row_scan(&mutation.row, selection) };
        if !large.is_taken() {
            if let Some(found) = self.read_unless_large(&scan, unsettled, large).await? {
                return Ok(found);
            }
            large.take().await?;
        }
        let found = self.read_locked(&scan, None, &ScanLimits::NONE, unsettled, large).await?.cells;
        // What is written is as large. Others wait for this turn: they are not kept waiting for room too.
        self.check_fit(found.len() as u64)?;
        Ok(found)
    }

    /// The cells of a scan; `None` when they are large, or stand in a large block: nobody keeps such while he waits for
    /// his turn.
    async fn read_unless_large(
        &self,
        scan: &finback_cell::Scan,
        unsettled: &UnsettledWrites,
        large: &LargeTurn<'_>,
    ) -> Result<Option<Vec<u8>>, RegionError> {
        if let Some(found) = self.find_locked_at_once(scan, unsettled) {
            return Ok(Some(found.cells));
        }
        let mut scanner = self.scanner_over(scan, None, unsettled)?;
        let mut out = ScanOutput::default();
        let limits =
            ScanLimits { budget: CELLS_PER_LOOK, turn_bytes: LARGE_UPDATE_BYTES, ..ScanLimits::NONE };
        let mut turn_began = Instant::now();
        loop {
            match scanner.next(&mut out, &limits) {
                Ok(_) if out.cells.len() + scanner.next_cell_bytes() >= LARGE_UPDATE_BYTES => {
                    return Ok(None);
                }
                Ok(ScanStop::Budget) => {}
                Ok(_) => return Ok(Some(out.cells)),
                Err(Interrupt::NeedBlock(request)) if request.block.size as usize >= LARGE_UPDATE_BYTES => {
                    return Ok(None);
                }
                Err(Interrupt::NeedBlock(request)) => {
                    scanner.provide(self.environment.host.fetch(request).await?);
                }
                Err(Interrupt::NeedFile(request)) => self.environment.host.open_file(request).await,
                Err(Interrupt::Failed(error)) => return Err(error),
            }
            large.end_turn(&mut turn_began).await?;
        }
    }

    /// Adds the new cells of an increment or append to the edit, and to the results if they are wanted.
    fn add_modified(
        &self,
        edit: &mut Edit,
        results: &mut CellBlockBuilder,
        mutation: &Mutation,
        found: &[u8],
        times: Times,
    ) -> Result<(), RegionError> {
        let found: Vec<Cell<'_>> = CellIter::over_checked(found).collect();
        let durability = self.effective_durability(mutation);
        let limit = self.environment.config.max_cell_size_bytes;
        let mut new_cells = Vec::with_capacity(1);
        // The first in order that fails says why, whatever the order in which the client named them.
        let mut deltas: Vec<Cell<'_>> = mutation.cells.iter().collect();
        deltas.sort_by(|a, b| CellOrder::User.compare(a, b));
        for delta in deltas {
            let stored = column_of(&found, delta.family(), delta.qualifier()).first();
            let cell = new_cell(mutation, &delta, stored, times)?;
            let size = size_in_block(&cell);
            if limit > 0 && size > limit {
                return Err(RegionError::CellTooLarge { cell: format!("{delta:?}"), size, limit });
            }
            edit.built += size;
            if edit.built > MAX_BUILT_BYTES.max(size) {
                let message = format!(
                    "increments and appends of one request that write more than {MAX_BUILT_BYTES} bytes"
                );
                return Err(RegionError::Invalid(message));
            }
            edit.push(durability, |out| out.extend_from_slice(&cell));
            new_cells.push(cell);
        }
        let newest = new_cells.iter().map(|cell| Cell::from_checked(cell).timestamp()).max();
        if let Some(newest) = newest.filter(|&newest| times.is_run_ahead(newest)) {
            // Whoever writes to the row next is to write behind it.
            self.write_times.note(
                self.row_locks.key(&mutation.row),
                newest,
                Contents { puts: true, markers: false },
            );
        }
        if mutation.return_results {
            for cell in &new_cells {
                results.push(&Cell::from_checked(cell));
            }
        }
        Ok(())
    }
}

/// The cell that an increment or append stores.
fn new_cell(
    mutation: &Mutation,
    delta: &Cell<'_>,
    stored: Option<&Cell<'_>>,
    times: Times,
) -> Result<Vec<u8>, RegionError> {
    let value = match mutation.kind {
        MutationKind::Increment => {
            let current = stored.map_or(Ok(0), |cell| long(cell.value()))?;
            current.wrapping_add(long(delta.value())?).to_be_bytes().to_vec()
        }
        _ => [stored.map_or(&[][..], |cell| cell.value()), delta.value()].concat(),
    };
    let timestamp = match stored {
        Some(cell) => time_after(cell.timestamp(), times),
        None if delta.timestamp() == LATEST_TIMESTAMP => times.write,
        None => delta.timestamp(),
    };
    let mut tags = [delta.tags(), stored.map_or(&[][..], |cell| cell.tags())].concat();
    if let Some(ttl) = mutation.ttl_ms {
        tags = tags_with_ttl(&tags, ttl);
    }
    let type_code = CellType::Put.code();
    let parts = CellParts { timestamp, type_code, value: &value, tags: &tags, ..(*delta).into() };
    parts.check().map_err(|error| RegionError::Invalid(error.to_string()))?;
    Ok(parts.to_vec())
}

/// The time of what takes the place of a cell: the write's, or the next millisecond, as in HBase. But a row that takes more than one
/// update a millisecond does not run ahead of the clock for ever, where no reader up to now would meet it: from
/// [`MOST_AHEAD_MS`] on the sequence id decides.
fn time_after(stored: i64, times: Times) -> i64 {
    // Never "latest", which is no time.
    let next = stored.saturating_add(1).min(LATEST_TIMESTAMP - 1).max(times.write);
    let is_too_far = (MOST_AHEAD_MS..MADE_UP_MS).contains(&next.saturating_sub(times.clock));
    if is_too_far { stored.max(times.write) } else { next }
}

fn long(value: &[u8]) -> Result<i64, RegionError> {
    let bytes: [u8; 8] = value
        .try_into()
        .map_err(|_| RegionError::Invalid(format!("Field is not a long, it's {} bytes wide", value.len())))?;
    Ok(i64::from_be_bytes(bytes))
}

/// HBase's comparison of a given with a stored value; an absent and an empty given value are the same.
///
/// # Errors
/// The comparator's, and that there is nothing to compare by: a NO_OP that comes so far fails in HBase, too.
fn value_matches(
    rules: ConditionRules,
    operator: CompareOperator,
    comparator: &dyn Comparator,
    stored: Option<&[u8]>,
) -> Result<bool, RegionError> {
    if comparator.given().is_empty() {
        let is_nothing = stored.is_none_or(<[u8]>::is_empty);
        return Ok(match rules {
            // Not even for NOT_EQUAL.
            ConditionRules::MutateRows => is_nothing,
            ConditionRules::CheckAndMutate => is_nothing == (operator != CompareOperator::NotEqual),
        });
    }
    let Some(stored) = stored else { return Ok(false) };
    let order = match rules {
        ConditionRules::CheckAndMutate => comparator.given().cmp(stored),
        ConditionRules::MutateRows => comparator.compare_to(stored)?,
    };
    Ok(match operator {
        CompareOperator::Less => order.is_lt(),
        CompareOperator::LessOrEqual => order.is_le(),
        CompareOperator::Equal => order.is_eq(),
        CompareOperator::NotEqual => order.is_ne(),
        CompareOperator::GreaterOrEqual => order.is_ge(),
        CompareOperator::Greater => order.is_gt(),
        CompareOperator::NoOp => return Err(RegionError::Invalid("Unknown Compare op NO_OP".into())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_filter::comparators::{BinaryComparator, SubstringComparator};

    #[test]
    fn check_and_mutate_asks_no_comparator() {
        let equals = |rules, stored: &[u8]| {
            let given = SubstringComparator::new("ALU");
            value_matches(rules, CompareOperator::Equal, &given, Some(stored)).unwrap()
        };
        assert!(equals(ConditionRules::MutateRows, b"value"));
        assert!(!equals(ConditionRules::CheckAndMutate, b"value"));
        // What HBase's comparator says that it was given.
        assert!(equals(ConditionRules::CheckAndMutate, b"alu"));
    }

    #[test]
    fn a_condition_without_an_operation_fails_where_two_values_would_be_compared() {
        for rules in [ConditionRules::CheckAndMutate, ConditionRules::MutateRows] {
            let matches = |given: &'static str, stored: Option<&[u8]>| {
                let given = BinaryComparator::new(given.into());
                value_matches(rules, CompareOperator::NoOp, &given, stored)
            };
            let error = matches("value", Some(b"value")).unwrap_err();
            assert_eq!(error.to_string(), "Unknown Compare op NO_OP");
            assert!(!matches("value", None).unwrap());
            // With nothing given it is as any operator but NOT_EQUAL.
            assert!(matches("", None).unwrap() && matches("", Some(b"")).unwrap());
            assert!(!matches("", Some(b"value")).unwrap());
        }
    }

    #[test]
    fn updates_do_not_run_far_ahead_of_the_clock() {
        let now = 1_700_000_000_000;
        let time_after = |stored, clock| time_after(stored, Times { clock, write: clock });
        assert_eq!(time_after(now - 5, now), now);
        assert_eq!(time_after(now, now), now + 1);
        let mut time = now;
        for _ in 0..5000 {
            let next = time_after(time, now);
            assert!(next >= time);
            time = next;
        }
        assert_eq!(time, now + MOST_AHEAD_MS - 1);
        assert_eq!(time_after(time, now + 1), now + MOST_AHEAD_MS);
        // What a client has put there.
        for ahead in [MADE_UP_MS, 5000, 60_000] {
            assert_eq!(time_after(now + ahead, now), now + ahead + 1);
        }
        assert_eq!(time_after(LATEST_TIMESTAMP - 1, now), LATEST_TIMESTAMP - 1);
        assert_eq!(time_after(i64::MAX, now), LATEST_TIMESTAMP - 1);
        // What the write was given counts as the clock does, but is no measure of how far ahead that is.
        let later = |stored, ahead| super::time_after(stored, Times { clock: now, write: now + ahead });
        assert_eq!(later(now, 7), now + 7);
        assert_eq!(later(now + 7, 7), now + 8);
        assert_eq!(later(now + MOST_AHEAD_MS - 1, MOST_AHEAD_MS - 1), now + MOST_AHEAD_MS - 1);
        assert_eq!(later(now, MOST_AHEAD_MS + 5), now + MOST_AHEAD_MS + 5);
    }
}
