//! Finback's engine beside RocksDB and fjall: the same work, one after the other, in one run.
//!
//! Every engine is measured in a process of its own, so that none inherits another's memory or threads. Bytes
//! written are what the process handed to the kernel, log included; CPU is that of the whole process.

mod engines;
mod report;
mod resources;
mod settings;
mod workload;

use settings::Settings;
use std::process::{Command, ExitCode};

/// The server's allocator, for every engine.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.split_first() {
        Some((first, rest)) if first == "measure" => measure(rest),
        Some((first, _)) if first == "--help" || first == "-h" => {
            println!("{}", settings::USAGE);
            Ok(())
        }
        _ => compare(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// In the process of one engine: `measure ENGINE THREADS OPTION...`; prints one line per workload.
fn measure(arguments: &[String]) -> Result<(), String> {
    let [engine, threads, options @ ..] = arguments else { return Err("measure ENGINE THREADS".into()) };
    let settings = Settings::parse(options)?;
    let threads = threads.parse().map_err(|_| format!("{threads} is not a number"))?;
    for row in workload::run(engine, threads, &settings)? {
        println!("{}", report::to_line(&row));
    }
    Ok(())
}

fn compare(arguments: &[String]) -> Result<(), String> {
    let settings = Settings::parse(arguments)?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut results = report::Results::default();
    for round in 1..=settings.rounds {
        for threads in &settings.threads {
            for engine in &settings.engines {
                eprintln!("round {round} of {}: {engine}, {threads} threads", settings.rounds);
                let output = Command::new(&program)
                    .args(["measure", engine, &threads.to_string()])
                    .args(settings.to_arguments())
                    .stderr(std::process::Stdio::inherit())
                    .output()
                    .map_err(|error| error.to_string())?;
                if !output.status.success() {
                    return Err(format!("{engine} ended with {}", output.status));
                }
                results.add(engine, &String::from_utf8_lossy(&output.stdout))?;
            }
        }
    }
    println!("{}", results.table(&settings));
    Ok(())
}
