//! `quotas`: how much users, tables and namespaces may take.

mod settings;
mod shown;

use crate::arguments::{Arguments, Options};
use crate::command::{Group, command};
use crate::error::{Result, ShellError};
use crate::shell::Shell;
use crate::value::Value;
use finback_client::{ServerName, TableName, messages};
pub(super) use shown::{QuotaFilter, table_exists};

pub(super) const GROUP: Group = Group {
    name: "quotas",
    title: "Quotas",
    commands: &[
        command!("set_quota", 1..1, set, "\
Limits how often, or how much, a user, a table, a namespace or a region server is asked (TYPE => THROTTLE), or how much space
a table or a namespace takes (TYPE => SPACE). NONE ends a limit.

A LIMIT of requests is 10req/sec, 500K/min (bytes), 5cu/hour (capacity units), with sec, min, hour or day; THROTTLE_TYPE is
REQUEST, READ or WRITE; SCOPE is MACHINE or CLUSTER. One of space is 1G; POLICY is what is not possible beyond it:
NO_INSERTS, NO_WRITES, NO_WRITES_COMPACTIONS or DISABLE.

  hbase> set_quota TYPE => THROTTLE, USER => 'u1', LIMIT => '10req/sec'
  hbase> set_quota TYPE => THROTTLE, THROTTLE_TYPE => READ, USER => 'u1', LIMIT => '10M/sec'
  hbase> set_quota TYPE => THROTTLE, USER => 'u1', TABLE => 't2', LIMIT => '5K/min'
  hbase> set_quota TYPE => THROTTLE, NAMESPACE => 'ns1', LIMIT => '10req/sec', SCOPE => CLUSTER
  hbase> set_quota TYPE => THROTTLE, REGIONSERVER => 'all', LIMIT => '30000req/sec'
  hbase> set_quota TYPE => THROTTLE, USER => 'u1', LIMIT => NONE
  hbase> set_quota USER => 'u1', GLOBAL_BYPASS => true
  hbase> set_quota TYPE => SPACE, TABLE => 't1', LIMIT => '1G', POLICY => NO_INSERTS
  hbase> set_quota TYPE => SPACE, TABLE => 't1', LIMIT => NONE"),
        command!("list_quotas", 0..1, list, "\
Lists quotas: all, or those of users, tables and namespaces that regular expressions match.

  hbase> list_quotas
  hbase> list_quotas USER => 'bob.*'
  hbase> list_quotas USER => 'bob.*', TABLE => 't1'
  hbase> list_quotas NAMESPACE => 'ns.*'
  hbase> list_quotas LIMIT => 10"),
        command!("list_quota_table_sizes", 0..0, sizes, "\
Lists how much space tables take, as far as quotas are kept of it.

  hbase> list_quota_table_sizes"),
        command!("list_quota_snapshots", 0..1, snapshots, "\
Lists how tables stand that have a limit of space: as the master found out, or as a region server knows it.

  hbase> list_quota_snapshots
  hbase> list_quota_snapshots TABLE => 'table1'
  hbase> list_quota_snapshots NAMESPACE => 'org1'
  hbase> list_quota_snapshots REGIONSERVER => 'server1.domain,16020,1483482894742'"),
        command!("list_snapshot_sizes", 0..0, snapshot_sizes, "\
Lists how much space snapshots take, as far as quotas are kept of it.

  hbase> list_snapshot_sizes"),
        command!("enable_rpc_throttle", 0..0, throttle, "\
Has servers enforce quotas of requests. Shows what was before.

  hbase> enable_rpc_throttle"),
        command!("disable_rpc_throttle", 0..0, do_not_throttle, "\
Has servers not enforce quotas of requests. Shows what was before.

  hbase> disable_rpc_throttle"),
        command!("enable_exceed_throttle_quota", 0..0, exceed, "\
Lets users take more than their quotas while a region server has some left of its own. Shows what was before.

  hbase> enable_exceed_throttle_quota"),
        command!("disable_exceed_throttle_quota", 0..0, do_not_exceed, "\
Lets users take no more than their quotas. Shows what was before.

  hbase> disable_exceed_throttle_quota"),
    ],
};

async fn set(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let quota = settings::request(&mut arguments.options()?)?;
    shell.admin().set_quota(&quota).await?;
    Ok(Value::Nil)
}

async fn list(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    shell.out.header(&["OWNER", "QUOTAS"])?;
    let mut options = arguments.options()?;
    let limit = options.count("LIMIT")?.and_then(|limit| usize::try_from(limit).ok());
    let filter = QuotaFilter::of(&mut options)?;
    // Where quotas are switched off there is no table of them.
    let mut rows = if table_exists(shell).await? { filter.settings(shell).await? } else { Vec::new() };
    rows.truncate(limit.unwrap_or(usize::MAX));
    rows.iter().try_for_each(|(owner, quota)| shell.out.row(&[owner, quota]))?;
    shell.out.footer(Some(rows.len()), false)?;
    Ok(Value::Nil)
}

async fn sizes(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let sizes = shell.admin().space_quota_sizes().await?;
    shell.out.header(&["TABLE", "SIZE"])?;
    for one in &sizes {
        let name = one.table_name.as_ref().and_then(|name| TableName::try_from(name).ok());
        let name = name.map_or_else(String::new, |name| name.to_string());
        shell.out.row(&[&name, &one.size().to_string()])?;
    }
    shell.out.footer(Some(sizes.len()), false)?;
    Ok(Value::Nil)
}

async fn snapshots(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let mut options = arguments.options()?;
    let (table, namespace) = (options.text("TABLE"), options.text("NAMESPACE"));
    let server = options.text("REGIONSERVER");
    shell.out.header(&["TABLE", "USAGE", "LIMIT", "IN_VIOLATION", "POLICY"])?;
    let mut found = match server {
        None => shell.admin().space_quota_snapshots().await?,
        Some(name) => {
            let server = ServerName::parse(&name).ok_or_else(|| {
                ShellError::argument(format!("{name} is no name of a server: host,port,startcode"))
            })?;
            shell.admin().space_quota_snapshots_of(&server).await?
        }
    };
    found.retain(|(name, _)| {
        table.as_ref().is_none_or(|table| name.qualifier() == table)
            && namespace.as_ref().is_none_or(|namespace| name.namespace() == namespace)
    });
    for (name, snapshot) in &found {
        let status = snapshot.quota_status.unwrap_or_default();
        let policy = match status.in_violation() {
            true => status.violation_policy().as_str_name(),
            false => "None",
        };
        let (usage, limit) = (snapshot.quota_usage().to_string(), snapshot.quota_limit().to_string());
        shell.out.row(&[&name.to_string(), &usage, &limit, &status.in_violation().to_string(), policy])?;
    }
    shell.out.footer(Some(found.len()), false)?;
    Ok(Value::Nil)
}

async fn snapshot_sizes(shell: &mut Shell, _: Arguments) -> Result<Value> {
    shell.out.header(&["SNAPSHOT", "SIZE"])?;
    let sizes = shell.admin().snapshot_sizes().await?;
    sizes.iter().try_for_each(|(name, size)| shell.out.row(&[name, &size.to_string()]))?;
    shell.out.footer(Some(sizes.len()), false)?;
    Ok(Value::Nil)
}

async fn throttle(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let before = shell.admin().set_rpc_throttle(true).await?;
    told(shell, "Previous rpc throttle state", before)
}

async fn do_not_throttle(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let before = shell.admin().set_rpc_throttle(false).await?;
    told(shell, "Previous rpc throttle state", before)
}

async fn exceed(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let before = shell.admin().set_exceed_throttle_quota(true).await?;
    told(shell, "Previous exceed throttle quota enabled", before)
}

async fn do_not_exceed(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let before = shell.admin().set_exceed_throttle_quota(false).await?;
    told(shell, "Previous exceed throttle quota enabled", before)
}

fn told(shell: &mut Shell, what: &str, before: bool) -> Result<Value> {
    shell.out.row(&[&format!("{what} : {before}")])?;
    Ok(Value::Bool(before))
}

/// What is left over is an error.
fn nothing_left(options: &Options) -> Result<()> {
    let left: Vec<&str> = options.names().collect();
    match left.is_empty() {
        true => Ok(()),
        false => Err(ShellError::argument(format!("Unexpected arguments: {}", left.join(", ")))),
    }
}

/// The name of a kind of throttling, `READ_SIZE` for one.
fn throttle_name(kind: messages::ThrottleType) -> &'static str {
    kind.as_str_name()
}
