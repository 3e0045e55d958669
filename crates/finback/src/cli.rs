//! The command line: which command, with what configuration.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::compact::CompactOptions;
use crate::config::{ServerConfig, Sources, manual};

/// Exit code of a command line or configuration that makes no sense.
pub const EXIT_USAGE: u8 = 2;

const HELP: &str = "\
Finback: HBase without the JVM.

usage: finback server [--data DIR] [--config FILE] [-D NAME=VALUE]...
       finback server --help      every setting of the server
       finback compact DIR [--major] [--family FAMILY] [--config FILE] [-D NAME=VALUE]...
       finback compact --help
       finback version
       finback --help
";

const SERVER_HELP: &str = "\
usage: finback server [--data DIR] [--config FILE] [-D NAME=VALUE]...

Starts a standalone server: ZooKeeper responder, master and region server in one process.

  --data DIR       where tables and logs are kept; short for -D hbase.rootdir=DIR
  --config FILE    settings: an hbase-site.xml, or lines of NAME = VALUE
  -D NAME=VALUE    one setting; wins over the file, and the last of several wins

Settings, with their defaults:

";

const COMPACT_HELP: &str = "\
usage: finback compact DIR [--major] [--family FAMILY] [--config FILE] [-D NAME=VALUE]...

Compacts the files of a table (DIR is ROOT/data/NAMESPACE/TABLE) or of one region (a directory in it), while no server
has ROOT open.

  --major          all files of each store become one, without deleted and surplus cells; otherwise the policy of the
                   store chooses
  --family FAMILY  only this family
  --config FILE    settings, as for finback server
  -D NAME=VALUE    one setting, as for finback server
";

/// What a command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// The overview.
    Help,
    /// The server's options and settings.
    ServerHelp,
    /// Name and version.
    Version,
    /// The options of offline compactions.
    CompactHelp,
    /// Compact a table or region that no server has open.
    Compact {
        /// What to compact.
        options: CompactOptions,
        /// From `--config` and `-D`.
        sources: Sources,
    },
    /// Run a server.
    Server {
        /// From `--data`.
        data: Option<PathBuf>,
        /// From `--config` and `-D`.
        sources: Sources,
    },
}

/// A command line that cannot be understood.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UsageError {
    /// No such command.
    #[error("there is no command {0:?}; see finback --help")]
    UnknownCommand(String),
    /// No such option.
    #[error("there is no option {0:?}; see finback {1} --help")]
    UnknownOption(String, &'static str),
    /// The option needs a value.
    #[error("{0} needs a value; see finback {1} --help")]
    MissingValue(&'static str, &'static str),
    /// Nothing to compact is named.
    #[error("finback compact needs the directory of a table or region; see finback compact --help")]
    MissingDirectory,
    /// `-D` without `=`.
    #[error("-D {0:?} is not of the form NAME=VALUE")]
    NotASetting(String),
}

/// Runs the command that `arguments` (without the program's name) ask for.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match parse(arguments) {
        Ok(Command::Help) => print(HELP),
        Ok(Command::ServerHelp) => print(&format!("{SERVER_HELP}{}", manual::help())),
        Ok(Command::CompactHelp) => print(COMPACT_HELP),
        Ok(Command::Compact { options, sources }) => {
            with_config(&sources, |config| crate::compact::run(&options, &config))
        }
        Ok(Command::Version) => print(&format!("finback {}\n", env!("CARGO_PKG_VERSION"))),
        Ok(Command::Server { data, sources }) => server(data, &sources),
        Err(error) => refuse(&error),
    }
}

/// Understands a command line.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, UsageError> {
    let mut arguments = arguments.into_iter();
    let command = arguments.next().unwrap_or_else(|| "--help".into());
    match command.to_string_lossy().as_ref() {
        "help" | "--help" | "-h" => Ok(Command::Help),
        "version" | "--version" | "-V" => Ok(Command::Version),
        "server" => parse_server(arguments),
        "compact" => parse_compact(arguments),
        other => Err(UsageError::UnknownCommand(other.to_owned())),
    }
}

fn parse_server(mut arguments: impl Iterator<Item = OsString>) -> Result<Command, UsageError> {
    let mut data = None;
    let mut sources = Sources::default();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        let mut value = |option| arguments.next().ok_or(UsageError::MissingValue(option, "server"));
        match text.as_ref() {
            "--help" | "-h" => return Ok(Command::ServerHelp),
            "--data" => data = Some(value("--data")?.into()),
            "--config" => sources.file = Some(value("--config")?.into()),
            "-D" => sources.overrides.push(setting(&value("-D")?.to_string_lossy())?),
            _ => {
                match (text.strip_prefix("--data="), text.strip_prefix("--config="), text.strip_prefix("-D"))
                {
                    (Some(path), _, _) => data = Some(path.into()),
                    (_, Some(path), _) => sources.file = Some(path.into()),
                    (_, _, Some(text)) => sources.overrides.push(setting(text)?),
                    _ => return Err(UsageError::UnknownOption(text.into_owned(), "server")),
                }
            }
        }
    }
    Ok(Command::Server { data, sources })
}

fn parse_compact(mut arguments: impl Iterator<Item = OsString>) -> Result<Command, UsageError> {
    let (mut directory, mut major, mut family) = (None, false, None);
    let mut sources = Sources::default();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        let mut value = |option| arguments.next().ok_or(UsageError::MissingValue(option, "compact"));
        match text.as_ref() {
            "--help" | "-h" => return Ok(Command::CompactHelp),
            "--major" => major = true,
            "--family" => family = Some(value("--family")?.to_string_lossy().into_owned()),
            "--config" => sources.file = Some(value("--config")?.into()),
            "-D" => sources.overrides.push(setting(&value("-D")?.to_string_lossy())?),
            _ if text.starts_with('-') || directory.is_some() => {
                return Err(UsageError::UnknownOption(text.into_owned(), "compact"));
            }
            _ => directory = Some(PathBuf::from(&argument)),
        }
    }
    let directory = directory.ok_or(UsageError::MissingDirectory)?;
    Ok(Command::Compact { options: CompactOptions { directory, major, family }, sources })
}

fn setting(text: &str) -> Result<(String, String), UsageError> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err(UsageError::NotASetting(text.to_owned())),
    }
}

fn server(data: Option<PathBuf>, sources: &Sources) -> ExitCode {
    // What is wrong with them is told below.
    if let Some(memory) = ServerConfig::load(sources).ok().and_then(|(config, _)| config.memory().ok()) {
        crate::allocator::suit(memory.limit);
    }
    with_config(sources, |_| {
        crate::server::run(crate::reconfiguration::ConfigurationFile { sources: sources.clone(), data })
    })
}

/// Does something with settings that make sense.
fn with_config(sources: &Sources, work: impl FnOnce(ServerConfig) -> ExitCode) -> ExitCode {
    match ServerConfig::load(sources) {
        Ok((config, warnings)) => {
            for warning in warnings {
                eprintln!("finback: warning: {warning}");
            }
            work(config)
        }
        Err(error) => refuse(&error),
    }
}

fn refuse(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("finback: {error}");
    ExitCode::from(EXIT_USAGE)
}

/// Prints to standard output. Whoever closes it early (`finback server --help | head`) has seen enough.
fn print(text: &str) -> ExitCode {
    use std::io::Write;
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("finback: cannot write to standard output: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests;
