//! The path of every write: log, memstore, visibility.
//!
//! 1. Row locks are held by the caller.
//! 2. Room in the log is reserved.
//! 3. Under the append lock the edit takes the next sequence id and its place in the log.
//! 4. The log makes it durable (or not, as asked).
//! 5. The cells go into the memstores.
//! 6. The read point passes the edit, and the caller may answer. Nothing is visible before it is durable.
//!
//! A write that reads first gives its row lock back between 3 and 4 ([`crate::unsettled`]), the others after 6.
//!
//! A writer that is dropped after step 3 (its task was cancelled) still carries out 5 and 6, as for ASYNC_WAL, unless the log
//! has failed: the edit is in the log and may come back after a crash, so it must not be missing before.

use crate::edit::{Edit, tags_with_ttl};
use crate::error::RegionError;
use crate::given_up::GivesUp;
use crate::large_row;
use crate::locked_read::LargeTurn;
use crate::region::Region;
use crate::row_lock::{LockMode, RowLock};
use crate::scan_limits::ScanLimits;
use crate::unsettled::UnsettledWrites;
use crate::write_times::{Contents, Times};
use bytes::Bytes;
use finback_cell::block::CellIter;
use finback_cell::{Cell, CellType, Durability, LATEST_TIMESTAMP, Mutation, MutationKind, Scan, Shortened};
use finback_cell::{FamilySelection, cell::CellParts};
use finback_filter::filters::KeyOnlyFilter;
use finback_wal::{Position, WalAppend};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::Instant;

mod lock_rows;
mod make_visible;
pub(crate) use make_visible::Appended;

/// Cells of a batch under one sequence id at most, in bytes: larger batches become several edits.
const MAX_EDIT_BYTES: usize = 4 << 20;

/// Fixed cost of an entry in the log's queue besides its cells, in bytes.
const ENTRY_OVERHEAD: usize = 256;

impl Region {
    /// Applies a put or a delete.
    pub async fn mutate(&self, mutation: &Mutation) -> Result<(), RegionError> {
        self.mutate_until(mutation, None).await
    }

    /// Does what [`mutate`](Self::mutate) does, for a client that waits until `deadline`: no longer is the row waited for.
    pub async fn mutate_until(
        &self,
        mutation: &Mutation,
        deadline: Option<Instant>,
    ) -> Result<(), RegionError> {
        self.check_writable()?;
        self.check_batched(mutation)?;
        self.batch_chunk(std::slice::from_ref(mutation), &[Ok(())], deadline).await
    }

    /// Applies puts and deletes, each for itself: one may fail and the others not. Results are in the order of the
    /// mutations.
    pub async fn batch(&self, mutations: impl AsRef<[Mutation]>) -> Vec<Result<(), RegionError>> {
        self.batch_until(mutations.as_ref(), None).await
    }

    /// Does what [`batch`](Self::batch) does, for a client that waits until `deadline`: no longer are rows waited for.
    pub async fn batch_until(
        &self,
        mutations: &[Mutation],
        deadline: Option<Instant>,
    ) -> Vec<Result<(), RegionError>> {
        let mut results: Vec<Result<(), RegionError>> = mutations
            .iter()
            .map(|mutation| self.check_writable().and_then(|()| self.check_batched(mutation)))
            .collect();
        let mut from = 0;
        while from < mutations.len() {
            let to = chunk_end(mutations, from);
            if let Err(error) = self.batch_chunk(&mutations[from..to], &results[from..to], deadline).await {
                for result in results[from..to].iter_mut().filter(|result| result.is_ok()) {
                    *result = Err(error.clone());
                }
            }
            from = to;
        }
        results
    }

    fn check_batched(&self, mutation: &Mutation) -> Result<(), RegionError> {
        self.check_row(&mutation.row, "batch")?;
        match mutation.kind {
            MutationKind::Put | MutationKind::Delete => self.check_mutation(mutation),
            MutationKind::Increment | MutationKind::Append => {
                Err(RegionError::Invalid("increments and appends are atomic writes".into()))
            }
        }
    }

