//! `finback wal`

mod verification;

use crate::cli::arguments::Arguments;
use crate::cli::file_kind::FileKind;
use crate::cli::local_file::LocalFile;
use crate::cli::stop::{EXIT_FAILED, Stop};
use crate::cli::table::{Command, Count, Kind, Operand, Opt};
use finback_fs::{FileSystem, LocalFileSystem};
use finback_inspect::{InspectError, WalForm, WalPrinter, WalPrinterOptions};
use std::ffi::OsString;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

pub(super) const COMMAND: Command = Command {
    name: "wal",
    summary: "prints and verifies write-ahead logs, ours or HBase's",
    about: "
Takes the options of HBase's WALPrettyPrinter (hbase wal) and prints what that prints: of each entry its sequence id,
table, region and time, and its cells. Compressed logs and recovered edits are logs as any.

What -j prints is what HBase calls JSON: entries among lines of text. --jsonl prints one JSON object a line, and nothing
else.

A log whose end is torn, as a crash leaves it, is printed up to there; standard error says so. Nothing of such an end was
ever acknowledged. In a damaged log everything before the damage is printed; -g goes on behind it, if the log is not
compressed.",
    operands: &[Operand {
        name: "FILE",
        kind: Kind::File,
        count: Count::Many,
        meaning: "A log; with --verify also a directory.",
    }],
    options: &[
        Opt::long_flag("verify", "Verifies all of each log, and of all logs below each directory."),
        Opt::flag('v', "verbose", "With --verify: names sound logs, too."),
        Opt::flag('p', "printvals", "Prints values."),
        Opt::flag('j', "json", "Prints what HBase calls JSON."),
        Opt::long_flag("jsonl", "Prints one JSON object a line."),
        Opt::flag('k', "outputOnlyRowKey", "Prints rows alone."),
        Opt::value('t', "tables", ("TABLE,...", Kind::Text), "Only entries of these tables."),
        Opt::value('r', "region", ("NAME", Kind::Text), "Only entries of the region with this encoded name."),
        Opt::value('s', "sequence", ("N", Kind::Text), "Only entries with this sequence id."),
        Opt::value('w', "row", ("ROW", Kind::Text), "Only cells of this row, as it is printed."),
        Opt::value('f', "rowPrefix", ("PREFIX", Kind::Text), "Only cells of rows that begin so, as printed."),
        Opt::value('g', "goto", ("OFFSET", Kind::Text), "Begins at this offset of the file."),
    ],
    examples: &[
        ("finback wal -p -w 'row\\x00' /data/WALs/*/*", "what was written to a row lately"),
        ("finback wal --jsonl FILE | jq .sequence", "something for programs"),
        ("finback wal --verify /data/WALs /data/oldWALs", "verifies all logs of a server"),
    ],
    exit_codes: &[
        (1, "A log cannot be read or is damaged."),
        (3, "With --verify: nothing is damaged, and the end of a log is torn."),
        (130, "Ctrl-C ended it before the end."),
    ],
    more: None,
    run,
};

fn run(arguments: &Arguments) -> Result<ExitCode, Stop> {
    let file = |operand: &OsString| LocalFile::of(operand).map(|file| file.path);
    let files: Vec<PathBuf> = arguments.operands().iter().map(file).collect::<Result<_, _>>()?;
    if arguments.has("verify") {
        return verification::run(&files, arguments.has("verbose"));
    }
    let options = options(arguments)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let printed = print(&files, options, &mut out);
    // What was printed before comes before what went wrong.
    out.flush()?;
    printed
}

fn print(files: &[PathBuf], options: WalPrinterOptions, out: &mut dyn Write) -> Result<ExitCode, Stop> {
    let mut printer = WalPrinter::new(options, out)?;
    for path in files {
        let found = LocalFileSystem
            .metadata(path)
            .map_err(|source| InspectError::Io { path: path.clone(), source })?;
        if found.is_dir {
            let path = path.display();
            return Err(Stop::Failed(format!("{path} is a directory; finback wal --verify takes those")));
        }
        let printed = printer.print(&LocalFileSystem, path);
        let torn = printed.map_err(|error| FileKind::Log.explain(path, error.into()))?;
        if let Some(torn) = torn {
            eprintln!(
                "finback: {}: the end is torn, {} bytes at offset {}: {}",
                path.display(),
                torn.dropped_bytes,
                torn.offset,
                torn.reason
            );
        }
    }
    printer.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn options(arguments: &Arguments) -> Result<WalPrinterOptions, Stop> {
    if arguments.has("row") && arguments.has("rowPrefix") {
        return Err(arguments.combination("--row and --rowPrefix do not go together").into());
    }
    let form = match (arguments.has("json"), arguments.has("jsonl")) {
        (true, true) => return Err(arguments.combination("--json and --jsonl do not go together").into()),
        (true, false) => WalForm::HBaseJson,
        (false, true) => WalForm::JsonLines,
        (false, false) => WalForm::Text,
    };
    // HBase takes a negative number for none.
    let sequence: Option<i64> = arguments.parsed("sequence", "a sequence id")?;
    let tables = arguments.text("tables")?.unwrap_or_default();
    Ok(WalPrinterOptions {
        form,
        values: arguments.has("printvals"),
        only_rows: arguments.has("outputOnlyRowKey"),
        tables: tables.split(',').filter(|table| !table.is_empty()).map(str::to_owned).collect(),
        region: arguments.text("region")?,
        sequence: sequence.and_then(|sequence| u64::try_from(sequence).ok()),
        row: arguments.text("row")?,
        row_prefix: arguments.text("rowPrefix")?,
        position: arguments.parsed("goto", "an offset in bytes")?.unwrap_or_default(),
        time_zone: None,
    })
}

/// Exit code of logs of which one has a torn end, and none is damaged.
const EXIT_TORN: u8 = 3;

/// The exit code of a verification.
fn exit_code(damaged: u64, torn: u64) -> ExitCode {
    match (damaged, torn) {
        (0, 0) => ExitCode::SUCCESS,
        (0, _) => ExitCode::from(EXIT_TORN),
        _ => ExitCode::from(EXIT_FAILED),
    }
}
