//! One scan by each client, whose rows are the operations.

use super::{Client, Work, nothing};
use crate::error::{Doing, Result};
use crate::recorder::Done;
use crate::row_key::row_key;
use finback_client::Scanner;

/// `scan`.
pub(crate) struct Scans {
    client: Client,
    scanner: Option<Scanner>,
    last: u64,
}

impl Scans {
    pub(crate) fn new(client: Client) -> Self {
        Self { client, scanner: None, last: 0 }
    }
}

impl Work for Scans {
    /// The scan begins at the first row that it is called with, and another when the rows begin again. Behind the end of the
    /// table there is nothing: as with HBase that takes no time, but here it counts as missing.
    async fn step(&mut self, row: u64) -> Result<Option<Done>> {
        if row <= self.last {
            self.scanner = None;
        }
        self.last = row;
        let scanner = match &mut self.scanner {
            Some(scanner) => scanner,
            None => {
                let scan = self.client.scan().starting_at(row_key(row));
                let scan = if self.client.options.filter_all { scan.filter(nothing()) } else { scan };
                self.scanner.insert(self.client.table.scan(scan).doing("scan")?)
            }
        };
        let row = scanner.next().await.doing("scan")?;
        Ok(Some(self.client.seen(row.as_ref())))
    }
}
