//! Ten times more files than descriptors: `bench_files [FILES] [SECONDS]` reads them at random through a bounded file
//! system, and through one that keeps them all open, from the page cache and from the device, and prints reads per second and
//! the most descriptors seen; then what the system takes for a file that is opened once more.

use finback_fs::{BoundedFileSystem, FileSystem, LocalFileSystem, RandomAccessFile, descriptors_for_files};
use rustix::fs::{Advice, Mode, OFlags, fadvise, openat};
use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fmt, io};

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
    for number in 0..files {
        File::open(dir.path().join(number.to_string()))?.sync_data()?;
    }
    println!(
        "{files} files of {FILE_BYTES} bytes, reads of {READ_BYTES} bytes, {THREADS} threads, {seconds} s each"
    );
    println!(
        "| files read | descriptors | reads/s | p50 µs | p99 µs | most descriptors seen | files opened |"
    );
    println!("|---|---|---|---|---|---|---|");
    let duration = Duration::from_secs(seconds as u64);
    // All alike; and most reads of one file in twenty, as regions are.
    let patterns = [
        ("from memory, all alike", Pattern::Memory { hot: files }),
        ("from memory, 4 of 5 in 5 % of the files", Pattern::Memory { hot: files / 20 }),
        ("from the device, all alike", Pattern::Device),
    ];
    // The page cache keeps what was read in other pieces than what was written: the two limits find it alike.
    for (name, pattern) in patterns {
        for limit in [files, files / 10] {
            let fs = BoundedFileSystem::new(Arc::new(LocalFileSystem::new()), limit);
            let run = measure(&fs, dir.path(), files, pattern, duration)?;
            println!(
                "| {name} | {limit} | {:.0} | {:.1} | {:.1} | {} | {} |",
                run.reads_per_second,
                run.percentile(50),
                run.percentile(99),
                run.most_descriptors,
                fs.statistics().opened
            );
        }
    }
    let opening = Opening::measure(dir.path(), files, duration / 3)?;
    println!("{opening}");
    Ok(())
}

/// What the system takes for a file that is opened once more: the part that a bounded file system cannot spare.
#[derive(Default)]
struct Opening {
    open: Duration,
    look: Duration,
    close: Duration,
    /// By its name in a directory that is open: what walking the rest of its path costs is the difference.
    open_in_directory: Duration,
    files: u32,
}

impl Opening {
    /// Opens files at random, on as many threads as read them.
    fn measure(dir: &Path, files: usize, duration: Duration) -> Result<Self, Box<dyn Error>> {
        let since = Instant::now();
        let each = on_each_thread(|thread| {
            let (mut random, mut opening) = (Random::new(thread), Self::default());
            let directory = File::open(dir)?;
            while since.elapsed() < duration {
                opening.open_one(dir, &directory, files, &mut random)?;
            }
            Ok(vec![opening])
        })?;
        Ok(each.into_iter().fold(Self::default(), |all, one| Self {
            open: all.open + one.open,
            look: all.look + one.look,
            close: all.close + one.close,
            open_in_directory: all.open_in_directory + one.open_in_directory,
            files: all.files + one.files,
        }))
    }

    fn open_one(
        &mut self,
        dir: &Path,
        directory: &File,
        files: usize,
        random: &mut Random,
    ) -> io::Result<()> {
        let path = dir.join(random.below(files).to_string());
        let file = timed(&mut self.open, || File::open(&path))?;
        timed(&mut self.look, || file.metadata())?;
        timed(&mut self.close, || drop(file));
        let name = random.below(files).to_string();
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        timed(&mut self.open_in_directory, || openat(directory, &name, flags, Mode::empty()))?;
        self.files += 1;
        Ok(())
    }
}

/// Adds what `work` takes to `sum`.
fn timed<T>(sum: &mut Duration, work: impl FnOnce() -> T) -> T {
    let since = Instant::now();
    let done = work();
    *sum += since.elapsed();
    done
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = |sum: Duration| sum.as_secs_f64() * 1e6 / f64::from(self.files.max(1));
        write!(
            f,
            "a file opened once more: open {:.2} µs, look {:.2} µs, close {:.2} µs; open in its directory {:.2} µs",
            micros(self.open),
            micros(self.look),
            micros(self.close),
            micros(self.open_in_directory)
        )
    }
}

