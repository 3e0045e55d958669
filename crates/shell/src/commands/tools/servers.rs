//! Servers.

use crate::arguments::Arguments;
use crate::error::{Result, ShellError};
use crate::shell::Shell;
use crate::value::Value;
use finback_client::{ServerName, StatusOption};

/// The servers that are there, of these names: `host,port,startcode`, `host,port`, or `host`.
pub(in crate::commands) async fn live_named(shell: &Shell, names: &[Value]) -> Result<Vec<ServerName>> {
    let (servers, live) = (named(shell, names).await?, shell.admin().region_servers().await?);
    // Somebody who is not there would be called for as long as operations may take.
    match servers.iter().find(|server| !live.contains(server)) {
        Some(gone) => Err(unknown(&gone.to_string())),
        None => Ok(servers),
    }
}

fn unknown(name: &str) -> ShellError {
    ShellError::argument(format!("there is no server {name}; list_liveservers lists them"))
}

/// The servers of these names, the same; with a start code also those that are not there any more.
async fn named(shell: &Shell, names: &[Value]) -> Result<Vec<ServerName>> {
    let mut servers = Vec::new();
    let known = shell.admin().region_servers().await?;
    for name in names {
        let name = name.to_text();
        if let Some(server) = ServerName::parse(&name) {
            servers.push(server);
            continue;
        }
        let (host, port) =
            name.split_once([',', ':']).map_or((name.as_str(), None), |(host, port)| (host, Some(port)));
        let is_it = |server: &&ServerName| {
            server.host == host && port.is_none_or(|port| server.port.to_string() == port)
        };
        let found = known.iter().find(is_it).cloned();
        servers.push(found.ok_or_else(|| unknown(&name))?);
    }
    Ok(servers)
}

fn listed(shell: &mut Shell, title: &str, servers: &[ServerName]) -> Result<Value> {
    shell.out.header(&[title])?;
    servers.iter().try_for_each(|server| shell.out.row(&[&server.to_string()]))?;
    shell.out.footer(Some(servers.len()), false)?;
    Ok(Value::Nil)
}

pub(super) async fn live(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let servers = shell.admin().region_servers().await?;
    listed(shell, "SERVERNAME", &servers)
}

async fn dead_servers(shell: &Shell) -> Result<Vec<ServerName>> {
    let status = shell.admin().cluster_status(&[StatusOption::DeadServers]).await?;
    Ok(status.dead_servers.iter().filter_map(|name| ServerName::try_from(name).ok()).collect())
}

pub(super) async fn dead(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let servers = dead_servers(shell).await?;
    listed(shell, "SERVERNAME", &servers)
}

/// Those that say they have regions, and that the master knows as neither there nor dead.
pub(super) async fn unknown_to_the_master(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let status = shell.admin().cluster_status(&[StatusOption::UnknownServers]).await?;
    let servers: Vec<ServerName> =
        status.unknown_servers.iter().filter_map(|name| ServerName::try_from(name).ok()).collect();
    listed(shell, "SERVERNAME", &servers)
}

pub(super) async fn clear_dead(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let names = arguments.flat();
    let servers = if names.is_empty() { dead_servers(shell).await? } else { named(shell, &names).await? };
    let left = shell.admin().clear_dead_servers(&servers).await?;
    if left.is_empty() {
        shell.out.row(&["true"])?;
        return Ok(Value::Nil);
    }
    shell.out.row(&["Some dead server clear failed"])?;
    listed(shell, "SERVERNAME", &left)
}

pub(super) async fn decommissioned(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let servers = shell.admin().decommissioned_servers().await?;
    listed(shell, "DECOMMISSIONED REGION SERVERS", &servers)
}

pub(super) async fn decommission(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let names = match arguments.next() {
        Value::Array(names) => names,
        name => vec![name],
    };
    let servers = named(shell, &names).await?;
    shell.admin().decommission_servers(&servers, arguments.switch()).await?;
    Ok(Value::Nil)
}

pub(super) async fn recommission(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (server, regions) = (arguments.next(), arguments.next());
    let regions: Vec<String> = match &regions {
        Value::Nil => Vec::new(),
        Value::Array(names) => names.iter().map(Value::to_text).collect(),
        other => {
            return Err(ShellError::argument(format!(
                "{other} is no array of encoded names of regions: ['ENCODED_REGIONNAME', …]"
            )));
        }
    };
    for server in named(shell, &[server]).await? {
        shell.admin().recommission_server(&server, &regions).await?;
    }
    Ok(Value::Nil)
}

pub(super) async fn maintenance(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let answer = shell.admin().is_in_maintenance_mode().await?;
    shell.out.row(&[&answer.to_string()])?;
    Ok(Value::Bool(answer))
}

pub(super) async fn compaction_switch(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (enabled, names) = (arguments.switch(), arguments.flat());
    let servers = if names.is_empty() {
        shell.admin().region_servers().await?
    } else {
        live_named(shell, &names).await?
    };
    // With the brackets and quotes of HBase's shell.
    shell.out.header(&["['SERVER'", "'PREV_STATE']"])?;
    for server in &servers {
        let before = shell.admin().set_compactions(server, enabled).await?;
        shell.out.row(&[&server.to_string(), &before.to_string()])?;
    }
    shell.out.footer(Some(servers.len()), false)?;
    Ok(Value::Nil)
}

pub(super) async fn roll_wal(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    for server in live_named(shell, &arguments.flat()).await? {
        shell.admin().roll_wal(&server).await?;
    }
    Ok(Value::Nil)
}

pub(super) async fn clear_queues(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let servers = live_named(shell, &[arguments.next()]).await?;
    let mut queues: Vec<String> = arguments.flat().iter().map(Value::to_text).collect();
    if let Some(unknown) = queues.iter().find(|queue| !["long", "short"].contains(&queue.as_str())) {
        return Err(ShellError::argument(format!("Unknown queue name {unknown}")));
    }
    if queues.is_empty() {
        queues = vec!["long".to_owned(), "short".to_owned()];
    }
    let queues: Vec<&str> = queues.iter().map(String::as_str).collect();
    for server in servers {
        shell.admin().clear_compaction_queues(&server, &queues).await?;
    }
    Ok(Value::Nil)
}

pub(super) async fn stop_master(shell: &mut Shell, _: Arguments) -> Result<Value> {
    shell.admin().stop_master().await?;
    Ok(Value::Nil)
}

pub(super) async fn stop(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    for server in live_named(shell, &arguments.flat()).await? {
        shell.admin().stop_region_server(&server, "Called by finback shell").await?;
    }
    Ok(Value::Nil)
}

pub(super) async fn flush_master_store(shell: &mut Shell, _: Arguments) -> Result<Value> {
    shell.admin().flush_master_store().await?;
    Ok(Value::Nil)
}

pub(super) async fn in_transition(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let status = shell.admin().cluster_status(&[StatusOption::RegionsInTransition]).await?;
    for one in &status.regions_in_transition {
        shell.out.row(&[&crate::commands::status::transition(one)])?;
    }
    shell.out.footer(Some(status.regions_in_transition.len()), false)?;
    Ok(Value::Nil)
}
