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
//! | [`compare`] | The comparison: what is done in which order, to which server. |
//! | [`goals`], [`report`], [`plot`] | What is to be reached, and the page that tells how far it is. |
//! | [`growth`] | How Finback alone grows with one thing at a time: curves, and their page. |
//! | [`results`], [`statistics`], [`machine`] | What was measured, median and spread of it, and where. |
//! | [`environment`] | Where binaries, class paths and room on the disk are. |
//! | [`server`] | A server under test: started, restarted, killed, and what it has used. |
//! | [`load`] | A load on it, by `finback pe` or by HBase's own PerformanceEvaluation. |
//! | [`cluster`] | What an administrator does to the server under test, and the first put. |
//!
//! Each benchmark is a subcommand, in a module of its own.

mod arguments;
mod cells;
mod cluster;
mod compare;
mod environment;
mod error;
mod goals;
mod growth;
mod load;
mod machine;
mod plot;
mod process;
mod report;
mod results;
mod server;
mod statistics;

use crate::arguments::Arguments;
use crate::error::Result;
use std::process::ExitCode;

const USAGE: &str = "\
usage: finback-bench-hbase COMMAND [OPTION]...

  compare      both under the same load; writes docs/benchmarks.md
      --rounds N               how often; default: 3
      --rows N                 rows of the table; default: 1000000
      --unflushed-rows N       rows that are in no file when a server is killed; default: 1 GiB of them
      --steady-seconds N       how long the steady load goes on; default: 60
      --servers A,B            of hbase, hbase-hsync, finback
      --clients A,B            of java (HBase's PerformanceEvaluation), finback (finback pe),
                               finback-many (the same with 64 clients in the place of 4)
      --only A,B               of sequential-write, random-write, get, multi-get, scan, put, default-put, increment, check-and-put,
                               start, idle-memory, steady, compaction, memory-after, restart
      --quick                  little of everything, to see that it works; the report is not written into the project
      --report                 measures nothing, writes the report of what was measured last
      --out DIRECTORY          where the report goes; default: docs

  growth [CURVE]...            how Finback grows with one thing at a time; writes docs/benchmarks/growth.md. Curves:
                               connections, value-size, regions, rows, columns, files
      --seconds N              how long each operation is measured; default: 5
      --rounds N               how often; default: 3
      --most N                 leaves out points beyond
      --out DIRECTORY          where the page goes; default: docs/benchmarks

  cells        a column for each value, and one column that has them all as an Avro record
      --rounds N, --rows N     as above; default: 3, 10000 in each table
      --gets N                 rows read of each table; default: 20000
      --encodings A,B          data block encodings; default: NONE,FAST_DIFF
      --servers A,B            of hbase, finback
      --write                  writes the tables into docs/benchmarks/cells.md, and plots beside it

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
        Some("compare") => compare::run(arguments),
        Some("growth") => growth::run(arguments),
        Some("cells") => cells::run(arguments),
        Some("help") | None => {
            print!("{USAGE}");
            Ok(())
        }
        Some(other) => Err(error::BenchError::Usage(format!("there is no command {other}\n\n{USAGE}"))),
    }
}