/// Which files are read, and where they are.
#[derive(Clone, Copy)]
enum Pattern {
    /// All are in the page cache. Four reads of five are of the first `hot` files.
    Memory { hot: usize },
    /// Each is read once in a pass, before which the page cache forgets them all.
    Device,
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
    pattern: Pattern,
    duration: Duration,
) -> Result<Run, Box<dyn Error>> {
    let handles: Vec<Arc<dyn RandomAccessFile>> =
        (0..files).map(|number| fs.open(&dir.join(number.to_string()))).collect::<Result<_, _>>()?;
    let has_ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| -> io::Result<usize> {
            let mut most = 0;
            while !has_ended.load(Ordering::Relaxed) {
                most = most.max(descriptors_below(dir)?);
                std::thread::sleep(Duration::from_millis(50));
            }
            Ok(most)
        });
        let read = match pattern {
            Pattern::Memory { hot } => read_from_memory(&handles, hot, duration),
            Pattern::Device => read_from_device(&handles, dir, duration),
        };
        has_ended.store(true, Ordering::Relaxed);
        let most_descriptors = watcher.join().map_err(|_| "the watcher failed")??;
        let (mut times, took) = read?;
        times.sort_unstable();
        Ok(Run { reads_per_second: times.len() as f64 / took.as_secs_f64(), times, most_descriptors })
    })
}

/// Nanoseconds of each read, and how long all took together.
type Reads = Result<(Vec<u32>, Duration), Box<dyn Error>>;

fn read_from_memory(handles: &[Arc<dyn RandomAccessFile>], hot: usize, duration: Duration) -> Reads {
    let since = Instant::now();
    let times = on_each_thread(|thread| {
        let (mut random, mut reader) = (Random::new(thread), Reader::default());
        while since.elapsed() < duration {
            let among = if random.below(5) == 0 { handles.len() } else { hot };
            reader.read(handles, random.below(among), &mut random)?;
        }
        Ok(reader.times)
    })?;
    Ok((times, since.elapsed()))
}

fn read_from_device(handles: &[Arc<dyn RandomAccessFile>], dir: &Path, duration: Duration) -> Reads {
    let (mut times, mut took) = (Vec::new(), Duration::ZERO);
    let mut order: Vec<usize> = (0..handles.len()).collect();
    let mut random = Random::new(0);
    while took < duration {
        for number in 0..order.len() {
            fadvise(File::open(dir.join(number.to_string()))?, 0, None, Advice::DontNeed)?;
            order.swap(number, random.below(number + 1));
        }
        let since = Instant::now();
        times.extend(on_each_thread(|thread| {
            let (mut random, mut reader) = (Random::new(thread), Reader::default());
            for &number in order.iter().skip(thread).step_by(THREADS) {
                reader.read(handles, number, &mut random)?;
            }
            Ok(reader.times)
        })?);
        took += since.elapsed();
    }
    Ok((times, took))
}

/// What all threads give together.
fn on_each_thread<T: Send>(
    work: impl Fn(usize) -> io::Result<Vec<T>> + Sync,
) -> Result<Vec<T>, Box<dyn Error>> {
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || work(thread))).collect();
        let mut all = Vec::new();
        for thread in threads {
            all.extend(thread.join().map_err(|_| "a thread failed")??);
        }
        Ok(all)
    })
}

struct Reader {
    buffer: Vec<u8>,
    /// Nanoseconds of each read.
    times: Vec<u32>,
}

impl Default for Reader {
    fn default() -> Self {
        Self { buffer: vec![0; READ_BYTES], times: Vec::new() }
    }
}

impl Reader {
    /// Reads somewhere in a file.
    fn read(
        &mut self,
        handles: &[Arc<dyn RandomAccessFile>],
        number: usize,
        random: &mut Random,
    ) -> io::Result<()> {
        let offset = random.below(FILE_BYTES - READ_BYTES) as u64;
        let since = Instant::now();
        handles[number].read_exact_at(offset, &mut self.buffer)?;
        self.times.push(u32::try_from(since.elapsed().as_nanos()).unwrap_or(u32::MAX));
        assert_eq!(self.buffer[0], number as u8, "the file that was meant");
        Ok(())
    }
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn new(seed: usize) -> Self {
        Self((seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % most
    }
}

fn descriptors_below(dir: &Path) -> std::io::Result<usize> {
    let links = std::fs::read_dir("/proc/self/fd")?;
    let targets = links.filter_map(|link| std::fs::read_link(link.ok()?.path()).ok());
    Ok(targets.filter(|target| target.starts_with(dir)).count())
}
