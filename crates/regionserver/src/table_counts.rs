//! Where the regions of each table count their operations. What a table has counted stays in the server's sums when it has no
//! region here any more.

use finback_cell::TableName;
use finback_metrics::{TableTimes, TableTimesSnapshot};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// The counts of all tables.
#[derive(Debug, Default)]
pub(crate) struct TableCounts(Mutex<Tables>);

#[derive(Debug, Default)]
struct Tables {
    /// Those of which a region may still count: it shares this.
    counting: HashMap<TableName, Arc<TableTimes>>,
    /// Those of all others together.
    closed: TableTimesSnapshot,
}

impl Tables {
    /// Forgets the tables that nothing counts for, but not what was counted.
    fn sweep(&mut self) {
        let ended = self.counting.extract_if(|_, times| Arc::strong_count(times) == 1);
        let closed = std::mem::take(&mut self.closed);
        self.closed = ended.fold(closed, |closed, (_, times)| closed.and(times.snapshot()));
    }
}

impl TableCounts {
    /// Where the regions of a table count.
    pub(crate) fn of(&self, table: &TableName) -> Arc<TableTimes> {
        let mut tables = self.0.lock();
        if let Some(times) = tables.counting.get(table) {
            return Arc::clone(times);
        }
        tables.sweep();
        Arc::clone(tables.counting.entry(table.clone()).or_default())
    }

    /// The tables of open regions, and where these count.
    pub(crate) fn of_open(&self) -> Vec<(TableName, Arc<TableTimes>)> {
        let mut tables = self.0.lock();
        tables.sweep();
        tables.counting.iter().map(|(table, times)| (table.clone(), Arc::clone(times))).collect()
    }

    /// What all tables have counted since the start.
    pub(crate) fn sum(&self) -> TableTimesSnapshot {
        let mut tables = self.0.lock();
        tables.sweep();
        tables.counting.values().fold(tables.closed.clone(), |sum, times| sum.and(times.snapshot()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_metrics::Operation;
    use std::time::Duration;

    fn table(name: &[u8]) -> TableName {
        TableName::parse(name).unwrap()
    }

    fn gets(counts: &TableCounts) -> u64 {
        counts.sum().times(Operation::Get).map_or(0, finback_metrics::HistogramSnapshot::count)
    }

    #[test]
    fn regions_of_a_table_count_together_and_a_table_without_any_is_forgotten() {
        let counts = TableCounts::default();
        let (one, same) = (counts.of(&table(b"t")), counts.of(&table(b"t")));
        assert!(Arc::ptr_eq(&one, &same));
        drop(counts.of(&table(b"u")));
        let open: Vec<_> = counts.of_open().into_iter().map(|(table, _)| table).collect();
        assert_eq!(open, [table(b"t")]);
        drop((one, same));
        assert!(!Arc::ptr_eq(&counts.of(&table(b"t")), &counts.of(&table(b"v"))));
        assert!(counts.of_open().is_empty());
    }

    #[test]
    fn what_a_table_counted_stays_in_the_sum_when_it_has_no_region_any_more() {
        let counts = TableCounts::default();
        let (t, u) = (counts.of(&table(b"t")), counts.of(&table(b"u")));
        (0..3).for_each(|_| t.record(Operation::Get, Duration::from_micros(7)));
        u.record(Operation::Get, Duration::from_micros(9));
        assert_eq!(gets(&counts), 4);
        drop(t);
        assert_eq!(gets(&counts), 4);
        counts.of(&table(b"t")).record(Operation::Get, Duration::from_micros(5));
        drop(u);
        assert_eq!(gets(&counts), 5);
        let sum = counts.sum();
        let times = sum.times(Operation::Get).unwrap();
        assert_eq!((times.min(), times.max(), times.sum()), (5_000, 9_000, 35_000));
    }
}
