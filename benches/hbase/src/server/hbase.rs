//! How Apache HBase is started, standalone: one JVM with a ZooKeeper, a master and a region server, on the local file system.

use super::ports::Ports;
use crate::environment::Environment;
use crate::error::{Doing, Result};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Largest heap. What an administrator of a small server gives it.
pub(crate) const HEAP: &str = "4g";

/// The server with its defaults but for where it is, with [`HEAP`] and G1. With `hsync`, an acknowledged write is on disk.
pub(super) fn command(
    environment: &Environment,
    directory: &Path,
    settings: &[(String, String)],
    ports: &Ports,
    hsync: bool,
) -> Result<Command> {
    let conf = directory.join("conf");
    let temporary = directory.join("tmp");
    let write = || {
        std::fs::create_dir_all(&conf)?;
        std::fs::create_dir_all(&temporary)?;
        std::fs::write(conf.join("hbase-site.xml"), site(directory, settings, ports, hsync))?;
        std::fs::write(conf.join("log4j.properties"), LOG4J)
    };
    write().doing(|| format!("write the configuration in {}", conf.display()))?;
    let mut command = Command::new("java");
    command
        .args(&environment.jvm_options)
        .args([&format!("-Xmx{HEAP}"), "-XX:+UseG1GC", "-Djava.net.preferIPv4Stack=true"])
        .arg(format!("-Djava.io.tmpdir={}", temporary.display()))
        .arg(format!("-Dhbase.log.dir={}", directory.display()))
        .arg("-cp")
        .arg(format!("{}:{}", conf.display(), environment.hbase()?))
        .args(["org.apache.hadoop.hbase.master.HMaster", "start"]);
    Ok(command)
}

fn site(directory: &Path, settings: &[(String, String)], ports: &Ports, hsync: bool) -> String {
    let directory = directory.display();
    let mut xml = String::from("<?xml version=\"1.0\"?>\n<configuration>\n");
    let mut add = |name: &str, value: &str| {
        let _ = writeln!(xml, "  <property><name>{name}</name><value>{value}</value></property>");
    };
    add("hbase.rootdir", &format!("file://{directory}/root"));
    add("hbase.tmp.dir", &format!("{directory}/tmp"));
    add("hadoop.tmp.dir", &format!("{directory}/tmp"));
    add("hbase.zookeeper.property.dataDir", &format!("{directory}/zk"));
    add("hbase.zookeeper.quorum", "127.0.0.1");
    // As in the hbase-site.xml that comes with HBase: a local file system cannot promise what HDFS does.
    add("hbase.unsafe.stream.capability.enforce", "false");
    for role in ["master", "regionserver"] {
        add(&format!("hbase.{role}.ipc.address"), "127.0.0.1");
        add(&format!("hbase.{role}.hostname"), "localhost");
        // Its web pages are in no jar of Maven Central, and without them it starts only if it is to have none.
        add(&format!("hbase.{role}.info.port"), "-1");
    }
    add("hbase.unsafe.regionserver.hostname", "localhost");
    for (name, port) in ports.settings() {
        add(name, &port.to_string());
    }
    if hsync {
        add("hbase.wal.hsync", "true");
    }
    for (name, value) in settings {
        add(name, value);
    }
    xml.push_str("</configuration>\n");
    xml
}

/// Warnings only: less than HBase writes by default.
const LOG4J: &str = "\
log4j.rootLogger=WARN,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %-5p [%t] %c{2}: %m%n
";

#[cfg(test)]
mod tests;
