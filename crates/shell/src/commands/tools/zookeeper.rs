//! What of the cluster is in ZooKeeper.

use crate::arguments::Arguments;
use crate::error::Result;
use crate::shell::Shell;
use crate::value::Value;
use finback_client::ClusterAddress;
use std::io;

/// Nodes that are shown, at most: a cluster with replication may have many.
const MAX_NODES: usize = 10_000;

pub(super) async fn dump(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let (quorum, root) = match &shell.connection.config().cluster {
        ClusterAddress::ZooKeeper { quorum, parent } => (quorum.clone(), parent.clone()),
        _ => (Vec::new(), "/hbase".to_owned()),
    };
    // Of a cluster that is found otherwise, this says so.
    let children = children(shell, &root).await?;
    shell.out.line(format!("HBase is rooted at {root}"))?;
    let master = shell.admin().master().await?;
    shell.out.line(format!("Active master address: {master}"))?;
    shell.out.line("Backup master addresses:")?;
    listed(shell, &self::children(shell, &format!("{root}/backup-masters")).await?)?;
    let meta = shell.admin().region(b"1588230740").await?;
    let server = meta.server().map_or_else(|| "?".to_owned(), ToString::to_string);
    shell.out.line(format!("Region server holding hbase:meta:\n {server}"))?;
    shell.out.line("Region servers:")?;
    listed(shell, &self::children(shell, &format!("{root}/rs")).await?)?;
    if children.iter().any(|name| name == "replication") {
        below(shell, format!("{root}/replication")).await?;
    }
    shell.out.line("Quorum Server Statistics:")?;
    listed(shell, &quorum)?;
    Ok(Value::Nil)
}

async fn children(shell: &Shell, path: &str) -> Result<Vec<String>> {
    let node = shell.connection.zookeeper_node(path).await?;
    let mut names = node.map(|node| node.children).unwrap_or_default();
    names.sort();
    Ok(names)
}

fn listed(shell: &mut Shell, names: &[String]) -> io::Result<()> {
    names.iter().try_for_each(|name| shell.out.line(format!(" {name}")))
}

/// A node and all below it, each with what of its value is text.
async fn below(shell: &mut Shell, path: String) -> Result<()> {
    let mut waiting = vec![path];
    for _ in 0..MAX_NODES {
        let Some(path) = waiting.pop() else { return Ok(()) };
        let Some(mut node) = shell.connection.zookeeper_node(&path).await? else { continue };
        let value = match node.value.starts_with(b"PBUF") {
            true => format!("{} bytes", node.value.len()),
            false => finback_client::StringBinary(&node.value).to_string(),
        };
        shell.out.line(format!("{path}: {value}"))?;
        node.children.sort_by(|a, b| b.cmp(a));
        waiting.extend(node.children.iter().map(|name| format!("{path}/{name}")));
    }
    Ok(shell.out.line(format!("… and more: {MAX_NODES} nodes are shown"))?)
}
