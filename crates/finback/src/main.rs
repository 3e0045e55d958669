//! The `finback` binary.

use std::process::ExitCode;

/// What one thread allocates another one often frees: a request's cells, a reply's, an entry of the log.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    finback::cli::main(std::env::args_os().skip(1))
}
