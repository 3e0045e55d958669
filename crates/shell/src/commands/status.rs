//! `status`

mod replication;

use crate::arguments::Arguments;
use crate::error::{Result, ShellError};
use crate::format::{region_load, server_load};
use crate::shell::Shell;
use crate::value::Value;
use finback_client::{StringBinary, messages};
use messages::{ClusterStatus, ServerName};

pub(super) async fn run(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let kind = arguments.optional_text().unwrap_or_else(|| "summary".to_owned());
    let told = match kind.as_str() {
        "summary" => vec![summary(&cluster(shell).await?)],
        "simple" => lines(&cluster(shell).await?, false),
        "detailed" => lines(&cluster(shell).await?, true),
        "replication" => {
            let part = replication::Part::of(arguments.optional_text().as_deref())?;
            replication::lines(&cluster(shell).await?, part, &shell.zone)
        }
        other => {
            return Err(ShellError::argument(format!(
                "status knows 'summary', 'simple', 'detailed' and 'replication', not '{other}'"
            )));
        }
    };
    told.iter().try_for_each(|line| shell.out.line(line))?;
    Ok(Value::Nil)
}

async fn cluster(shell: &Shell) -> Result<ClusterStatus> {
    Ok(shell.admin().cluster_status(&[]).await?)
}

fn summary(status: &ClusterStatus) -> String {
    let servers = status.live_servers.len();
    let regions: usize = status.live_servers.iter().map(|server| server.server_load.region_loads.len()).sum();
    format!(
        "{} active master, {} backup masters, {servers} servers, {} dead, {:.4} average load",
        usize::from(status.master.is_some()),
        status.backup_masters.len(),
        status.dead_servers.len(),
        regions as f64 / servers.max(1) as f64
    )
}

fn lines(status: &ClusterStatus, detailed: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if detailed {
        let version = status.hbase_version.as_ref().map_or("", |version| version.version.as_str());
        lines.push(format!("version {version}"));
        lines.push(format!("{} regionsInTransition", status.regions_in_transition.len()));
        for one in &status.regions_in_transition {
            lines.push(format!("    {}", transition(one)));
        }
    }
    if let Some(master) = &status.master {
        lines.push(format!("active master:  {}", named(master)));
    }
    lines.push(format!("{} backup masters", status.backup_masters.len()));
    lines.extend(status.backup_masters.iter().map(|server| format!("    {}", named(server))));
    if detailed {
        let names: Vec<&str> = status.master_coprocessors.iter().map(|one| one.name.as_str()).collect();
        lines.push(format!("master coprocessors: [{}]", names.join(", ")));
    }
    lines.push(format!("{} live servers", status.live_servers.len()));
    let (mut load, mut regions) = (0u64, 0);
    for server in &status.live_servers {
        lines.push(format!("    {}", named(&server.server)));
        lines.push(format!("        {}", server_load(&server.server_load)));
        load = load.saturating_add(server.server_load.number_of_requests());
        regions += server.server_load.region_loads.len();
        for region in server.server_load.region_loads.iter().filter(|_| detailed) {
            lines.push(format!("        \"{}\"", StringBinary(&region.region_specifier.value)));
            lines.push(format!("            {}", region_load(region)));
        }
    }
    lines.push(format!("{} dead servers", status.dead_servers.len()));
    let dead =
        |server: &ServerName| format!("    {},{},{}", server.host_name, server.port(), server.start_code());
    lines.extend(status.dead_servers.iter().map(dead));
    if !detailed {
        lines.push(format!("Aggregate load: {load}, regions: {regions}"));
    }
    lines
}

/// `host:port startcode`
fn named(server: &ServerName) -> String {
    format!("{}:{} {}", server.host_name, server.port(), server.start_code())
}

pub(super) fn transition(transition: &messages::RegionInTransition) -> String {
    let state = &transition.region_state;
    let region = finback_client::RegionInfo::try_from(&state.region_info);
    let name = region.map_or_else(|_| "?".to_owned(), |region| StringBinary(&region.name()).to_string());
    format!("{name} state={:?}, ts={}", state.state(), state.stamp())
}
