//! Regions that are closed, and whose rows are about to be opened here again: by daughters, as what they are merged into, or with
//! another descriptor. Until then nobody writes these rows, and what the closed ones answer is still true, so that whoever reads does
//! not see that anything changes.

use finback_cell::RegionInfo;
use finback_region::Region;
use parking_lot::RwLock;
use std::sync::Arc;

/// There are none mostly.
#[derive(Debug, Default)]
pub(crate) struct Reopening(RwLock<Vec<Arc<Region>>>);

impl Reopening {
    /// Lets a region be read that is closed to writes.
    pub(crate) fn add(&self, region: Arc<Region>) {
        self.0.write().push(region);
    }

    pub(crate) fn find(&self, encoded: &[u8]) -> Option<Arc<Region>> {
        self.0.read().iter().find(|region| region.encoded_name().as_bytes() == encoded).cloned()
    }

    /// No region that has a row of `opened` is read from any more: others may be written to from now on.
    pub(crate) fn end_before(&self, opened: &RegionInfo) {
        self.end_where(|region| have_common_rows(region.info(), opened));
    }

    /// This one is not read from any more.
    pub(crate) fn end(&self, ended: &Arc<Region>) {
        self.end_where(|region| Arc::ptr_eq(region, ended));
    }

    fn end_where(&self, ends: impl Fn(&Arc<Region>) -> bool) {
        if self.0.read().is_empty() {
            return;
        }
        let ended: Vec<_> = self.0.write().extract_if(.., |region| ends(region)).collect();
        ended.iter().for_each(|region| region.end_reads());
        if !ended.is_empty() {
            // Nobody waits for that.
            tokio::task::spawn_blocking(move || ended.iter().for_each(|region| region.leave_blocks()));
        }
    }
}

fn have_common_rows(a: &RegionInfo, b: &RegionInfo) -> bool {
    let begins_in = |one: &RegionInfo, other: &RegionInfo| {
        one.start_key >= other.start_key && (other.end_key.is_empty() || one.start_key < other.end_key)
    };
    a.table == b.table && (begins_in(a, b) || begins_in(b, a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_cell::TableName;

    #[test]
    fn regions_have_common_rows_where_their_ranges_meet() {
        let region = |table: &str, start: &'static str, end: &'static str| {
            RegionInfo::new(TableName::parse(table.as_bytes()).unwrap(), start.into(), end.into(), 1)
        };
        let (parent, below, above) = (region("t", "b", "m"), region("t", "", "b"), region("t", "m", ""));
        let (first, second, merged) = (region("t", "b", "f"), region("t", "f", "m"), region("t", "", "m"));
        for (a, b) in [(&parent, &first), (&parent, &second), (&below, &merged), (&parent, &merged)] {
            assert!(have_common_rows(a, b) && have_common_rows(b, a), "{a:?} {b:?}");
        }
        assert!(have_common_rows(&above, &above) && have_common_rows(&region("t", "", ""), &above));
        for (a, b) in [(&parent, &below), (&parent, &above), (&first, &second), (&above, &merged)] {
            assert!(!have_common_rows(a, b) && !have_common_rows(b, a), "{a:?} {b:?}");
        }
        assert!(!have_common_rows(&parent, &region("u", "b", "m")));
    }
}
