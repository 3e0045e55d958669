//! `replication`: the clusters that this one replicates to, and what.

mod config;
mod tables;

use crate::arguments::Arguments;
use crate::command::{Group, command, not_there};
use crate::error::Result;
use crate::shell::Shell;
use crate::value::Value;
use config::{Families, Part};
use finback_client::PeerConfig;

pub(super) const GROUP: Group = Group {
    name: "replication",
    title: "Replication",
    commands: &[
        command!("add_peer", 1..3, add, "\
Adds a cluster to replicate to: where its ZooKeeper is, or the class of what takes the edits instead.

  hbase> add_peer '1', CLUSTER_KEY => \"server1.cie.com:2181:/hbase\"
  hbase> add_peer '1', CLUSTER_KEY => \"zk1,zk2,zk3:2182:/hbase-prod\", STATE => \"DISABLED\"
  hbase> add_peer '2', CLUSTER_KEY => \"zk1:2182:/hbase\", TABLE_CFS => { \"table1\" => [], \"ns2:table2\" => [\"cf1\"] }
  hbase> add_peer '3', CLUSTER_KEY => \"zk1:2182:/hbase\", NAMESPACES => [\"ns1\", \"ns2\"], SERIAL => true
  hbase> add_peer '6', ENDPOINT_CLASSNAME => 'org.apache.hadoop.hbase.MyReplicationEndpoint', DATA => { \"key1\" => 1 }, CONFIG => { \"config1\" => \"value1\" }"),
        command!("remove_peer", 1..1, remove, "\
Ends replication to a cluster, and forgets what was not sent to it yet.

  hbase> remove_peer '1'"),
        command!("list_peers", 0..0, list, "\
Lists the clusters that are replicated to.

  hbase> list_peers"),
        command!("enable_peer", 1..1, enable, "\
Goes on with replication to a cluster, from where it was disabled.

  hbase> enable_peer '1'"),
        command!("disable_peer", 1..1, disable, "\
Stops replication to a cluster; what is written meanwhile is kept for it.

  hbase> disable_peer '1'"),
        command!("set_peer_replicate_all", 2..2, replicate_all, "\
Says whether all tables are replicated but those excluded (true), or only those named (false).

  hbase> set_peer_replicate_all '1', true"),
        command!("set_peer_serial", 2..2, serial, "\
Says whether the edits of a region arrive in their order.

  hbase> set_peer_serial '1', true"),
        command!("set_peer_namespaces", 2..2, set_namespaces, "\
Names the namespaces that are replicated; those before are not any more.

  hbase> set_peer_namespaces '1', ['ns1', 'ns2']"),
        command!("append_peer_namespaces", 2..2, append_namespaces, "\
Names more namespaces that are replicated.

  hbase> append_peer_namespaces '1', ['ns3']"),
        command!("remove_peer_namespaces", 2..2, remove_namespaces, "\
Names namespaces that are not replicated any more.

  hbase> remove_peer_namespaces '1', ['ns1']"),
        command!("set_peer_exclude_namespaces", 2..2, set_excluded_namespaces, "\
Names the namespaces that are not replicated, where all others are.

  hbase> set_peer_exclude_namespaces '1', ['ns1', 'ns2']"),
        command!("append_peer_exclude_namespaces", 2..2, append_excluded_namespaces, "\
Names more namespaces that are not replicated.

  hbase> append_peer_exclude_namespaces '1', ['ns3']"),
        command!("remove_peer_exclude_namespaces", 2..2, remove_excluded_namespaces, "\
Names namespaces that are replicated again.

  hbase> remove_peer_exclude_namespaces '1', ['ns1']"),
        command!("show_peer_tableCFs", 1..1, show_tables, "\
Shows the tables and families that are replicated.

  hbase> show_peer_tableCFs '1'"),
        command!("set_peer_tableCFs", 1..2, set_tables, "\
Names the tables that are replicated, and which of their families; those before are not any more.

  hbase> set_peer_tableCFs '2', { \"ns1:table1\" => [], \"ns2:table2\" => [\"cf1\", \"cf2\"] }"),
        command!("set_peer_exclude_tableCFs", 1..2, set_excluded_tables, "\
Names the tables and families that are not replicated, where all others are.

  hbase> set_peer_exclude_tableCFs '2', { \"ns1:table1\" => [\"cf1\"] }"),
        command!("append_peer_exclude_tableCFs", 2..2, append_excluded_tables, "\
Names more tables and families that are not replicated.

  hbase> append_peer_exclude_tableCFs '2', { \"table1\" => [], \"ns2:table2\" => [\"cf1\"] }"),
        command!("remove_peer_exclude_tableCFs", 2..2, remove_excluded_tables, "\
Names tables and families that are replicated again.

  hbase> remove_peer_exclude_tableCFs '2', { \"table1\" => [], \"ns2:table2\" => [\"cf1\"] }"),
        command!("set_peer_bandwidth", 1..2, bandwidth, "\
Limits how many bytes a second go to a cluster from each server; 0 is no limit.

  hbase> set_peer_bandwidth '1', 1048576"),
        command!("list_replicated_tables", 0..1, tables::list, "\
Lists the families that are replicated, or those of tables that a regular expression matches.

  hbase> list_replicated_tables
  hbase> list_replicated_tables 'abc.*'"),
        command!("append_peer_tableCFs", 2..2, append_tables, "\
Names more tables and families that are replicated.

  hbase> append_peer_tableCFs '2', { \"ns1:table4\" => [\"cfA\", \"cfB\"] }"),
        command!("remove_peer_tableCFs", 2..2, remove_tables, "\
Names tables and families that are not replicated any more.

  hbase> remove_peer_tableCFs '2', { \"ns1:table1\" => [\"cf1\"] }"),
        command!("enable_table_replication", 1..1, tables::enable, "\
Has all families of a table replicated. Clusters that it is to go to and that have no such table get one.

  hbase> enable_table_replication 'table_name'"),
        command!("disable_table_replication", 1..1, tables::disable, "\
Has no family of a table replicated any more.

  hbase> disable_table_replication 'table_name'"),
        command!("get_peer_config", 1..1, show, "\
Shows the configuration of a cluster that is replicated to.

  hbase> get_peer_config '1'"),
        command!("list_peer_configs", 0..0, show_all, "\
Shows the configurations of all clusters that are replicated to.

  hbase> list_peer_configs"),
        command!("update_peer_config", 2..2, update, "\
Changes entries of the configuration of a cluster that is replicated to.

  hbase> update_peer_config '1', DATA => { \"key1\" => 1 }, CONFIG => { \"config1\" => \"value1\" }"),
        not_there!(
            "transit_peer_sync_replication_state",
            "replication that waits for the other cluster is HBase 3's; the peers here are replicated to behind the writes"
        ),
    ],
};

async fn add(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let id = arguments.text();
    let mut options = arguments.options()?;
    let enabled = options.text("STATE").is_none_or(|state| state != "DISABLED");
    let config = config::new(&mut options, shell.connection.config().cluster_key())?;
    shell.admin().add_replication_peer(&id, config, enabled).await?;
    Ok(Value::Nil)
}

async fn remove(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    shell.admin().remove_replication_peer(&arguments.text()).await?;
    Ok(Value::Nil)
}

async fn enable(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    shell.admin().enable_replication_peer(&arguments.text()).await?;
    Ok(Value::Nil)
}

async fn disable(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    shell.admin().disable_replication_peer(&arguments.text()).await?;
    Ok(Value::Nil)
}

async fn list(shell: &mut Shell, _: Arguments) -> Result<Value> {
    let peers = shell.admin().replication_peers().await?;
    shell.out.header(&[
        "PEER_ID",
        "CLUSTER_KEY",
        "ENDPOINT_CLASSNAME",
        "STATE",
        "REPLICATE_ALL",
        "NAMESPACES",
        "TABLE_CFS",
        "BANDWIDTH",
        "SERIAL",
    ])?;
    for peer in &peers {
        let state = peer.state.state().as_str_name();
        let config = &peer.config;
        let (namespaces, tables) = config::shown_selection(config);
        shell.out.row(&[
            &peer.id,
            config.clusterkey(),
            config.replication_endpoint_impl(),
            state,
            &config.replicate_all().to_string(),
            &namespaces,
            &tables,
            &config.bandwidth().to_string(),
            &config.serial().to_string(),
        ])?;
    }
    shell.out.footer(Some(peers.len()), false)?;
    Ok(Value::Nil)
}

fn shown(shell: &mut Shell, config: &PeerConfig) -> Result<()> {
    if let Some(key) = &config.clusterkey {
        shell.out.row(&["Cluster Key", key])?;
    }
    if let Some(endpoint) = &config.replication_endpoint_impl {
        shell.out.row(&["Replication Endpoint", endpoint])?;
    }
    Ok(config.configuration.iter().try_for_each(|entry| shell.out.row(&[&entry.name, &entry.value]))?)
}

async fn show(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let config = shell.admin().replication_peer(&arguments.text()).await?;
    shown(shell, &config)?;
    Ok(Value::Nil)
}

async fn show_all(shell: &mut Shell, _: Arguments) -> Result<Value> {
    for peer in shell.admin().replication_peers().await? {
        shell.out.row(&["PeerId", &peer.id])?;
        shown(shell, &peer.config)?;
        shell.out.row(&[" "])?;
    }
    Ok(Value::Nil)
}

/// Changes the configuration of a peer.
async fn changed(
    shell: &Shell,
    id: &str,
    change: impl FnOnce(&mut PeerConfig) -> Result<()>,
) -> Result<Value> {
    let mut config = shell.admin().replication_peer(id).await?;
    change(&mut config)?;
    shell.admin().update_replication_peer(id, config).await?;
    Ok(Value::Nil)
}

async fn update(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (id, mut options) = (arguments.text(), arguments.options()?);
    changed(shell, &id, |config| config::add_entries(config, &mut options)).await
}

async fn replicate_all(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (id, all) = (arguments.text(), arguments.switch());
    changed(shell, &id, |config| {
        config.replicate_all = Some(all);
        Ok(())
    })
    .await
}

async fn serial(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (id, serial) = (arguments.text(), arguments.switch());
    changed(shell, &id, |config| {
        config.serial = Some(serial);
        Ok(())
    })
    .await
}

async fn bandwidth(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let id = arguments.text();
    let bytes = match arguments.next() {
        Value::Nil => 0,
        bytes => crate::arguments::int("the bandwidth", &bytes)?,
    };
    changed(shell, &id, |config| {
        config.bandwidth = Some(bytes);
        Ok(())
    })
    .await
}

/// What becomes of a list when it is given another.
#[derive(Clone, Copy)]
enum Change {
    Set,
    Append,
    Remove,
}

macro_rules! lists {
    ($($name:ident = $change:ident $function:ident $part:expr),* $(,)?) => {$(
        async fn $name(shell: &mut Shell, arguments: Arguments) -> Result<Value> {
            $function(shell, arguments, Change::$change, $part).await
        }
    )*};
}

lists!(
    set_namespaces = Set namespaces Part::Included,
    append_namespaces = Append namespaces Part::Included,
    remove_namespaces = Remove namespaces Part::Included,
    set_excluded_namespaces = Set namespaces Part::Excluded,
    append_excluded_namespaces = Append namespaces Part::Excluded,
    remove_excluded_namespaces = Remove namespaces Part::Excluded,
    set_tables = Set tables_of Part::Included,
    append_tables = Append tables_of Part::Included,
    remove_tables = Remove tables_of Part::Included,
    set_excluded_tables = Set tables_of Part::Excluded,
    append_excluded_tables = Append tables_of Part::Excluded,
    remove_excluded_tables = Remove tables_of Part::Excluded,
);

async fn namespaces(
    shell: &mut Shell,
    mut arguments: Arguments,
    change: Change,
    part: Part,
) -> Result<Value> {
    let id = arguments.text();
    let Some(names) = arguments.list() else { return Ok(Value::Nil) };
    let names: Vec<_> = names.iter().map(|name| name.to_bytes().into()).collect();
    changed(shell, &id, |config| {
        let list = part.namespaces(config);
        match change {
            Change::Set => *list = names,
            Change::Append => {
                list.retain(|known| !names.contains(known));
                list.extend(names);
            }
            Change::Remove => list.retain(|known| !names.contains(known)),
        }
        Ok(())
    })
    .await
}

async fn tables_of(shell: &mut Shell, mut arguments: Arguments, change: Change, part: Part) -> Result<Value> {
    let id = arguments.text();
    let given = match arguments.next() {
        Value::Nil => return Ok(Value::Nil),
        value => Families::of(value)?,
    };
    changed(shell, &id, |config| {
        let list = part.tables(config);
        let mut families = Families::of_messages(list)?;
        match change {
            Change::Set => families = given,
            Change::Append => families.add(given),
            Change::Remove => families.remove(&given, &id)?,
        }
        *list = families.messages();
        Ok(())
    })
    .await
}

async fn show_tables(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let config = shell.admin().replication_peer(&arguments.text()).await?;
    let shown = config::shown_tables(&config.table_cfs);
    shell.out.line(&shown)?;
    Ok(Value::Nil)
}

#[cfg(test)]
mod tests;
