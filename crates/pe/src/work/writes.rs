//! Writes of rows: gathered in a buffer, in lists, or one at a time.

use super::{Client, Work};
use crate::distribution::Chooser;
use crate::error::{Doing, PeError, Result};
use crate::recorder::Done;
use crate::row_key::row_key;
use crate::row_value::{Values, fill};
use finback_cell::tag::write_tag;
use finback_client::{BufferedMutator, BufferedMutatorOptions, FailedWrites, Put};

/// Bytes of a tag: PerformanceEvaluation's `TAG_LENGTH`.
const TAG_LENGTH: usize = 256;
/// Buffers of one client that are on their way, or being filled, at the same time.
const BUFFERS: usize = 4;

/// `randomWrite`, `sequentialWrite`.
pub(crate) struct Writes {
    client: Client,
    chooser: Option<(Chooser, u64)>,
    values: Values,
    gathered: Vec<Put>,
    /// What the gathered puts come to.
    sum: Done,
    buffer: Option<BufferedMutator>,
    tag: Vec<u8>,
    tags: Vec<u8>,
}

impl Writes {
    pub(crate) fn new(client: Client, chooser: Option<(Chooser, u64)>, buffered: bool) -> Result<Self> {
        let buffer = (buffered && !client.options.auto_flush).then(|| buffer(&client));
        let values = Values::new(&client.options)?;
        Ok(Self {
            client,
            chooser,
            values,
            gathered: Vec::new(),
            sum: Done::default(),
            buffer,
            tag: Vec::new(),
            tags: Vec::new(),
        })
    }

    fn put(&mut self, row: u64) -> Put {
        let Self { client, values, tag, tags, .. } = self;
        let mut put = Put::new(row_key(row)).durability(client.durability());
        for (family, qualifier) in client.columns.each() {
            let value = values.next(&mut client.random);
            if client.options.value_sizes != crate::options::ValueSize::Fixed {
                client.recorder.value(value.len());
            }
            if !client.options.use_tags {
                put = put.column(family, qualifier, value);
                continue;
            }
            fill(tag, TAG_LENGTH, &mut client.random);
            tags.clear();
            (0..client.options.tags).for_each(|number| write_tag(tags, number as u8, tag));
            put = put.tagged_column(family, qualifier, value, tags);
        }
        put
    }

    async fn write_gathered(&mut self) -> Result<Done> {
        self.client.table.put_all(self.gathered.drain(..)).await.doing("write")?;
        Ok(std::mem::take(&mut self.sum))
    }
}

/// A buffer as the options want it.
pub(super) fn buffer(client: &Client) -> BufferedMutator {
    let buffer_bytes = client.options.buffer_size;
    client.table.buffered_mutator_with(BufferedMutatorOptions {
        buffer_bytes,
        max_pending_bytes: buffer_bytes.saturating_mul(BUFFERS),
        ..BufferedMutatorOptions::default()
    })
}

/// The first of the failures.
pub(super) fn failed(mut failures: FailedWrites) -> PeError {
    if failures.failures.is_empty() {
        return PeError::Table(failures.to_string());
    }
    let (_, source) = failures.failures.swap_remove(0);
    PeError::Cluster { doing: format!("write ({} failed)", failures.count), source: Box::new(source) }
}

impl Work for Writes {
    async fn step(&mut self, row: u64) -> Result<Option<Done>> {
        let row = match &mut self.chooser {
            None => row,
            Some((chooser, newest)) => chooser.next(&mut self.client.random, *newest),
        };
        let put = self.put(row);
        let done = Done { rows: 1, bytes: put.size() as u64, ..Done::default() };
        if let Some(buffer) = &self.buffer {
            buffer.mutate(put).await.map_err(failed)?;
            return Ok(Some(done));
        }
        let together = self.client.options.multi_put;
        if together == 0 {
            self.client.table.put(put).await.doing("write")?;
            return Ok(Some(done));
        }
        self.gathered.push(put);
        self.sum = self.sum.and(done);
        match self.gathered.len() >= together {
            true => self.write_gathered().await.map(Some),
            false => Ok(None),
        }
    }

    async fn finish(&mut self) -> Result<Option<Done>> {
        match &self.buffer {
            Some(buffer) => buffer.flush().await.map_err(failed).map(|()| None),
            None if self.gathered.is_empty() => Ok(None),
            None => self.write_gathered().await.map(Some),
        }
    }
}
