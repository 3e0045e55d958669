//! Where the pages' data comes from.

use crate::history::{HotRegion, Sample};
use crate::model::{
    Identity, Refused, Region, RowRange, Rows, Schema, Setting, SlowLog, Status, Store, Table, Tasks,
};
use std::time::Instant;

/// A server that shows itself. Everything is asked for when a page needs it, on a thread that may block. What the master tells is
/// waited for `until` then, and not longer.
pub trait Source: Send + Sync + 'static {
    /// Which server it is.
    fn identity(&self) -> Identity;

    /// How the server is.
    fn status(&self, until: Instant) -> Status;

    /// How it was lately: samples, oldest first.
    fn samples(&self) -> Vec<Sample>;

    /// The regions with most requests of late, hottest first.
    fn hot_regions(&self) -> Vec<HotRegion>;

    /// All tables, by name.
    ///
    /// # Errors
    /// The master does not answer.
    fn tables(&self, until: Instant) -> Result<Vec<Table>, Refused>;

    /// One table.
    ///
    /// # Errors
    /// There is none of that name, or the master does not answer.
    fn schema(&self, table: &str, until: Instant) -> Result<Schema, Refused>;

    /// The regions that are open.
    fn regions(&self) -> Vec<Region>;

    /// The stores of a region, by its encoded name.
    ///
    /// # Errors
    /// It is not open here.
    fn stores(&self, encoded_name: &str) -> Result<Vec<Store>, Refused>;

    /// What goes on.
    fn tasks(&self, until: Instant) -> Tasks;

    /// Calls that were slow or large.
    fn slow_log(&self) -> SlowLog;

    /// The settings that are in effect.
    fn settings(&self) -> Vec<Setting>;

    /// Whether rows of tables are shown to anybody.
    fn shows_rows(&self) -> bool;

    /// Reads rows, within limits of its own besides those of `range`, as of the time.
    ///
    /// # Errors
    /// There is no such table or column, or it cannot be read now.
    fn rows(&self, range: &RowRange, until: Instant) -> Result<Rows, Refused>;

    /// Which events are logged: a filter as `FINBACK_LOG` takes it.
    fn log_filter(&self) -> String;

    /// Has other events logged from now on, until the server ends.
    ///
    /// # Errors
    /// It is no such filter.
    fn set_log_filter(&self, filter: &str) -> Result<(), Refused>;
}
