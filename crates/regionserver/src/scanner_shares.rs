//! How many scanners each connection has open, and whether it may open another one.
//!
//! Each may have as many as are free besides: one alone gets a half, whoever comes next a half of the rest. Those of hbase:meta,
//! without which no client finds a region, are counted by themselves.

use finback_rpc::{ConnectionInfo, RpcException, exceptions};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// So many may be open in any case, and no more.
const OPEN_AT_MOST: RangeInclusive<usize> = 1_000..=100_000;
/// So many of hbase:meta.
const OF_META: usize = 1_000;

/// Who has how many of the scanners that are open.
#[derive(Debug)]
pub(crate) struct ScannerShares {
    of_tables: Shares,
    of_meta: Shares,
}

/// Of one kind.
#[derive(Debug)]
struct Shares {
    /// By the address of its owner, who lives as long as it has any.
    by_owner: HashMap<usize, usize>,
    open: usize,
    most: usize,
}

impl ScannerShares {
    /// For scanners of which each takes `each` bytes, all together `bytes`.
    pub(crate) fn new(bytes: usize, each: usize) -> Self {
        let most = (bytes / each).clamp(*OPEN_AT_MOST.start(), *OPEN_AT_MOST.end());
        let shares = |most| Shares { by_owner: HashMap::new(), open: 0, most };
        Self { of_tables: shares(most), of_meta: shares(OF_META) }
    }

    /// How many are open.
    pub(crate) fn open(&self) -> usize {
        self.of_tables.open + self.of_meta.open
    }

    fn of(&mut self, meta: bool) -> &mut Shares {
        if meta { &mut self.of_meta } else { &mut self.of_tables }
    }

    /// Whether `owner` may open another one, of hbase:meta or of another table.
    ///
    /// # Errors
    /// A RegionTooBusyException.
    pub(crate) fn check(&self, owner: &Arc<ConnectionInfo>, meta: bool) -> Result<(), RpcException> {
        let Shares { by_owner, open, most } = if meta { &self.of_meta } else { &self.of_tables };
        let own = by_owner.get(&address(owner)).copied().unwrap_or(0);
        if own < most.saturating_sub(*open) {
            return Ok(());
        }
        Err(exceptions::region_too_busy(format!(
            "{open} of {most} scanners are open, {own} of this connection"
        )))
    }

    /// One more.
    pub(crate) fn add(&mut self, owner: &Arc<ConnectionInfo>, meta: bool) {
        let shares = self.of(meta);
        shares.open += 1;
        *shares.by_owner.entry(address(owner)).or_default() += 1;
    }

    /// One less.
    pub(crate) fn remove(&mut self, owner: &Arc<ConnectionInfo>, meta: bool) {
        let shares = self.of(meta);
        shares.open -= 1;
        if let Some(own) = shares.by_owner.get_mut(&address(owner)) {
            *own -= 1;
            if *own == 0 {
                shares.by_owner.remove(&address(owner));
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
    fn open_all(shares: &mut ScannerShares, owner: &Arc<ConnectionInfo>, meta: bool) -> usize {
        let mut opened = 0;
        while shares.check(owner, meta).is_ok() {
            shares.add(owner, meta);
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
        (0..500).for_each(|_| shares.remove(&first, false));
        assert_eq!((shares.open(), shares.of_tables.by_owner.len()), (375, 2));
        assert_eq!(open_all(&mut shares, &first, false), 313);
    }

    #[test]
    fn meta_is_found_by_clients_that_can_open_nothing_else() {
        let mut shares = ScannerShares::new(5_000, 1);
        let clients: Vec<_> = (0..20).map(|_| client()).collect();
        let open: usize = clients.iter().map(|client| open_all(&mut shares, client, false)).sum();
        assert_eq!(open, 5_000);
        let refusal = shares.check(&client(), false).unwrap_err();
        assert_eq!(refusal.simple_class(), "RegionTooBusyException");
        // The first one has more than there are of hbase:meta.
        assert_eq!(open_all(&mut shares, &clients[0], true), OF_META / 2);
        assert_eq!(shares.check(&client(), true), Ok(()));
    }

    #[test]
    fn memory_allows_so_many() {
        let most = |bytes| ScannerShares::new(bytes, 4 << 10).of_tables.most;
        assert_eq!([most(1 << 20), most(20 << 20), most(usize::MAX)], [1_000, 5_120, 100_000]);
    }
}
