//! `finback pe`

mod watching;

use crate::cli::arguments::Arguments;
use crate::cli::settings::{self, CONFIG, SETTING};
use crate::cli::stop::{EXIT_INTERRUPTED, Stop};
use crate::cli::table::{Command, Count, Kind, Operand, Opt};
use crate::cli::wrap::wrap;
use finback_pe::{COMMANDS, OPTIONS, Options, PeCommand, PeError, PeOption, Report};
use std::ffi::OsStr;
use std::path::Path;
use std::process::ExitCode;
use watching::Watching;

pub(super) const COMMAND: Command = Command {
    name: "pe",
    summary: "generates load: HBase's PerformanceEvaluation and YCSB's workloads",
    about: "
Reads and writes rows as fast as the cluster takes them, or so many a second, and tells how long that took. It talks to Apache
HBase as well as to Finback. Command lines of hbase pe can be pasted: table, rows and values are the same, so that rows which
one has written the other reads.

CLIENTS clients do COMMAND at the same time, each on its --rows rows. Write before you read: sequentialWrite makes the table.

With --rate operations begin at fixed moments, whether those before are done or not, as long as a client is free; latencies
count from these moments, so that a server that stalls for a second shows in all that should have been done in it. Give enough
clients for what may be under way at a time; what was due and not begun at the end is told. Without --rate each client begins its next operation when the last is done.

YCSB's workloads have their properties: -p recordcount=100000 -p operationcount=1000000. Run ycsbLoad before them.

Where the cluster is, HBase's settings say, behind -D or in an hbase-site.xml behind --config: hbase.zookeeper.quorum=HOST[:PORT], or
without ZooKeeper hbase.client.registry.impl=MasterRegistry with hbase.masters=HOST:PORT. Else it is at localhost:2181.",
    operands: &[
        Operand { name: "COMMAND", kind: Kind::Words(&COMMAND_NAMES), count: Count::One, meaning: "What to do; see below." },
        Operand {
            name: "CLIENTS",
            kind: Kind::Text,
            count: Count::Optional,
            meaning: "How many clients do it at the same time. Default: 1.",
        },
    ],
    options: &ALL_OPTIONS,
    examples: &[
        ("finback pe --rows=100000 --presplit=4 sequentialWrite 4", "writes 400000 rows of 1000 bytes"),
        ("finback pe --rows=100000 randomRead 16", "reads 1600000 random ones of 1600000, of which 400000 are there"),
        ("finback pe --rate=5000 --duration=60 --rows=25000 randomRead 16", "reads 5000 a second for a minute"),
        ("finback pe --html=report.html --json=report.json --rows=1000 scanRange100 4", "keeps a page with plots, and the figures"),
        ("finback pe -D hbase.zookeeper.quorum=zk1,zk2 --rows=1000 sequentialWrite", "writes 1000 rows to another cluster"),
        ("finback pe ycsbLoad 8 -p recordcount=100000", "writes YCSB's records"),
        ("finback pe workloadB 8 -p recordcount=100000 --duration=30", "reads and updates them for half a minute"),
    ],
    exit_codes: &[(1, "An operation failed, or the table does not suit."), (130, "Ctrl-C ended the run; what was done is told.")],
    more: Some(commands),
    run,
};

const HTML: Opt =
    Opt::long_value("html", ("FILE", Kind::File), "Writes a page with plots, which needs nothing else.");
const JSON: Opt = Opt::long_value(
    "json",
    ("FILE", Kind::File),
    "Writes the figures as JSON; - is standard output, instead of the text.",
);
const QUIET: Opt = Opt::flag('q', "quiet", "Tells no progress.");

/// Where in the help text it stands what a command does.
const SUMMARY_COLUMN: usize = 24;

/// Ours, then those of PerformanceEvaluation.
const ALL_OPTIONS: [Opt; OPTIONS.len() + 5] = {
    const EMPTY: Opt = Opt::long_flag("", "");
    let mut all = [EMPTY; OPTIONS.len() + 5];
    all[0] = HTML;
    all[1] = JSON;
    all[2] = QUIET;
    all[3] = CONFIG;
    all[4] = SETTING;
    let mut place = 0;
    while place < OPTIONS.len() {
        let PeOption { name, short, value, meaning, .. } = OPTIONS[place];
        let value = match value {
            Some(value) => Some((value, if is_file(name) { Kind::File } else { Kind::Text })),
            None => None,
        };
        all[place + 5] = Opt { short, long: Some(name), value, meaning };
        place += 1;
    }
    all
};

