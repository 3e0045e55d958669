//! `finback compact`

use crate::cli::arguments::Arguments;
use crate::cli::interrupt::Interrupt;
use crate::cli::settings::{self, CONFIG, SETTING};
use crate::cli::stop::Stop;
use crate::cli::table::{Command, Count, Kind, Operand, Opt};
use crate::compact::CompactOptions;
use std::path::PathBuf;
use std::process::ExitCode;

pub(super) const COMMAND: Command = Command {
    name: "compact",
    summary: "compacts the files of a table while no server runs",
    about: "
Each store is compacted as its policy and its settings say, or all files of it with --major. A line for each store
says what was done.

It refuses while a Finback server has the root directory open; stop HBase yourself. It may be killed at any moment: a
store has its old files or its new ones. Old files go to the archive.",
    operands: &[Operand {
        name: "DIR",
        kind: Kind::Directory,
        count: Count::One,
        meaning: "The directory of a table, ROOT/data/NAMESPACE/TABLE, or of a region in it.",
    }],
    options: &[
        Opt::long_flag(
            "major",
            "All files of each store become one, without deleted and surplus cells. Otherwise the policy of the store \
             chooses.",
        ),
        Opt::long_value("family", ("FAMILY", Kind::Text), "Only this family."),
        CONFIG,
        SETTING,
    ],
    examples: &[("finback compact /data/data/default/t1 --major", "one file for each store of t1")],
    exit_codes: &[(1, "Something could not be compacted; it stays as it was."), (130, "Ctrl-C ended it before the end.")],
    more: None,
    run,
};

fn run(arguments: &Arguments) -> Result<ExitCode, Stop> {
    let config = settings::load(&settings::sources(arguments)?.of_a_server())?.config;
    let options = CompactOptions {
        directory: PathBuf::from(&arguments.operands()[0]),
        major: arguments.has("major"),
        family: arguments.text("family")?,
    };
    Interrupt::end_with("finback: interrupted; a store that was not told has its old files, or its new ones");
    Ok(crate::compact::run(&options, &config))
}
