//! Many clients at once: each has a scan open, and one request in flight; some ask for much and read nothing.

use crate::client::{Client, FAMILY, QUALIFIER, Table};
use crate::raw_client::{opening, request};
use crate::running_server::LONG;
use bytes::Bytes;
use finback_cell::CellBlock;
use finback_proto::pb::mutation_proto::{ColumnValue, MutationType, column_value::QualifierValue};
use finback_proto::{Message, convert, pb};
use finback_rpc::{ChannelExt, ConnectOptions, RpcException, SocketChannel};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Bytes of each row's value.
const VALUE_BYTES: usize = 100;
/// Rows in a request that fills the table.
const ROWS_OF_BATCH: usize = 1000;
/// How long a client that was told to come back waits first, and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// Requests that a client which reads nothing sends before it looks on.
const UNREAD_REQUESTS: usize = 50;

/// A table whose rows are the numbers from 0 on.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) address: SocketAddr,
    pub(crate) region: pb::RegionSpecifier,
    pub(crate) rows: usize,
}

fn row(number: usize) -> String {
    format!("{number:08}")
}

fn value(number: usize) -> Vec<u8> {
    let mut value = row(number).into_bytes();
    value.resize(VALUE_BYTES, b'v');
    value
}

/// Fills a table, and flushes it.
pub(crate) async fn fill(client: &Client, table: &Table<'_>, rows: usize) {
    for first in (0..rows).step_by(ROWS_OF_BATCH) {
        let action = (first..rows.min(first + ROWS_OF_BATCH)).map(|number| {
            let value = QualifierValue {
                qualifier: Some(QUALIFIER.into()),
                value: Some(value(number).into()),
                ..Default::default()
            };
            let mutation = pb::MutationProto {
                row: Some(row(number).into()),
                mutate_type: Some(MutationType::Put.into()),
                column_value: vec![ColumnValue { family: FAMILY.into(), qualifier_value: vec![value] }],
                ..Default::default()
            };
            pb::Action { mutation: Some(mutation), ..Default::default() }
        });
        let action =
            pb::RegionAction { region: table.region.clone(), action: action.collect(), ..Default::default() };
        let multi = pb::MultiRequest { region_action: vec![action], ..Default::default() };
        let (answer, _): (pb::MultiResponse, _) = client.ask("Multi", &multi).await.unwrap();
        let results = &answer.region_action_result[0];
        assert!(results.exception.is_none());
        assert!(results.result_or_exception.iter().all(|result| result.exception.is_none()));
    }
    table.flush().await.unwrap();
}

/// What the well-behaved clients met.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) rows: AtomicUsize,
    pub(crate) gets: AtomicUsize,
    /// How often they were told to come back.
    pub(crate) put_off: AtomicUsize,
}

/// One well-behaved client, with a connection of its own.
pub(crate) struct Member {
    target: Target,
    channel: SocketChannel,
    tally: Arc<Tally>,
}

impl Member {
    pub(crate) async fn connect(target: &Target, tally: &Arc<Tally>) -> Self {
        let options = ConnectOptions { service: "ClientService".to_owned(), user: "member".to_owned() };
        let channel = SocketChannel::connect(target.address, &options).await.unwrap();
        Self { target: target.clone(), channel, tally: Arc::clone(tally) }
    }

