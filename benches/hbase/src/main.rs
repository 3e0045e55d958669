//! Finback side by side with Apache HBase, on one machine in one run: `./dev bench hbase`.
//!
//! Both servers are real and whole: processes that this program starts in an empty directory, one at a time, loads through
//! clients that are processes of their own, and reads the accounts of from `/proc`. Nothing here knows how either server works
//! inside: what it asks of them, it asks by HBase's protocol.
//!
//! # The parts
//!
//! | module | what it is |
//! |---|---|
//! | [`environment`] | Where binaries, class paths and room on the disk are. |
//! | [`server`] | A server under test: started, restarted, killed, and what it has used. |
//! | [`cluster`] | What an administrator does to the server under test, and the first put. |
//!
//! Each benchmark is a subcommand, in a module of its own.

#![expect(dead_code, reason = "the subcommands to come use what is there for them")]

mod arguments;
mod cluster;
mod environment;
mod error;
mod server;
mod start;

use crate::arguments::Arguments;
use crate::error::Result;
use std::process::ExitCode;

const USAGE: &str = "\
usage: finback-bench-hbase COMMAND [OPTION]...

  start [--rounds N]      from the start of a server on an empty directory to its first acknowledged put

`./dev bench hbase` builds what is needed and says where it is (FINBACK, HBASE_CLASS_PATH, HBASE_TOOLS_CLASS_PATH, JVM_OPTIONS).
";

fn main() -> ExitCode {
    match run(Arguments::of_process()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("finback-bench-hbase: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut arguments: Arguments) -> Result<()> {
    match arguments.command().as_deref() {
        Some("start") => start::run(arguments),
        Some("help") | None => {
            print!("{USAGE}");
            Ok(())
        }
        Some(other) => Err(error::BenchError::Usage(format!("there is no command {other}\n\n{USAGE}"))),
    }
}
