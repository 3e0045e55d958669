//! `alter`, `alter_async`, `alter_status`

use super::schema;
use crate::arguments::{Arguments, Options};
use crate::error::{Result, ShellError};
use crate::shell::Shell;
use crate::value::Value;
use finback_client::{TableDescriptor, TableName};
use std::time::Duration;

/// Pause between two looks at the regions, as HBase's shell has it.
const PAUSE: Duration = Duration::from_secs(1);

pub(super) async fn alter(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let name = arguments.table()?;
    change(shell, &name, arguments).await?;
    shell.out.line("Updating all regions with the new schema...")?;
    told_until_done(shell, &name).await?;
    Ok(Value::Nil)
}

pub(super) async fn alter_async(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let name = arguments.table()?;
    change(shell, &name, arguments).await?;
    Ok(Value::Nil)
}

pub(super) async fn status(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let name = arguments.table()?;
    must_be_there(shell, &name).await?;
    told_until_done(shell, &name).await?;
    Ok(Value::Nil)
}

async fn must_be_there(shell: &Shell, name: &TableName) -> Result<()> {
    match shell.admin().table_exists(name).await? {
        true => Ok(()),
        false => Err(ShellError::argument(format!("Can't find a table: {name}"))),
    }
}

/// Ends when all regions have the schema, or with Ctrl-C.
async fn told_until_done(shell: &mut Shell, name: &TableName) -> Result<()> {
    loop {
        let (pending, total) = shell.admin().alter_status(name).await?;
        match total {
            0 => shell.out.line("All regions updated.")?,
            total => shell.out.line(format!("{}/{total} regions updated.", total.saturating_sub(pending)))?,
        }
        if pending == 0 {
            return Ok(shell.out.line("Done.")?);
        }
        shell.out.flush()?;
        tokio::time::sleep(PAUSE).await;
    }
}

async fn change(shell: &mut Shell, name: &TableName, mut arguments: Arguments) -> Result<()> {
    must_be_there(shell, name).await?;
    let mut table = shell.admin().descriptor(name).await?;
    for argument in arguments.flat() {
        let argument = match argument {
            Value::Str(family) => Value::Hash(vec![(Value::text("NAME"), Value::Str(family))]),
            other => other,
        };
        table = changed(shell, table, Options::of(argument)?)?;
    }
    Ok(shell.admin().modify_table(&table).await?)
}

fn changed(shell: &mut Shell, mut table: TableDescriptor, mut options: Options) -> Result<TableDescriptor> {
    if let Some(family) = options.bytes("delete") {
        return without_family(table, &family);
    }
    match options.text("METHOD").as_deref() {
        None if options.has("NAME") => {
            let (family, unknown) = schema::family(&table, options)?;
            let name = String::from_utf8_lossy(&family.name).into_owned();
            for unknown in unknown {
                shell.out.line(format!("Unknown argument ignored for column family {name}: {unknown}"))?;
            }
            return Ok(schema::with_family(table, family));
        }
        None | Some("table_att") => {
            table = schema::update_table(table, &mut options)?;
            let coprocessors: Vec<String> = options
                .names()
                .filter(|name| name.to_lowercase().contains("coprocessor"))
                .map(str::to_owned)
                .collect();
            for key in coprocessors {
                let spec = options.text(&key).unwrap_or_default();
                table = with_coprocessor(table, &spec);
            }
        }
        Some("delete") => {
            let family = options.bytes("NAME");
            let family =
                family.ok_or_else(|| ShellError::argument("NAME parameter missing for delete method"))?;
            table = without_family(table, &family)?;
        }
        Some(method @ ("table_att_unset" | "table_conf_unset")) => {
            let names = options.list("NAME");
            if names.is_empty() {
                return Err(ShellError::argument(format!("NAME parameter missing for {method} method")));
            }
            for name in names {
                table = without_attribute(table, &name.to_text(), method)?;
            }
        }
        Some(other) => return Err(ShellError::argument(format!("Unknown method: {other}"))),
    }
    for unknown in options.names() {
        shell.out.line(format!("Unknown argument ignored: {unknown}"))?;
    }
    Ok(table)
}

fn without_family(mut table: TableDescriptor, family: &[u8]) -> Result<TableDescriptor> {
    let before = table.families.len();
    table.families.retain(|known| known.name[..] != *family);
    if table.families.len() == before {
        let name = String::from_utf8_lossy(family);
        return Err(ShellError::argument(format!("Column family {name} does not exist in {}", table.name)));
    }
    Ok(table)
}

fn without_attribute(mut table: TableDescriptor, name: &str, method: &str) -> Result<TableDescriptor> {
    let before = table.attributes.len();
    table.attributes.retain(|(known, _)| known[..] != *name.as_bytes());
    if table.attributes.len() == before {
        let kind = if method == "table_att_unset" { "attribute" } else { "configuration" };
        return Err(ShellError::argument(format!("Could not find {kind}: {name}")));
    }
    Ok(table)
}

/// `coprocessor$1` and so on: the first number that is free.
fn with_coprocessor(table: TableDescriptor, spec: &str) -> TableDescriptor {
    let key = |number: usize| format!("coprocessor${number}");
    let free = (1..=table.attributes.len() + 1).find(|&number| table.attribute(&key(number)).is_none());
    table.with(&key(free.unwrap_or(1)), spec.trim())
}
