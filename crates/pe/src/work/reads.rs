//! Reads of rows, one at a time or several.

use super::{Client, Work};
use crate::distribution::Chooser;
use crate::error::{Doing, Result};
use crate::recorder::Done;
use crate::row_key::row_key;
use finback_client::Get;

/// `randomRead`, `sequentialRead`.
pub(crate) struct Reads {
    pub(crate) client: Client,
    /// Chooses the rows, if it is not their order that does.
    pub(crate) chooser: Option<(Chooser, u64)>,
    gathered: Vec<Get>,
}

impl Reads {
    pub(crate) fn new(client: Client, chooser: Option<(Chooser, u64)>) -> Self {
        Self { client, chooser, gathered: Vec::new() }
    }

    async fn read_gathered(&mut self) -> Result<Done> {
        let rows = self.client.table.get_all(self.gathered.drain(..)).await.doing("read")?;
        Ok(rows.iter().fold(Done::default(), |sum, row| sum.and(self.client.seen(row.as_ref()))))
    }
}

impl Work for Reads {
    async fn step(&mut self, row: u64) -> Result<Option<Done>> {
        let row = match &mut self.chooser {
            None => row,
            Some((chooser, newest)) => {
                let sleep = self.client.options.random_sleep;
                if !sleep.is_zero() {
                    tokio::time::sleep(sleep.mul_f64(self.client.random.fraction())).await;
                }
                chooser.next(&mut self.client.random, *newest)
            }
        };
        let get = self.client.get(&row_key(row));
        let together = self.client.options.multi_get;
        if together == 0 || self.chooser.is_none() {
            let row = self.client.table.get(get).await.doing("read")?;
            return Ok(Some(self.client.seen(row.as_ref())));
        }
        self.gathered.push(get);
        match self.gathered.len() >= together {
            true => self.read_gathered().await.map(Some),
            false => Ok(None),
        }
    }

    async fn finish(&mut self) -> Result<Option<Done>> {
        match self.gathered.is_empty() {
            true => Ok(None),
            false => self.read_gathered().await.map(Some),
        }
    }
}
