//! `finback shell`

use crate::cli::arguments::Arguments;
use crate::cli::settings::{self, CONFIG, SETTING};
use crate::cli::stop::{EXIT_INTERRUPTED, Stop};
use crate::cli::table::{Command, Count, Kind, Operand, Opt};
use finback_client::{ClientConfig, Connection};
use finback_shell::{Session, Shell, ShellError, Source, terminal_width};
use std::io::{BufWriter, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// How long the shell looks for its cluster before it says so.
const PATIENCE_AT_FIRST: Duration = Duration::from_secs(2);

pub(super) const COMMAND: Command = Command {
    name: "shell",
    summary: "HBase's shell: its commands, without Ruby",
    about: "
Takes the statements of HBase's shell, such as create 't1', {NAME => 'f1', VERSIONS => 5}, and writes what that writes. It talks
to Apache HBase as well as to Finback. The statement help lists the commands.

At a terminal it asks for statements, with history and completion. Otherwise it reads them from SCRIPT, from -e, or from
standard input. It is not Ruby: blocks, loops and classes of Java are answered with what to do instead.

Where the cluster is, HBase's settings say, behind -D or in an hbase-site.xml behind --config: hbase.zookeeper.quorum=HOST[:PORT], or
without ZooKeeper hbase.client.registry.impl=MasterRegistry with hbase.masters=HOST:PORT. Else it is at localhost:2181.",
    operands: &[Operand {
        name: "SCRIPT",
        kind: Kind::File,
        count: Count::Optional,
        meaning: "A file of statements.",
    }],
    options: &[
        Opt::flag('n', "noninteractive", "Ends with the first statement that fails, and exit code 1."),
        Opt::flag('d', "debug", "Tells failures as the server told them, as the statement debug does."),
        Opt::value('e', "execute", ("STATEMENTS", Kind::Text), "Runs these, and ends with the first that fails."),
        CONFIG,
        SETTING,
    ],
    examples: &[
        ("finback shell", "asks for statements; the cluster's ZooKeeper is on localhost:2181"),
        ("finback shell -D hbase.zookeeper.quorum=zk1:2181", "the same, for another cluster"),
        ("finback shell -e \"scan 'flowers', {LIMIT => 3}\"", "runs one statement"),
        ("echo list | finback shell -n", "runs what comes on standard input"),
    ],
    exit_codes: &[
        (1, "With -n or -e: a statement failed. Else what exit was given."),
        (130, "Ctrl-C ended a statement, with -n or -e, or came when a script had none to run."),
    ],
    more: None,
    run,
};

fn run(arguments: &Arguments) -> Result<ExitCode, Stop> {
    let source = source(arguments)?;
    let ends_early = arguments.has("noninteractive") || arguments.has("execute");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let config = settings::client_config(arguments)?;
    let probe = config.clone().retries(0).operation_timeout(PATIENCE_AT_FIRST);
    let connection = {
        let _entered = runtime.enter();
        Connection::open_lazily(config).map_err(|error| Stop::Failed(error.to_string()))?
    };
    runtime.block_on(warn_if_nobody_answers(probe));
    if matches!(source, Source::Terminal(_)) {
        println!("finback shell {}: the commands of HBase's shell, without Ruby.", env!("CARGO_PKG_VERSION"));
        println!("Use \"help\" to get the list of commands, \"exit\" or Ctrl-D to end.\n");
    }
    let shell = Shell::new(connection, Box::new(BufWriter::new(std::io::stdout())), terminal_width);
    let shell = if arguments.has("debug") { shell.debugging() } else { shell };
    let shell = if ends_early { shell } else { shell.going_on() };
    match Session::new(shell, runtime).run(&source) {
        Ok(code) => Ok(ExitCode::from(code)),
        Err(ShellError::Interrupted) => Ok(ExitCode::from(EXIT_INTERRUPTED)),
        Err(ShellError::Io(error)) => Err(Stop::Output(error)),
        Err(error) => Err(Stop::Failed(format!("shell: {error}"))),
    }
}

/// Statements wait for minutes, as HBase's do, for a cluster that is not there: who has the wrong address is to know.
async fn warn_if_nobody_answers(config: ClientConfig) {
    let problem = match tokio::time::timeout(PATIENCE_AT_FIRST, Connection::open(config)).await {
        Ok(Ok(_)) => return,
        Ok(Err(error)) => error.to_string(),
        Err(_) => "the cluster gives no answer".to_owned(),
    };
    eprintln!("finback: warning: {problem}; statements wait until there is a cluster, or for Ctrl-C");
}

fn source(arguments: &Arguments) -> Result<Source, Stop> {
    let script = arguments.operands().first().map(PathBuf::from);
    match (arguments.text("execute")?, script) {
        (Some(_), Some(_)) => Err(arguments.combination("--execute does not go with a SCRIPT").into()),
        (Some(text), None) => Ok(Source::Text(text)),
        (None, Some(script)) => Ok(Source::File(script)),
        (None, None) if std::io::stdin().is_terminal() && !arguments.has("noninteractive") => {
            Ok(Source::Terminal(
                std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".finback_history")),
            ))
        }
        (None, None) => Ok(Source::Input),
    }
}
