//! HBase's JSON at `/jmx`, with the parameters of its servlet.

use crate::bean::Bean;
use crate::histogram::HistogramSnapshot;
use crate::json;
use crate::metric::{Kind, Metric, Source};
use crate::snapshot::{RegionFigures, Snapshot, UserFigures};
use crate::table::METRICS;
use crate::value::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

mod query;

pub use query::{BadQuery, Query};

const NS_PER_MS: u64 = 1_000_000;
/// What HBase calls the parts of a histogram.
const QUANTILES: [(&str, f64); 8] = [
    ("25th_percentile", 0.25),
    ("median", 0.5),
    ("75th_percentile", 0.75),
    ("90th_percentile", 0.9),
    ("95th_percentile", 0.95),
    ("98th_percentile", 0.98),
    ("99th_percentile", 0.99),
    ("99.9th_percentile", 0.999),
];

/// The beans that a query asks for.
pub fn render(snapshot: &Snapshot, query: &Query) -> String {
    let mut out = String::from("{\n  \"beans\": [");
    let mut separator = "";
    for bean in Bean::ALL.into_iter().filter(|bean| query.wants_bean(bean.name())) {
        let mut attributes = attributes(snapshot, bean);
        if attributes.is_empty() {
            continue;
        }
        attributes.retain(|(name, _)| query.wants_attribute(name));
        out.push_str(separator);
        out.push_str("\n    {\n      \"name\": ");
        json::string(&mut out, bean.name());
        out.push_str(",\n      \"modelerType\": ");
        json::string(&mut out, bean.modeler_type());
        for name in query.attributes().filter(|name| attributes.iter().all(|(known, _)| known != *name)) {
            out.push_str(",\n      \"result\": \"ERROR\",\n      \"message\": ");
            json::string(&mut out, &format!("No attribute with name {name} was found."));
        }
        for (name, value) in attributes {
            out.push_str(",\n      ");
            json::string(&mut out, &name);
            out.push_str(": ");
            out.push_str(&value);
        }
        out.push_str("\n    }");
        separator = ",";
    }
    out.push_str("\n  ]\n}\n");
    out
}

/// Names and values, as JSON, of a bean; none if this server has no such bean.
fn attributes(snapshot: &Snapshot, bean: Bean) -> Vec<(String, String)> {
    let mut list = List(Vec::new());
    match bean {
        Bean::Regions => snapshot.regions.iter().for_each(|region| list.region(region)),
        Bean::Tables => list.tables(&snapshot.regions),
        _ => METRICS.iter().filter(|metric| metric.bean == bean).for_each(|metric| {
            if let Some(value) = value(snapshot, metric) {
                let earlier = snapshot.earlier.as_deref().and_then(|earlier| self::value(earlier, metric));
                metric.hbase.iter().for_each(|name| list.metric(name, &value, earlier.as_ref()));
            }
        }),
    }
    if let (Bean::Users, Some(server)) = (bean, &snapshot.server) {
        list.users(&server.users);
    }
    if let (Bean::Tables, Some(_)) = (bean, &snapshot.server) {
        list.0.push(("numTables".to_owned(), tables(&snapshot.regions).len().to_string()));
    }
    let there = match bean {
        Bean::Regions | Bean::Tables => snapshot.server.is_some(),
        _ => !list.0.is_empty(),
    };
    if there {
        list.text("tag.Context", bean.context());
        list.text("tag.Hostname", &snapshot.host);
    }
    list.0
}

/// The value of a metric of which there is one.
pub(crate) fn value<'a>(snapshot: &'a Snapshot, metric: &Metric) -> Option<Value<'a>> {
    let value = match metric.source {
        Source::Server(of) => of(snapshot.server.as_ref()?),
        Source::Master(of) => of(snapshot.master.as_ref()?),
        Source::Process(of) => of(&snapshot.process),
        Source::Region(_) => return None,
    };
    (value != Value::Absent).then_some(value)
}

/// Sums over the regions of each table, by namespace and name.
pub(crate) fn tables(regions: &[RegionFigures]) -> BTreeMap<(&str, &str), RegionFigures> {
    let mut tables: BTreeMap<_, RegionFigures> = BTreeMap::new();
    for region in regions {
        tables.entry((region.namespace.as_str(), region.table.as_str())).or_default().add(region);
    }
    tables
}

struct List(Vec<(String, String)>);

