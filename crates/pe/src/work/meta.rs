//! Made-up regions of the table in `hbase:meta`: written, looked up, taken out again.

use super::{Client, Work};
use crate::error::{Doing, PeError, Result};
use crate::recorder::Done;
use finback_client::messages::RegionInfo as RegionMessage;
use finback_client::{Bytes, Delete, Message, Put, RegionInfo, Row, Scan, Table, TableName};
use std::time::{SystemTime, UNIX_EPOCH};

/// Where made-up regions are said to be: PerformanceEvaluation's. By this they are told from real ones.
const NOWHERE: &str = "localhost:60010";
/// What HBase writes before a message in a cell.
const MAGIC: &[u8] = b"PBUF";
/// Behind the ids of all regions.
const AFTER_IDS: &str = ":";

/// Regions with keys of as many digits as the number of rows has.
struct Regions {
    client: Client,
    digits: usize,
    rows: u64,
    table: TableName,
    meta: Table,
}

impl Regions {
    fn new(client: Client, meta: Table) -> Self {
        let rows = client.options.extent().of_client;
        let table = client.table.name().clone();
        Self { digits: rows.to_string().len(), rows, client, table, meta }
    }

    fn key(&self, number: u64) -> String {
        format!("{number:0digits$}", digits = self.digits)
    }

    /// The row of hbase:meta that has the region of a key.
    async fn look_up(&self, number: u64) -> Result<Option<Row>> {
        let from = format!("{},{},{AFTER_IDS}", self.table, self.key(number));
        let scan = Scan::new().starting_at(format!("{},", self.table)).ending_with(from).reversed();
        let mut scanner = self.meta.scan(scan.family("info").limit(1).caching(1)).doing("look up")?;
        scanner.next().await.doing("look up")
    }
}

/// `metaWrite`
pub(crate) struct MetaWrites(Regions);

impl MetaWrites {
    pub(crate) fn new(client: Client, meta: Table) -> Self {
        Self(Regions::new(client, meta))
    }
}

impl Work for MetaWrites {
    async fn step(&mut self, row: u64) -> Result<Option<Done>> {
        let Regions { client, table, meta, .. } = &mut self.0;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64);
        let start_code = (client.random.next() >> 1).to_be_bytes();
        let (table, meta) = (table.clone(), meta.clone());
        let [start, end] = [row, row + 1].map(|number| Bytes::from(self.0.key(number)));
        let region = RegionInfo::new(table, start, end, now);
        let name = region.name();
        let info = [MAGIC, &RegionMessage::from(&region).encode_to_vec()].concat();
        let new = Put::new(&name).column("info", "regioninfo", &info).column("info", "state", "CLOSED");
        let located = Put::new(&name)
            .column("info", "regioninfo", &info)
            .column("info", "server", NOWHERE)
            .column("info", "serverstartcode", start_code)
            .column("info", "seqnumDuringOpen", row.to_be_bytes());
        let bytes = (new.size() + located.size()) as u64;
        meta.put(new).await.doing("write to hbase:meta")?;
        meta.put(located).await.doing("write to hbase:meta")?;
        Ok(Some(Done { rows: 1, bytes, ..Done::default() }))
    }
}

/// `metaRandomRead`
pub(crate) struct MetaReads(Regions);

impl MetaReads {
    pub(crate) fn new(client: Client, meta: Table) -> Self {
        Self(Regions::new(client, meta))
    }
}

impl Work for MetaReads {
    async fn step(&mut self, _: u64) -> Result<Option<Done>> {
        let regions = &mut self.0;
        let sleep = regions.client.options.random_sleep;
        if !sleep.is_zero() {
            tokio::time::sleep(sleep.mul_f64(regions.client.random.fraction())).await;
        }
        let number = regions.client.random.below(regions.rows);
        let row = regions.look_up(number).await?;
        Ok(Some(regions.client.seen(row.as_ref())))
    }
}

/// `cleanMeta`
pub(crate) struct MetaCleans(Regions);

impl MetaCleans {
    pub(crate) fn new(client: Client, meta: Table) -> Self {
        Self(Regions::new(client, meta))
    }
}

impl Work for MetaCleans {
    /// Takes out the region of a key, if it is a made-up one: HBase's tool would take a real one.
    async fn step(&mut self, row: u64) -> Result<Option<Done>> {
        let regions = &self.0;
        let found = regions.look_up(row).await?;
        let made_up = found.filter(|row| row.value("info", "server") == Some(NOWHERE.as_bytes()));
        let Some(found) = made_up else { return Ok(Some(Done { missing: 1, ..Done::default() })) };
        if !found.key().starts_with(regions.table.to_string().as_bytes()) {
            let row = String::from_utf8_lossy(found.key()).into_owned();
            return Err(PeError::Integrity { row, reason: "a row of another table's region".to_owned() });
        }
        let delete = Delete::new(found.key()).family("info");
        regions.meta.delete(delete).await.doing("delete from hbase:meta")?;
        Ok(Some(Done { rows: 1, bytes: found.size() as u64, ..Done::default() }))
    }
}
