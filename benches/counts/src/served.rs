//! Calls of a client, from the bytes of the request to the bytes of the reply, through a region server without a socket.

#[path = "../../../crates/regionserver/examples/open_regions/mod.rs"]
mod open_regions;

use crate::Result;
use crate::cells::{FAMILY, QUALIFIER, row, value};
use crate::hot_path::HotPath;
use finback_cell::Bytes;
use finback_fs::{Faults, FaultyFileSystem, MemFileSystem};
use finback_proto::pb::mutation_proto::{
    ColumnValue, Durability, MutationType, column_value::QualifierValue,
};
use finback_proto::{Message, pb};
use finback_regionserver::{AdminService, ClientService, RegionServer};
use finback_rpc::{Channel, ChannelExt, Loopback, Request};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::runtime::{Runtime, RuntimeMetrics};

/// In the table, and in its store file.
const ROWS: usize = 4_000;
const ROWS_OF_SCAN: u32 = 1_000;
const GETS_OF_MULTI: usize = 10;
const COLUMNS_OF_WIDE_PUT: usize = 64;
/// What HBase's client asks for at most, in bytes of a reply.
const MAX_RESULT_BYTES: u64 = 2 << 20;
/// Steps from one row to the next: no factor of the number of rows, so that all come.
const STRIDE: usize = 1_237;
/// Longer than what the server has to do besides.
const PAUSE: Duration = Duration::from_millis(2);

/// A server on this thread, its disk in memory, and the call that is counted.
struct Served {
    runtime: Runtime,
    server: Arc<RegionServer>,
    disk: Faults,
    is_disk_slow: bool,
    channel: Loopback,
    region: pb::RegionSpecifier,
    request_of: fn(&Self, usize) -> Request,
    /// Rows that a reply has.
    check: fn(Bytes, Bytes) -> Result<()>,
    request: Request,
    reply: (Bytes, Bytes),
}

/// A get of a row in a store file whose blocks are in the cache.
pub(crate) fn get() -> Result<Box<dyn HotPath>> {
    let served = Served::new(Served::get_of, |message, _| {
        let cells = pb::GetResponse::decode(message)?.result.and_then(|result| result.associated_cell_count);
        assert_eq!(cells, Some(1));
        Ok(())
    })?;
    Ok(Box::new(served))
}

/// A multi of gets of rows in a store file whose blocks are in the cache.
pub(crate) fn multi_get() -> Result<Box<dyn HotPath>> {
    let served = Served::new(Served::multi_get_of, |message, _| {
        let results = pb::MultiResponse::decode(message)?.region_action_result;
        let answers = results.iter().flat_map(|of_region| &of_region.result_or_exception);
        let cells = |answer: &pb::ResultOrException| answer.result.as_ref()?.associated_cell_count;
        assert_eq!(answers.filter_map(cells).sum::<i32>(), GETS_OF_MULTI as i32);
        Ok(())
    })?;
    Ok(Box::new(served))
}

/// A put of many columns, which no log has.
pub(crate) fn wide_put() -> Result<Box<dyn HotPath>> {
    let served = Served::new(Served::wide_put_of, check_put)?;
    Ok(Box::new(served))
}

fn check_put(message: Bytes, _: Bytes) -> Result<()> {
    assert_ne!(pb::MutateResponse::decode(message)?.processed, Some(false));
    Ok(())
}

/// A put of one cell, which is on disk before the answer; what the log's own thread does is not counted.
pub(crate) fn put() -> Result<Box<dyn HotPath>> {
    let mut served = Served::new(|served, number| served.put_of(number, Durability::SyncWal), check_put)?;
    served.is_disk_slow = true;
    let disk = served.disk.clone();
    let metrics = served.runtime.metrics();
    thread::spawn(move || work_slowly(&disk, &metrics));
    Ok(Box::new(served))
}

/// Lets what the disk has to do wait until the only thread of the server waits for the disk: whether the log or the server comes
/// first would else be another matter in each call.
fn work_slowly(disk: &Faults, server: &RuntimeMetrics) {
    loop {
        thread::sleep(PAUSE);
        // Odd while the thread is parked.
        if disk.waiting() > 0 && server.worker_park_unpark_count(0) % 2 == 1 {
            disk.resume();
        }
    }
}

/// A scan, in one call, of rows in a store file whose blocks are in the cache.
pub(crate) fn scan() -> Result<Box<dyn HotPath>> {
    let served = Served::new(Served::scan_of, |message, _| {
        let response = pb::ScanResponse::decode(message)?;
        assert_eq!(response.cells_per_result.len(), ROWS_OF_SCAN as usize);
        Ok(())
    })?;
    Ok(Box::new(served))
}

