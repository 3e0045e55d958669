//! `finback server`

use crate::cli::arguments::Arguments;
use crate::cli::settings::{self, CONFIG, SETTING};
use crate::cli::stop::Stop;
use crate::cli::table::{Command, Kind, Opt};
use crate::config::{Sources, manual};
use std::process::ExitCode;

/// `--data DIR`
pub(super) const DATA: Opt = Opt::long_value(
    "data",
    ("DIR", Kind::Directory),
    "Where tables and logs are kept. Short for -D data=DIR.",
);

pub(super) const COMMAND: Command = Command {
    name: "server",
    summary: "starts a standalone server",
    about: "
ZooKeeper responder, master and region server in one process. HBase's clients find it at HBase's usual ports.

Nothing has to be configured. Settings are looked for in finback.toml and hbase-site.xml, in DIR or else in /etc/finback;
finback config says what comes of them.

Ctrl-C, or SIGTERM, stops it; what was acknowledged survives a kill as well.",
    operands: &[],
    options: &[
        DATA,
        CONFIG,
        SETTING,
    ],
    examples: &[
        (
            "finback server --data /var/lib/finback",
            "a server on HBase's usual ports, for clients on this machine",
        ),
        (
            "finback server --config hbase-site.xml -D memory.limit=4g",
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
    let sources = sources(arguments)?;
    let loaded = settings::load(&sources)?;
    if let Ok(memory) = loaded.config.memory() {
        crate::allocator::suit(memory.limit);
    }
    Ok(crate::server::run(sources))
}

/// Where a server's settings come from, as the command line has it.
pub(super) fn sources(arguments: &Arguments) -> Result<Sources, Stop> {
    let data = arguments.path("data").map(Into::into);
    Ok(Sources { data, ..settings::sources(arguments)? }.of_a_server())
}
