//! What recording costs: the same reads, one after the other on one thread, with metrics on and off in turn; and, where
//! there is a Valgrind, how many instructions each takes.
//!
//! `cargo run --release -p finback-regionserver --example bench_metrics -- [SECONDS]`

mod open_regions;

use finback_cell::Bytes;
use finback_fs::MemFileSystem;
use finback_proto::pb;
use finback_regionserver::ClientService;
use finback_rpc::{Channel, ChannelExt, ConnectOptions, Loopback, Server, SocketChannel};
use rustix::time::{ClockId, clock_gettime};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

const ROWS: usize = 10_000;
const VALUE_BYTES: usize = 100;
/// How long each kind of read is measured, unless told otherwise.
const SECONDS: u64 = 10;
/// Processor time of one round, on or off: short, so that both meet the same weather.
const ROUND: Duration = Duration::from_millis(10);
/// Reads in a run under Valgrind, of the shortest kind.
const COUNTED_READS: usize = 2_000;
/// Runs under Valgrind, of which the least is told: what the server does now and then comes between.
const COUNTS: usize = 3;
/// The function whose instructions Valgrind counts.
const COUNTED: &str = "*counted_reads*";

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Read {
    WholeTable,
    Rows(u32),
    Get,
}

const READS: [(&str, Read); 4] = [
    ("scan of all rows", Read::WholeTable),
    ("scan of 100 rows", Read::Rows(100)),
    ("scan of 1 row", Read::Rows(1)),
    ("get of 1 row", Read::Get),
];

/// How the service is called.
const WAYS: [&str; 2] = ["socket", "direct"];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["--count", way, read, state] = words[..] {
        let read = READS[read.parse::<usize>()?].1;
        return count(way, read, state == "on");
    }
    let seconds = words.first().map_or(Ok(SECONDS), |text| text.parse())?;
    println!(
        "| reads, one thread | calls | rows a read | CPU µs a read, off | on | more | instructions a read, off | on | more |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for way in WAYS {
        let bench = Bench::new(way)?;
        for (index, (name, read)) in READS.into_iter().enumerate() {
            let times = bench.times(read, Duration::from_secs(seconds));
            let instructions = match (instructions(way, index, "off"), instructions(way, index, "on")) {
                (Some(off), Some(on)) => format!("{off} | {on} | {:.2} %", more(off as f64, on as f64)),
                _ => "no Valgrind | | ".to_owned(),
            };
            println!("| {name} | {way} | {} | {times} | {instructions} |", bench.rows_of(read));
        }
    }
    Ok(())
}

fn more(off: f64, on: f64) -> f64 {
    (on / off - 1.0) * 100.0
}

/// Reads under Valgrind.
fn count(way: &str, read: Read, on: bool) -> Result<()> {
    finback_metrics::record(on);
    let bench = Bench::new(way)?;
    // What happens once has happened.
    (0..3).for_each(|_| bench.read(read));
    counted_reads(&bench, read, reads_to_count(read));
    Ok(())
}

fn reads_to_count(read: Read) -> usize {
    if read == Read::WholeTable { 5 } else { COUNTED_READS }
}

#[inline(never)]
fn counted_reads(bench: &Bench, read: Read, times: usize) {
    for _ in 0..times {
        bench.read(read);
    }
}

/// Instructions of a read, counted by Valgrind; none without one.
fn instructions(way: &str, read: usize, state: &str) -> Option<u64> {
    (0..COUNTS).filter_map(|_| count_instructions(way, read, state)).min()
}

fn count_instructions(way: &str, read: usize, state: &str) -> Option<u64> {
    let counted = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no"])
        .arg(format!("--toggle-collect={COUNTED}"))
        .arg(std::env::current_exe().ok()?)
        .args(["--count", way, &read.to_string(), state])
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&counted.stderr);
    let line = said.lines().find_map(|line| line.split_once("Collected : "))?.1;
    let all: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(all / reads_to_count(READS[read].1) as u64)
}

/// A server with a table of one region, all in memory, and a client on the same thread.
struct Bench {
    runtime: Runtime,
    channel: Box<dyn Channel>,
    region: Bytes,
}

