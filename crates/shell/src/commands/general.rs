//! `general`: the cluster, and the shell itself.

use super::{processlist, status};
use crate::arguments::Arguments;
use crate::command::{Group, command};
use crate::error::Result;
use crate::help;
use crate::shell::Shell;
use crate::value::Value;

pub(super) const GROUP: Group = Group {
    name: "general",
    title: "General HBase shell commands",
    commands: &[
        command!(
            "help",
            0..1,
            help,
            "\
Lists the commands, or explains one of them, or all of a group:

  hbase> help
  hbase> help 'scan'
  hbase> help 'ddl'"
        ),
        command!(
            "status",
            0..2,
            status::run,
            "\
Shows how the cluster is: in a line ('summary', the default), by server ('simple'), by server and region ('detailed'), or
what servers send to other clusters and take from them ('replication').

  hbase> status
  hbase> status 'simple'
  hbase> status 'summary'
  hbase> status 'detailed'
  hbase> status 'replication'
  hbase> status 'replication', 'source'
  hbase> status 'replication', 'sink'"
        ),
        command!(
            "version",
            0..0,
            version,
            "\
Shows the version of this shell and of the cluster.

  hbase> version"
        ),
        command!(
            "table_help",
            0..0,
            table_help,
            "\
Explains how a table is given a name in the shell, and used by it.

  hbase> table_help"
        ),
        command!(
            "whoami",
            0..0,
            whoami,
            "\
Shows the user that servers are told.

  hbase> whoami"
        ),
        command!(
            "processlist",
            0..,
            processlist::run,
            "\
Shows what region servers are at work on, as their web pages tell it: 'general' (the default: flushes, compactions and the
like), 'handler', 'rpc', 'operation' or 'all'; of all servers, or of those that are named.

  hbase> processlist
  hbase> processlist 'all'
  hbase> processlist 'general'
  hbase> processlist 'all', 'host187.example.com'
  hbase> processlist 'all', 'host187.example.com,16020'
  hbase> processlist 'all', 'host187.example.com,16020,1289493121758'"
        ),
    ],
};

pub(crate) const TABLE_HELP: &str = "\
A table may be given a name, and commands may be asked of it:

  hbase> t = create 't', 'cf'
  hbase> t = get_table 't'

  hbase> t.put 'r', 'cf:q', 'v'
  hbase> t.get 'r'
  hbase> t.scan
  hbase> t.describe
  hbase> t.disable
  hbase> t.drop

Every command whose first argument is a table can be asked so.";

async fn help(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let text = help::about(arguments.optional_text().as_deref());
    shell.out.line(text.trim_end())?;
    Ok(Value::Nil)
}

async fn table_help(shell: &mut Shell, _: Arguments) -> Result<Value> {
    shell.out.line(TABLE_HELP)?;
    Ok(Value::Nil)
}

async fn version(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let options = [finback_client::StatusOption::HbaseVersion];
    let cluster = shell.admin().cluster_status(&options).await?.hbase_version;
    let cluster = cluster.map_or_else(|| "unknown".to_owned(), |version| version.version);
    shell.out.line(format!("finback {}, cluster {cluster}", env!("CARGO_PKG_VERSION")))?;
    Ok(Value::Nil)
}

async fn whoami(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let user = shell.connection.config().user.clone();
    shell.out.line(format!("{user} (auth:SIMPLE)"))?;
    Ok(Value::Nil)
}
