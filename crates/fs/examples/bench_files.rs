//! Ten times more files than descriptors: `bench_files [FILES] [SECONDS]` reads them at random through a bounded file
//! system, and through one that keeps them all open, and prints reads per second and the most descriptors seen.

use finback_fs::{BoundedFileSystem, FileSystem, LocalFileSystem, RandomAccessFile, descriptors_for_files};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const FILE_BYTES: usize = 256 << 10;
/// HBase's default block: what a read of a cold row takes.
const READ_BYTES: usize = 64 << 10;
const THREADS: usize = 2;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>());
    let files = arguments.next().transpose()?.unwrap_or(5000);
    let seconds = arguments.next().transpose()?.unwrap_or(3);
    let usable = descriptors_for_files()?;
    if files + 100 > 2 * usable {
        return Err(
            format!("the comparison needs {files} descriptors; the process may have {}", 2 * usable).into()
        );
    }
    let dir = tempfile::tempdir()?;
    for number in 0..files {
        std::fs::write(dir.path().join(number.to_string()), vec![number as u8; FILE_BYTES])?;
    }
    println!(
        "{files} files of {FILE_BYTES} bytes, reads of {READ_BYTES} bytes, {THREADS} threads, {seconds} s each"
    );
    println!(
        "| descriptors | files read | reads/s | p50 µs | p99 µs | most descriptors seen | files opened |"
    );
    println!("|---|---|---|---|---|---|---|");
    for limit in [files, files / 10] {
        // All alike; and most reads of one file in twenty, as regions are.
        for (name, hot) in [("all alike", files), ("4 of 5 reads in 5 % of the files", files / 20)] {
            let fs = BoundedFileSystem::new(Arc::new(LocalFileSystem::new()), limit);
            let run = measure(&fs, dir.path(), files, hot, Duration::from_secs(seconds as u64))?;
            println!(
                "| {limit} | {name} | {:.0} | {:.1} | {:.1} | {} | {} |",
                run.reads_per_second,
                run.percentile(50),
                run.percentile(99),
                run.most_descriptors,
                fs.statistics().opened
            );
        }
    }
    Ok(())
}

struct Run {
    reads_per_second: f64,
    /// Of single reads, in ns, sorted.
    times: Vec<u32>,
    most_descriptors: usize,
}

impl Run {
    fn percentile(&self, percent: usize) -> f64 {
        let at = (self.times.len() * percent / 100).min(self.times.len().saturating_sub(1));
        f64::from(self.times.get(at).copied().unwrap_or(0)) / 1000.0
    }
}

fn measure(
    fs: &BoundedFileSystem,
    dir: &Path,
    files: usize,
    hot: usize,
    duration: Duration,
) -> Result<Run, Box<dyn Error>> {
    let handles: Vec<Arc<dyn RandomAccessFile>> =
        (0..files).map(|number| fs.open(&dir.join(number.to_string()))).collect::<Result<_, _>>()?;
    let stop = AtomicBool::new(false);
    let mut most_descriptors = 0;
    let since = Instant::now();
    let mut times = std::thread::scope(|scope| -> Result<Vec<u32>, Box<dyn Error>> {
        let readers: Vec<_> = (1..=THREADS as u64)
            .map(|seed| {
                scope.spawn({
                    let (handles, stop) = (&handles, &stop);
                    move || read(handles, hot, seed, stop)
                })
            })
            .collect();
        while since.elapsed() < duration {
            most_descriptors = most_descriptors.max(descriptors_below(dir)?);
            std::thread::sleep(Duration::from_millis(50));
        }
        stop.store(true, Ordering::Relaxed);
        let mut times = Vec::new();
        for reader in readers {
            times.extend(reader.join().map_err(|_| "a reader failed")??);
        }
        Ok(times)
    })?;
    let reads_per_second = times.len() as f64 / since.elapsed().as_secs_f64();
    times.sort_unstable();
    Ok(Run { reads_per_second, times, most_descriptors })
}

fn read(
    handles: &[Arc<dyn RandomAccessFile>],
    hot: usize,
    seed: u64,
    stop: &AtomicBool,
) -> std::io::Result<Vec<u32>> {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        // xorshift64*.
        random ^= random >> 12;
        random ^= random << 25;
        random ^= random >> 27;
        (random.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize
    };
    let mut buffer = vec![0; READ_BYTES];
    let mut times = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let among = if next() % 5 == 0 { handles.len() } else { hot };
        let number = next() % among;
        let offset = next() % (FILE_BYTES - READ_BYTES);
        let since = Instant::now();
        handles[number].read_exact_at(offset as u64, &mut buffer)?;
        times.push(u32::try_from(since.elapsed().as_nanos()).unwrap_or(u32::MAX));
        assert_eq!(buffer[0], number as u8, "the file that was meant");
    }
    Ok(times)
}

fn descriptors_below(dir: &Path) -> std::io::Result<usize> {
    let links = std::fs::read_dir("/proc/self/fd")?;
    let targets = links.filter_map(|link| std::fs::read_link(link.ok()?.path()).ok());
    Ok(targets.filter(|target| target.starts_with(dir)).count())
}