const fn is_file(name: &str) -> bool {
    matches!(name.as_bytes(), b"properties")
}

const COMMAND_NAMES: [&str; COMMANDS.len()] = {
    let mut names = [""; COMMANDS.len()];
    let mut place = 0;
    while place < COMMANDS.len() {
        names[place] = COMMANDS[place].name;
        place += 1;
    }
    names
};

/// The commands, for the help text.
fn commands() -> String {
    let mut text = String::new();
    for (heading, ycsb) in [("commands of PerformanceEvaluation:", false), ("\ncommands of YCSB:", true)] {
        text.push_str(heading);
        text.push('\n');
        for command in COMMANDS.iter().filter(|command| command.is_ycsb() == ycsb) {
            text.push_str("  ");
            text.push_str(command.name);
            wrap(&mut text, command.summary, SUMMARY_COLUMN, command.name.len() + 2);
        }
    }
    text
}

fn run(arguments: &Arguments) -> Result<ExitCode, Stop> {
    let options = options(arguments)?;
    let config = settings::client_config(arguments)?;
    let mut watching = Watching::new(arguments.has("quiet"));
    let report = finback_pe::run(&options, config, &mut watching).map_err(stop)?;
    tell(arguments, &report)?;
    if let Some(error) = report.error() {
        return Err(Stop::Failed(format!("pe: {error}")));
    }
    Ok(if report.is_interrupted() { ExitCode::from(EXIT_INTERRUPTED) } else { ExitCode::SUCCESS })
}

fn options(arguments: &Arguments) -> Result<Options, Stop> {
    let usage = |error: PeError| Stop::from(arguments.combination(error.to_string()));
    let [name, rest @ ..] = arguments.operands() else {
        return Err(arguments.combination("a COMMAND is needed").into());
    };
    let name = name.to_string_lossy();
    let mut options = Options::new(PeCommand::find(&name).ok_or_else(|| unknown(arguments, &name))?);
    if let Some(clients) = rest.first() {
        let clients = clients.to_string_lossy();
        let number = clients.parse().map_err(|_| {
            arguments
                .combination(format!("CLIENTS is a number, not {clients}; options go before it or after it"))
        })?;
        options.set_clients(number).map_err(usage)?;
    }
    for option in OPTIONS {
        for value in arguments.values(option.name) {
            let value = utf8(arguments, option.name, value)?;
            options.set(option.name, value).map_err(usage)?;
        }
    }
    options.check().map_err(usage)?;
    Ok(options)
}

fn utf8<'a>(arguments: &Arguments, name: &str, value: &'a OsStr) -> Result<&'a str, Stop> {
    value.to_str().ok_or_else(|| arguments.combination(format!("--{name} is not text in UTF-8")).into())
}

fn unknown(arguments: &Arguments, name: &str) -> Stop {
    let nearest = crate::nearest::nearest(name, COMMAND_NAMES.iter().copied(), 3);
    let meant = match nearest {
        Some(nearest) => format!("; did you mean {nearest}?"),
        None if name.contains('.') => "; classes of Java cannot run here".to_owned(),
        None => String::new(),
    };
    arguments.combination(format!("there is no command {name}{meant}")).into()
}

fn stop(error: PeError) -> Stop {
    Stop::Failed(format!("pe: {error}"))
}

/// Tells the report: files first, since they are what was asked for besides.
fn tell(arguments: &Arguments, report: &Report) -> Result<(), Stop> {
    let mut told = false;
    if let Some(path) = arguments.path("html") {
        write(path, &report.to_html())?;
    }
    if let Some(path) = arguments.path("json") {
        let text = format!("{:#}\n", report.to_json());
        told = path == Path::new("-");
        if told { print(&text)? } else { write(path, &text)? }
    }
    if told { Ok(()) } else { print(&report.to_string()) }
}

fn write(path: &Path, text: &str) -> Result<(), Stop> {
    std::fs::write(path, text)
        .map_err(|error| Stop::Failed(format!("pe: cannot write {}: {error}", path.display())))
}

fn print(text: &str) -> Result<(), Stop> {
    use std::io::Write;
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}