    /// Asks until it is answered, as HBase's clients do. Whatever is not a request to come back is a loss.
    async fn ask<Q: Message, A: Message + Default>(&self, method: &'static str, request: &Q) -> (A, Bytes) {
        let (begun, mut pause) = (Instant::now(), FIRST_PAUSE);
        loop {
            let answer: Result<_, RpcException> =
                self.channel.call_within(LONG, method, request, Bytes::new()).await;
            match answer {
                Ok(answer) => return answer,
                Err(refused) => {
                    let comes_back = refused.simple_class() == "CallQueueTooBigException";
                    assert!(comes_back && begun.elapsed() < LONG, "{method}: {refused}");
                }
            }
            self.tally.put_off.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Gets one row, and looks at it. How long that took.
    pub(crate) async fn get(&self, number: usize) -> Duration {
        let get = pb::Get { row: row(number).into(), ..Default::default() };
        let request = pb::GetRequest { region: self.target.region.clone(), get };
        let begun = Instant::now();
        let (response, mut block): (pb::GetResponse, _) = self.ask("Get", &request).await;
        let took = begun.elapsed();
        let cells = convert::decode_result(&response.result.unwrap_or_default(), &mut block).unwrap();
        assert_eq!(cells.iter().next().expect("the row is lost").value(), value(number));
        self.tally.gets.fetch_add(1, Ordering::Relaxed);
        took
    }

    /// Scans the table, `rows_of_call` at a time, with one get between two calls, until all rows came, each once and in its
    /// place, or until `stop`.
    pub(crate) async fn scan(&self, rows_of_call: u32, first_get: usize, stop: &AtomicBool) {
        let (mut scan, mut next_get) = (OpenScan::new(&self.target, rows_of_call), first_get);
        while !stop.load(Ordering::Relaxed) {
            let before = scan.next;
            let is_done = scan.take(self.ask("Scan", &scan.request).await);
            self.tally.rows.fetch_add(scan.next - before, Ordering::Relaxed);
            if is_done {
                assert_eq!(scan.next, self.target.rows, "rows are lost");
                return;
            }
            next_get = (next_get * 31 + 7) % self.target.rows;
            self.get(next_get).await;
        }
    }
}

/// A scan of all rows, and how far it came.
struct OpenScan {
    request: pb::ScanRequest,
    next: usize,
}

impl OpenScan {
    fn new(target: &Target, rows_of_call: u32) -> Self {
        let request = pb::ScanRequest {
            region: Some(target.region.clone()),
            scan: Some(pb::Scan::default()),
            number_of_rows: Some(rows_of_call),
            client_handles_partials: Some(true),
            client_handles_heartbeats: Some(true),
            ..Default::default()
        };
        Self { request, next: 0 }
    }

    /// Takes an answer: every row must come, once and in order. Whether it was the last.
    fn take(&mut self, (response, block): (pb::ScanResponse, Bytes)) -> bool {
        for cell in CellBlock::parse(block).unwrap().iter() {
            assert_eq!((cell.row(), cell.value()), (row(self.next).as_bytes(), &*value(self.next)));
            self.next += 1;
        }
        let sequence = self.request.next_call_seq.map_or(0, |sequence| sequence + 1);
        self.request = pb::ScanRequest {
            scanner_id: response.scanner_id,
            next_call_seq: Some(sequence),
            region: None,
            scan: None,
            ..self.request.clone()
        };
        !response.more_results_in_region()
    }
}

/// Clients that ask for all rows, again and again, and read nothing; when they are cut off they come back.
pub(crate) fn deaf(target: &Target, count: usize) -> JoinSet<()> {
    let scan = pb::ScanRequest {
        region: Some(target.region.clone()),
        scan: Some(pb::Scan { max_result_size: Some(u64::MAX >> 1), ..pb::Scan::default() }),
        number_of_rows: Some(i32::MAX as u32),
        client_handles_partials: Some(true),
        client_handles_heartbeats: Some(true),
        ..Default::default()
    };
    let scan = scan.encode_to_vec();
    let scans: Vec<u8> =
        (0..UNREAD_REQUESTS).flat_map(|call_id| request(call_id as u32, "Scan", &scan)).collect();
    let bytes: Arc<[u8]> = [opening("ClientService"), scans].concat().into();
    let mut clients = JoinSet::new();
    for _ in 0..count {
        let (bytes, address) = (Arc::clone(&bytes), target.address);
        clients.spawn(async move {
            loop {
                let Ok(mut stream) = TcpStream::connect(address).await else { continue };
                // It may be cut off in the middle of it.
                let _ = stream.write_all(&bytes).await;
                // Ends when the server closes: nothing is read, but an end is noticed.
                while stream.ready(tokio::io::Interest::ERROR | tokio::io::Interest::READABLE).await.is_ok() {
                    let mut some = [0; 1];
                    if !matches!(stream.peek(&mut some).await, Ok(bytes) if bytes > 0) {
                        break;
                    }
                    tokio::time::sleep(Duration::from_millis(200)).await;
                }
            }
        });
    }
    clients
}
