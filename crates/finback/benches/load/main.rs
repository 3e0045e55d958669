//! Thousands of clients at once: what gets take alone, and beside scans of more and more rows.
//!
//! `cargo bench -p finback --bench load -- [CONNECTIONS] [SECONDS]`: starts a server on a directory of its own, fills a table,
//! and prints a line for each kind of load, of so many seconds. In each, a few clients with threads of their own get a row
//! every now and then, whatever the others do; theirs are the times. The others have a scan open and one request in flight
//! each; for every ten of them there is one that asks for all rows again and again, and reads nothing.

#[path = "../../tests/server/client.rs"]
#[allow(dead_code, unreachable_pub, reason = "tests use the rest")]
mod client;
#[path = "../../tests/server/crowd.rs"]
mod crowd;
#[path = "../../tests/server/raw_client.rs"]
#[allow(dead_code, reason = "tests use the rest")]
mod raw_client;
#[path = "../../tests/server/running_server.rs"]
#[allow(dead_code, reason = "tests use the rest")]
mod running_server;

use client::Client;
use crowd::{Member, Tally, Target, deaf, fill};
use running_server::{Place, RunningServer};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

const CONNECTIONS: usize = 2000;
const SECONDS: u64 = 10;
const ROWS: usize = 100_000;
/// Clients whose gets are measured, and how often each of them gets a row.
const PROBES: usize = 10;
const PROBE_PAUSE: Duration = Duration::from_millis(10);
/// Of the server. It must have room for the connections, which get a part of it.
const MEMORY_LIMIT: &str = "finback.memory.limit=1536m";

/// What the connections do.
#[derive(Clone, Copy)]
enum Load {
    Nothing,
    /// Gets, one after the other.
    Gets,
    /// Scans of so many rows in a call, and a get between two calls.
    Scans(u32),
}

fn main() {
    // Behind those that cargo gives every benchmark.
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse::<usize>().ok());
    let connections = numbers.next().unwrap_or(CONNECTIONS);
    let length = Duration::from_secs(numbers.next().map_or(SECONDS, |seconds| seconds as u64));
    let place = Place::new();
    let server = place.start_with(&[MEMORY_LIMIT]);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let target = runtime.block_on(async {
        let client = Client::of(&server).await;
        let table = client.create_table("t").await;
        fill(&client, &table, ROWS).await;
        Target { address: server.regionserver(), region: table.region.clone(), rows: ROWS }
    });
    println!("{connections} connections, {ROWS} rows, {MEMORY_LIMIT}, {} s for each load", length.as_secs());
    println!(
        "{:<34} {:>9} {:>9} {:>9} {:>9} {:>10} {:>8} {:>8}",
        "load", "p50 ms", "p99 ms", "max ms", "gets/s", "rows/s", "put off", "MiB"
    );
    let bench = Bench { server, target, runtime, length };
    bench.run("gets alone", Load::Nothing, 0, 0);
    bench.run("beside gets", Load::Gets, connections, 0);
    for rows in [10, 100, 1000] {
        bench.run(&format!("beside scans of {rows} rows"), Load::Scans(rows), connections, 0);
    }
    bench.run("... and of clients that do not read", Load::Scans(1000), connections, connections / 10);
    let most = bench.server.memory_kib("VmHWM") >> 10;
    println!("memory of the server at its highest: {most} MiB");
    bench.server.stop();
}

struct Bench {
    server: RunningServer,
    target: Target,
    runtime: tokio::runtime::Runtime,
    length: Duration,
}

impl Bench {
    fn run(&self, name: &str, load: Load, connections: usize, deaf_clients: usize) {
        let (tally, stop) = (Arc::new(Tally::default()), Arc::new(AtomicBool::new(false)));
        let deaf = self.runtime.block_on(async { deaf(&self.target, deaf_clients) });
        let mut members = self.runtime.block_on(self.members(load, connections, &tally, &stop));
        // The first requests of all come at once.
        std::thread::sleep(Duration::from_secs(1));
        let before = (tally.gets.load(Ordering::Relaxed), tally.rows.load(Ordering::Relaxed));
        let begun = Instant::now();
        let mut latencies = self.probe();
        let seconds = begun.elapsed().as_secs_f64();
        let gets = tally.gets.load(Ordering::Relaxed) - before.0;
        let rows = tally.rows.load(Ordering::Relaxed) - before.1;
        stop.store(true, Ordering::Relaxed);
        // A panic of one of them is a request that was lost.
        self.runtime.block_on(async { while members.join_next().await.transpose().unwrap().is_some() {} });
        drop(deaf);
        latencies.sort_unstable();
        let ms = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
        println!(
            "{name:<34} {:>9.2} {:>9.2} {:>9.2} {:>9.0} {:>10.0} {:>8} {:>8}",
            ms(0.5),
            ms(0.99),
            ms(1.0),
            gets as f64 / seconds,
            rows as f64 / seconds,
            tally.put_off.load(Ordering::Relaxed),
            self.server.memory_kib("VmRSS") >> 10,
        );
    }

    async fn members(
        &self,
        load: Load,
        count: usize,
        tally: &Arc<Tally>,
        stop: &Arc<AtomicBool>,
    ) -> JoinSet<()> {
        let mut members = JoinSet::new();
        for number in 0..count {
            let member = Member::connect(&self.target, tally).await;
            let (stop, rows) = (Arc::clone(stop), self.target.rows);
            members.spawn(async move {
                match load {
                    Load::Scans(rows_of_call) => {
                        while !stop.load(Ordering::Relaxed) {
                            member.scan(rows_of_call, number, &stop).await;
                        }
                    }
                    Load::Gets | Load::Nothing => {
                        let mut next = number;
                        while !stop.load(Ordering::Relaxed) {
                            next = (next * 31 + 7) % rows;
                            member.get(next).await;
                        }
                    }
                }
            });
        }
        members
    }

    /// Gets at their times, from a thread of its own, whose work is nothing else: how long each took.
    fn probe(&self) -> Vec<Duration> {
        let (target, length) = (self.target.clone(), self.length);
        let probing = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let mut probes = JoinSet::new();
                for number in 0..PROBES {
                    let probe = Member::connect(&target, &Arc::default()).await;
                    let rows = target.rows;
                    probes.spawn(async move {
                        let (mut latencies, mut next) = (Vec::new(), number);
                        let mut times = tokio::time::interval(PROBE_PAUSE);
                        let until = Instant::now() + length;
                        while Instant::now() < until {
                            times.tick().await;
                            next = (next * 31 + 7) % rows;
                            latencies.push(probe.get(next).await);
                        }
                        latencies
                    });
                }
                let mut all = Vec::new();
                while let Some(latencies) = probes.join_next().await {
                    all.extend(latencies.unwrap());
                }
                all
            })
        });
        probing.join().unwrap()
    }
}
