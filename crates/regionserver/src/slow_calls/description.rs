//! What a slow call was about, in HBase's words and in fields.

use finback_cell::{Bytes, Scan, StringBinary};
use finback_proto::{footprint, pb};
use finback_region::Region;
use std::collections::BTreeSet;
use std::fmt::{self, Write};
use std::sync::Arc;

/// Bytes of a row, a region's name or a scan that are told.
const LONGEST: usize = 1 << 10;
/// Families that are told.
const MOST_FAMILIES: usize = 32;

/// A call, for those who look for what is slow. What is empty or not there the call does not say.
#[derive(Debug, Default)]
pub(super) struct Shape {
    /// HBase's class of the request.
    pub(super) class: String,
    /// The region's name as the client gave it; of a batch that of the first.
    pub(super) region: String,
    /// The call in HBase's words.
    pub(super) param: String,
    /// The row, or where a scan begins.
    pub(super) row: String,
    /// Where it ends.
    pub(super) stop_row: String,
    /// Families asked for, separated by commas.
    pub(super) families: String,
    /// Columns asked for, whole families among them.
    pub(super) columns: Option<usize>,
    /// HBase's class of the filter, without its package.
    pub(super) filter: String,
    /// Rows that the call wants.
    pub(super) rows: Option<u32>,
    /// Cells in one result.
    pub(super) batch: Option<u32>,
    /// Bytes that the client takes.
    pub(super) max_bytes: Option<u64>,
    /// Versions of a cell.
    pub(super) versions: Option<u32>,
    pub(super) reversed: Option<bool>,
    /// The id of a scanner that is read on.
    pub(super) scanner: Option<u64>,
    /// Of a batch, its regions.
    pub(super) regions: Option<usize>,
    pub(super) gets: Option<i32>,
    pub(super) mutations: Option<i32>,
    pub(super) service_calls: i32,
    /// An endpoint, and its method.
    pub(super) service: String,
}

impl Shape {
    /// The table, as the region's name has it.
    pub(super) fn table(&self) -> Option<&str> {
        self.region.split_once(',').map(|(table, _)| table)
    }

    /// A text, if there is any.
    pub(super) fn some<'a>(&self, text: &'a str) -> Option<&'a str> {
        (!text.is_empty()).then_some(text)
    }
}

/// Describes a request, which may be anything. `scanner` tells what a scanner reads.
pub(super) fn describe(
    method: &str,
    param: &Bytes,
    scanner: impl FnOnce(u64) -> Option<(Arc<Region>, Scan)>,
) -> Shape {
    let described = match method {
        "Get" => get(param),
        "Scan" => scan(param, scanner),
        "Mutate" => mutate(param),
        "Multi" => multi(param),
        "ExecService" => exec_service(param),
        _ => None,
    };
    let request = if method == "ExecService" { "CoprocessorService" } else { method };
    let class = format!("ClientProtos${request}Request");
    match described {
        Some(described) => Shape { class, ..described },
        None => Shape { param: format!("class {class}"), class, ..Shape::default() },
    }
}

fn decode<M: footprint::Measured + Default>(param: &Bytes) -> Option<M> {
    footprint::decode(param.clone()).ok()
}

fn shown(bytes: &[u8]) -> String {
    StringBinary(&bytes[..bytes.len().min(LONGEST)]).to_string()
}

/// A text of any length, up to a limit; what is beyond is not even made.
fn beginning(text: fmt::Arguments<'_>) -> String {
    let mut beginning = Beginning(String::new());
    // An error says that it is cut.
    let _ = beginning.write_fmt(text);
    beginning.0
}

struct Beginning(String);

impl Write for Beginning {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let taken = text.floor_char_boundary(LONGEST.saturating_sub(self.0.len()));
        self.0.push_str(&text[..taken]);
        if taken == text.len() { Ok(()) } else { Err(fmt::Error) }
    }
}

fn region(specifier: &pb::RegionSpecifier) -> String {
    shown(&specifier.value)
}

/// Names of families, each once.
fn families<'a>(names: impl Iterator<Item = &'a Bytes>) -> String {
    let mut first = BTreeSet::new();
    for name in names {
        first.insert(name);
        if first.len() > MOST_FAMILIES {
            first.pop_last();
        }
    }
    let shown: Vec<String> = first.into_iter().map(|name| shown(name)).collect();
    shown.join(",")
}

