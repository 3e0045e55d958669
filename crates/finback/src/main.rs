//! The `finback` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    finback::cli::main(std::env::args_os().skip(1))
}
