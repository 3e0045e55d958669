//! How Finback is started.

use super::ports::Ports;
use crate::environment::Environment;
use std::path::Path;
use std::process::Command;

/// The server with its defaults but for where it is.
pub(super) fn command(
    environment: &Environment,
    directory: &Path,
    settings: &[(String, String)],
    ports: &Ports,
) -> Command {
    let mut command = Command::new(&environment.finback);
    command.arg("server").arg("--data").arg(directory);
    for (name, port) in ports.settings() {
        command.arg("-D").arg(format!("{name}={port}"));
    }
    // Web page and metrics, wherever there is a port.
    for name in ["hbase.master.info.port", "hbase.regionserver.info.port"] {
        command.arg("-D").arg(format!("{name}=0"));
    }
    for (name, value) in settings {
        command.arg("-D").arg(format!("{name}={value}"));
    }
    command
}
