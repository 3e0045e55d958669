//! What `get`, `scan` and `count` want: their options.

use super::labels;
use crate::arguments::{Options, int};
use crate::error::{Result, ShellError};
use crate::format::CellFormat;
use crate::shell::Shell;
use finback_client::{Consistency, Filter, Get, ReadType, Scan, TableName};
use std::collections::HashMap;

/// A column as it is written: `f`, `f:`, `f:q`, `f:q:toInt`.
pub(super) struct Column {
    pub(super) family: Vec<u8>,
    pub(super) qualifier: Option<Vec<u8>>,
    pub(super) converter: Option<String>,
}

impl Column {
    pub(super) fn parse(text: &[u8]) -> Self {
        let (family, rest) = cut(text);
        let (qualifier, converter) = match rest.map(cut) {
            None => (None, None),
            Some((qualifier, converter)) => (Some(qualifier), converter),
        };
        Self {
            family: family.to_vec(),
            qualifier: qualifier.map(<[u8]>::to_vec),
            converter: converter.map(|name| String::from_utf8_lossy(name).into_owned()),
        }
    }

    /// The qualifier, for what needs one: empty if there is none.
    pub(super) fn qualifier(&self) -> &[u8] {
        self.qualifier.as_deref().unwrap_or_default()
    }
}

fn cut(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|&byte| byte == b':') {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    }
}

/// How cells are written, with the options that say so taken.
pub(super) fn cell_format(shell: &Shell, table: &TableName, options: &mut Options) -> Result<CellFormat> {
    let max_length = options.int("MAXLENGTH")?.and_then(|length| usize::try_from(length).ok());
    // Methods of other classes than Bytes are Java's.
    match options.text("FORMATTER_CLASS").as_deref() {
        None | Some("org.apache.hadoop.hbase.util.Bytes") => {}
        Some(other) => {
            return Err(ShellError::argument(format!(
                "FORMATTER_CLASS {other} is a class of Java, and there is no Java here"
            )));
        }
    }
    Ok(CellFormat {
        zone: shell.zone.clone(),
        is_meta: table.is_meta(),
        max_length,
        formatter: options.text("FORMATTER"),
        converters: HashMap::new(),
    })
}

/// The columns that are named, with their converters noted.
fn columns(options: &mut Options, format: &mut CellFormat) -> Vec<Column> {
    let (several, one) = (options.list("COLUMNS"), options.list("COLUMN"));
    let named = if several.is_empty() { one } else { several };
    let columns: Vec<Column> = named.iter().map(|name| Column::parse(&name.to_bytes())).collect();
    for column in &columns {
        if let Some(converter) = &column.converter {
            let key = (column.family.clone(), column.qualifier().to_vec());
            format.converters.insert(key, converter.clone());
        }
    }
    columns
}

/// Sets on a get or a scan what both have.
macro_rules! select {
    ($target:expr, $options:expr, $format:expr) => {{
        let mut target = $target;
        for column in columns($options, $format) {
            target = match &column.qualifier {
                Some(qualifier) => target.column(&column.family, qualifier),
                None => target.family(&column.family),
            };
        }
        if let Some(timestamp) = $options.int("TIMESTAMP")? {
            target = target.timestamp(timestamp);
        }
        if let Some((min, max)) = $options.range("TIMERANGE")? {
            target = target.time_range(min, max);
        }
        if let Some(versions) = $options.count("VERSIONS")? {
            target = target.max_versions(u32::try_from(versions).unwrap_or(u32::MAX));
        }
        if let Some(filter) = $options.bytes("FILTER") {
            target = target.filter(Filter::parse(filter)?);
        }
        for (name, value) in $options.pairs("ATTRIBUTES")? {
            target = target.attribute(&name, value);
        }
        match $options.text("CONSISTENCY").as_deref() {
            None | Some("STRONG") => {}
            Some("TIMELINE") => target = target.consistency(Consistency::Timeline),
            Some(other) => return Err(one_of("CONSISTENCY", other, "STRONG or TIMELINE")),
        }
        if let Some(value) = $options.take("CACHE_BLOCKS") {
            target = target.cache_blocks(value.to_text().eq_ignore_ascii_case("true"));
        }
        if let Some(labels) = labels::of_read($options) {
            target = target.attribute(labels::ATTRIBUTE, labels);
        }
        if let Some(id) = $options.int("REGION_REPLICA_ID")? {
            let id = u32::try_from(id);
            let id = id.map_err(|_| ShellError::argument("REGION_REPLICA_ID is a number from 0 on"))?;
            target = target.replica(id);
        }
        target
    }};
}

