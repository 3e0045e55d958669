//! `locate_region`, `list_regions`

use crate::arguments::{Arguments, Options};
use crate::error::{Result, ShellError};
use crate::format;
use crate::shell::Shell;
use crate::value::Value;
use finback_client::messages::RegionLoad;
use finback_client::{MetaRegion, StatusOption, StringBinary, TableState};
use std::collections::HashMap;
use std::time::Instant;

/// The columns, and how wide they are at least.
const COLUMNS: [(&str, usize); 7] = [
    ("SERVER_NAME", 12),
    ("REGION_NAME", 12),
    ("START_KEY", 10),
    ("END_KEY", 10),
    ("SIZE", 5),
    ("REQ", 5),
    ("LOCALITY", 10),
];

pub(super) async fn locate(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let table = shell.table(&arguments.table()?)?;
    let location = table.region_of(super::binary(&arguments.bytes()), false).await?;
    shell.out.header(&["HOST", "REGION"])?;
    shell.out.row(&[&location.server().address(), &format::region(location.region())])?;
    shell.out.footer(Some(1), false)?;
    Ok(Value::Nil)
}

pub(super) async fn list(shell: &mut Shell, mut arguments: Arguments) -> Result<Value> {
    let (name, admin) = (arguments.table()?, shell.admin());
    let mut options = match arguments.next() {
        Value::Str(server) => {
            Options::of(Value::Hash(vec![(Value::text("SERVER_NAME"), Value::Str(server))]))?
        }
        other => Options::of(other)?,
    };
    let columns = columns(&arguments.next())?;
    let server = options.text("SERVER_NAME").unwrap_or_default();
    let threshold = threshold(&mut options)?;
    if admin.table_state(&name).await? != TableState::Enabled {
        return Err(ShellError::argument(format!("Table {name} must be enabled.")));
    }
    let status = admin.cluster_status(&[StatusOption::LiveServers]).await?;
    let loads = status.live_servers.iter().flat_map(|server| &server.server_load.region_loads);
    let loads: HashMap<&[u8], &RegionLoad> =
        loads.map(|load| (&load.region_specifier.value[..], load)).collect();
    let mut lines = Vec::new();
    for region in admin.regions_of_table(&name).await? {
        let full_name = region.region.name();
        let load = loads.get(&full_name[..]).copied();
        let is_there = region.server().is_some_and(|at| at.to_string().starts_with(&server));
        if !is_there || load.is_some_and(|load| f64::from(load.data_locality()) > threshold) {
            continue;
        }
        if load.is_none() {
            let name = StringBinary(&full_name);
            shell.out.line(format!(
                "Can not find all details for region: {name} , it may be disabled or in transition\n"
            ))?;
        }
        lines.push(columns.iter().map(|(column, _)| shown(column, &region, load)).collect::<Vec<_>>());
    }
    shell.ended = Some(Instant::now());
    write(shell, &columns, &lines)?;
    Ok(Value::Nil)
}

fn columns(named: &Value) -> Result<Vec<(&'static str, usize)>> {
    const KNOWN: &str =
        "Possible values are SERVER_NAME, REGION_NAME, START_KEY, END_KEY, SIZE, REQ, LOCALITY.";
    match named {
        Value::Nil => Ok(COLUMNS.to_vec()),
        Value::Array(names) => {
            let column = |name: &Value| {
                let name = name.to_text();
                let found = COLUMNS.iter().find(|(known, _)| known.eq_ignore_ascii_case(&name));
                found
                    .copied()
                    .ok_or_else(|| ShellError::argument(format!("{name} is not a valid column. {KNOWN}")))
            };
            names.iter().map(column).collect()
        }
        other => Err(ShellError::argument(format!("{other} must be an array of strings. {KNOWN}"))),
    }
}

fn threshold(options: &mut Options) -> Result<f64> {
    match options.take("LOCALITY_THRESHOLD") {
        None => Ok(f64::INFINITY),
        Some(Value::Float(value)) if (0.0..=1.0).contains(&value) => Ok(value),
        Some(Value::Float(_)) => {
            Err(ShellError::argument("LOCALITY_THRESHOLD must be between 0 and 1.0, inclusive"))
        }
        Some(_) => Err(ShellError::argument("LOCALITY_THRESHOLD must be a float value")),
    }
}

fn shown(column: &str, region: &MetaRegion, load: Option<&RegionLoad>) -> String {
    let of_load = |get: fn(&RegionLoad) -> String| load.map(get).unwrap_or_default();
    match column {
        "SERVER_NAME" => region.server().map(ToString::to_string).unwrap_or_default(),
        "REGION_NAME" => StringBinary(&region.region.name()).to_string(),
        "START_KEY" => StringBinary(&region.region.start_key).to_string(),
        "END_KEY" => StringBinary(&region.region.end_key).to_string(),
        "SIZE" => of_load(|load| load.storefile_size_mb().to_string()),
        "REQ" => {
            of_load(|load| load.read_requests_count().saturating_add(load.write_requests_count()).to_string())
        }
        _ => of_load(|load| format!("{:?}", load.data_locality())),
    }
}

fn write(shell: &mut Shell, columns: &[(&str, usize)], lines: &[Vec<String>]) -> Result<()> {
    let width =
        |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0).max(columns[at].1);
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let row = |cells: Vec<&str>| -> String {
        cells.iter().zip(&widths).map(|(cell, width)| format!(" {cell:>width$} |")).collect()
    };
    let rules: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    shell.out.line(row(columns.iter().map(|(name, _)| *name).collect()))?;
    shell.out.line(row(rules.iter().map(String::as_str).collect()))?;
    for line in lines {
        shell.out.line(row(line.iter().map(String::as_str).collect()))?;
    }
    Ok(shell.out.line(format!(" {} rows", lines.len()))?)
}
