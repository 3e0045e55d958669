//! `finback help`

use crate::cli::arguments::Arguments;
use crate::cli::help;
use crate::cli::stop::Stop;
use crate::cli::style::Style;
use crate::cli::table::{Command, Count, Kind, Operand};
use std::io::Write;
use std::process::ExitCode;

pub(super) const COMMAND: Command = Command {
    name: "help",
    summary: "lists the commands, or explains one",
    about: "finback help COMMAND says the same as finback COMMAND --help.",
    operands: &[Operand {
        name: "COMMAND",
        kind: Kind::Command,
        count: Count::Optional,
        meaning: "What is explained.",
    }],
    options: &[],
    examples: &[],
    exit_codes: &[],
    more: None,
    run,
};

fn run(arguments: &Arguments) -> Result<ExitCode, Stop> {
    let style = Style::of_stdout();
    let text = match arguments.operands().first() {
        Some(name) => help::of_command(crate::cli::known(&name.to_string_lossy())?, style),
        None => help::overview(style),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
