//! `rsgroup`: groups of region servers.

use crate::arguments::{Arguments, Options, table_name};
use crate::command::{Group, command};
use crate::error::{Result, ShellError};
use crate::shell::Shell;
use crate::value::Value;
use fancy_regex::Regex;
use finback_client::messages::{NameStringPair, ServerName};
use finback_client::{RsGroup, TableName};

/// The entry of a namespace's configuration that names the group of its tables.
const OF_NAMESPACE: &str = "hbase.rsgroup.name";

pub(super) const GROUP: Group = Group {
    name: "rsgroup",
    title: "Groups of region servers",
    commands: &[
        command!(
            "list_rsgroups",
            0..1,
            list,
            "\
Lists the groups, or those that a regular expression matches, with their servers and tables.

  hbase> list_rsgroups
  hbase> list_rsgroups 'abc.*'"
        ),
        command!(
            "get_rsgroup",
            1..1,
            get,
            "\
Shows the servers and tables of a group.

  hbase> get_rsgroup 'default'"
        ),
        command!(
            "add_rsgroup",
            1..1,
            add,
            "\
Makes a group.

  hbase> add_rsgroup 'my_group'"
        ),
        command!(
            "remove_rsgroup",
            1..1,
            remove,
            "\
Removes a group that has neither servers nor tables.

  hbase> remove_rsgroup 'my_group'"
        ),
        command!(
            "balance_rsgroup",
            1..1,
            balance,
            "\
Moves regions to balance the servers of a group. Tells whether it ran.

  hbase> balance_rsgroup 'my_group'"
        ),
        command!(
            "move_servers_rsgroup",
            2..2,
            move_servers,
            "\
Moves servers into a group.

  hbase> move_servers_rsgroup 'dest', ['server1:port', 'server2:port']"
        ),
        command!(
            "move_tables_rsgroup",
            2..2,
            move_tables,
            "\
Moves tables into a group.

  hbase> move_tables_rsgroup 'dest', ['table1', 'table2']"
        ),
        command!(
            "move_namespaces_rsgroup",
            2..2,
            move_namespaces,
            "\
Moves the tables of namespaces into a group, and those that will be made in them.

  hbase> move_namespaces_rsgroup 'dest', ['ns1', 'ns2']"
        ),
        command!(
            "move_servers_tables_rsgroup",
            3..3,
            move_servers_tables,
            "\
Moves servers and tables into a group.

  hbase> move_servers_tables_rsgroup 'dest', ['server1:port'], ['table1', 'table2']"
        ),
        command!(
            "move_servers_namespaces_rsgroup",
            3..3,
            move_servers_namespaces,
            "\
Moves servers, and the tables of namespaces, into a group.

  hbase> move_servers_namespaces_rsgroup 'dest', ['server1:port'], ['ns1', 'ns2']"
        ),
        command!(
            "get_server_rsgroup",
            1..1,
            of_server,
            "\
Shows the group of a server.

  hbase> get_server_rsgroup 'server1:port1'"
        ),
        command!(
            "get_table_rsgroup",
            1..1,
            of_table,
            "\
Shows the group of a table.

  hbase> get_table_rsgroup 'myTable'"
        ),
        command!(
            "remove_servers_rsgroup",
            1..1,
            remove_servers,
            "\
Has groups forget servers that are decommissioned or gone.

  hbase> remove_servers_rsgroup ['server1:port', 'server2:port']"
        ),
        command!(
            "rename_rsgroup",
            2..2,
            rename,
            "\
Gives a group another name.

  hbase> rename_rsgroup 'oldname', 'newname'"
        ),
        command!(
            "alter_rsgroup_config",
            2..,
            alter_config,
            "\
Changes the configuration of a group.

  hbase> alter_rsgroup_config 'my_group', {METHOD => 'set', 'PROPERTY_NAME' => 'PROPERTY_VALUE'}
  hbase> alter_rsgroup_config 'my_group', {METHOD => 'unset', NAME => 'PROPERTY_NAME'}"
        ),
        command!(
            "show_rsgroup_config",
            1..1,
            show_config,
            "\
Shows the configuration of a group.

  hbase> show_rsgroup_config 'group'"
        ),
        command!(
            "get_namespace_rsgroup",
            1..1,
            of_namespace,
            "\
Shows the group of a namespace.

  hbase> get_namespace_rsgroup 'namespace_name'"
        ),
    ],
};

