//! Short scans, from random rows on.

use super::{Client, Work, nothing};
use crate::distribution::Chooser;
use crate::error::{Doing, Result};
use crate::recorder::Done;
use crate::row_key::row_key;
use finback_client::{Filter, Scan};

/// Rows of `randomSeekScan`.
const PAGE: i64 = 120;

/// `randomSeekScan`, and `scanRange10` with its kin.
pub(crate) struct RangeScans {
    client: Client,
    chooser: (Chooser, u64),
    /// Rows of a scan; none leaves that to a filter.
    range: Option<u64>,
}

impl RangeScans {
    pub(crate) fn new(client: Client, chooser: (Chooser, u64), range: Option<u64>) -> Self {
        Self { client, chooser, range }
    }

    fn scan(&self, first: u64) -> Scan {
        let scan = self.client.scan().starting_at(row_key(first));
        let nothing = self.client.options.filter_all.then(nothing);
        match self.range {
            Some(range) => {
                let scan = scan.before(row_key(first.saturating_add(range)));
                if let Some(nothing) = nothing { scan.filter(nothing) } else { scan }
            }
            None => {
                let page = Filter::while_match(Filter::page(PAGE));
                scan.filter(Filter::all(nothing.into_iter().chain([page])))
            }
        }
    }
}

impl Work for RangeScans {
    async fn step(&mut self, _: u64) -> Result<Option<Done>> {
        let (chooser, newest) = &mut self.chooser;
        let first = chooser.next(&mut self.client.random, *newest);
        read_all(&self.client, self.scan(first)).await.map(Some)
    }
}

/// All rows of a scan, as one operation.
pub(super) async fn read_all(client: &Client, scan: Scan) -> Result<Done> {
    let mut scanner = client.table.scan(scan).doing("scan")?;
    let mut done = Done::default();
    while let Some(page) = scanner.next_page().await.doing("scan")? {
        done = page.iter().fold(done, |sum, row| sum.and(client.seen(Some(row))));
    }
    Ok(done)
}
