//! YCSB's records: loaded, then worked on as a workload says.

use super::{Client, Work};
use crate::distribution::Chooser;
use crate::error::{Doing, PeError, Result};
use crate::recorder::Done;
use crate::ycsb::{Inserted, Plan, key};
use finback_client::{BufferedMutator, BufferedMutatorOptions, Get, Put, Row, Scan, StringBinary};
use std::sync::Arc;

/// Names of what a workload does, by their places.
pub(crate) const OPERATIONS: [&str; 5] = ["READ", "UPDATE", "INSERT", "SCAN", "READ-MODIFY-WRITE"];
const READ: usize = 0;
const UPDATE: usize = 1;
const INSERT: usize = 2;
const SCAN: usize = 3;
const READ_MODIFY_WRITE: usize = 4;

/// How often a record is chosen that turns out not to be there yet, before the newest is taken.
const MAX_CHOICES: u32 = 1000;

/// What one client needs to work on records.
pub(crate) struct Records {
    client: Client,
    plan: Arc<Plan>,
    buffer: Option<BufferedMutator>,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl Records {
    pub(crate) fn new(client: Client, plan: Arc<Plan>) -> Self {
        let buffer = plan.buffering.map(|buffer_bytes| {
            client.table.buffered_mutator_with(BufferedMutatorOptions {
                buffer_bytes,
                ..BufferedMutatorOptions::default()
            })
        });
        Self { client, plan, buffer, key: Vec::new(), value: Vec::new() }
    }

    fn set_key(&mut self, number: u64) {
        self.key.clear();
        key(&mut self.key, number, self.plan.ordered, self.plan.zero_padding);
    }

    /// Writes all fields of the record of `key`, or one.
    async fn write(&mut self, field: Option<usize>) -> Result<Done> {
        let Self { client, plan, key, value, .. } = self;
        let fields = match field {
            Some(field) => &plan.fields.names[field..=field],
            None => &plan.fields.names[..],
        };
        let mut put = Put::new(&*key).durability(plan.durability);
        for field in fields {
            let length = plan.field_length(&mut client.random);
            plan.fields.fill(value, key, field, length, &mut client.random);
            put = put.column(&plan.family, field, &*value);
        }
        let done = Done { rows: 1, bytes: put.size() as u64, ..Done::default() };
        match &self.buffer {
            Some(buffer) => buffer.mutate(put).await.map_err(super::writes::failed)?,
            None => self.client.table.put(put).await.doing("write")?,
        }
        Ok(done)
    }

    fn some_field(&mut self) -> usize {
        self.client.random.below(self.plan.fields.names.len() as u64) as usize
    }

    /// Reads the record of `key`: all of it, or one field.
    async fn read(&mut self) -> Result<Done> {
        let get = match self.plan.read_all {
            true => Get::new(&self.key).family(&self.plan.family),
            false => {
                let field = self.some_field();
                Get::new(&self.key).column(&self.plan.family, &self.plan.fields.names[field])
            }
        };
        let row = self.client.table.get(get).await.doing("read")?;
        if self.plan.fields.verifiable {
            self.verify(row.as_ref())?;
        }
        Ok(self.client.seen(row.as_ref()))
    }

    fn verify(&self, row: Option<&Row>) -> Result<()> {
        let wrong = |reason: String| PeError::Integrity { row: StringBinary(&self.key).to_string(), reason };
        let row = row.ok_or_else(|| wrong("is not there".to_owned()))?;
        for cell in row.cells() {
            let field = String::from_utf8_lossy(cell.qualifier());
            if !self.plan.fields.is_right(cell.value(), &self.key, &field) {
                return Err(wrong(format!("{field} has a value that was not written")));
            }
        }
        Ok(())
    }

    async fn update(&mut self) -> Result<Done> {
        let field = (!self.plan.write_all).then(|| self.some_field());
        self.write(field).await
    }

    async fn scan(&mut self) -> Result<Done> {
        let length = self.plan.scan_length(&mut self.client.random) as u64;
        let mut scan = Scan::new().starting_at(&self.key).limit(length);
        scan = scan.caching(u32::try_from(length).unwrap_or(u32::MAX));
        scan = match self.plan.read_all {
            true => scan.family(&self.plan.family),
            false => {
                let field = self.some_field();
                scan.column(&self.plan.family, &self.plan.fields.names[field])
            }
        };
        super::range_scans::read_all(&self.client, scan).await
    }

    async fn send(&self) -> Result<()> {
        match &self.buffer {
            Some(buffer) => buffer.flush().await.map_err(super::writes::failed),
            None => Ok(()),
        }
    }
}

/// `ycsbLoad`: inserts the records whose numbers it is told.
impl Work for Records {
    async fn step(&mut self, number: u64) -> Result<Option<Done>> {
        self.set_key(number);
        Ok(Some(Done { operation: INSERT, ..self.write(None).await? }))
    }

    async fn finish(&mut self) -> Result<Option<Done>> {
        self.send().await.map(|()| None)
    }
}

/// `workloadA` and its kin.
pub(crate) struct Ycsb {
    records: Records,
    chooser: Chooser,
    inserted: Inserted,
}

impl Ycsb {
    pub(crate) fn new(records: Records, chooser: Chooser, inserted: Inserted) -> Self {
        Self { records, chooser, inserted }
    }

    /// Sets the key of a record that is there.
    fn choose(&mut self) {
        let count = self.inserted.count();
        let newest = count.saturating_sub(1);
        let random = &mut self.records.client.random;
        // The chooser knows of records that are still to come.
        let chosen =
            (0..MAX_CHOICES).map(|_| self.chooser.next(random, newest)).find(|&number| number < count);
        self.records.set_key(chosen.unwrap_or(newest));
    }

    fn operation(&mut self) -> usize {
        let chance = self.records.client.random.fraction();
        self.records.plan.shares.iter().position(|&share| chance < share).unwrap_or(READ)
    }

    async fn insert(&mut self) -> Result<Done> {
        let number = self.inserted.take();
        self.records.set_key(number);
        let done = self.records.write(None).await?;
        self.inserted.acknowledge(number);
        Ok(done)
    }

    async fn read_modify_write(&mut self) -> Result<Done> {
        let read = self.records.read().await?;
        Ok(read.and(self.records.update().await?))
    }
}

impl Work for Ycsb {
    async fn step(&mut self, _: u64) -> Result<Option<Done>> {
        let operation = self.operation();
        if operation != INSERT {
            self.choose();
        }
        let done = match operation {
            UPDATE => self.records.update().await?,
            INSERT => self.insert().await?,
            SCAN => self.records.scan().await?,
            READ_MODIFY_WRITE => self.read_modify_write().await?,
            _ => self.records.read().await?,
        };
        Ok(Some(Done { operation, ..done }))
    }

    async fn finish(&mut self) -> Result<Option<Done>> {
        self.records.send().await.map(|()| None)
    }
}
