//! How many scanners each client has open, and whether it may open another one.
//!
//! Each may have as many as are free besides: one alone gets a half, whoever comes next a half of the rest, and there is always
//! something left for one that has none yet. Scans of hbase:meta, without which no client finds a region, get some that others
//! cannot have.

use finback_rpc::{ConnectionInfo, RpcException, exceptions};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// So many may be open in any case, and no more.
const OPEN_AT_MOST: RangeInclusive<usize> = 1_000..=100_000;
/// Beyond that, so many of hbase:meta.
const OF_META: usize = 1_000;

/// Who has how many of the scanners that are open.
#[derive(Debug)]
pub(crate) struct ScannerShares {
    /// By the address of its owner, who lives as long as it has any.
    by_owner: HashMap<usize, usize>,
    open: usize,
    most: usize,
}

impl ScannerShares {
    /// For scanners of which each takes `each` bytes, all together `bytes`.
    pub(crate) fn new(bytes: usize, each: usize) -> Self {
        let most = (bytes / each).clamp(*OPEN_AT_MOST.start(), *OPEN_AT_MOST.end());
        Self { by_owner: HashMap::new(), open: 0, most }
    }

    /// How many are open.
    pub(crate) fn open(&self) -> usize {
        self.open
    }

    /// Whether `owner` may open another one.
    ///
    /// # Errors
    /// A RegionTooBusyException.
    pub(crate) fn check(&self, owner: &Arc<ConnectionInfo>, of_meta: bool) -> Result<(), RpcException> {
        let most = self.most + if of_meta { OF_META } else { 0 };
        let own = self.by_owner.get(&address(owner)).copied().unwrap_or(0);
        if own < most.saturating_sub(self.open) {
            return Ok(());
        }
        let open = self.open;
        Err(exceptions::region_too_busy(format!(
            "{open} of {most} scanners are open, {own} of this connection"
        )))
    }

    /// One more.
    pub(crate) fn add(&mut self, owner: &Arc<ConnectionInfo>) {
        self.open += 1;
        *self.by_owner.entry(address(owner)).or_default() += 1;
    }

    /// One less.
    pub(crate) fn remove(&mut self, owner: &Arc<ConnectionInfo>) {
        self.open -= 1;
        if let Some(own) = self.by_owner.get_mut(&address(owner)) {
            *own -= 1;
            if *own == 0 {
                self.by_owner.remove(&address(owner));
            }
        }
    }
}

fn address(owner: &Arc<ConnectionInfo>) -> usize {
    Arc::as_ptr(owner) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client() -> Arc<ConnectionInfo> {
        Arc::new(ConnectionInfo::in_process("ClientService"))
    }

    /// Opens as many as it may.
    fn open_all(shares: &mut ScannerShares, owner: &Arc<ConnectionInfo>, of_meta: bool) -> usize {
        let mut opened = 0;
        while shares.check(owner, of_meta).is_ok() {
            shares.add(owner);
            opened += 1;
        }
        opened
    }

    #[test]
    fn nobody_can_have_all_and_what_is_given_back_can_be_had_again() {
        let mut shares = ScannerShares::new(0, 1);
        let [first, second, third] = [client(), client(), client()];
        assert_eq!(open_all(&mut shares, &first, false), 500);
        assert_eq!(open_all(&mut shares, &second, false), 250);
        assert_eq!(open_all(&mut shares, &third, false), 125);
        (0..500).for_each(|_| shares.remove(&first));
        assert_eq!((shares.open(), shares.by_owner.len()), (375, 2));
        assert_eq!(open_all(&mut shares, &first, false), 313);
    }

    #[test]
    fn meta_is_found_by_clients_that_can_open_nothing_else() {
        let mut shares = ScannerShares::new(0, 1);
        let clients: Vec<_> = (0..20).map(|_| client()).collect();
        let open: usize = clients.iter().map(|client| open_all(&mut shares, client, false)).sum();
        assert_eq!(open, 1_000);
        let refusal = shares.check(&client(), false).unwrap_err();
        assert_eq!(refusal.simple_class(), "RegionTooBusyException");
        assert_eq!(shares.check(&client(), true), Ok(()));
    }

    #[test]
    fn memory_allows_so_many() {
        let most = |bytes| ScannerShares::new(bytes, 4 << 10).most;
        assert_eq!([most(1 << 20), most(20 << 20), most(usize::MAX)], [1_000, 5_120, 100_000]);
    }
}
