//! What open and idle regions cost: a region server opens a table of many regions, as a master would ask it to, and
//! this says how long it took, and how much memory, and how many threads and descriptors the process has then. Once the
//! regions are empty, and once each has a row in a store file.
//!
//! `cargo run --release -p finback-regionserver --example bench_regions -- [REGIONS] [DIRECTORY]`

mod open_regions;

use finback_fs::{FileSystem, LocalFileSystem};
use open_regions::{Content, Process, open_regions_of};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

const REGIONS: usize = 10_000;
/// How long idling is watched.
const IDLE: Duration = Duration::from_secs(5);

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// What the regions have, by the names of their directories.
const FORMS: [(&str, Content); 2] = [("empty", Content::Nothing), ("flushed", Content::FlushedRow)];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["--form", form, regions, directory] = words[..] {
        let (name, content) = FORMS[form.parse::<usize>()?];
        return measure(content, regions.parse()?, &Path::new(directory).join(name));
    }
    let regions: usize = words.first().map_or(Ok(REGIONS), |count| count.parse())?;
    let temporary = tempfile::tempdir()?;
    let directory = words.get(1).map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    for form in 0..FORMS.len() {
        // Each in a process of its own, whose memory has nothing of the other.
        let mut process = Command::new(std::env::current_exe()?);
        process.arg("--form").args([form.to_string(), regions.to_string()]).arg(&directory);
        let status = process.status()?;
        if !status.success() {
            return Err(format!("the regions were not measured: {status}").into());
        }
    }
    Ok(())
}

fn measure(content: Content, regions: usize, directory: &Path) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    let opened = runtime.block_on(open_regions_of(content, fs, directory, regions));
    let before_idling = (Instant::now(), processor_seconds());
    std::thread::sleep(IDLE);
    let idle = (processor_seconds() - before_idling.1) / before_idling.0.elapsed().as_secs_f64();
    let (at_rest, peak_bytes) = (Process::now(), opened.peak_bytes());
    match content {
        Content::Nothing => println!("regions without data         {regions:>10}"),
        Content::FlushedRow => println!("\nregions with a flushed row   {regions:>10}"),
    }
    println!("making them                  {:>10.2} s", opened.made.as_secs_f64());
    println!("opening them                 {:>10.2} s", opened.took.as_secs_f64());
    println!("regions opened a second      {:>10.0}", regions as f64 / opened.took.as_secs_f64());
    println!("memory before                {:>10} KiB", opened.before.resident_bytes >> 10);
    println!("memory with all open         {:>10} KiB", opened.after.resident_bytes >> 10);
    println!("memory for each              {:>10} bytes", opened.bytes_per_region(regions));
    println!("memory at rest               {:>10} KiB", at_rest.resident_bytes >> 10);
    let peak = peak_bytes.map_or("unknown".to_owned(), |bytes| (bytes >> 10).to_string());
    println!("memory at the most           {peak:>10} KiB");
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
