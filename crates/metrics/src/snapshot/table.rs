//! A table.

use crate::meter::Meter;
use crate::table_times::TableTimesSnapshot;

/// A table, as far as it is more than the sum of its regions.
#[derive(Clone, Debug, Default)]
pub struct TableFigures {
    /// Its namespace.
    pub namespace: String,
    /// The table, without its namespace.
    pub table: String,
    /// Times and sizes of its operations, since one of its regions has been open.
    pub operations: TableTimesSnapshot,
    /// How many rows are read, lately.
    pub read_rate: Meter,
    /// How many mutations there are, lately.
    pub write_rate: Meter,
}

impl TableFigures {
    /// Namespace and name, by which tables are ordered.
    pub(crate) fn key(&self) -> (&str, &str) {
        (&self.namespace, &self.table)
    }
}