    /// Applies those of the mutations that were found good, in one edit.
    async fn batch_chunk(
        &self,
        mutations: &[Mutation],
        checked: &[Result<(), RegionError>],
        deadline: Option<Instant>,
    ) -> Result<(), RegionError> {
        let good =
            || mutations.iter().zip(checked).filter(|(_, checked)| checked.is_ok()).map(|(good, _)| good);
        let bytes: usize = good().map(|mutation| mutation.cells.bytes().len()).sum();
        self.wait_for_room(bytes).await?;
        if good().next().is_none() {
            return Ok(());
        }
        let rows = self.row_keys(good().map(|mutation| &mutation.row));
        self.wait_for_clock(rows.iter().map(|(key, _)| *key)).await;
        let locks = self.lock_rows(rows, LockMode::Shared, deadline).await?;
        self.check_open()?;
        if good().any(|mutation| mutation.kind == MutationKind::Delete) {
            self.settle(&locks).await?;
        }
        let now = self.environment.host.now_ms();
        let times = self.write_times.times(locks.iter().map(RowLock::key), now, Contents::of(good()));
        let mut edit = Edit { logged: Vec::with_capacity(bytes + 64), ..Edit::default() };
        let mut large = LargeTurn::new(self, deadline);
        for mutation in good() {
            let time = times.of(|| self.row_locks.key(&mutation.row));
            self.add_to_edit(&mut edit, mutation, time, UnsettledWrites::none(), &mut large).await?;
        }
        // Not before: see `mutate_atomically_by`.
        let _updates = self.keep_updating().await;
        self.check_open()?;
        self.counters.wrote(good().map(|mutation| (mutation, self.is_unlogged(mutation))));
        match &locks[..] {
            [of_one] => self.large_row.wrote(of_one.key().hash(), bytes),
            _ => good().for_each(|mutation| self.note_row_of(mutation)),
        }
        self.commit(edit, now).await.map(|_| ())
    }

    pub(crate) fn is_unlogged(&self, mutation: &Mutation) -> bool {
        self.effective_durability(mutation) == Durability::SkipWal
    }

    /// Increments and appends do not count: they mostly take the place of what they add to.
    #[inline]
    pub(crate) fn note_row_of(&self, mutation: &Mutation) {
        self.large_row.wrote(self.row_locks.key(&mutation.row).hash(), mutation.cells.bytes().len());
    }

