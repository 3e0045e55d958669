//! Which families of tables are replicated.

use super::config::replicates;
use crate::arguments::Arguments;
use crate::error::{Result, ShellError};
use crate::shell::Shell;
use crate::value::Value;
use fancy_regex::Regex;
use finback_client::{
    ClientConfig, ColumnFamilyDescriptor, Connection, TableDescriptor, TableName, TablePattern,
};

const SCOPE: &str = "REPLICATION_SCOPE";
const LOCAL: &str = "0";
const GLOBAL: &str = "1";

fn scope(family: &ColumnFamilyDescriptor) -> &str {
    family.attribute(SCOPE).unwrap_or(LOCAL)
}

pub(super) async fn list(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    shell.out.header(&["TABLE:COLUMNFAMILY", "ReplicationType"])?;
    let regex = arguments.optional_text().unwrap_or_else(|| ".*".to_owned());
    let regex = Regex::new(&regex).map_err(|error| ShellError::argument(format!("{regex}: {error}")))?;
    for table in shell.admin().table_names(&TablePattern::all()).await? {
        if !regex.is_match(&table.to_string()).unwrap_or(false) {
            continue;
        }
        for family in shell.admin().descriptor(&table).await?.families {
            let kind = match scope(&family) {
                LOCAL => continue,
                GLOBAL => "GLOBAL",
                "2" => "SERIAL",
                _ => "UNKNOWN",
            };
            let name = format!("{table}:{}", String::from_utf8_lossy(&family.name));
            shell.out.row(&[&name, kind])?;
        }
    }
    shell.out.footer(None, false)?;
    Ok(Value::Nil)
}

pub(super) async fn enable(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let table = arguments.table()?;
    let descriptor = existing(shell, &table).await?;
    let peers = shell.admin().replication_peers().await?;
    if peers.is_empty() {
        return Err(ShellError::argument("Found no peer cluster for replication."));
    }
    for peer in peers.iter().filter(|peer| replicates(&peer.config, &table)) {
        same_table_there(shell, &descriptor, &peer.id, peer.config.clusterkey()).await?;
    }
    with_scope(shell, descriptor, GLOBAL).await?;
    shell.out.line(format!("The replication of table '{table}' successfully enabled"))?;
    Ok(Value::Nil)
}

pub(super) async fn disable(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let table = arguments.table()?;
    let descriptor = existing(shell, &table).await?;
    with_scope(shell, descriptor, LOCAL).await?;
    shell.out.line(format!("Replication of table '{table}' successfully disabled."))?;
    Ok(Value::Nil)
}

async fn existing(shell: &Shell, table: &TableName) -> Result<TableDescriptor> {
    match shell.admin().table_exists(table).await? {
        true => Ok(shell.admin().descriptor(table).await?),
        false => Err(ShellError::argument(format!("Table '{table}' does not exists."))),
    }
}

/// Sets the scope of all families, if one has another.
async fn with_scope(shell: &Shell, descriptor: TableDescriptor, wanted: &str) -> Result<()> {
    if descriptor.families.iter().all(|family| scope(family) == wanted) {
        return Ok(());
    }
    let families = descriptor.families.clone();
    let changed =
        families.into_iter().fold(descriptor, |table, family| table.with_family(family.with(SCOPE, wanted)));
    Ok(shell.admin().modify_table(&changed).await?)
}

/// Makes the table in the other cluster, if it is not there; it must have the same families, but for what is replicated.
async fn same_table_there(shell: &Shell, descriptor: &TableDescriptor, peer: &str, key: &str) -> Result<()> {
    let (table, admin) = (&descriptor.name, other_cluster(key)?.admin());
    if !admin.table_exists(table).await? {
        let regions = shell.admin().regions_of_table(table).await?;
        let mut borders: Vec<_> = regions.into_iter().map(|region| region.region.start_key).collect();
        borders.retain(|border| !border.is_empty());
        return Ok(admin.create_table(descriptor, borders).await?);
    }
    let there = admin.descriptor(table).await?;
    let without_scope = |table: &TableDescriptor| {
        let families = table.families.clone();
        families.into_iter().fold(table.clone(), |table, family| table.with_family(family.with(SCOPE, LOCAL)))
    };
    match without_scope(&there) == without_scope(descriptor) {
        true => Ok(()),
        false => Err(ShellError::argument(format!(
            "Table {table} exists in peer cluster {peer}, but the table descriptors are not same when compared with \
             source cluster. Thus can not enable the table's replication switch."
        ))),
    }
}

fn other_cluster(key: &str) -> Result<Connection> {
    let config = ClientConfig::of_cluster_key(key);
    let config = config
        .ok_or_else(|| ShellError::argument(format!("{key} is no key of a cluster: hosts:port:/node")))?;
    Ok(Connection::open_lazily(config)?)
}
