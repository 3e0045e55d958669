//! `finback man`

use crate::cli::arguments::Arguments;
use crate::cli::man;
use crate::cli::stop::Stop;
use crate::cli::table::{Command, Count, Kind, Operand, Opt};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(super) const COMMAND: Command = Command {
    name: "man",
    summary: "prints or writes the man pages",
    about: "They say what --help says.",
    operands: &[Operand {
        name: "COMMAND",
        kind: Kind::Command,
        count: Count::Optional,
        meaning: "Whose page is printed; without it, that of finback itself.",
    }],
    options: &[Opt::long_value(
        "output",
        ("DIR", Kind::Directory),
        "Writes all pages to this directory. It has to exist.",
    )],
    examples: &[
        ("finback man hfile | man -l -", "shows a page"),
        ("finback man --output /usr/local/share/man/man1", "installs all of them"),
    ],
    exit_codes: &[(1, "A page could not be written.")],
    more: None,
    run,
};

fn run(arguments: &Arguments) -> Result<ExitCode, Stop> {
    match (arguments.path("output"), arguments.operands().first()) {
        (Some(_), Some(_)) => {
            return Err(arguments.combination("--output writes the pages of all commands: name none").into());
        }
        (Some(directory), None) => write_all(directory)?,
        (None, command) => {
            let page = match command {
                Some(name) => man::of_command(crate::cli::known(&name.to_string_lossy())?),
                None => man::of_program(),
            };
            std::io::stdout().write_all(page.text.as_bytes())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn write_all(directory: &Path) -> Result<(), Stop> {
    for page in man::pages() {
        let path = directory.join(&page.file_name);
        std::fs::write(&path, &page.text)
            .map_err(|error| Stop::Failed(format!("cannot write {}: {error}", path.display())))?;
    }
    Ok(())
}