impl List {
    fn region(&mut self, region: &RegionFigures) {
        let RegionFigures { namespace, table, encoded_name, .. } = region;
        let prefix = format!("Namespace_{namespace}_table_{table}_region_{encoded_name}_metric_");
        self.of_region(&prefix, region, |metric| metric.bean == Bean::Regions);
    }

    fn tables(&mut self, regions: &[RegionFigures]) {
        for ((namespace, table), sum) in tables(regions) {
            let prefix = format!("Namespace_{namespace}_table_{table}_metric_");
            self.of_region(&prefix, &sum, |metric| metric.of_tables);
        }
    }

    /// HBase has histograms of each user there; these are its names for what it counts of clients.
    fn users(&mut self, users: &[UserFigures]) {
        for of in users {
            let prefix = format!("user_{}_client_{}_metric_", of.user, of.client);
            for (name, count) in [
                ("readRequestCount", of.reads),
                ("filteredReadRequestCount", of.filtered_reads),
                ("writeRequestCount", of.writes),
            ] {
                self.0.push((format!("{prefix}{name}"), count.to_string()));
            }
        }
    }

    fn of_region(&mut self, prefix: &str, region: &RegionFigures, wants: impl Fn(&Metric) -> bool) {
        for metric in METRICS.iter().filter(|metric| wants(metric)) {
            if let Source::Region(of) = metric.source {
                metric
                    .hbase
                    .iter()
                    .for_each(|name| self.metric(&format!("{prefix}{name}"), &of(region), None));
            }
        }
    }

    /// A metric as it is, and as it was a while ago.
    fn metric(&mut self, name: &str, value: &Value<'_>, earlier: Option<&Value<'_>>) {
        match value {
            Value::Count(count) => self.0.push((name.to_owned(), count.to_string())),
            Value::Number(number) => self.number(name, *number),
            Value::Text(text) => self.text(name, text),
            Value::Times(all) | Value::Sizes(all) => {
                let lately = match earlier {
                    Some(Value::Times(then) | Value::Sizes(then)) => &all.since(then),
                    _ => *all,
                };
                let divisor = if matches!(value, Value::Times(_)) { NS_PER_MS } else { 1 };
                self.histogram(name, all, lately, divisor);
            }
            Value::Absent => {}
        }
    }

    fn number(&mut self, name: &str, number: f64) {
        let mut value = String::new();
        json::number(&mut value, number);
        self.0.push((name.to_owned(), value));
    }

    fn text(&mut self, name: &str, text: &str) {
        let mut value = String::new();
        json::string(&mut value, text);
        self.0.push((name.to_owned(), value));
    }

    /// All of them in how many there were; the rest of what was counted lately, as HBase's are of its last period.
    fn histogram(&mut self, name: &str, all: &HistogramSnapshot, lately: &HistogramSnapshot, divisor: u64) {
        let mut part =
            |part: &str, value: u64| self.0.push((format!("{name}_{part}"), (value / divisor).to_string()));
        part("min", lately.min());
        part("max", lately.max());
        part("mean", lately.mean());
        QUANTILES.into_iter().for_each(|(name, quantile)| part(name, lately.quantile(quantile)));
        self.0.push((format!("{name}_num_ops"), all.count().to_string()));
    }
}

/// Every pair of bean and attribute that may be told, with `<namespace>`, `<table>` and `<region>` for names of those, as
/// far as they are in HBase's beans.
pub fn names() -> Vec<(&'static str, String)> {
    let mut names = vec![(Bean::Tables.name(), "numTables".to_owned())];
    for metric in METRICS.iter().filter(|metric| metric.bean != Bean::Process) {
        for name in metric.hbase {
            let parts = match metric.kind {
                Kind::Histogram | Kind::Sizes => parts().map(|part| format!("{name}_{part}")).collect(),
                _ => vec![(*name).to_owned()],
            };
            for part in parts {
                if matches!(metric.source, Source::Region(_)) {
                    let mut prefix = String::from("Namespace_<namespace>_table_<table>_");
                    if metric.of_tables {
                        names.push((Bean::Tables.name(), format!("{prefix}metric_{part}")));
                    }
                    if metric.bean == Bean::Regions {
                        let _ = write!(prefix, "region_<region>_metric_{part}");
                        names.push((Bean::Regions.name(), prefix));
                    }
                } else {
                    names.push((metric.bean.name(), part));
                }
            }
        }
    }
    names
}

fn parts() -> impl Iterator<Item = &'static str> {
    ["num_ops", "min", "max", "mean"].into_iter().chain(QUANTILES.iter().map(|(name, _)| *name))
}

#[cfg(test)]
mod tests;
