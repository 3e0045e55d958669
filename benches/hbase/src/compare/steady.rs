//! A mixed load: half reads, half updates, of which the first show how much the server can take, and the second, open loop and at
//! half of what HBase can take, how steady it is while memory is flushed and files are compacted.

use super::pace_maker;
use super::plan::Check;
use super::running::{Running, figures};
use crate::cluster::Cluster;
use crate::error::Result;
use crate::load::{Client, Load, Told};
use crate::results::{Figure, Measurement, Results};
use crate::server::Product;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// YCSB's table.
const TABLE: &str = "usertable";
/// The closed loop's name in the results.
pub(crate) const MIXED: &str = "mixed";
/// Clients of the closed loop.
const CLIENTS: u32 = 16;
/// Clients of the open loop: more than are ever busy, so that a get does not wait for puts of others to be on disk.
const OPEN_CLIENTS: u32 = 1000;
/// So many rows of the large table are one of this.
const ROWS_PART: u64 = 10;
/// Between two flushes, each of which makes a file of each store.
const FLUSH_PERIOD: Duration = Duration::from_secs(5);

/// Both loads, by `finback pe`: HBase's own tool has no open loop.
pub(super) fn measure(running: &mut Running<'_>, before: &Results) -> Result<Vec<Measurement>> {
    run(running, &load("ycsbLoad", 1, running.options.rows, &["-p", "clientbuffering=true"]))?;
    running.server.cluster()?.flush(TABLE)?;
    running.server.settle()?;
    let closed = closed_loop(running)?;
    running.server.settle()?;
    if !running.options.quick {
        running.wait_for_rest();
    }
    let open = open_loop(running, rate(&running.options.products, before, &closed))?;
    Ok(vec![closed, open])
}

/// Half of the capacity of HBase as it is known, or of this server if it is the one that decides.
fn rate(products: &[Product], before: &Results, closed: &Measurement) -> f64 {
    let pace_maker = pace_maker(products);
    let known = before.spread(pace_maker, Some(Client::Finback), MIXED, Figure::PerSecond);
    let own = closed.figures.get(&Figure::PerSecond).copied().unwrap_or(1.0);
    known.map_or(own, |known| known.median) / 2.0
}

fn closed_loop(running: &mut Running<'_>) -> Result<Measurement> {
    let duration = format!("--duration={}", running.options.capacity.as_secs());
    let load = load("workloadA", CLIENTS, running.options.rows, &[&duration]);
    let before = running.server.usage()?;
    let told = run(running, &load)?;
    let used = running.server.usage()?.since(&before);
    Ok(running.measured(Some(Client::Finback), MIXED, figures(&told, &used)))
}

fn open_loop(running: &mut Running<'_>, rate: f64) -> Result<Measurement> {
    let (duration, rate) =
        (format!("--duration={}", running.options.steady.as_secs()), format!("--rate={rate:.0}"));
    let load = load("workloadA", OPEN_CLIENTS, running.options.rows, &[&duration, &rate]);
    let before = running.server.usage()?;
    let cluster = running.server.cluster()?;
    let told = while_flushing(cluster, || run(running, &load))?;
    let used = running.server.usage()?.since(&before);
    Ok(running.measured(Some(Client::Finback), Check::Steady.name(), figures(&told, &used)))
}

fn run(running: &Running<'_>, load: &Load) -> Result<Told> {
    load.run(running.environment, Client::Finback, running.server.zookeeper_port())
}

fn load(command: &'static str, clients: u32, rows: u64, options: &[&str]) -> Load {
    let records = format!("recordcount={}", (rows / ROWS_PART).max(1));
    let shape = ["-p", &records, "-p", "fieldcount=1", "-p", "fieldlength=1000"];
    let options = shape.iter().chain(options).map(ToString::to_string).collect();
    Load { command, clients, options, share: 1.0 }
}

/// Flushes [`TABLE`] every [`FLUSH_PERIOD`] for as long as `work` goes on.
fn while_flushing<T>(cluster: Cluster, work: impl FnOnce() -> Result<T>) -> Result<T> {
    std::thread::scope(|scope| {
        let (ended, waiting) = mpsc::channel::<()>();
        let flushing = scope.spawn(move || {
            while waiting.recv_timeout(FLUSH_PERIOD) == Err(RecvTimeoutError::Timeout) {
                cluster.flush(TABLE)?;
            }
            Ok(())
        });
        let done = work();
        drop(ended);
        flushing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        done
    })
}