/// How many columns: a family without any is one.
fn columns(columns: &[pb::Column]) -> Option<usize> {
    (!columns.is_empty()).then(|| columns.iter().map(|column| column.qualifier.len().max(1)).sum())
}

fn filter(filter: Option<&pb::Filter>) -> String {
    let name = filter.map_or("", |filter| &filter.name);
    shown(name.rsplit('.').next().unwrap_or_default().as_bytes())
}

fn get(param: &Bytes) -> Option<Shape> {
    let request: pb::GetRequest = decode(param)?;
    let (region, row) = (region(&request.region), shown(&request.get.row));
    Some(Shape {
        param: format!("region= {region}, row= {row}"),
        region,
        row,
        families: families(request.get.column.iter().map(|column| &column.family)),
        columns: columns(&request.get.column),
        filter: filter(request.get.filter.as_deref()),
        versions: request.get.max_versions,
        ..Shape::default()
    })
}

fn scan(param: &Bytes, scanner: impl FnOnce(u64) -> Option<(Arc<Region>, Scan)>) -> Option<Shape> {
    let request: pb::ScanRequest = decode(param)?;
    let limit = request.limit_of_rows.filter(|rows| *rows > 0);
    let mut shape = Shape {
        param: beginning(format_args!("{request:?}")),
        region: request.region.as_ref().map(region).unwrap_or_default(),
        rows: limit.or(request.number_of_rows),
        scanner: request.scanner_id,
        ..Shape::default()
    };
    if let Some(scan) = &request.scan {
        shape.row = shown(scan.start_row());
        shape.stop_row = shown(scan.stop_row());
        shape.families = families(scan.column.iter().map(|column| &column.family));
        shape.columns = columns(&scan.column);
        shape.filter = filter(scan.filter.as_ref());
        shape.batch = scan.batch_size;
        shape.max_bytes = scan.max_result_size;
        shape.versions = scan.max_versions;
        shape.reversed = scan.reversed;
    } else if let Some((region, scan)) = request.scanner_id.and_then(scanner) {
        shape.region = shown(region.name());
        shape.row = shown(&scan.start_row);
        shape.stop_row = shown(&scan.stop_row);
        shape.reversed = scan.reversed.then_some(true);
    }
    Some(shape)
}

fn mutate(param: &Bytes) -> Option<Shape> {
    let request: pb::MutateRequest = decode(param)?;
    let (region, row) = (region(&request.region), shown(request.mutation.row()));
    let columns = request.mutation.column_value.iter();
    Some(Shape {
        param: format!("region= {region}, row= {row}"),
        region,
        row,
        families: families(columns.map(|column| &column.family)),
        filter: filter(request.condition.as_ref().and_then(|condition| condition.filter.as_ref())),
        mutations: Some(1),
        ..Shape::default()
    })
}

fn multi(param: &Bytes) -> Option<Shape> {
    let request: pb::MultiRequest = decode(param)?;
    let actions = || request.region_action.iter().flat_map(|region| &region.action);
    let count = |is: fn(&pb::Action) -> bool| {
        i32::try_from(actions().filter(|action| is(action)).count()).unwrap_or(i32::MAX)
    };
    let region = request.region_action.first().map(|first| region(&first.region)).unwrap_or_default();
    Some(Shape {
        param: format!("region= {region}, for {} action(s)", actions().count()),
        region,
        regions: Some(request.region_action.len()),
        gets: Some(count(|action| action.get.is_some())),
        mutations: Some(count(|action| action.mutation.is_some())),
        service_calls: count(|action| action.service_call.is_some()),
        ..Shape::default()
    })
}

fn exec_service(param: &Bytes) -> Option<Shape> {
    let request: pb::CoprocessorServiceRequest = decode(param)?;
    let service = beginning(format_args!("{}:{}", request.call.service_name, request.call.method_name));
    let service = shown(service.as_bytes());
    Some(Shape {
        param: format!("coprocessorService= {service}"),
        region: region(&request.region),
        row: shown(&request.call.row),
        service,
        ..Shape::default()
    })
}

#[cfg(test)]
mod tests;
