//! The walk through all metrics that Prometheus has names for, and how they are told: one form or another is a [`Writer`].

use crate::histogram::HistogramSnapshot;
use crate::metric::{Metric, Source};
use crate::snapshot::{RegionFigures, Snapshot, TableFigures};
use crate::table::metrics;
use crate::value::Value;
use std::cmp::Reverse;
use std::collections::HashMap;

const NS_PER_SECOND: f64 = 1e9;
/// Bounds of durations, in nanoseconds, as powers of two: from about a microsecond to about a minute.
const TIMES: [u32; 27] = [
    10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,
    36,
];
/// Bounds of sizes, and of numbers of files: from 8 to 64 Gi.
const SIZES: [u32; 18] = [3, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36];
/// The label that tells the RPC servers apart.
const ROLE: &str = "role";

/// Names and values.
pub(crate) type Labels<'a> = [(&'a str, &'a str)];

/// A value in base units.
pub(crate) enum Point<'a> {
    /// A whole number.
    Count(u64),
    /// Any number.
    Number(f64),
    /// Durations or sizes.
    Histogram(Buckets<'a>),
}

/// A histogram under the bounds that it is told with.
pub(crate) struct Buckets<'a> {
    pub(crate) all: &'a HistogramSnapshot,
    powers: &'static [u32],
    divisor: f64,
}

impl Buckets<'_> {
    /// Each bound, and how many values are below it.
    pub(crate) fn cumulative(&self) -> impl Iterator<Item = (f64, u64)> {
        let bounds = self.all.cumulative(self.powers.iter().copied());
        bounds.map(|(end, below)| (end as f64 / self.divisor, below))
    }

    /// All values together.
    pub(crate) fn sum(&self) -> f64 {
        self.all.sum() as f64 / self.divisor
    }
}

/// One form of metrics.
pub(crate) trait Writer {
    /// The points of a name follow. There is at least one.
    fn begin(&mut self, metric: &Metric);
    /// A point of it.
    fn point(&mut self, metric: &Metric, labels: &Labels<'_>, point: &Point<'_>);
    /// There are no more of it.
    fn end(&mut self, metric: &Metric);
}

/// Tells all metrics, name by name; of regions, and of tables, the busiest `most_regions`.
pub(crate) fn tell(snapshot: &Snapshot, most_regions: usize, writer: &mut impl Writer) {
    let regions = busiest(&snapshot.regions, most_regions);
    let tables = busiest_tables(&snapshot.tables, most_regions);
    for family in families() {
        let mut begun = false;
        for metric in &family {
            each(snapshot, &regions, &tables, metric, |labels, value| {
                let Some(point) = point(metric, &value) else { return };
                if !begun {
                    writer.begin(metric);
                    begun = true;
                }
                writer.point(metric, labels, &point);
            });
        }
        if begun {
            writer.end(family[0]);
        }
    }
}

/// The metrics of each name, however far apart they are in the table.
fn families() -> Vec<Vec<&'static Metric>> {
    let mut families: Vec<Vec<_>> = Vec::new();
    let mut places = HashMap::new();
    for metric in metrics().filter(|metric| !metric.prometheus.is_empty()) {
        let place = *places.entry(metric.prometheus).or_insert(families.len());
        match families.get_mut(place) {
            Some(family) => family.push(metric),
            None => families.push(vec![metric]),
        }
    }
    families
}

/// Each value of a metric, with its labels.
fn each(
    snapshot: &Snapshot,
    regions: &[&RegionFigures],
    tables: &[&TableFigures],
    metric: &Metric,
    mut tell: impl FnMut(&Labels<'_>, Value<'_>),
) {
    let mut told = |labels: &Labels<'_>, value| {
        let labels: Vec<_> = labels.iter().copied().chain(metric.label).collect();
        tell(&labels, value);
    };
    match metric.source {
        Source::Region(of) => regions.iter().for_each(|region| {
            let RegionFigures { namespace, table, encoded_name, .. } = region;
            told(&[("namespace", namespace), ("table", table), ("region", encoded_name)], of(region));
        }),
        // What no table was ever asked for would be many lines.
        Source::Table(of) => tables.iter().for_each(|table| match of(table) {
            Value::Times(all) | Value::Sizes(all) if all.count() == 0 => {}
            value => told(&[("namespace", &table.namespace), ("table", &table.table)], value),
        }),
        Source::Ipc(of) => {
            let server = snapshot.server.as_ref().map(|server| ("regionserver", &server.ipc));
            let master = snapshot.master.as_ref().map(|master| ("master", &master.ipc));
            server.into_iter().chain(master).for_each(|(role, ipc)| told(&[(ROLE, role)], of(ipc)));
        }
        Source::Server(_) | Source::Master(_) | Source::Process(_) => {
            told(&[], metric.value(snapshot).unwrap_or(Value::Absent));
        }
    }
}

/// The regions with most requests, at most so many.
fn busiest(regions: &[RegionFigures], most: usize) -> Vec<&RegionFigures> {
    let mut regions: Vec<_> = regions.iter().collect();
    regions.sort_by_key(|region| {
        (Reverse(region.reads.saturating_add(region.writes)), region.encoded_name.as_str())
    });
    regions.truncate(most);
    regions
}

/// The tables with most requests, at most so many.
fn busiest_tables(tables: &[TableFigures], most: usize) -> Vec<&TableFigures> {
    let mut tables: Vec<_> = tables.iter().collect();
    tables.sort_by_key(|table| Reverse(table.read_rate.count.saturating_add(table.write_rate.count)));
    tables.truncate(most);
    tables
}

fn point<'a>(metric: &Metric, value: &Value<'a>) -> Option<Point<'a>> {
    let divisor = f64::from(metric.divisor);
    Some(match *value {
        Value::Count(count) if metric.divisor == 1 => Point::Count(count),
        Value::Count(count) => Point::Number(count as f64 / divisor),
        Value::Number(number) => Point::Number(number / divisor),
        Value::Times(all) => Point::Histogram(Buckets { all, powers: &TIMES, divisor: NS_PER_SECOND }),
        Value::Sizes(all) => Point::Histogram(Buckets { all, powers: &SIZES, divisor: 1.0 }),
        Value::Text(_) | Value::Absent => return None,
    })
}
