//! `ddl`: tables.

mod alter;
mod create;
mod regions;

use super::quotas::{self, QuotaFilter};
use super::schema;
use crate::arguments::Arguments;
use crate::command::{Group, command};
use crate::error::{Result, ShellError};
use crate::format;
use crate::shell::Shell;
use crate::value::Value;
use finback_client::{TableName, TablePattern, TableState};

pub(super) const GROUP: Group = Group {
    name: "ddl",
    title: "Tables",
    commands: &[
        command!("alter", 2.., alter::alter, "\
Changes a table: adds and changes families, deletes them, sets and removes attributes. Waits for the regions.

  hbase> alter 't1', NAME => 'f1', VERSIONS => 5
  hbase> alter 't1', 'f1', {NAME => 'f2', IN_MEMORY => true}, {NAME => 'f3', VERSIONS => 5}
  hbase> alter 'ns1:t1', NAME => 'f1', METHOD => 'delete'
  hbase> alter 'ns1:t1', 'delete' => 'f1'
  hbase> alter 't1', MAX_FILESIZE => '134217728'
  hbase> alter 't1', CONFIGURATION => {'hbase.hregion.scan.loadColumnFamiliesOnDemand' => 'true'}
  hbase> alter 't1', METHOD => 'table_att_unset', NAME => 'MAX_FILESIZE'
  hbase> alter 't1', METHOD => 'table_conf_unset', NAME => 'hbase.hstore.blockingStoreFiles'"),
        command!("alter_async", 2.., alter::alter_async, "\
Changes a table as alter does, and does not wait for the regions: see alter_status.

  hbase> alter_async 't1', NAME => 'f1', VERSIONS => 5"),
        command!("alter_status", 1..1, alter::status, "\
Shows how many regions of a table have its newest schema, until all have.

  hbase> alter_status 't1'"),
        command!("create", 2.., create::run, "\
Makes a table: with families, and with borders between its regions, if it is to have several.

  hbase> create 't1', 'f1', 'f2', 'f3'
  hbase> create 'ns1:t1', {NAME => 'f1', VERSIONS => 5, TTL => 2592000, BLOCKCACHE => true}
  hbase> create 't1', {NAME => 'f1', CONFIGURATION => {'hbase.hstore.blockingStoreFiles' => '10'}}
  hbase> create 't1', 'f1', SPLITS => ['10', '20', '30', '40']
  hbase> create 't1', 'f1', SPLITS_FILE => 'splits.txt', OWNER => 'johndoe'
  hbase> create 't1', 'f1', {NUMREGIONS => 15, SPLITALGO => 'HexStringSplit', REGION_REPLICATION => 2}
  hbase> t1 = create 't1', 'f1'"),
        command!("describe" | "desc", 1..1, describe, "\
Shows a table and its families.

  hbase> describe 'ns1:t1'
  hbase> desc 't1'"),
        command!("disable", 1..1, disable, "\
Closes all regions of a table.

  hbase> disable 't1'"),
        command!("disable_all", 1..1, disable_all, "\
Disables the tables that a regular expression matches, after asking.

  hbase> disable_all 'ns:t.*'"),
        command!("is_disabled", 1..1, is_disabled, "\
Tells whether a table is disabled.

  hbase> is_disabled 't1'"),
        command!("drop", 1..1, drop, "\
Drops a table, which must be disabled.

  hbase> drop 't1'"),
        command!("drop_all", 1..1, drop_all, "\
Drops the tables that a regular expression matches, which must be disabled, after asking.

  hbase> drop_all 't.*'"),
        command!("enable", 1..1, enable, "\
Opens all regions of a table that is disabled.

  hbase> enable 't1'"),
        command!("enable_all", 1..1, enable_all, "\
Enables the tables that a regular expression matches, after asking.

  hbase> enable_all 't.*'"),
        command!("is_enabled", 1..1, is_enabled, "\
Tells whether a table is enabled.

  hbase> is_enabled 't1'"),
        command!("exists", 1..1, exists, "\
Tells whether there is a table of this name.

  hbase> exists 't1'"),
        command!("list", 0..1, list, "\
Lists the tables, or those that a regular expression matches.

  hbase> list
  hbase> list 'abc.*'
  hbase> list 'ns:abc.*'"),
        command!("show_filters", 0..0, show_filters, "\
Lists the filters of HBase's filter language.

  hbase> show_filters"),
        command!("get_table", 1..1, get_table, "\
Gives a table, which may be given a name: see table_help.

  hbase> t1 = get_table 't1'
  hbase> t1.scan"),
        command!("locate_region", 2..2, regions::locate, "\
Shows the region of a row, and its server.

  hbase> locate_region 'tableName', 'key0'"),
        command!("list_regions", 1..3, regions::list, "\
Lists the regions of a table: all, or those of servers whose names begin so, or of little locality; with the columns named.

  hbase> list_regions 'table_name'
  hbase> list_regions 'table_name', 'server_name'
  hbase> list_regions 'table_name', {SERVER_NAME => 'server_name', LOCALITY_THRESHOLD => 0.8}
  hbase> list_regions 'table_name', {}, ['SERVER_NAME', 'start_key']"),
        command!("clone_table_schema", 2..3, clone_schema, "\
Makes a table like another, without its rows; with its borders, unless the third argument is false.

  hbase> clone_table_schema 'table_name', 'new_table_name'
  hbase> clone_table_schema 'table_name', 'new_table_name', false"),
    ],
};

/// The filters, in the order in which HBase's shell shows them.
const FILTERS: [&str; 19] = [
    "DependentColumnFilter",
    "KeyOnlyFilter",
    "ColumnCountGetFilter",
    "SingleColumnValueFilter",
    "PrefixFilter",
    "SingleColumnValueExcludeFilter",
    "FirstKeyOnlyFilter",
    "ColumnRangeFilter",
    "ColumnValueFilter",
    "TimestampsFilter",
    "FamilyFilter",
    "QualifierFilter",
    "ColumnPrefixFilter",
    "RowFilter",
    "MultipleColumnPrefixFilter",
    "InclusiveStopFilter",
    "PageFilter",
    "ValueFilter",
    "ColumnPaginationFilter",
];

async fn must_exist(shell: &Shell, name: &TableName) -> Result<()> {
    match shell.admin().table_exists(name).await? {
        true => Ok(()),
        false => Err(ShellError::argument(format!("Table {name} does not exist."))),
    }
}

/// Bytes of text with `\x00` in it.
pub(super) fn binary(text: &[u8]) -> Vec<u8> {
    finback_cell::from_string_binary(text)
}

async fn describe(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (name, admin) = (arguments.table()?, shell.admin());
    must_exist(shell, &name).await?;
    let table = admin.descriptor(&name).await?;
    let state = match admin.table_state(&name).await? {
        TableState::Enabled => "ENABLED",
        _ => "DISABLED",
    };
    shell.out.header(&[&format!("Table {name} is {state}")])?;
    shell.out.row(&[&format!("{name}{}", format::table_attributes(&table))])?;
    shell.out.header(&["COLUMN FAMILIES DESCRIPTION"])?;
    for family in &table.families {
        shell.out.row(&[&format::family(family)])?;
        shell.out.line("")?;
    }
    shell.out.footer(None, false)?;
    match quotas::table_exists(shell).await? {
        true if name.is_meta() => {}
        true => {
            shell.out.line("")?;
            listed_quotas(shell, &QuotaFilter::of_table(&name.to_string())?).await?;
        }
        false => shell.out.line("Quota is disabled")?,
    }
    Ok(Value::Nil)
}

pub(super) async fn listed_quotas(shell: &mut Shell, filter: &QuotaFilter) -> Result<()> {
    shell.out.header(&["QUOTAS"])?;
    let settings = filter.settings(shell).await?;
    settings.iter().try_for_each(|(_, quota)| shell.out.row(&[quota]))?;
    Ok(shell.out.footer(Some(settings.len()), false)?)
}

async fn is_state(shell: &Shell, name: &TableName, state: TableState) -> Result<bool> {
    Ok(shell.admin().table_state(name).await? == state)
}

async fn disable(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let name = arguments.table()?;
    must_exist(shell, &name).await?;
    if !is_state(shell, &name, TableState::Disabled).await? {
        shell.admin().disable_table(&name).await?;
    }
    Ok(Value::Nil)
}

async fn enable(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let name = arguments.table()?;
    must_exist(shell, &name).await?;
    if !is_state(shell, &name, TableState::Enabled).await? {
        shell.admin().enable_table(&name).await?;
    }
    Ok(Value::Nil)
}

async fn drop(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let name = arguments.table()?;
    must_exist(shell, &name).await?;
    if is_state(shell, &name, TableState::Enabled).await? {
        return Err(ShellError::argument(format!("Table {name} is enabled. Disable it first.")));
    }
    shell.admin().delete_table(&name).await?;
    Ok(Value::Nil)
}

/// What is done to each of several tables.
#[derive(Clone, Copy)]
enum ToAll {
    Disable,
    Drop,
    Enable,
}

async fn disable_all(shell: &mut Shell, arguments: Arguments) -> Result<Value> {
    to_all(shell, arguments, ToAll::Disable, ("Disable", "disabled")).await
}

async fn drop_all(shell: &mut Shell, arguments: Arguments) -> Result<Value> {
    to_all(shell, arguments, ToAll::Drop, ("Drop", "dropped")).await
}

async fn enable_all(shell: &mut Shell, arguments: Arguments) -> Result<Value> {
    to_all(shell, arguments, ToAll::Enable, ("Enable", "enabled")).await
}

async fn to_all(
    shell: &mut Shell,
    mut arguments: Arguments,
    what: ToAll,
    (verb, done): (&str, &str),
) -> Result<Value> {
    let (regex, admin) = (arguments.text(), shell.admin());
    let tables = admin.table_names(&TablePattern::matching(regex.clone())).await?;
    tables.iter().try_for_each(|table| shell.out.row(&[&table.to_string()]))?;
    if tables.is_empty() {
        shell.out.line(format!("No tables matched the regex {regex}"))?;
        return Ok(Value::Nil);
    }
    if !shell.asked(&format!("{verb} the above {} tables", tables.len()))? {
        return Ok(Value::Nil);
    }
    let mut failed = Vec::new();
    for table in &tables {
        let outcome = match what {
            ToAll::Disable => admin.disable_table(table).await,
            ToAll::Drop => admin.delete_table(table).await,
            ToAll::Enable => admin.enable_table(table).await,
        };
        if let Err(error) = outcome {
            shell.out.line(format!("table:{table}, error:{error}"))?;
            failed.push(table.to_string());
        }
    }
    shell.out.line(format!("{} tables successfully {done}", tables.len() - failed.len()))?;
    if !failed.is_empty() {
        let names = failed.join(",");
        shell.out.line(format!("{} tables not {done} due to an exception: {names}", failed.len()))?;
    }
    Ok(Value::Nil)
}

fn told(shell: &mut Shell, answer: bool) -> Result<Value> {
    shell.out.row(&[&answer.to_string()])?;
    Ok(Value::Bool(answer))
}

async fn is_enabled(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let answer = is_state(shell, &arguments.table()?, TableState::Enabled).await?;
    told(shell, answer)
}

async fn is_disabled(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let answer = is_state(shell, &arguments.table()?, TableState::Disabled).await?;
    told(shell, answer)
}

async fn exists(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let name = arguments.table()?;
    let exists = shell.admin().table_exists(&name).await?;
    shell.out.row(&[&format!("Table {name} {}", if exists { "does exist" } else { "does not exist" })])?;
    Ok(Value::Bool(exists))
}

async fn list(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let pattern = arguments.optional_text().map_or_else(TablePattern::all, TablePattern::matching);
    let tables = shell.admin().table_names(&pattern).await?;
    let names: Vec<String> = tables.iter().map(ToString::to_string).collect();
    shell.out.header(&["TABLE"])?;
    names.iter().try_for_each(|name| shell.out.row(&[name]))?;
    shell.out.footer(Some(names.len()), false)?;
    Ok(Value::Array(names.iter().map(Value::text).collect()))
}

async fn show_filters(shell: &mut Shell, _: Arguments) -> Result<Value> {
    FILTERS.iter().try_for_each(|name| shell.out.row(&[name]))?;
    Ok(Value::Nil)
}

async fn get_table(_: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    Ok(Value::Table(arguments.table()?.to_string()))
}

async fn clone_schema(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (from, to, admin) = (arguments.table()?, arguments.table()?, shell.admin());
    let preserve = arguments.next() != Value::Bool(false);
    let mut table = admin.descriptor(&from).await?;
    table.name = to;
    let mut keys = Vec::new();
    if preserve {
        keys =
            admin.regions_of_table(&from).await?.into_iter().map(|region| region.region.start_key).collect();
        keys.retain(|key| !key.is_empty());
    }
    admin.create_table(&table, keys).await?;
    Ok(Value::Nil)
}

#[cfg(test)]
mod tests;