/// `host:port`
fn address(value: &Value) -> Result<(String, u16)> {
    let text = value.to_text();
    let parsed = text.rsplit_once(':').and_then(|(host, port)| Some((host.to_owned(), port.parse().ok()?)));
    parsed.ok_or_else(|| ShellError::argument(format!("{text} is no server: it is written host:port")))
}

/// The entries of an array, or the one value.
fn each<T>(value: Value, of: impl Fn(&Value) -> Result<T>) -> Result<Vec<T>> {
    match value {
        Value::Array(values) => values.iter().map(of).collect(),
        value => Ok(vec![of(&value)?]),
    }
}

fn table(value: &Value) -> Result<TableName> {
    table_name(&value.to_bytes())
}

fn shown_server(server: &ServerName) -> String {
    format!("{}:{}", server.host_name, server.port())
}

fn shown_tables(group: &RsGroup) -> Vec<String> {
    let names = group.tables.iter().filter_map(|name| TableName::try_from(name).ok());
    names.map(|name| name.to_string()).collect()
}

pub(super) async fn group(shell: &Shell, name: &str) -> Result<RsGroup> {
    let group = shell.admin().rsgroup(name).await?;
    group.ok_or_else(|| ShellError::argument(format!("Group does not exist: {name}")))
}

async fn list(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    shell.out.header(&["NAME", "SERVER / TABLE"])?;
    let regex = arguments.optional_text().unwrap_or_else(|| ".*".to_owned());
    let regex = Regex::new(&regex).map_err(|error| ShellError::argument(format!("{regex}: {error}")))?;
    let mut groups = shell.admin().rsgroups().await?;
    groups.retain(|group| regex.is_match(&group.name).unwrap_or(false));
    for group in &groups {
        let servers = group.servers.iter().map(|server| format!("server {}", shown_server(server)));
        let tables = shown_tables(group).into_iter().map(|table| format!("table {table}"));
        let mut name = group.name.as_str();
        for member in servers.chain(tables) {
            shell.out.row(&[std::mem::take(&mut name), &member])?;
        }
        if !name.is_empty() {
            shell.out.row(&[name, ""])?;
        }
    }
    shell.out.footer(Some(groups.len()), false)?;
    Ok(Value::Nil)
}

async fn get(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let group = group(shell, &arguments.text()).await?;
    shell.out.header(&["SERVERS"])?;
    group.servers.iter().try_for_each(|server| shell.out.row(&[&shown_server(server)]))?;
    shell.out.footer(None, false)?;
    shell.out.header(&["TABLES"])?;
    shown_tables(&group).iter().try_for_each(|table| shell.out.row(&[table]))?;
    shell.out.footer(None, false)?;
    Ok(Value::Nil)
}

async fn add(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    shell.admin().add_rsgroup(&arguments.text()).await?;
    Ok(Value::Nil)
}

async fn remove(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    shell.admin().remove_rsgroup(&arguments.text()).await?;
    Ok(Value::Nil)
}

async fn rename(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (old, new) = (arguments.text(), arguments.text());
    shell.admin().rename_rsgroup(&old, &new).await?;
    Ok(Value::Nil)
}

async fn balance(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let ran = shell.admin().balance_rsgroup(&arguments.text()).await?;
    shell.out.line(if ran { "Ran the balancer." } else { "Couldn't run the balancer." })?;
    Ok(Value::Bool(ran))
}

async fn move_servers(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (name, servers) = (arguments.text(), each(arguments.next(), address)?);
    shell.admin().move_to_rsgroup(&name, &servers, &[]).await?;
    Ok(Value::Nil)
}

async fn move_tables(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (name, tables) = (arguments.text(), each(arguments.next(), table)?);
    shell.admin().move_to_rsgroup(&name, &[], &tables).await?;
    Ok(Value::Nil)
}

async fn move_servers_tables(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (name, servers) = (arguments.text(), each(arguments.next(), address)?);
    let tables = each(arguments.next(), table)?;
    shell.admin().move_to_rsgroup(&name, &servers, &tables).await?;
    Ok(Value::Nil)
}