pub(super) fn get(row: &[u8], options: &mut Options, format: &mut CellFormat) -> Result<Get> {
    let get = select!(Get::new(row), options, format);
    nothing_left(options)?;
    Ok(get)
}

pub(super) fn scan(options: &mut Options, format: &mut CellFormat) -> Result<Scan> {
    let is_reversed = options.is_set("REVERSED");
    let (start, stop) = (options.bytes("STARTROW"), options.bytes("STOPROW"));
    let mut scan = match options.bytes("ROWPREFIXFILTER") {
        Some(prefix) if is_reversed => Scan::prefix(prefix).reversed(),
        Some(prefix) => Scan::prefix(prefix),
        None => {
            let scan = if is_reversed { Scan::new().reversed() } else { Scan::new() };
            let scan = start.map_or_else(|| scan.clone(), |start| scan.clone().starting_at(start));
            stop.map_or_else(|| scan.clone(), |stop| scan.clone().before(stop))
        }
    };
    scan = select!(scan, options, format);
    if options.is_set("RAW") {
        scan = scan.raw();
    }
    if let Some(limit) = options.count("LIMIT")? {
        scan = scan.limit(limit);
    }
    let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    if let Some(rows) = options.count("CACHE")? {
        scan = scan.caching(small(rows));
    }
    if let Some(cells) = options.count("BATCH")? {
        scan = scan.batch(small(cells));
    }
    if let Some(bytes) = options.count("MAX_RESULT_SIZE")? {
        scan = scan.max_result_size(bytes);
    }
    if options.is_set("ALLOW_PARTIAL_RESULTS") {
        scan = scan.allow_partial_rows();
    }
    match options.text("ISOLATION_LEVEL").as_deref() {
        None | Some("READ_COMMITTED") => {}
        Some("READ_UNCOMMITTED") => scan = scan.read_uncommitted(true),
        Some(other) => return Err(one_of("ISOLATION_LEVEL", other, "READ_COMMITTED or READ_UNCOMMITTED")),
    }
    match options.text("READ_TYPE").as_deref() {
        None | Some("DEFAULT") => {}
        Some("STREAM") => scan = scan.read_type(ReadType::Stream),
        Some("PREAD") => scan = scan.read_type(ReadType::Pread),
        Some(other) => return Err(one_of("READ_TYPE", other, "DEFAULT, STREAM or PREAD")),
    }
    nothing_left(options)?;
    Ok(scan)
}

fn one_of(name: &str, given: &str, known: &str) -> ShellError {
    ShellError::argument(format!("{name} is {known}, not {given}"))
}

/// An option that nobody knows would otherwise be silently without effect.
fn nothing_left(options: &Options) -> Result<()> {
    let left: Vec<&str> = options.names().collect();
    match left.is_empty() {
        true => Ok(()),
        false => Err(ShellError::argument(format!("there is no option {}", left.join(", ")))),
    }
}

/// The interval of `count`.
pub(super) fn interval(options: &mut Options) -> Result<u64> {
    let given = options.take("INTERVAL").map(|value| int("INTERVAL", &value)).transpose()?;
    Ok(given.and_then(|value| u64::try_from(value).ok()).filter(|&value| value > 0).unwrap_or(1000))
}