impl Served {
    fn new(request_of: fn(&Self, usize) -> Request, check: fn(Bytes, Bytes) -> Result<()>) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let fs = FaultyFileSystem::new(Arc::new(MemFileSystem::new()));
        let disk = fs.faults();
        let opened = runtime.block_on(open_regions::open_regions(Arc::new(fs), Path::new("/"), 1));
        let channel = Loopback::new(Arc::new(ClientService::new(Arc::clone(&opened.server))));
        let region = pb::RegionSpecifier {
            r#type: pb::region_specifier::RegionSpecifierType::RegionName.into(),
            value: opened.region_name,
        };
        let (request, reply) = Default::default();
        let (server, is_disk_slow) = (opened.server, false);
        let mut served =
            Self { runtime, server, disk, is_disk_slow, channel, region, request_of, check, request, reply };
        served.fill()?;
        Ok(served)
    }

    /// Writes a store file of all rows, and reads it once.
    fn fill(&mut self) -> Result<()> {
        for number in 0..ROWS {
            self.request = self.put_of(number, Durability::SkipWal);
            self.call()?;
        }
        let admin = Loopback::new(Arc::new(AdminService::new(Arc::clone(&self.server))));
        let request = pb::FlushRegionRequest { region: self.region.clone(), ..Default::default() };
        let flush = admin.call::<_, pb::FlushRegionResponse>("FlushRegion", &request, Bytes::new());
        let (flushed, _) = self.runtime.block_on(flush)?;
        assert_eq!(flushed.flushed, Some(true));
        for number in 0..ROWS {
            self.request = self.get_of(number);
            self.call()?;
        }
        Ok(())
    }

    fn get_of(&self, number: usize) -> Request {
        let row = row(number * STRIDE % ROWS);
        let get = pb::Get { row, ..Default::default() };
        request("Get", &pb::GetRequest { region: self.region.clone(), get })
    }

    /// As HBase's client asks for rows of one region.
    fn multi_get_of(&self, number: usize) -> Request {
        let action = |index: usize| {
            let row = row((number * GETS_OF_MULTI + index) * STRIDE % ROWS);
            let get = Box::new(pb::Get { row, ..Default::default() });
            pb::Action { index: Some(index as u32), get: Some(get), ..Default::default() }
        };
        let of_region = pb::RegionAction {
            region: self.region.clone(),
            action: (0..GETS_OF_MULTI).map(action).collect(),
            ..Default::default()
        };
        request("Multi", &pb::MultiRequest { region_action: vec![of_region], ..Default::default() })
    }

    fn put_of(&self, number: usize, durability: Durability) -> Request {
        self.put_of_columns(number, durability, &[Bytes::from_static(QUALIFIER)])
    }

    fn wide_put_of(&self, number: usize) -> Request {
        let columns: Vec<Bytes> =
            (0..COLUMNS_OF_WIDE_PUT).map(|column| format!("column{column:02}").into()).collect();
        self.put_of_columns(number, Durability::SkipWal, &columns)
    }

    fn put_of_columns(&self, number: usize, durability: Durability, columns: &[Bytes]) -> Request {
        let number = number * STRIDE % ROWS;
        let value = |qualifier: &Bytes| QualifierValue {
            qualifier: Some(qualifier.clone()),
            value: Some(Bytes::copy_from_slice(&value(number))),
            ..Default::default()
        };
        let mutation = pb::MutationProto {
            row: Some(row(number)),
            mutate_type: Some(MutationType::Put.into()),
            durability: Some(durability.into()),
            column_value: vec![ColumnValue {
                family: Bytes::from_static(FAMILY),
                qualifier_value: columns.iter().map(value).collect(),
            }],
            ..Default::default()
        };
        request("Mutate", &pb::MutateRequest { region: self.region.clone(), mutation, ..Default::default() })
    }

    /// As HBase's client asks for the first rows of a scan.
    fn scan_of(&self, number: usize) -> Request {
        let scan = pb::Scan {
            start_row: Some(row(number * STRIDE % (ROWS - ROWS_OF_SCAN as usize))),
            max_result_size: Some(MAX_RESULT_BYTES),
            ..Default::default()
        };
        let scan = pb::ScanRequest {
            region: Some(self.region.clone()),
            scan: Some(scan),
            number_of_rows: Some(ROWS_OF_SCAN),
            limit_of_rows: Some(ROWS_OF_SCAN),
            client_handles_partials: Some(true),
            client_handles_heartbeats: Some(true),
            close_scanner: Some(true),
            ..Default::default()
        };
        request("Scan", &scan)
    }
}

fn request(method: &'static str, message: &impl Message) -> Request {
    Request { method, param: message.encode_to_vec().into(), ..Request::default() }
}

impl HotPath for Served {
    fn prepare(&mut self, number: usize) -> Result<()> {
        self.request = (self.request_of)(self, number);
        // What else the server has to do on this thread is done, and the log's thread has come to rest.
        self.runtime.block_on(async { tokio::time::sleep(PAUSE).await });
        if self.is_disk_slow {
            self.disk.pause();
        }
        Ok(())
    }

    fn call(&mut self) -> Result<()> {
        let request = std::mem::take(&mut self.request);
        self.reply = self.runtime.block_on(self.channel.call_encoded(request))?;
        Ok(())
    }

    fn check(&mut self) -> Result<()> {
        let (message, cells) = std::mem::take(&mut self.reply);
        (self.check)(message, cells)
    }
}