/// The tables of namespaces that are there.
async fn tables_of(shell: &Shell, namespaces: &[String]) -> Result<Vec<TableName>> {
    let known = shell.admin().namespaces().await?;
    let mut tables = Vec::new();
    for namespace in namespaces {
        if !known.iter().any(|one| one.name == *namespace) {
            return Err(ShellError::argument(format!("Can't find a namespace: {namespace}")));
        }
        tables.extend(shell.admin().tables_of_namespace(namespace).await?);
    }
    Ok(tables)
}

async fn move_namespaces(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let name = arguments.text();
    let namespaces = each(arguments.next(), |value| Ok(value.to_text()))?;
    let tables = tables_of(shell, &namespaces).await?;
    shell.admin().move_to_rsgroup(&name, &[], &tables).await?;
    // Tables that will be made in them belong there too.
    for namespace in &namespaces {
        let mut namespace = shell.admin().namespace(namespace).await?;
        namespace.configuration.retain(|(key, _)| key != OF_NAMESPACE);
        namespace.configuration.push((OF_NAMESPACE.to_owned(), name.clone()));
        shell.admin().modify_namespace(&namespace).await?;
    }
    Ok(Value::Nil)
}

async fn move_servers_namespaces(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (name, servers) = (arguments.text(), each(arguments.next(), address)?);
    let namespaces = each(arguments.next(), |value| Ok(value.to_text()))?;
    let tables = tables_of(shell, &namespaces).await?;
    shell.admin().move_to_rsgroup(&name, &servers, &tables).await?;
    Ok(Value::Nil)
}

fn one(shell: &mut Shell, name: &str) -> Result<Value> {
    shell.out.row(&[name])?;
    shell.out.footer(Some(1), false)?;
    Ok(Value::Nil)
}

async fn of_server(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let server = arguments.next();
    let group = shell.admin().rsgroup_of_server(&address(&server)?).await?;
    let group =
        group.ok_or_else(|| ShellError::argument(format!("Server has no group: {}", server.to_text())))?;
    one(shell, &group.name)
}

async fn of_table(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let table = arguments.table()?;
    let group = shell.admin().rsgroup_of_table(&table).await?;
    let group = group.ok_or_else(|| ShellError::argument(format!("Table has no group: {table}")))?;
    one(shell, &group.name)
}

async fn of_namespace(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let namespace = shell.admin().namespace(&arguments.text()).await?;
    if let Some((_, group)) = namespace.configuration.iter().find(|(key, _)| key == OF_NAMESPACE) {
        shell.out.row(&[group])?;
    }
    shell.out.footer(Some(1), false)?;
    Ok(Value::Nil)
}

async fn remove_servers(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let servers = each(arguments.next(), address)?;
    shell.admin().remove_servers_of_rsgroups(&servers).await?;
    Ok(Value::Nil)
}

async fn alter_config(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let name = arguments.text();
    let group = shell.admin().rsgroup(&name).await?;
    let mut entries = group.ok_or_else(|| ShellError::argument("RSGroup does not exist"))?.configuration;
    for hash in arguments.flat() {
        let mut options = Options::of(hash)?;
        match options.text("METHOD").as_deref() {
            Some("unset") => {
                let key = options.text("NAME").unwrap_or_default();
                entries.retain(|entry| entry.name != key);
            }
            Some("set") => {
                let keys: Vec<String> = options.names().map(str::to_owned).collect();
                for key in keys {
                    entries.retain(|entry| entry.name != key);
                    let value = options.text(&key).unwrap_or_default();
                    entries.push(NameStringPair { name: key, value });
                }
            }
            other => {
                let other = other.unwrap_or_default();
                return Err(ShellError::argument(format!("Unknown method {other}")));
            }
        }
    }
    shell.admin().configure_rsgroup(&name, entries).await?;
    Ok(Value::Nil)
}

async fn show_config(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    shell.out.header(&["'KEY'", "'VALUE'"])?;
    let group = group(shell, &arguments.text()).await?;
    for entry in &group.configuration {
        shell.out.row(&[&entry.name, &entry.value])?;
    }
    shell.out.footer(Some(group.configuration.len()), false)?;
    Ok(Value::Nil)
}
