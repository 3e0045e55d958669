//! `finback top`

use crate::cli::arguments::Arguments;
use crate::cli::settings::{self, CONFIG, SETTING};
use crate::cli::stop::{EXIT_FAILED, Stop};
use crate::cli::table::{Command, Kind, Opt};
use crate::cli::usage_error::UsageError;
use finback_top::{Ending, Field, Filter, Mode, Options, Sorting, Theme, TopError, View};
use std::io::{BufWriter, Write};
use std::process::ExitCode;
use std::time::Duration;

pub(super) const COMMAND: Command = Command {
    name: "top",
    summary: "what a cluster does now: HBase's hbtop",
    about: "
Shows the requests, sizes and states of a cluster, anew every few seconds: a line for each region, table, namespace, server, user
or client, the busiest first. It talks to Apache HBase as well as to Finback. On its screen, h shows the keys.

With -b it prints what the screen would show, time after time, for other programs. Rates are told from the second time on: they
are what counters have grown by between two reports of a server.

Fields are called by the headings of their columns; -O lists those of a mode. A filter is [!]FIELD, then one of = (contains),
== > >= < <=, then a value: TABLE==flowers, !NAMESPACE==hbase, #REQ/S>1000, SF>=10GB.

Where the cluster is, HBase's settings say, behind -D or in an hbase-site.xml behind --config: hbase.zookeeper.quorum=HOST[:PORT], or
without ZooKeeper hbase.client.registry.impl=MasterRegistry with hbase.masters=HOST:PORT. Else it is at localhost:2181.",
    operands: &[],
    options: &[
        Opt::value('d', "delay", ("SECONDS", Kind::Text), "Time between two looks. Default: 3."),
        Opt::value(
            'm',
            "mode",
            ("MODE", Kind::Words(&["n", "t", "r", "s", "u", "c"])),
            "A line for each namespace, table, region (the default), server, user or client.",
        ),
        Opt::value('n', "numberOfIterations", ("COUNT", Kind::Text), "Ends after so many looks; the last one stays where the shell goes on."),
        Opt::value(
            's',
            "sortField",
            ("FIELD", Kind::Text),
            "Sorts by this field, from high to low; with - before it, from low to high. Default: #REQ/S.",
        ),
        Opt::flag('O', "outputFieldNames", "Lists the fields of the mode, and ends."),
        Opt::value('f', "fields", ("FIELDS", Kind::Text), "Shows these fields only, with commas between them."),
        Opt::value(
            'i',
            "filters",
            ("FILTERS", Kind::Text),
            "Shows only what passes all of these. Between them stands ; or a comma, but for those in names of servers.",
        ),
        Opt::flag('b', "batchMode", "Prints, without a screen, until -n or a signal ends it."),
        CONFIG,
        SETTING,
    ],
    examples: &[
        ("finback top", "regions, busiest first; the cluster's ZooKeeper is on localhost:2181"),
        ("finback top -D hbase.zookeeper.quorum=zk1,zk2", "the same, for another cluster"),
        ("finback top -m t -i '!NAMESPACE==hbase'", "tables of users"),
        ("finback top -b -n 2 -d 10 -m u", "prints users now and in ten seconds"),
        ("finback top -m s -s -UHEAP", "servers, the one with the least memory in use first"),
    ],
    exit_codes: &[(1, "The cluster gave no answer to the last look of -n, or there is no screen."), (143, "SIGTERM ended it; another signal: 128 and its number.")],
    more: None,
    run,
};

/// Shells add the number of the signal that ended a command.
const EXIT_SIGNAL: u8 = 128;

/// A delay that is shorter would only keep the master busy: servers report every few seconds.
const SHORTEST_DELAY_S: f64 = 0.1;
const LONGEST_DELAY_S: f64 = 86_400.0;

fn run(arguments: &Arguments) -> Result<ExitCode, Stop> {
    let mode: Option<char> = arguments.parsed("mode", "a letter")?;
    let mode = mode.and_then(Mode::of_letter).unwrap_or(Mode::Region);
    if arguments.has("outputFieldNames") {
        let names: String =
            mode.fields().iter().map(|known| format!("{}\n", known.field.heading())).collect();
        std::io::stdout().lock().write_all(names.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let options = options(arguments, mode)?;
    let config = settings::client_config(arguments)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let is_batch = arguments.has("batchMode");
    let ended = runtime.block_on(async {
        if is_batch {
            let mut out = BufWriter::new(std::io::stdout());
            finback_top::run_batch(config, options, &mut out).await
        } else {
            finback_top::run_screen(config, options, Theme::of_environment()).await
        }
    });
    // A name server that gives no answer holds nobody up who has seen enough.
    runtime.shutdown_background();
    match ended {
        Ok(Ending::Unanswered) => Ok(ExitCode::from(EXIT_FAILED)),
        Ok(Ending::Signal(signal)) => {
            Ok(ExitCode::from(EXIT_SIGNAL + u8::try_from(signal).unwrap_or_default()))
        }
        Ok(Ending::Done) => Ok(ExitCode::SUCCESS),
        Err(TopError::Io(error)) if is_batch => Err(Stop::Output(error)),
        Err(error) => Err(Stop::Failed(format!("top: {error}"))),
    }
}

fn options(arguments: &Arguments, mode: Mode) -> Result<Options, UsageError> {
    let delay_is = "a number of seconds from 0.1 to 86400";
    let delay: f64 = arguments.parsed("delay", delay_is)?.unwrap_or(3.0);
    if !(SHORTEST_DELAY_S..=LONGEST_DELAY_S).contains(&delay) {
        return Err(arguments.combination(format!("--delay is {delay_is}, not {delay}")));
    }
    let iterations: Option<u64> = arguments.parsed("numberOfIterations", "a whole number")?;
    if iterations == Some(0) {
        return Err(arguments.combination("--numberOfIterations is at least 1"));
    }
    let mut view = View::of(mode);
    if let Some(text) = arguments.text("sortField")? {
        let name = text.trim_start_matches(['+', '-']);
        view.sorting = Sorting { field: field(arguments, mode, name)?, is_ascending: text.starts_with('-') };
    }
    for name in arguments.text("fields")?.unwrap_or_default().split(',').filter(|name| !name.is_empty()) {
        let field = field(arguments, mode, name.trim())?;
        if !view.fields.contains(&field) {
            view.fields.push(field);
        }
    }
    if let Some(text) = arguments.text("filters")? {
        let filters = Filter::parse_all(&text, mode);
        view.filters = filters.map_err(|error| arguments.combination(error.to_string()))?;
    }
    Ok(Options { view, delay: Duration::from_secs_f64(delay), iterations })
}

fn field(arguments: &Arguments, mode: Mode, name: &str) -> Result<Field, UsageError> {
    let found = Field::named(name).filter(|&field| mode.has(field));
    found.ok_or_else(|| {
        let known: Vec<_> = mode.fields().iter().map(|known| known.field.heading()).collect();
        let (mode, known) = (mode.name(), known.join(", "));
        arguments.combination(format!("{mode} mode has no field '{name}'; it has {known}"))
    })
}
