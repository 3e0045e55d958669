//! `finback check`

mod live;
mod repairing;
mod telling;

use crate::cli::arguments::Arguments;
use crate::cli::settings::{CONFIG, SETTING};
use crate::cli::stop::{EXIT_FAILED, EXIT_INTERRUPTED, Stop};
use crate::cli::table::{Command, Count, Kind, Operand, Opt};
use crate::root_lock;
use finback_fs::{FileSystem, LocalFileSystem};
use finback_inspect::{CheckOptions, Losses, check_directory};
use finback_layout::RootDir;
use repairing::Fixing;
use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use telling::Told;

pub(super) const COMMAND: Command = Command {
    name: "check",
    summary: "checks a root directory, or a cluster that runs, and repairs what can be repaired",
    about: "
Reads a root directory that no server has open, Finback's or HBase's: every block of every store file, every entry of
every log, and what hbase:meta says, from its files and its logs. Says what does not fit together: holes and overlaps among
the regions of a table, directories that hbase:meta does not know, descriptors that are missing, references and links that
lead nowhere, snapshots whose files are gone, what crashes have left behind.

Without --fix it changes nothing. With --fix it lists what it can repair without loss, asks, and repairs. With --fix
--salvage also what is damaged: of a store file the cells of all blocks that verify go into a new one, of a log the entries that
can be read; the list says what is lost. It destroys nothing: what is in the way, and what is damaged, is kept in .hbck in
the root directory, where it has the path that it had, and where no server looks.

It refuses while a Finback server has DIR open; stop HBase yourself. What a server that was killed had in its logs is
no problem: the next start recovers it.

Of a cluster that runs, Finback or HBase, it asks the master, hbase:meta and each region server, and says what they do not agree
on: regions that are not open where hbase:meta says, that are open twice, or nowhere; regions that hbase:meta does not know;
holes and overlaps; servers that are dead and still have regions; what is stuck on its way. It looks for what is wrong three times,
since a busy cluster changes meanwhile. --fix has the master assign regions that no server has open.",
    operands: &[Operand {
        name: "DIR|HOST[:PORT]",
        kind: Kind::Directory,
        count: Count::One,
        meaning: "The root directory: what finback server --data names, HBase's hbase.rootdir. Or the ZooKeeper of a cluster \
                  that runs, of port 2181 if none is named; with port 16000 a master of it, with 16020 a region server.",
    }],
    options: &[
        Opt::long_flag("fix", "Repairs what can be repaired, after showing what that is, and asking."),
        Opt::long_flag(
            "salvage",
            "With --fix: also puts what is left of damaged files in their place. What is lost is shown before.",
        ),
        Opt::long_flag("yes", "With --fix: does not ask."),
        Opt::long_flag("json", "Prints the report as one JSON object."),
        Opt::long_flag("quick", "Does not read the store files and logs, but for those of hbase:meta."),
        CONFIG,
        SETTING,
    ],
    examples: &[
        ("finback check /var/lib/finback", "says what is wrong, if anything is"),
        ("finback check localhost", "the same of a cluster that runs; its ZooKeeper is on localhost:2181"),
        ("finback check /var/lib/finback --json | jq .findings", "the same for programs"),
        ("finback check /var/lib/finback --quick --fix", "moves leftovers aside, after asking"),
        ("finback check /var/lib/finback --fix --salvage", "keeps what is left of damaged files, after asking"),
    ],
    exit_codes: &[
        (1, "Something is wrong, and was not repaired. What is only worth knowing does not count."),
        (130, "Ctrl-C ended it before the end."),
    ],
    more: None,
    run,
};

fn run(arguments: &Arguments) -> Result<ExitCode, Stop> {
    let (fixes, asks, is_json) = (arguments.has("fix"), !arguments.has("yes"), arguments.has("json"));
    if !asks && !fixes {
        return Err(arguments.combination("--yes goes with --fix").into());
    }
    if arguments.has("salvage") && !fixes {
        return Err(arguments.combination("--salvage goes with --fix").into());
    }
    if is_json && fixes && asks {
        return Err(arguments.combination("--fix cannot ask with --json: add --yes").into());
    }
    let root = match target(&arguments.operands()[0])? {
        Target::Directory(root) => root,
        Target::Cluster(address) => return live::run(arguments, &address),
    };
    if arguments.has("config") || arguments.has("D") {
        let hint = "--config and -D are about a cluster, and this is a directory, which has no settings that a check needs";
        return Err(arguments.combination(hint).into());
    }
    let instead = "finback check HOST[:PORT] asks the server";
    let _lock = root_lock::lock(&root, instead).map_err(Stop::Failed)?;
    let mut told = Told::new(root.path(), is_json);
    let options = CheckOptions { verifies_files: !arguments.has("quick") };
    let report = check_directory(&root, options, &mut told);
    told.end();
    let report = report?;
    if is_json {
        writeln!(std::io::stdout(), "{}", report.to_json())?;
    } else {
        told.summary(&report)?;
    }
    if report.was_interrupted {
        return Ok(ExitCode::from(EXIT_INTERRUPTED));
    }
    let losses = if arguments.has("salvage") { Losses::Accepted } else { Losses::Refused };
    let is_sound = match fixes {
        true => repairing::run(&root, &report, Fixing { losses, asks, is_json }, &mut told)?,
        false => Some(report.is_sound()),
    };
    Ok(exit_code(is_sound))
}

/// Of whether nothing is wrong any more; none if Ctrl-C ended it.
fn exit_code(is_sound: Option<bool>) -> ExitCode {
    match is_sound {
        Some(true) => ExitCode::SUCCESS,
        Some(false) => ExitCode::from(EXIT_FAILED),
        None => ExitCode::from(EXIT_INTERRUPTED),
    }
}

/// What is to be checked.
enum Target {
    Directory(RootDir),
    /// `host`, `host:port`.
    Cluster(String),
}

/// What is there as a directory is one; else, what could be the name of a host, is that.
fn target(operand: &OsStr) -> Result<Target, Stop> {
    let path = PathBuf::from(operand);
    match std::fs::canonicalize(&path) {
        Ok(path) if path.is_dir() => {
            let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem);
            Ok(Target::Directory(RootDir::new(fs, path)))
        }
        Ok(_) => Err(Stop::Failed(format!("{} is no directory; name a root directory", path.display()))),
        Err(error) => match operand.to_str().filter(|text| live::is_address(text)) {
            Some(address) => Ok(Target::Cluster(address.to_owned())),
            None => Err(Stop::Failed(format!(
                "cannot find {}: {error}; name a root directory, or the HOST[:PORT] of a cluster that runs",
                path.display()
            ))),
        },
    }
}
