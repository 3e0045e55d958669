//! `create`

use super::{binary, schema};
use crate::arguments::{Arguments, Options};
use crate::error::{Result, ShellError};
use crate::shell::Shell;
use crate::value::Value;
use finback_client::TableDescriptor;
use std::io::{BufRead, BufReader};
use std::time::Instant;

pub(super) async fn run(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let name = arguments.table()?;
    let mut table = TableDescriptor::new(name.clone());
    let mut splits: Vec<Vec<u8>> = Vec::new();
    for argument in arguments.flat() {
        match argument {
            Value::Str(family) => {
                let name = Value::Hash(vec![(Value::text("NAME"), Value::Str(family))]);
                table = add_family(shell, table, Options::of(name)?)?;
            }
            hash @ Value::Hash(_) => {
                let mut options = Options::of(hash)?;
                if options.has("NAME") {
                    table = add_family(shell, table, options)?;
                    continue;
                }
                if options.text("METHOD").is_some_and(|method| method != "table_att") {
                    return Err(ShellError::argument("table_att is currently the only supported method"));
                }
                if let Some(given) = split_keys(&mut options)? {
                    splits = given;
                }
                table = schema::update_table(table, &mut options)?;
                for ignored in options.names() {
                    shell.out.line(format!("An argument ignored (unknown or overridden): {ignored}"))?;
                }
            }
            other => {
                let problem = format!("{} of {other} is not of Hash or String type", other.class());
                return Err(ShellError::Argument(problem));
            }
        }
    }
    if table.families.is_empty() {
        return Err(ShellError::argument("Table must have at least one column family"));
    }
    shell.admin().create_table(&table, &splits).await?;
    shell.ended = Some(Instant::now());
    shell.out.line(format!("Created table {name}"))?;
    Ok(Value::Table(name.to_string()))
}

fn add_family(shell: &mut Shell, table: TableDescriptor, options: Options) -> Result<TableDescriptor> {
    let (family, unknown) = schema::family(&table, options)?;
    let name = String::from_utf8_lossy(&family.name).into_owned();
    for unknown in unknown {
        shell.out.line(format!("Unknown argument ignored for column family {name}: {unknown}"))?;
    }
    if table.family(&family.name).is_some() {
        shell.out.line(format!("Family '{name}' already exists, the old one will be replaced"))?;
    }
    Ok(schema::with_family(table, family))
}

/// The borders that `create` is given, in one of three ways.
fn split_keys(options: &mut Options) -> Result<Option<Vec<Vec<u8>>>> {
    if let Some(file) = options.text("SPLITS_FILE") {
        let opened = std::fs::File::open(&file)
            .map_err(|error| ShellError::argument(format!("Splits file {file} cannot be read: {error}")))?;
        let lines = BufReader::new(opened).split(b'\n').collect::<Result<Vec<_>, _>>()?;
        return Ok(Some(lines.iter().map(|line| binary(line.strip_suffix(b"\r").unwrap_or(line))).collect()));
    }
    if options.has("SPLITS") {
        return Ok(Some(options.list("SPLITS").iter().map(|key| binary(&key.to_bytes())).collect()));
    }
    match (options.int("NUMREGIONS")?, options.text("SPLITALGO")) {
        (None, None) => Ok(None),
        (None, Some(_)) => Err(ShellError::argument("Number of regions must be specified")),
        (Some(_), None) => Err(ShellError::argument("Split algorithm must be specified")),
        (Some(regions), Some(algorithm)) => Ok(Some(schema::split_keys(regions, &algorithm)?)),
    }
}