    /// Keeps flushes from taking their snapshot.
    pub(crate) async fn keep_updating(&self) -> tokio::sync::RwLockReadGuard<'_, ()> {
        match self.updates.try_read() {
            Ok(updates) => updates,
            Err(_) => self.updates.read().await,
        }
    }

    /// Waits until readers see what writers wrote that were dropped before they did. Called with the row locks, before
    /// a read that a write is built upon.
    pub(crate) async fn wait_for_dropped_writes(&self) -> Result<(), RegionError> {
        if self.mvcc.awaits_dropped() {
            self.wait_for_writes_under_way().await?;
        }
        Ok(())
    }

    /// Waits until nothing of locked rows is left that is not settled: see [`crate::unsettled`].
    pub(crate) async fn settle(&self, locks: &[RowLock<'_>]) -> Result<(), RegionError> {
        if locks.iter().any(|lock| !lock.unsettled().is_empty()) {
            self.wait_for_writes_under_way().await?;
        }
        Ok(())
    }

    /// Waits until readers see all writes that have begun, but for those whose log has failed.
    pub(crate) async fn wait_for_writes_under_way(&self) -> Result<(), RegionError> {
        let number = self.mvcc.begin();
        match self.mvcc.complete(number) {
            // The writers before complete, or are dropped, which completes them, or the region is given up.
            Some(readable) => readable.await.map_err(|_| self.not_served()),
            None => Ok(()),
        }
    }

    pub(crate) fn check_writable(&self) -> Result<(), RegionError> {
        self.check_open()?;
        if self.rules.is_read_only {
            return Err(RegionError::ReadOnly(Shortened(&self.name).to_string()));
        }
        Ok(())
    }

    /// Adds a put's or delete's cells to an edit, with their final timestamps. `unsettled`: what is not settled of the row.
    pub(crate) async fn add_to_edit(
        &self,
        edit: &mut Edit,
        mutation: &Mutation,
        now: i64,
        unsettled: &UnsettledWrites,
        large: &mut LargeTurn<'_>,
    ) -> Result<(), RegionError> {
        let durability = self.effective_durability(mutation);
        match mutation.kind {
            MutationKind::Delete if mutation.cells.is_empty() => {
                let timestamp = if mutation.timestamp == LATEST_TIMESTAMP { now } else { mutation.timestamp };
                let tags = mutation.ttl_ms.map_or_else(Vec::new, |ttl| tags_with_ttl(&[], ttl));
                for store in &self.stores {
                    let parts = marker(&mutation.row, &store.family.name, timestamp);
                    edit.push(durability, |out| CellParts { tags: &tags, ..parts }.write(out));
                }
            }
            MutationKind::Delete => {
                self.add_delete(edit, mutation, now, durability, unsettled, large).await?;
            }
            _ => edit.push_all(&mutation.cells, now, mutation.ttl_ms, durability),
        }
        Ok(())
    }

    /// A marker for "the latest version" takes the timestamp of the newest version that there is, the second such
    /// marker of a column that of the second newest, and so on.
    async fn add_delete(
        &self,
        edit: &mut Edit,
        mutation: &Mutation,
        now: i64,
        durability: Durability,
        unsettled: &UnsettledWrites,
        large: &mut LargeTurn<'_>,
    ) -> Result<(), RegionError> {
        let latest = |cell: &Cell<'_>| {
            cell.type_code() == CellType::Delete.code() && cell.timestamp() == LATEST_TIMESTAMP
        };
        if !mutation.cells.iter().any(|cell| latest(&cell)) {
            for cell in &mutation.cells {
                edit.push_stamped(&cell, now, mutation.ttl_ms, durability);
            }
            return Ok(());
        }
        let found = self.read_columns(mutation, latest, unsettled, large).await?;
        let stored: Vec<Cell<'_>> = CellIter::over_checked(&found).collect();
        let mut seen: HashMap<(&[u8], &[u8]), usize> = HashMap::new();
        for cell in &mutation.cells {
            if !latest(&cell) {
                edit.push_stamped(&cell, now, mutation.ttl_ms, durability);
                continue;
            }
            let (family, qualifier) = (cell.family(), cell.qualifier());
            let index = seen.entry((family, qualifier)).or_default();
            let version = column_of(&stored, family, qualifier).get(*index);
            *index += 1;
            let timestamp = version.map_or(now, Cell::timestamp);
            if (Times { clock: now, write: now }).is_run_ahead(timestamp) {
                let marker = Contents { puts: false, markers: true };
                self.write_times.note(self.row_locks.key(&mutation.row), timestamp, marker);
            }
            edit.push_stamped(&cell, timestamp, mutation.ttl_ms, durability);
        }
        Ok(())
    }

    /// The columns of those cells of a mutation that `wanted` chooses, with as many versions of each as there are such
    /// cells of one column. Without their values.
    async fn read_columns(
        &self,
        mutation: &Mutation,
        wanted: impl Fn(&Cell<'_>) -> bool,
        unsettled: &UnsettledWrites,
        large: &mut LargeTurn<'_>,
    ) -> Result<Vec<u8>, RegionError> {
        self.wait_for_dropped_writes().await?;
        let columns = || mutation.cells.iter().filter(|cell| wanted(cell));
        let scan = Scan {
            max_versions: most_of_one_column(columns()),
            ..row_scan(&mutation.row, select_columns(columns()))
        };
        let keys = Box::new(KeyOnlyFilter::new(false));
        Ok(self.read_locked(&scan, Some(keys), &ScanLimits::NONE, unsettled, large).await?.cells)
    }

    /// Logs an edit and makes it visible; see the module. The row locks and the updates lock are the caller's.
    /// Gives back the sequence id.
    pub(crate) async fn commit(&self, edit: Edit, now: i64) -> Result<u64, RegionError> {
        match self.append(edit, now, None).await? {
            Some(appended) => appended.commit().await,
            None => Ok(self.read_point()),
        }
    }

    /// Gives an edit its sequence id and its place in the log, behind `after`, if it was made of what is there; `None` when
    /// there is nothing in it.
    pub(crate) async fn append(
        &self,
        mut edit: Edit,
        now: i64,
        after: Option<Position>,
    ) -> Result<Option<Appended<'_>>, RegionError> {
        if edit.len() == 0 {
            return Ok(None);
        }
        let wal = &self.environment.wal;
        let permit = if edit.logged.is_empty() {
            None
        } else {
            Some(wal.reserve(edit.logged.len() + ENTRY_OVERHEAD).await?)
        };
        let logged = Bytes::from(std::mem::take(&mut edit.logged));
        let wait_for_sync = edit.durability >= Durability::SyncWal;
        let (sequence_id, position) = {
            let _append = self.append_lock.lock();
            // What the edit is made of may have been read without a write that is never seen.
            self.check_kept()?;
            let guard = GivesUp(self);
            let sequence_id = self.mvcc.begin();
            let appended = permit.map(|permit| {
                wal.append(
                    permit,
                    WalAppend {
                        region: self.wal_region.clone(),
                        table: self.wal_table.clone(),
                        sequence_id,
                        write_time_ms: now.unsigned_abs(),
                        nonce_group: edit.nonce.0,
                        nonce: edit.nonce.1,
                        cells: logged.clone(),
                        cell_count: edit.logged_cells,
                        durability: edit.durability,
                        after,
                    },
                )
            });
            guard.disarm();
            (sequence_id, appended)
        };
        let position = match position.transpose() {
            Ok(position) => position,
            Err(error) => {
                self.mvcc.abandon(sequence_id);
                return Err(error.into());
            }
        };
        let unlogged = Bytes::from(edit.unlogged);
        let cells = match (edit.mixed.is_empty(), logged.is_empty()) {
            (false, _) => edit.mixed.into(),
            (true, true) => unlogged.clone(),
            (true, false) => logged,
        };
        Ok(Some(Appended {
            region: self,
            sequence_id,
            position,
            cells,
            replaces_older: edit.replaces_older,
            wait_for_sync,
            unlogged,
            is_made_of_settled: after.is_none(),
            applied: false,
            readable: false,
            settles: None,
        }))
    }

    /// Puts cells into the memstores of their families.
    ///
    /// `replaces_older`: see [`Edit::replaces_older`].
    pub(crate) fn insert_edit(&self, cells: &[u8], sequence_id: u64, replaces_older: bool) {
        let smallest_read_point = replaces_older.then(|| self.mvcc.smallest_kept_point());
        let mut grown = 0;
        let mut rest = CellIter::over_checked(cells).peekable();
        while let Some(family) = rest.peek().map(Cell::family) {
            let run = std::iter::from_fn(|| rest.next_if(|cell| cell.family() == family));
            match self.store(family) {
                Ok(store) => {
                    grown += match smallest_read_point {
                        Some(point) if store.keeps_one_version() => store.upsert_all(run, sequence_id, point),
                        _ => store.insert_all(run, sequence_id),
                    };
                }
                // Families were checked before the edit was made.
                Err(_) => run.for_each(drop),
            }
        }
        self.memstore_bytes.grow(grown);
    }

    pub(crate) fn after_growth(&self) {
        if self.is_over_flush_size() {
            self.ask_for_flush();
        }
    }

    /// Whether the memstores hold more than they should before a flush.
    pub fn is_over_flush_size(&self) -> bool {
        self.memstore_bytes.bytes() > self.flush_size()
    }

    /// Whether that is so, or writes are refused for want of room.
    pub fn is_too_large(&self) -> bool {
        self.is_over_flush_size() || self.write_room().is_over()
    }

    /// Asks for a flush once, until the next one begins.
    pub(crate) fn ask_for_flush(&self) {
        if !self.flush_asked.swap(true, Ordering::AcqRel) {
            self.environment.host.flush_wanted(&self.encoded_name);
        }
    }

    /// Memstore size at which this region is flushed, in bytes.
    pub(crate) fn flush_size(&self) -> u64 {
        let size = self.rules.flush_size_bytes;
        if self.large_row.is_there() { size.min(large_row::FLUSH_BYTES) } else { size }
    }
}

