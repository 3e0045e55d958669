//! What open and idle regions cost: a region server opens a table of many empty regions, as a master would ask it to, and
//! this says how long it took, and how much memory, and how many threads and descriptors the process has then.
//!
//! `cargo run --release -p finback-regionserver --example bench_regions -- [REGIONS] [DIRECTORY]`

mod open_regions;

use finback_fs::{FileSystem, LocalFileSystem};
use open_regions::open_regions;
use std::sync::Arc;
use std::time::{Duration, Instant};

const REGIONS: usize = 10_000;
/// How long idling is watched.
const IDLE: Duration = Duration::from_secs(5);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let regions = arguments.next().map_or(Ok(REGIONS), |count| count.parse())?;
    let temporary = tempfile::tempdir()?;
    let directory = arguments.next().map_or_else(|| temporary.path().to_owned(), Into::into);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    let opened = runtime.block_on(open_regions(fs, &directory, regions));
    let before_idling = (Instant::now(), processor_seconds());
    std::thread::sleep(IDLE);
    let idle = (processor_seconds() - before_idling.1) / before_idling.0.elapsed().as_secs_f64();
    println!("regions                      {regions:>10}");
    println!("making their directories     {:>10.2} s", opened.made.as_secs_f64());
    println!("opening them                 {:>10.2} s", opened.took.as_secs_f64());
    println!("regions opened a second      {:>10.0}", regions as f64 / opened.took.as_secs_f64());
    println!("memory before                {:>10} KiB", opened.before.resident_bytes >> 10);
    println!("memory with all open         {:>10} KiB", opened.after.resident_bytes >> 10);
    println!("memory for each              {:>10} bytes", opened.bytes_per_region(regions));
    println!("threads                      {:>10}", opened.after.threads);
    println!("descriptors before and after {:>6} {:>4}", opened.before.descriptors, opened.after.descriptors);
    println!("processor while idle         {:>10.2} %", idle * 100.0);
    let begun = Instant::now();
    runtime.block_on(opened.server.stop());
    println!("closing them                 {:>10.2} s", begun.elapsed().as_secs_f64());
    Ok(())
}

/// Seconds of all processors that this process has used.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name, which may contain anything, in parentheses; utime and stime are fields 14 and 15 of all.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = |field: usize| fields.split_whitespace().nth(field).and_then(|text| text.parse::<f64>().ok());
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0
}