impl Bench {
    fn new(way: &str) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let fs = Arc::new(MemFileSystem::new());
        let opened = runtime.block_on(open_regions::open_regions(fs, Path::new("/"), 1));
        let region = opened.region_name.clone();
        let service = Arc::new(ClientService::new(opened.server));
        let channel: Box<dyn Channel> = if way == "direct" {
            Box::new(Loopback::new(service))
        } else {
            let options = ConnectOptions { service: "ClientService".into(), user: "bench".into() };
            runtime.block_on(async {
                let listener = finback_rpc::bind(([127, 0, 0, 1], 0).into())?;
                let address = listener.local_addr()?;
                let server = Server::builder().service(service).build();
                tokio::spawn(async move { server.serve(listener, std::future::pending()).await });
                SocketChannel::connect(address, &options).await.map(Box::new)
            })?
        };
        let bench = Self { runtime, channel, region };
        (0..ROWS).for_each(|row| bench.put(row));
        Ok(bench)
    }

    fn specifier(&self) -> pb::RegionSpecifier {
        pb::RegionSpecifier {
            r#type: pb::region_specifier::RegionSpecifierType::RegionName.into(),
            value: self.region.clone(),
        }
    }

    fn put(&self, row: usize) {
        use pb::mutation_proto::{ColumnValue, Durability, MutationType, column_value::QualifierValue};
        let value = QualifierValue {
            qualifier: Some(Bytes::from_static(b"q")),
            value: Some(vec![b'v'; VALUE_BYTES].into()),
            ..Default::default()
        };
        let request = pb::MutateRequest {
            region: self.specifier(),
            mutation: pb::MutationProto {
                row: Some(row_key(row)),
                mutate_type: Some(MutationType::Put.into()),
                durability: Some(Durability::SkipWal.into()),
                column_value: vec![ColumnValue {
                    family: Bytes::from_static(b"f"),
                    qualifier_value: vec![value],
                }],
                ..Default::default()
            },
            ..Default::default()
        };
        let call = self.channel.call::<_, pb::MutateResponse>("Mutate", &request, Bytes::new());
        self.runtime.block_on(call).expect("a put");
    }

    fn rows_of(&self, read: Read) -> usize {
        match read {
            Read::WholeTable => ROWS,
            Read::Rows(rows) => rows as usize,
            Read::Get => 1,
        }
    }

    /// Reads once, and checks how much came.
    fn read(&self, read: Read) {
        let rows = match read {
            Read::Get => self.get(),
            Read::WholeTable => self.scan(u32::MAX, 0),
            Read::Rows(rows) => self.scan(rows, rows),
        };
        assert_eq!(rows, self.rows_of(read), "{read:?}");
    }

    fn get(&self) -> usize {
        let get = pb::Get { row: row_key(ROWS / 2), ..Default::default() };
        let request = pb::GetRequest { region: self.specifier(), get };
        let call = self.channel.call::<_, pb::GetResponse>("Get", &request, Bytes::new());
        let (response, _) = self.runtime.block_on(call).expect("a get");
        response.result.and_then(|result| result.associated_cell_count).unwrap_or(0) as usize
    }

    /// As HBase's client scans: the first call opens the scanner, and goes on until there is no more.
    fn scan(&self, rows_of_call: u32, limit: u32) -> usize {
        let mut request = pb::ScanRequest {
            region: Some(self.specifier()),
            scan: Some(pb::Scan {
                start_row: Some(row_key(0)),
                max_result_size: Some(2 << 20),
                ..Default::default()
            }),
            number_of_rows: Some(rows_of_call),
            limit_of_rows: Some(limit),
            client_handles_partials: Some(true),
            client_handles_heartbeats: Some(true),
            ..Default::default()
        };
        let mut rows = 0;
        for number in 0.. {
            let call = self.channel.call::<_, pb::ScanResponse>("Scan", &request, Bytes::new());
            let (response, _) = self.runtime.block_on(call).expect("a scan");
            rows += response.cells_per_result.len();
            if !response.more_results() || !response.more_results_in_region() {
                break;
            }
            (request.region, request.scan) = (None, None);
            (request.scanner_id, request.next_call_seq) = (response.scanner_id, Some(number));
        }
        rows
    }

    /// Processor time with metrics off and on, in turn.
    fn times(&self, read: Read, how_long: Duration) -> Times {
        let reads = self.reads_of_a_round(read);
        let (mut off, mut on) = (Vec::new(), Vec::new());
        let until = Instant::now() + how_long;
        while Instant::now() < until || on.is_empty() {
            // Which comes first alternates too.
            let mut states = [(false, &mut off), (true, &mut on)];
            if states[0].1.len() % 2 == 1 {
                states.reverse();
            }
            for (state, times) in states {
                finback_metrics::record(state);
                let begun = processor_time();
                (0..reads).for_each(|_| self.read(read));
                times.push((processor_time() - begun).as_secs_f64() / reads as f64);
            }
        }
        Times { off, on }
    }

    fn reads_of_a_round(&self, read: Read) -> usize {
        let begun = processor_time();
        let mut reads = 0;
        while processor_time() - begun < ROUND {
            self.read(read);
            reads += 1;
        }
        reads
    }
}

/// Seconds of rounds.
struct Times {
    off: Vec<f64>,
    on: Vec<f64>,
}

impl std::fmt::Display for Times {
    /// Of the median of rounds; and by how much the round with metrics took longer than that beside it, in the median of pairs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let pairs = self.off.iter().zip(&self.on).map(|(off, on)| more(*off, *on));
        let (off, on) = (median(self.off.iter().copied()), median(self.on.iter().copied()));
        write!(f, "{:.2} | {:.2} | {:+.2} %", off * 1e6, on * 1e6, median(pairs))
    }
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn row_key(row: usize) -> Bytes {
    format!("{row:08}").into()
}

/// Of all threads of this process.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