/// Where the chunk of a batch that starts at `from` ends.
fn chunk_end(mutations: &[Mutation], from: usize) -> usize {
    let mut bytes = 0;
    for (at, mutation) in mutations.iter().enumerate().skip(from) {
        bytes += mutation.cells.bytes().len();
        if bytes > MAX_EDIT_BYTES && at > from {
            return at;
        }
    }
    mutations.len()
}

fn marker<'a>(row: &'a [u8], family: &'a [u8], timestamp: i64) -> CellParts<'a> {
    let type_code = CellType::DeleteFamily.code();
    CellParts { row, family, qualifier: b"", timestamp, type_code, value: b"", tags: b"" }
}

/// The cells of one column among those of a row, newest first.
pub(crate) fn column_of<'a, 'b>(row: &'b [Cell<'a>], family: &[u8], qualifier: &[u8]) -> &'b [Cell<'a>] {
    let place = |cell: &Cell<'_>| cell.family().cmp(family).then_with(|| cell.qualifier().cmp(qualifier));
    let from = row.partition_point(|cell| place(cell).is_lt());
    let to = row.partition_point(|cell| place(cell).is_le());
    &row[from..to]
}

/// How many of the cells are of one column, at most.
fn most_of_one_column<'a>(cells: impl Iterator<Item = Cell<'a>>) -> u32 {
    let mut counts: HashMap<(&[u8], &[u8]), u32> = HashMap::new();
    for cell in cells {
        *counts.entry((cell.family(), cell.qualifier())).or_default() += 1;
    }
    counts.into_values().max().unwrap_or(0)
}

/// A scan of one row.
pub(crate) fn row_scan(row: &Bytes, families: Vec<FamilySelection>) -> Scan {
    Scan { families, ..finback_cell::Get::new(row.clone()).scan }
}

/// The columns of some cells, as a selection.
pub(crate) fn select_columns<'a>(cells: impl Iterator<Item = Cell<'a>>) -> Vec<FamilySelection> {
    let mut families: Vec<FamilySelection> = Vec::new();
    for cell in cells {
        let qualifier = Bytes::copy_from_slice(cell.qualifier());
        match families.iter_mut().find(|selection| selection.family == cell.family()) {
            Some(FamilySelection { qualifiers: Some(qualifiers), .. }) => qualifiers.push(qualifier),
            _ => families.push(FamilySelection {
                family: Bytes::copy_from_slice(cell.family()),
                qualifiers: Some(vec![qualifier]),
            }),
        }
    }
    families.sort_by(|a, b| a.family.cmp(&b.family));
    for selection in &mut families {
        if let Some(qualifiers) = &mut selection.qualifiers {
            qualifiers.sort_unstable();
            qualifiers.dedup();
        }
    }
    families
}
