//! Loads by `finback pe`.

use super::{Client, Latency, Load, Told};
use crate::environment::Environment;
use crate::error::{Doing, Result};
use serde_json::Value;
use std::process::Command;

pub(super) fn run(
    environment: &Environment,
    load: &Load,
    client: Client,
    zookeeper_port: u16,
) -> Result<Told> {
    let json = environment.work.join("load.json");
    let mut command = Command::new(&environment.finback);
    command
        .arg("pe")
        .arg("-q")
        .arg("-D")
        .arg(format!("hbase.zookeeper.property.clientPort={zookeeper_port}"));
    command.arg(format!("--json={}", json.display())).args(&load.options);
    if load.share < 1.0 {
        command.arg(format!("--sampleRate={}", load.share));
    }
    command.arg(load.command).arg(load.clients.to_string());
    load.run_program(client, command, environment.work.join("load.log"))?;
    let text = std::fs::read_to_string(&json).doing(|| format!("read {}", json.display()))?;
    parse(&text).ok_or_else(|| load.failed(client, format!("told nothing of use: {text:.400}")))
}

/// Reads the JSON of a run that came to its end; none of one that did not.
fn parse(text: &str) -> Option<Told> {
    let run: Value = serde_json::from_str(text).ok()?;
    if !run["error"].is_null() || run["interrupted"].as_bool()? {
        return None;
    }
    let kinds = run["latencies"].as_object()?;
    let of = kinds.get("READ").or_else(|| kinds.values().next())?;
    let missing = run["rows_missing"].as_u64()?;
    Some(Told {
        rows: run["rows"].as_u64()? + missing,
        missing: Some(missing),
        seconds: run["seconds"].as_f64()?,
        latency: Latency {
            p50_us: of["p50_us"].as_f64()?,
            p99_us: of["p99_us"].as_f64()?,
            p999_us: of["p99.9_us"].as_f64()?,
            max_us: of["max_us"].as_f64()?,
        },
    })
}

#[cfg(test)]
mod tests;
