//! `finback completions`

use crate::cli::arguments::Arguments;
use crate::cli::completions::{SHELLS, script};
use crate::cli::stop::Stop;
use crate::cli::table::{Command, Count, Kind, Operand};
use crate::cli::usage_error::UsageError;
use std::io::Write;
use std::process::ExitCode;

pub(super) const COMMAND: Command = Command {
    name: "completions",
    summary: "prints what a shell needs to complete finback's commands",
    about: "Commands, options, and what can stand behind them.",
    operands: &[Operand {
        name: "SHELL",
        kind: Kind::Words(SHELLS),
        count: Count::One,
        meaning: "bash, zsh or fish.",
    }],
    options: &[],
    examples: &[
        (
            "finback completions bash > ~/.local/share/bash-completion/completions/finback",
            "for the bash of this user",
        ),
        ("finback completions zsh > ~/.zfunc/_finback", "for zsh, where ~/.zfunc is in $fpath"),
        ("finback completions fish > ~/.config/fish/completions/finback.fish", "for fish"),
    ],
    exit_codes: &[],
    more: None,
    run,
};

fn run(arguments: &Arguments) -> Result<ExitCode, Stop> {
    let shell = arguments.operands()[0].to_string_lossy();
    let script = script(&shell).ok_or_else(|| UsageError::BadValue {
        option: "SHELL".to_owned(),
        given: shell.into_owned(),
        expected: format!("one of {}", SHELLS.join(", ")),
        command: COMMAND.name,
    })?;
    std::io::stdout().write_all(script.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
