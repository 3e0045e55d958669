//! The times of cells of which the client leaves the time to the server.
//!
//! HBase takes the clock, in milliseconds. A put that follows a delete of its row within the same millisecond is hidden by
//! it then, although the client sent it after the delete was acknowledged. A server that answers within a tenth of a
//! millisecond would let its clients meet that often; here such a put is given the next millisecond, and a delete that
//! follows hides it. So is what follows an increment or append that got ahead of the clock, as they do where there are more than one
//! in a millisecond: a put is not older than it, and a delete hides it.
//!
//! What is remembered is a time for each of a few groups of rows, by their hash: rows that share one only get ahead of the
//! clock a little more than they need to.

use crate::region::Region;
use crate::row_lock::RowKey;
use finback_cell::{LATEST_TIMESTAMP, Mutation, MutationKind};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// Groups of rows, of 8 bytes each, in a region in which something was deleted.
const GROUPS: usize = 256;

/// How far ahead of the clock a group may get before its writers wait for the clock, in milliseconds: that many deletes,
/// each with a put after it, in less than as many milliseconds.
const PATIENCE_MS: i64 = 100;

/// Further ahead than this is only what was written before the clock was set back: nobody waits for that.
const SET_BACK_MS: i64 = 1000;

/// A clock that was set back further than this is not made up for.
const MOST_MS: i64 = 3_600_000;

/// So far ahead of the clock the times of updates of a cell get by their number, in milliseconds. Nobody waits for that.
pub(crate) const MOST_AHEAD_MS: i64 = PATIENCE_MS / 2;

/// When a write takes place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) clock: i64,
    /// What [`WriteTimes::time`] gave it: the clock's, or later.
    pub(crate) write: i64,
}

impl Times {
    /// Whether a cell with this time is ahead of what is written now, and for no other reason than that it was updated often.
    pub(crate) fn is_run_ahead(self, cell: i64) -> bool {
        (1..=MOST_AHEAD_MS).contains(&cell.saturating_sub(self.write))
    }
}

/// What is in a write, as to times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contents {
    /// Puts, increments, appends.
    pub(crate) puts: bool,
    /// Delete markers with the server's time.
    pub(crate) markers: bool,
}

impl Contents {
    pub(crate) fn of<'a>(mutations: impl Iterator<Item = &'a Mutation>) -> Self {
        mutations.fold(Self::default(), |contents, mutation| match mutation.kind {
            MutationKind::Delete => {
                Self { markers: contents.markers || leaves_time_to_server(mutation), ..contents }
            }
            _ => Self { puts: true, ..contents },
        })
    }
}

fn leaves_time_to_server(delete: &Mutation) -> bool {
    let of_row = delete.cells.is_empty() && delete.timestamp == LATEST_TIMESTAMP;
    of_row || delete.cells.iter().any(|cell| cell.timestamp() == LATEST_TIMESTAMP)
}

/// The times of a write to several rows, each of which has its own.
#[derive(Debug)]
pub(crate) struct RowTimes {
    clock: i64,
    /// Of those rows that get a later time than the clock's, in their order.
    later: Vec<(RowKey, i64)>,
}

impl RowTimes {
    /// That of a row, whose key is asked for only if it matters.
    #[inline]
    pub(crate) fn of(&self, row: impl FnOnce() -> RowKey) -> i64 {
        if self.later.is_empty() {
            return self.clock;
        }
        let found = self.later.binary_search_by_key(&row(), |(row, _)| *row);
        found.map_or(self.clock, |at| self.later[at].1)
    }
}

/// The last times of a region's rows.
#[derive(Debug, Default)]
pub(crate) struct WriteTimes {
    /// Made when it is needed first. Twice the time of a group's last write that was at or ahead of the clock, and one more if
    /// it had markers.
    groups: OnceLock<Box<[AtomicI64]>>,
}

impl WriteTimes {
    /// The time of a write to these rows as to one, the locks of which the caller has: `now`, or later.
    pub(crate) fn time(
        &self,
        rows: impl Iterator<Item = RowKey> + Clone,
        now: i64,
        contents: Contents,
    ) -> i64 {
        let Some(groups) = self.groups_for(contents) else { return now };
        let time = rows.clone().map(|row| after(groups, row, now, contents)).fold(now, i64::max);
        if contents.markers || time > now {
            rows.for_each(|row| self.note(row, time, contents));
        }
        time
    }

    /// The times of a write to these rows, in their order, the locks of which the caller has: for each `now`, or later. None waits for
    /// what happens to the others.
    pub(crate) fn times(
        &self,
        rows: impl Iterator<Item = RowKey> + Clone,
        now: i64,
        contents: Contents,
    ) -> RowTimes {
        let Some(groups) = self.groups_for(contents) else {
            return RowTimes { clock: now, later: Vec::new() };
        };
        let each = rows.clone().map(|row| (row, after(groups, row, now, contents)));
        let times = RowTimes { clock: now, later: each.filter(|(_, time)| *time > now).collect() };
        if contents.markers {
            rows.for_each(|row| self.note(row, times.of(|| row), contents));
        } else {
            times.later.iter().for_each(|&(row, time)| self.note(row, time, contents));
        }
        times
    }

    /// Those there are, if a write that has this goes by them.
    fn groups_for(&self, contents: Contents) -> Option<&[AtomicI64]> {
        match self.groups.get() {
            Some(groups) => Some(groups),
            None if contents.markers => Some(self.made_groups()),
            None => None,
        }
    }

    /// Notes what was written to a row, the lock of which the caller has, with a time that is ahead of the write's own.
    pub(crate) fn note(&self, row: RowKey, time: i64, contents: Contents) {
        let last = time * 2 + i64::from(contents.markers);
        self.made_groups()[row.group(GROUPS)].fetch_max(last, Ordering::Relaxed);
    }

    fn made_groups(&self) -> &[AtomicI64] {
        self.groups.get_or_init(|| (0..GROUPS).map(|_| AtomicI64::new(0)).collect())
    }

    /// How long writes to these rows should wait, so that they do not run away from the clock.
    fn wait_ms(&self, rows: impl Iterator<Item = RowKey>, now: impl FnOnce() -> i64) -> i64 {
        let Some(groups) = self.groups.get() else { return 0 };
        let now = now();
        let ahead = |row: RowKey| groups[row.group(GROUPS)].load(Ordering::Relaxed) / 2 - now;
        rows.map(ahead).filter(|ahead| (PATIENCE_MS..SET_BACK_MS).contains(ahead)).max().unwrap_or(0)
    }
}

/// When a write to a row takes place, at the earliest.
fn after(groups: &[AtomicI64], row: RowKey, now: i64, contents: Contents) -> i64 {
    let last = groups[row.group(GROUPS)].load(Ordering::Relaxed);
    let next = last / 2 + (last & i64::from(contents.puts));
    if next - now > MOST_MS { now } else { next }
}

impl Region {
    /// Lets the clock catch up with these rows, where it is behind. Called before any lock is taken.
    pub(crate) async fn wait_for_clock(&self, rows: impl Iterator<Item = RowKey>) {
        let wait = self.write_times.wait_ms(rows, || self.environment.host.now_ms());
        if wait > 0 {
            self.environment.host.pause(Duration::from_millis(wait.unsigned_abs())).await;
        }
    }
}

#[cfg(test)]
mod tests;
