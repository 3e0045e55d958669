//! `finback server`

use crate::cli::arguments::Arguments;
use crate::cli::settings::{self, CONFIG, SETTING};
use crate::cli::stop::Stop;
use crate::cli::table::{Command, Kind, Opt};
use crate::config::manual;
use crate::reconfiguration::ConfigurationFile;
use std::process::ExitCode;

pub(super) const COMMAND: Command = Command {
    name: "server",
    summary: "starts a standalone server",
    about: "
ZooKeeper responder, master and region server in one process. HBase's clients find it at HBase's usual ports.

Ctrl-C, or SIGTERM, stops it; what was acknowledged survives a kill as well.",
    operands: &[],
    options: &[
        Opt::long_value(
            "data",
            ("DIR", Kind::Directory),
            "Where tables and logs are kept. Short for -D hbase.rootdir=DIR.",
        ),
        CONFIG,
        SETTING,
    ],
    examples: &[
        (
            "finback server --data /var/lib/finback",
            "a server on HBase's usual ports, for clients on this machine",
        ),
        (
            "finback server --config hbase-site.xml -D finback.memory.limit=4g",
            "a server with HBase's settings, and one more",
        ),
    ],
    exit_codes: &[(1, "The server could not start, or had to stop.")],
    more: Some(settings_with_defaults),
    run,
};

fn settings_with_defaults() -> String {
    format!("Settings, with their defaults:\n\n{}", manual::help())
}

fn run(arguments: &Arguments) -> Result<ExitCode, Stop> {
    let sources = settings::sources(arguments)?;
    let data = arguments.path("data").map(Into::into);
    let config = settings::load(&sources)?;
    if let Ok(memory) = config.memory() {
        crate::allocator::suit(memory.limit);
    }
    Ok(crate::server::run(ConfigurationFile { sources, data }))
}
