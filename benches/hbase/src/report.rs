//! The report: a page with tables, and plots beside it.

mod number;
mod plots;
mod tables;

use crate::error::{Doing, Result};
use crate::goals::outcomes;
use crate::results::Results;
use std::path::Path;

/// The page's file.
pub(crate) const PAGE: &str = "benchmarks.md";
/// Where the plots are, from where the page is.
const PLOTS: &str = "benchmarks/hbase";
/// What is written by hand about rows that are not reached, beside the plots; it comes at the end of the page.
const NOTES: &str = "notes.md";

/// Writes page and plots into a directory.
pub(crate) fn write(results: &Results, out: &Path) -> Result<()> {
    let directory = out.join(PLOTS);
    std::fs::create_dir_all(&directory).doing(|| format!("make {}", directory.display()))?;
    let plots = plots::all(results);
    for (name, svg) in &plots {
        let path = directory.join(name);
        std::fs::write(&path, svg).doing(|| format!("write {}", path.display()))?;
    }
    let notes = std::fs::read_to_string(directory.join(NOTES)).unwrap_or_default();
    let names: Vec<&str> = plots.iter().map(|(name, _)| *name).collect();
    let path = out.join(PAGE);
    std::fs::write(&path, page(results, &names, &notes)).doing(|| format!("write {}", path.display()))
}

fn page(results: &Results, plots: &[&str], notes: &str) -> String {
    let mut page = String::from(INTRODUCTION);
    page.push_str("\n## What was run\n\n");
    for (name, value) in &results.conditions {
        page.push_str(&format!("- {name}: {value}\n"));
    }
    page.push_str(&format!("- rounds: {}\n", results.rounds()));
    page.push_str(METHOD);
    page.push_str("\n## Goals\n\n");
    page.push_str(&tables::goals(&outcomes(results)));
    page.push_str(&images(plots, &["goals.svg"]));
    page.push_str("\n## All figures\n");
    page.push_str(FIGURES);
    page.push_str(&tables::workloads(results));
    page.push_str(&images(
        plots,
        &["cpu.svg", "throughput.svg", "cpu-many.svg", "throughput-many.svg", "latency.svg", "memory.svg"],
    ));
    if !notes.is_empty() {
        page.push_str(&format!("\n## Notes\n\n{}\n", notes.trim_end()));
    }
    page
}

fn images(there: &[&str], wanted: &[&str]) -> String {
    let names = wanted.iter().filter(|name| there.contains(name));
    names.map(|name| format!("\n![{}]({PLOTS}/{name})\n", name.trim_end_matches(".svg"))).collect()
}

const INTRODUCTION: &str = "\
# Finback beside Apache HBase

Made by `./dev bench hbase`, which starts both servers on the same machine, one at a time and in turns, each on an empty
directory, and puts the same load on each. `benches/hbase` has the program.
";

const METHOD: &str = "
How it was run:

- HBase is standalone: one JVM with a ZooKeeper, a master and a region server, on the local file system, with a heap of 4 GB, G1, and
  its defaults otherwise; without its web pages, which are not in its jars, and with a log of warnings only. Finback has its
  defaults. Each server of each round begins with an empty directory; the system's page cache is not emptied, so that files which
  were just written are read from memory, by both.
- All memory that is free is touched once before the first round. A virtual machine is given a page when it is first touched, which
  costs several times what it costs afterwards, and would be paid by whichever load happens to come first.
- An answered put is on disk in Finback. In HBase's default it is in the page cache; *HBase, hsync* has `hbase.wal.hsync=true`, and
  what it answers is on disk as well, if the client asks for nothing else: PerformanceEvaluation's puts ask for SYNC_WAL, for which HBase
  calls no fsync even then. So the same guarantee is measured by YCSB's puts, which leave it to the table, and by increments and
  checkAndPuts. Where goals say nothing else, HBase has its default, which asks less of it.
- Before anything is measured but the start and the idle memory, each server does all loads once on a third of the rows, so that Java
  has compiled what is measured.
- Every load is run three times: by HBase's own PerformanceEvaluation, in Java, four threads with a connection each; by
  `finback pe`, four clients on one connection, which is lighter, so that more of the machine is the server's; and by `finback pe`
  with 64 clients. Four clients that wait for each answer leave the server without work again and again: their throughput is that
  of calls and answers going to and fro, and much of the CPU is spent on going to sleep and waking up. With 64 there is always a call
  to be carried out, and throughput is what the server can do; they have five times as many gets, puts, increments and checkAndPuts, which
  are over too soon otherwise. Client and server share the machine.
- CPU is user and system time of the server process, all threads, from `/proc/PID/stat`, by row. That of buffered writes includes the
  flush at the end and all compactions, until the server is at rest. Bytes written are `write_bytes` of `/proc/PID/io`: pages of
  the page cache that the process has made dirty, without sockets; a page that is synced after each of many small writes counts as often.
- Cached means that the table was scanned before, so that all blocks are in the server's block cache (of HBase's heap 40 %).
- checkAndPut is PerformanceEvaluation's: a put and a checkAndPut of the same row, counted as one.
- Under steady load half are gets and half are puts of 1 kB, zipfian, at fixed moments (open loop: latency counts from when an operation
  was due) and at half of the rate that HBase comes to in a closed loop. The table is flushed every 5 s, so that files are written
  and compacted all the time. It begins when the machine is at rest: when a thread that sleeps for 1 ms again and again was never 10 ms late
  in the last 10 s, or 120 s later. A virtual machine whose processors stand still while it gives memory back to its host, as after a process
  has ended or files were deleted, would show its own tail otherwise.
- Before SIGKILL the rows that were written are in no file: both servers have `hbase.hregion.memstore.flush.size` of 1 GiB, and it
  is checked that memory has them all. The last of them is looked for after the restart.
- HBase slows its compactions down to between 50 and 100 MB/s by default (`hbase.hstore.compaction.throughput.*`): that is in its
  wall time.

Figures are medians of the rounds, with the least and the most of them in parentheses if there were several.
";

const FIGURES: &str = "
Latencies are those of the client's operations: of a call of ten gets, of the hand-over to the client's buffer for buffered
writes, of the next row for scans. PerformanceEvaluation's are the means of its threads' own percentiles. Memory is resident, when the
load had ended and at its highest since the server started.
";

#[cfg(test)]
mod tests;
