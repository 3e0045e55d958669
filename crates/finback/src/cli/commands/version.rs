//! `finback version`

use crate::cli::arguments::Arguments;
use crate::cli::stop::Stop;
use crate::cli::table::Command;
use std::io::Write;
use std::process::ExitCode;

pub(super) const COMMAND: Command = Command {
    name: "version",
    summary: "says which version of Finback this is",
    about: "",
    operands: &[],
    options: &[],
    examples: &[],
    exit_codes: &[],
    more: None,
    run,
};

fn run(_: &Arguments) -> Result<ExitCode, Stop> {
    writeln!(std::io::stdout(), "finback {}", env!("CARGO_PKG_VERSION"))?;
    Ok(ExitCode::SUCCESS)
}
