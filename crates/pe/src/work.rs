//! What the commands do: one client's part of each.

mod deletes;
mod filter_scans;
mod meta;
mod range_scans;
mod reads;
mod records;
mod scans;
mod updates;
mod writes;

use crate::error::Result;
use crate::options::Options;
use crate::random::Random;
use crate::recorder::{Done, Recorder};
pub(crate) use deletes::Deletes;
pub(crate) use filter_scans::FilterScans;
use finback_client::{Durability, Filter, Get, Row, Scan, Table};
pub(crate) use meta::{MetaCleans, MetaReads, MetaWrites};
pub(crate) use range_scans::RangeScans;
pub(crate) use reads::Reads;
pub(crate) use records::{OPERATIONS, Records, Ycsb};
pub(crate) use scans::Scans;
use std::sync::Arc;
pub(crate) use updates::Updates;
pub(crate) use writes::Writes;

/// One client's part of a command.
pub(crate) trait Work: Send + 'static {
    /// Works on a row. Nothing is measured of rows that are only gathered, to be sent with others.
    fn step(&mut self, row: u64) -> impl Future<Output = Result<Option<Done>>> + Send;

    /// Sends what was only gathered, and gives back what no step has: the rest of a list.
    fn finish(&mut self) -> impl Future<Output = Result<Option<Done>>> + Send {
        async { Ok(None) }
    }
}

/// What every client has.
pub(crate) struct Client {
    pub(crate) table: Table,
    pub(crate) options: Arc<Options>,
    pub(crate) random: Random,
    pub(crate) recorder: Recorder,
    pub(crate) columns: Arc<Columns>,
}

/// Names of families and qualifiers, as PerformanceEvaluation has them: `info0`, `info1`; `0`, `1`.
pub(crate) struct Columns {
    pub(crate) families: Vec<String>,
    pub(crate) qualifiers: Vec<String>,
}

impl Columns {
    pub(crate) fn of(options: &Options) -> Self {
        Self {
            families: (0..options.families).map(|number| format!("info{number}")).collect(),
            qualifiers: (0..options.columns).map(|number| number.to_string()).collect(),
        }
    }

    /// Each column with its family, in the order in which they are written.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&str, &str)> {
        self.families.iter().flat_map(|family| {
            self.qualifiers.iter().map(move |qualifier| (family.as_str(), qualifier.as_str()))
        })
    }
}

impl Client {
    /// A read of a row that asks for what the options say.
    fn get(&self, row: &[u8]) -> Get {
        let mut get = Get::new(row);
        if self.options.add_columns {
            for (family, qualifier) in self.columns.each() {
                get = get.column(family, qualifier);
            }
        } else {
            for family in &self.columns.families {
                get = get.family(family);
            }
        }
        if self.options.replicas > 1 {
            get = get.consistency(finback_client::Consistency::Timeline);
        }
        match self.options.filter_all {
            true => get.filter(nothing()),
            false => get,
        }
    }

    /// A scan that asks for what the options say; without a filter.
    fn scan(&self) -> Scan {
        let options = &self.options;
        let mut scan = Scan::new()
            .caching(options.caching)
            .cache_blocks(options.cache_blocks)
            .read_type(options.read_type);
        if options.add_columns {
            for (family, qualifier) in self.columns.each() {
                scan = scan.column(family, qualifier);
            }
        } else {
            for family in &self.columns.families {
                scan = scan.family(family);
            }
        }
        scan
    }

    fn durability(&self) -> Durability {
        match self.options.write_to_wal {
            true => Durability::SyncWal,
            false => Durability::SkipWal,
        }
    }

    /// What was read of a row.
    fn seen(&self, row: Option<&Row>) -> Done {
        let Some(row) = row else { return Done { missing: 1, ..Done::default() } };
        if self.options.value_sizes != crate::options::ValueSize::Fixed {
            self.recorder.value(row.cells().map(|cell| cell.value().len()).sum());
        }
        Done { rows: 1, bytes: row.size() as u64, stale: row.is_stale().into(), ..Done::default() }
    }
}

impl Done {
    /// Both together.
    fn and(self, other: Self) -> Self {
        Self {
            operation: self.operation,
            rows: self.rows + other.rows,
            missing: self.missing + other.missing,
            bytes: self.bytes + other.bytes,
            stale: self.stale + other.stale,
        }
    }
}

/// A filter that lets nothing through. HBase's FilterAllFilter does that too, but is only in the jar of its tests, which
/// servers do not have.
fn nothing() -> Filter {
    Filter::random_row(-1.0)
}
