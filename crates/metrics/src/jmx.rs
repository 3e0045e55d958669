//! HBase's JSON at `/jmx`, with the parameters of its servlet.

use crate::bean::Bean;
use crate::json;
use crate::metric::{Kind, Metric, Source};
use crate::snapshot::{RegionFigures, Snapshot};
use crate::table::metrics;
use crate::value::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

mod attributes;
mod query;

use attributes::List;
use query::Wanted;
pub use query::{BadQuery, Query};

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

/// The beans that a query asks for. Where one has no attribute that is asked for by its name, it says so and is the last.
pub fn render(snapshot: &Snapshot, query: &Query) -> String {
    let mut out = String::from("{\n  \"beans\": [");
    let mut separator = "";
    for bean in Bean::ALL.into_iter().filter(|bean| query.wants_bean(bean.name())) {
        let attributes = attributes(snapshot, bean);
        if attributes.is_empty() {
            continue;
        }
        let wanted = query.wanted(attributes);
        out.push_str(separator);
        begin(&mut out, bean);
        match &wanted {
            Wanted::All(attributes) => attributes.iter().for_each(|(name, value)| {
                out.push_str(",\n      ");
                json::string(&mut out, name);
                let _ = write!(out, ": {value}");
            }),
            Wanted::Missing(name) => {
                out.push_str(",\n      \"result\": \"ERROR\",\n      \"message\": ");
                json::string(&mut out, &format!("No attribute with name {name} was found."));
            }
        }
        out.push_str("\n    }");
        if matches!(wanted, Wanted::Missing(_)) {
            break;
        }
        separator = ",";
    }
    out.push_str("\n  ]\n}\n");
    out
}

fn begin(out: &mut String, bean: Bean) {
    out.push_str("\n    {\n      \"name\": ");
    json::string(out, bean.name());
    out.push_str(",\n      \"modelerType\": ");
    json::string(out, bean.modeler_type());
}

/// Names and values, as JSON, of a bean; none if this server has no such bean.
fn attributes(snapshot: &Snapshot, bean: Bean) -> Vec<(String, String)> {
    let mut list = List(Vec::new());
    match bean {
        Bean::Regions => snapshot.regions.iter().for_each(|region| list.region(region)),
        Bean::Tables => {
            list.tables(&snapshot.regions, |metric| metric.of_tables);
            list.table_times(snapshot, bean);
        }
        Bean::TableLatencies => {
            list.tables(&snapshot.regions, |metric| metric.bean == bean);
            list.table_times(snapshot, bean);
        }
        _ => of_bean(bean).for_each(|metric| {
            let value = |snapshot| value(snapshot, bean, metric);
            if let Some(now) = value(snapshot) {
                let earlier = snapshot.earlier.as_deref().and_then(value);
                metric.hbase.iter().for_each(|name| list.metric(name, &now, earlier.as_ref()));
            }
        }),
    }
    if let (Bean::Users, Some(server)) = (bean, &snapshot.server) {
        list.users(&server.users);
    }
    if let (Bean::Tables, Some(_)) = (bean, &snapshot.server) {
        list.count("numTables", tables(&snapshot.regions).len());
    }
    let is_there = match bean {
        Bean::Regions | Bean::Tables | Bean::TableLatencies => snapshot.server.is_some(),
        _ => !list.0.is_empty(),
    };
    if let (true, Some(context)) = (is_there, bean.context()) {
        list.text("tag.Context", context);
        list.text("tag.Hostname", &snapshot.host);
    }
    list.0
}

/// The metrics of a bean. Those of both RPC servers are the same, as far as the master's has them.
pub(crate) fn of_bean(bean: Bean) -> impl Iterator<Item = &'static Metric> {
    metrics().filter(move |metric| match bean {
        Bean::MasterIpc => matches!(metric.source, Source::Ipc(_)),
        _ => metric.bean == bean,
    })
}

/// The value of a metric of a bean, of which there is one.
fn value<'a>(snapshot: &'a Snapshot, bean: Bean, metric: &Metric) -> Option<Value<'a>> {
    match (metric.source, bean) {
        (Source::Ipc(of), Bean::MasterIpc) => Some(of(&snapshot.master.as_ref()?.ipc)),
        _ => metric.value(snapshot),
    }
}

/// Sums over the regions of each table, by namespace and name.
pub fn tables(regions: &[RegionFigures]) -> BTreeMap<(&str, &str), RegionFigures> {
    let mut tables: BTreeMap<_, RegionFigures> = BTreeMap::new();
    for region in regions {
        tables.entry((region.namespace.as_str(), region.table.as_str())).or_default().add(region);
    }
    tables
}

/// Every pair of bean and attribute that may be told, with `<namespace>`, `<table>` and `<region>` for names of those, as
/// far as they are in HBase's beans.
pub fn names() -> Vec<(&'static str, String)> {
    let mut names = vec![(Bean::Tables.name(), "numTables".to_owned())];
    let all = Bean::ALL.into_iter().flat_map(|bean| of_bean(bean).map(move |metric| (bean, metric)));
    for (bean, metric) in all.filter(|(bean, _)| *bean != Bean::Process) {
        for name in metric.hbase {
            let parts = match metric.kind {
                Kind::Histogram | Kind::Sizes => parts().map(|part| format!("{name}_{part}")).collect(),
                _ => vec![(*name).to_owned()],
            };
            for part in parts {
                if matches!(metric.source, Source::Table(_)) {
                    names.push((bean.name(), format!("Namespace_<namespace>_table_<table>_metric_{part}")));
                } else if matches!(metric.source, Source::Region(_)) {
                    let mut prefix = String::from("Namespace_<namespace>_table_<table>_");
                    let of_tables = format!("{prefix}metric_{part}");
                    if metric.of_tables {
                        names.push((Bean::Tables.name(), of_tables));
                    } else if bean == Bean::TableLatencies {
                        names.push((bean.name(), of_tables));
                    }
                    if bean == Bean::Regions {
                        let _ = write!(prefix, "region_<region>_metric_{part}");
                        names.push((Bean::Regions.name(), prefix));
                    }
                } else {
                    names.push((bean.name(), part));
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
