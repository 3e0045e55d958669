//! Deletes of rows.

use super::writes::{buffer, failed};
use super::{Client, Work};
use crate::distribution::Chooser;
use crate::error::{Doing, Result};
use crate::recorder::Done;
use crate::row_key::row_key;
use finback_client::{BufferedMutator, Delete};

/// `randomDelete`, `sequentialDelete`.
pub(crate) struct Deletes {
    client: Client,
    chooser: Option<(Chooser, u64)>,
    buffer: Option<BufferedMutator>,
}

impl Deletes {
    pub(crate) fn new(client: Client, chooser: Option<(Chooser, u64)>) -> Self {
        let buffer = (!client.options.auto_flush).then(|| buffer(&client));
        Self { client, chooser, buffer }
    }
}

impl Work for Deletes {
    async fn step(&mut self, row: u64) -> Result<Option<Done>> {
        let row = match &mut self.chooser {
            None => row,
            Some((chooser, newest)) => chooser.next(&mut self.client.random, *newest),
        };
        let mut delete = Delete::new(row_key(row)).durability(self.client.durability());
        for family in &self.client.columns.families {
            delete = delete.family(family);
        }
        let done = Done { rows: 1, bytes: delete.size() as u64, ..Done::default() };
        match &self.buffer {
            Some(buffer) => buffer.mutate(delete).await.map_err(failed)?,
            None => self.client.table.delete(delete).await.doing("delete")?,
        }
        Ok(Some(done))
    }

    async fn finish(&mut self) -> Result<Option<Done>> {
        match &self.buffer {
            Some(buffer) => buffer.flush().await.map_err(failed).map(|()| None),
            None => Ok(None),
        }
    }
}
