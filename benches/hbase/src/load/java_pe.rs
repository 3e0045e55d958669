//! Loads by HBase's own PerformanceEvaluation.

use super::{Client, Latency, Load, Told};
use crate::environment::Environment;
use crate::error::{Doing, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Heap of the client.
const HEAP: &str = "-Xmx1g";

pub(super) fn run(environment: &Environment, load: &Load, zookeeper_port: u16) -> Result<Told> {
    let conf = configuration(environment, zookeeper_port)?;
    let mut command = Command::new("java");
    command
        .args(&environment.jvm_options)
        .args([HEAP, "-Djava.net.preferIPv4Stack=true"])
        .arg("-cp")
        .arg(format!("{}:{}", conf.display(), environment.hbase_tools()?))
        .args(["org.apache.hadoop.hbase.PerformanceEvaluation", "--nomapred", "--latency"])
        .args(&load.options);
    if load.share < 1.0 {
        command.arg(format!("--sampleRate={}", load.share));
    }
    command.arg(load.command).arg(load.clients.to_string()).current_dir(&environment.work);
    let log = environment.work.join("load.log");
    load.run_program(Client::Java, command, log.clone())?;
    let text = std::fs::read_to_string(&log).doing(|| format!("read {}", log.display()))?;
    parse(&text, load.clients, load.share).map_err(|why| load.failed(Client::Java, why))
}

/// A directory with the client's settings.
fn configuration(environment: &Environment, zookeeper_port: u16) -> Result<PathBuf> {
    let conf = environment.work.join("client-conf");
    let write = || {
        std::fs::create_dir_all(&conf)?;
        std::fs::write(conf.join("hbase-site.xml"), site(zookeeper_port, &environment.work))?;
        std::fs::write(conf.join("log4j.properties"), LOG4J)
    };
    write().doing(|| format!("write {}", conf.display()))?;
    Ok(conf)
}

fn site(zookeeper_port: u16, work: &Path) -> String {
    let temporary = work.join("tmp");
    let mut xml = String::from("<?xml version=\"1.0\"?>\n<configuration>\n");
    for (name, value) in [
        ("hbase.zookeeper.quorum", "127.0.0.1".to_owned()),
        ("hbase.zookeeper.property.clientPort", zookeeper_port.to_string()),
        ("hbase.tmp.dir", temporary.display().to_string()),
        ("hadoop.tmp.dir", temporary.display().to_string()),
        ("fs.defaultFS", "file:///".to_owned()),
    ] {
        xml.push_str(&format!("  <property><name>{name}</name><value>{value}</value></property>\n"));
    }
    xml.push_str("</configuration>\n");
    xml
}

/// What the tool has to tell, it tells to its log.
const LOG4J: &str = "\
log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %-5p [%t] %c{2}: %m%n
log4j.logger.org.apache.zookeeper=WARN
log4j.logger.org.apache.hadoop.metrics2=ERROR
log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR
";

/// Reads what the tool has logged. Percentiles are the mean of the clients' own, the maximum is the largest; rows do not have the
/// share in them, which the tool leaves out.
fn parse(log: &str, clients: u32, share: f64) -> Result<Told, String> {
    if let Some(error) = log.lines().find(|line| line.contains(" ERROR ") || line.contains(" FATAL ")) {
        return Err(error.to_owned());
    }
    let finished: Vec<u64> = log.lines().filter_map(finished).collect();
    let latencies: Vec<Latency> = log.lines().filter_map(latency).collect();
    if finished.len() != clients as usize || latencies.len() != clients as usize {
        return Err(format!("{} of {clients} clients finished", finished.len().min(latencies.len())));
    }
    let longest_ms = log.lines().find_map(longest_ms).ok_or("no summary of timings")?;
    let mean = |of: fn(&Latency) -> f64| latencies.iter().map(of).sum::<f64>() / f64::from(clients);
    Ok(Told {
        rows: (finished.iter().sum::<u64>() as f64 * share) as u64,
        missing: None,
        seconds: longest_ms / 1e3,
        latency: Latency {
            p50_us: mean(|latency| latency.p50_us),
            p99_us: mean(|latency| latency.p99_us),
            p999_us: mean(|latency| latency.p999_us),
            max_us: latencies.iter().map(|latency| latency.max_us).fold(0.0, f64::max),
        },
    })
}

/// Rows of a client, from "Finished TestClient-0 in 4155ms over 250000 rows".
fn finished(line: &str) -> Option<u64> {
    let (_, rest) = line.split_once("Finished TestClient-")?;
    rest.split_once(" over ")?.1.split_whitespace().next()?.parse().ok()
}

/// From "… Latency (us) : mean=10.2, min=1.0, …, 50th=8.0, …, 99.9th=70.0, …".
fn latency(line: &str) -> Option<Latency> {
    let (_, told) = line.split_once("Latency (us) : ")?;
    let value = |name: &str| {
        told.split(", ")
            .find_map(|part| part.trim().strip_prefix(name)?.strip_prefix('=')?.parse::<f64>().ok())
    };
    Some(Latency {
        p50_us: value("50th")?,
        p99_us: value("99th")?,
        p999_us: value("99.9th")?,
        max_us: value("max")?,
    })
}

/// Milliseconds of the client that took longest, from "[RandomReadTest] Summary of timings (ms): [4155, 4160]".
fn longest_ms(line: &str) -> Option<f64> {
    let (_, told) = line.split_once("Summary of timings (ms): [")?;
    let times = told.split(']').next()?.split(", ").map(|time| time.trim().parse::<f64>());
    times.collect::<Result<Vec<_>, _>>().ok()?.into_iter().reduce(f64::max)
}

#[cfg(test)]
mod tests;
