//! `dml`: rows.

use super::labels;
use super::selection::{self, Column};
use crate::arguments::{Arguments, Options, int};
use crate::command::{Group, command};
use crate::error::{Result, ShellError};
use crate::format::CellFormat;
use crate::shell::Shell;
use crate::value::Value;
use finback_client::{Append, Delete, Filter, Get, Increment, Put, Scan, StringBinary, Table, TableName};
use std::time::{Duration, Instant};

/// Rows of `deleteall` with a prefix that are deleted at a time.
const DELETED_AT_A_TIME: u64 = 100;

pub(super) const GROUP: Group = Group {
    name: "dml",
    title: "Rows",
    commands: &[
        command!("count", 1..2, count, "\
Counts the rows of a table. Tells how far it is after as many rows as INTERVAL says (1000); CACHE is how many rows are asked
for at a time; the options of scan limit what is counted.

  hbase> count 'ns1:t1'
  hbase> count 't1', INTERVAL => 100000
  hbase> count 't1', CACHE => 1000
  hbase> count 't1', {COLUMNS => ['c1', 'c2'], STARTROW => 'abc', STOPROW => 'xyz'}"),
        command!("delete", 3..5, delete, "\
Deletes the newest version of a column, or the one with this timestamp.

  hbase> delete 'ns1:t1', 'r1', 'c1'
  hbase> delete 't1', 'r1', 'c1', 1700000000000"),
        command!("deleteall", 2..5, deleteall, "\
Deletes all of a row, of a family or a column of it, or of all rows whose keys begin so; with a timestamp what is not newer.

  hbase> deleteall 't1', 'r1'
  hbase> deleteall 't1', 'r1', 'c1', 1700000000000
  hbase> deleteall 't1', {ROWPREFIXFILTER => 'prefix', CACHE => 100}
  hbase> deleteall 't1', {ROWPREFIXFILTER => 'prefix'}, 'c1'"),
        command!("get", 2.., get, "\
Shows a row, or some of its columns.

  hbase> get 'ns1:t1', 'r1'
  hbase> get 't1', 'r1', 'c1', 'c2'
  hbase> get 't1', 'r1', {TIMERANGE => [ts1, ts2]}
  hbase> get 't1', 'r1', {COLUMN => ['c1', 'c2', 'c3']}
  hbase> get 't1', 'r1', {COLUMN => 'c1', TIMERANGE => [ts1, ts2], VERSIONS => 4}
  hbase> get 't1', 'r1', {FILTER => \"ValueFilter(=, 'binary:abc')\"}
  hbase> get 't1', 'r1', {COLUMN => 'cf:q:toInt', CONSISTENCY => 'TIMELINE'}

Besides: TIMESTAMP, MAXLENGTH, ATTRIBUTES, CACHE_BLOCKS, and FORMATTER, a method of HBase's Bytes: toString, toInt,
toLong, toHex, …"),
        command!("get_counter", 3..3, get_counter, "\
Shows a counter.

  hbase> get_counter 't1', 'r1', 'c1:q'"),
        command!("incr", 3..5, incr, "\
Adds to a counter: 1, unless it is told how much. Shows the sum.

  hbase> incr 't1', 'r1', 'c1:q'
  hbase> incr 't1', 'r1', 'c1:q', 10
  hbase> incr 't1', 'r1', 'c1:q', 10, {TTL => 60000}"),
        command!("put", 4..6, put, "\
Stores a value; with a timestamp, if it is told one.

  hbase> put 'ns1:t1', 'r1', 'c1:q', 'value'
  hbase> put 't1', 'r1', 'c1:q', 'value', 1700000000000
  hbase> put 't1', 'r1', 'c1:q', 'value', {TTL => 60000, ATTRIBUTES => {'mykey' => 'myvalue'}}"),
        command!("scan", 1..2, scan, "\
Shows the rows of a table.

  hbase> scan 'hbase:meta', {COLUMNS => 'info:regioninfo'}
  hbase> scan 't1', {COLUMNS => ['c1', 'c2'], LIMIT => 10, STARTROW => 'xyz', STOPROW => 'xyzz'}
  hbase> scan 't1', {ROWPREFIXFILTER => 'row2', FILTER => \"(QualifierFilter(>=, 'binary:xyz')) AND KeyOnlyFilter()\"}
  hbase> scan 't1', {COLUMN => 'c1', TIMERANGE => [1303668804000, 1303668904000], REVERSED => true}
  hbase> scan 't1', {RAW => true, VERSIONS => 10}
  hbase> scan 't1', {ALL_METRICS => true}
  hbase> scan 't1', {METRICS => ['RPC_RETRIES', 'ROWS_FILTERED']}

Besides: TIMESTAMP, MAXLENGTH, CACHE, CACHE_BLOCKS, BATCH, MAX_RESULT_SIZE, ALLOW_PARTIAL_RESULTS, ISOLATION_LEVEL, READ_TYPE,
CONSISTENCY, ATTRIBUTES, FORMATTER. show_filters lists the filters."),
        command!("truncate", 1..1, truncate, "\
Empties a table: disables it, and makes it anew with one region.

  hbase> truncate 't1'"),
        command!("truncate_preserve", 1..1, truncate_preserve, "\
Empties a table, whose regions stay.

  hbase> truncate_preserve 't1'"),
        command!("append", 4..5, append, "\
Appends to a value. Shows the new one.

  hbase> append 't1', 'r1', 'c1:q', 'more'"),
        command!("get_splits", 1..1, get_splits, "\
Lists the borders between the regions of a table.

  hbase> get_splits 't1'"),
    ],
};

/// Sets what all that store a cell can be told.
macro_rules! with_options {
    ($mutation:expr, $options:expr) => {{
        let (mut mutation, mut options) = ($mutation, $options);
        if let Some(expression) = options.text("VISIBILITY") {
            mutation = mutation.attribute(labels::ATTRIBUTE, labels::of_write(expression));
        }
        if let Some(ms) = options.count("TTL")? {
            mutation = mutation.ttl(Duration::from_millis(ms));
        }
        for (name, value) in options.pairs("ATTRIBUTES")? {
            mutation = mutation.attribute(&name, value);
        }
        mutation
    }};
}
async fn put(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let table = shell.table(&arguments.table()?)?;
    let (row, column, value) = (arguments.bytes(), Column::parse(&arguments.bytes()), arguments.bytes());
    let mut put = Put::new(row);
    let options = match arguments.next() {
        hash @ Value::Hash(_) => Options::of(hash)?,
        timestamp => {
            if timestamp != Value::Nil {
                put = put.timestamp(int("the timestamp", &timestamp)?);
            }
            arguments.options()?
        }
    };
    let put = with_options!(put.column(&column.family, column.qualifier(), value), options);
    table.put(put).await?;
    Ok(Value::Nil)
}

async fn incr(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let table = shell.table(&arguments.table()?)?;
    let (row, column) = (arguments.bytes(), Column::parse(&arguments.bytes()));
    let (amount, options) = match arguments.next() {
        Value::Nil => (1, arguments.options()?),
        hash @ Value::Hash(_) => (1, Options::of(hash)?),
        amount => (int("the amount", &amount)?, arguments.options()?),
    };
    let increment = Increment::new(row).column(&column.family, column.qualifier(), amount);
    let row = table.increment(with_options!(increment, options)).await?;
    counter(shell, row.counter(&column.family, column.qualifier()))
}

fn counter(shell: &mut Shell, value: Option<i64>) -> Result<Value> {
    shell.out.line(match value {
        Some(value) => format!("COUNTER VALUE = {value}"),
        None => "No counter found at specified coordinates".to_owned(),
    })?;
    Ok(Value::Nil)
}

async fn get_counter(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let table = shell.table(&arguments.table()?)?;
    let (row, column) = (arguments.bytes(), Column::parse(&arguments.bytes()));
    let row = table.get(Get::new(row).column(&column.family, column.qualifier())).await?;
    counter(shell, row.and_then(|row| row.counter(&column.family, column.qualifier())))
}

async fn append(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let table = shell.table(&arguments.table()?)?;
    let (row, column, value) = (arguments.bytes(), Column::parse(&arguments.bytes()), arguments.bytes());
    let append = Append::new(row).column(&column.family, column.qualifier(), value);
    let row = table.append(with_options!(append, arguments.options()?)).await?;
    if let Some(value) = row.value(&column.family, column.qualifier()) {
        shell.out.line(format!("CURRENT VALUE = {}", StringBinary(value)))?;
    }
    Ok(Value::Nil)
}

/// What is deleted of a row: its column, if there is one, up to a timestamp, if there is one.
struct Deletion {
    column: Option<Column>,
    timestamp: Option<i64>,
    /// The expression of labels of the cells that are deleted.
    visibility: Option<String>,
    all_versions: bool,
}

impl Deletion {
    fn of(arguments: &mut Arguments, all_versions: bool) -> Result<Self> {
        let column = Some(arguments.bytes()).filter(|column| !column.is_empty());
        let (timestamp, mut options) = match arguments.next() {
            Value::Nil => (None, arguments.options()?),
            hash @ Value::Hash(_) => (None, Options::of(hash)?),
            timestamp => (Some(int("the timestamp", &timestamp)?), arguments.options()?),
        };
        let (column, visibility) = (column.map(|column| Column::parse(&column)), options.text("VISIBILITY"));
        Ok(Self { column, timestamp, visibility, all_versions })
    }

    fn of_row(&self, row: &[u8]) -> Delete {
        let delete = Delete::new(row);
        let delete =
            self.timestamp.map_or_else(|| delete.clone(), |timestamp| delete.clone().timestamp(timestamp));
        let delete = match &self.visibility {
            Some(expression) => delete.attribute(labels::ATTRIBUTE, labels::of_write(expression.clone())),
            None => delete,
        };
        let Some(column) = &self.column else { return delete };
        match (&column.qualifier, self.all_versions) {
            (Some(qualifier), true) => delete.columns(&column.family, qualifier),
            (Some(qualifier), false) => delete.column(&column.family, qualifier),
            (None, true) => delete.family(&column.family),
            (None, false) => delete.family_version(&column.family, self.timestamp.unwrap_or(i64::MAX)),
        }
    }
}

async fn delete(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let table = shell.table(&arguments.table()?)?;
    let row = arguments.bytes();
    table.delete(Deletion::of(&mut arguments, false)?.of_row(&row)).await?;
    Ok(Value::Nil)
}

async fn deleteall(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let name = arguments.table()?;
    let (table, row) = (shell.table(&name)?, arguments.next());
    let deletion = Deletion::of(&mut arguments, true)?;
    match row {
        Value::Hash(_) => delete_by_prefix(&name, &table, &mut Options::of(row)?, &deletion).await?,
        row => table.delete(deletion.of_row(&row.to_bytes())).await?,
    }
    Ok(Value::Nil)
}

async fn delete_by_prefix(
    name: &TableName,
    table: &Table,
    options: &mut Options,
    deletion: &Deletion,
) -> Result<()> {
    if name.is_meta() {
        return Err(ShellError::argument("deleteall with ROWPREFIXFILTER in hbase:meta is not allowed."));
    }
    let prefix = options.bytes("ROWPREFIXFILTER").filter(|prefix| !prefix.is_empty());
    let prefix = prefix
        .ok_or_else(|| ShellError::argument("deleteall needs a row, or {ROWPREFIXFILTER => 'prefix'}"))?;
    let at_a_time = options.count("CACHE")?.unwrap_or(DELETED_AT_A_TIME).min(10_000) as usize;
    let mut rows = table.scan(Scan::prefix(prefix).filter(Filter::first_key_only()))?;
    let mut deletes = Vec::new();
    while let Some(row) = rows.next().await? {
        deletes.push(deletion.of_row(row.key()));
        if deletes.len() >= at_a_time {
            table.delete_all(std::mem::take(&mut deletes)).await?;
        }
    }
    Ok(table.delete_all(deletes).await?)
}

async fn get(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let name = arguments.table()?;
    let (table, row) = (shell.table(&name)?, arguments.bytes());
    let rest = arguments.flat();
    shell.out.header(&["COLUMN", "CELL"])?;
    let mut options = match rest.first() {
        Some(hash @ Value::Hash(_)) => Options::of(hash.clone())?,
        _ => {
            let columns = Value::Array(rest);
            Options::of(Value::Hash(vec![(Value::text("COLUMNS"), columns)]))?
        }
    };
    let mut format = selection::cell_format(shell, &name, &mut options)?;
    let get = selection::get(&row, &mut options, &mut format)?;
    let row = table.get(get).await?;
    if let Some(row) = &row {
        for cell in row {
            shell.out.row(&[&format.column(&cell)?, &format.cell(&cell)?])?;
        }
    }
    let is_stale = row.as_ref().is_some_and(finback_client::Row::is_stale);
    shell.out.footer(Some(usize::from(row.is_some())), is_stale)?;
    Ok(Value::Nil)
}

async fn scan(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let name = arguments.table()?;
    let (table, mut options) = (shell.table(&name)?, arguments.options()?);
    shell.out.header(&["ROW", "COLUMN+CELL"])?;
    let wanted: Vec<String> = options.list("METRICS").iter().map(Value::to_text).collect();
    let is_measured = options.is_set("ALL_METRICS") || !wanted.is_empty();
    let mut format = selection::cell_format(shell, &name, &mut options)?;
    let mut scan = selection::scan(&mut options, &mut format)?;
    if is_measured {
        scan = scan.track_metrics();
    }
    let (mut rows, mut count, mut is_stale) = (table.scan(scan)?, 0, false);
    while let Some(row) = rows.next().await? {
        is_stale |= row.is_stale();
        write_row(shell, &row, &format)?;
        count += 1;
        // Rows that are there already would be written to a slow terminal for seconds before Ctrl-C is looked for.
        tokio::task::yield_now().await;
    }
    shell.ended = Some(Instant::now());
    shell.out.footer(Some(count), is_stale)?;
    if is_measured {
        shell.out.line("")?;
        shell.out.header(&["METRIC", "VALUE"])?;
        for (name, value) in rows.metrics() {
            if wanted.is_empty() || wanted.contains(&name) {
                shell.out.row(&[&name, &value.to_string()])?;
            }
        }
    }
    Ok(Value::Nil)
}

fn write_row(shell: &mut Shell, row: &finback_client::Row, format: &CellFormat) -> Result<()> {
    let key = format.key(row.key())?;
    for cell in row {
        let shown = format!("column={}, {}", format.column(&cell)?, format.cell(&cell)?);
        shell.out.row(&[&key, &shown])?;
    }
    Ok(())
}

async fn count(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let name = arguments.table()?;
    let table = shell.table(&name)?;
    let mut options = match arguments.next() {
        interval @ Value::Int(_) => Options::of(Value::Hash(vec![(Value::text("INTERVAL"), interval)]))?,
        other => Options::of(other)?,
    };
    let interval = selection::interval(&mut options)?;
    let own = options.bytes("FILTER").map(Filter::parse).transpose()?;
    let filters = own.into_iter().chain([Filter::first_key_only()]);
    let has_cache_blocks = options.has("CACHE_BLOCKS");
    let mut format = selection::cell_format(shell, &name, &mut options)?;
    let mut scan = selection::scan(&mut options, &mut format)?.filter(Filter::all(filters));
    if !has_cache_blocks {
        scan = scan.cache_blocks(false);
    }
    let (mut rows, mut count) = (table.scan(scan)?, 0u64);
    while let Some(row) = rows.next().await? {
        count += 1;
        if count.is_multiple_of(interval) {
            shell.out.row(&[&format!("Current count: {count}, row: {}", StringBinary(row.key()))])?;
        }
    }
    shell.out.footer(Some(usize::try_from(count).unwrap_or(usize::MAX)), false)?;
    Ok(Value::Int(i64::try_from(count).unwrap_or(i64::MAX)))
}

async fn truncate(shell: &mut Shell, arguments: Arguments) -> Result<Value> {
    emptied(shell, arguments, false).await
}

async fn truncate_preserve(shell: &mut Shell, arguments: Arguments) -> Result<Value> {
    emptied(shell, arguments, true).await
}

async fn emptied(shell: &mut Shell, mut arguments: Arguments, preserve: bool) -> Result<Value> {
    let (name, admin) = (arguments.table()?, shell.admin());
    shell.out.line(format!("Truncating '{name}' table (it may take a while):"))?;
    if admin.table_state(&name).await? == finback_client::TableState::Enabled {
        shell.out.line("Disabling table...")?;
        admin.disable_table(&name).await?;
    }
    shell.out.line("Truncating table...")?;
    admin.truncate_table(&name, preserve).await?;
    Ok(Value::Nil)
}

async fn get_splits(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let regions = shell.admin().regions_of_table(&arguments.table()?).await?;
    let keys = regions.iter().map(|region| StringBinary(&region.region.start_key).to_string());
    let keys: Vec<String> = keys.filter(|key| !key.is_empty()).collect();
    shell.out.line(format!("Total number of splits = {}", keys.len() + 1))?;
    keys.iter().try_for_each(|key| shell.out.line(key))?;
    Ok(Value::Array(keys.iter().map(Value::text).collect()))
}
