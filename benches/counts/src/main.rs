//! Instructions of the hot paths, counted by Valgrind's callgrind: `./dev count [--keep]`.
//!
//! Each path runs in a process of its own, on small inputs that are always the same, with the allocator of the server. What is
//! counted is one thread, and no more of it than the path; a path's number is the median of its calls, since what a server does
//! now and then comes between some of them. The numbers that are kept are in a file of the repository; this prints the change
//! against them, and `--keep` writes them anew.
#![allow(clippy::print_stdout)]

mod block;
mod callgrind;
mod cells;
mod directory;
mod four_files;
mod hot_path;
mod kept;
mod merge;
mod merged_scan;
mod report;
mod same_every_time;
mod served;

use kept::Kept;
use std::path::Path;
use std::time::Instant;

/// What one thread allocates another one often frees; as in the server.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const USAGE: &str = "usage: finback-bench-counts FILE [--keep]";

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        [callgrind::RUN, name] => hot_path::run(name),
        [file] => compare(Path::new(file)),
        [file, "--keep"] => {
            Kept { made_with: callgrind::versions()?, counts: count_all()? }.write(Path::new(file))
        }
        _ => Err(USAGE.into()),
    }
}

/// Prints the counts beside those in `file`.
fn compare(file: &Path) -> Result<()> {
    let begun = Instant::now();
    let kept = Kept::read(file)?;
    print!("{}", report::table(&count_all()?, &kept));
    let now = callgrind::versions()?;
    if now != kept.made_with {
        println!("kept: {}\nnow:  {now}", kept.made_with);
    }
    println!("counted in {:.0} s", begun.elapsed().as_secs_f64());
    Ok(())
}

/// Instructions of each path, in the order of the table of paths; as many at a time as there are processors.
fn count_all() -> Result<Vec<(String, u64)>> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut counts = Vec::new();
    for paths in hot_path::PATHS.chunks(processors) {
        let of_chunk: Vec<Result<u64>> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                paths.iter().map(|path| scope.spawn(|| callgrind::count(path.name, path.calls))).collect();
            let joined =
                threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a panic".into())));
            joined.collect()
        });
        for (path, count) in paths.iter().zip(of_chunk) {
            counts.push((path.name.to_owned(), count.map_err(|error| format!("{}: {error}", path.name))?));
        }
    }
    Ok(counts)
}
