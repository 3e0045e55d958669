//! The attributes of a bean, under HBase's names.

use super::{QUANTILES, tables};
use crate::bean::Bean;
use crate::histogram::HistogramSnapshot;
use crate::json;
use crate::metric::{Metric, Source};
use crate::snapshot::{RegionFigures, Snapshot, TableFigures, UserFigures};
use crate::table::metrics;
use crate::value::Value;
use std::fmt::Display;

const NS_PER_MS: u64 = 1_000_000;

/// Names and values, as JSON.
pub(super) struct List(pub(super) Vec<(String, String)>);

impl List {
    pub(super) fn region(&mut self, region: &RegionFigures) {
        let RegionFigures { namespace, table, encoded_name, .. } = region;
        let prefix = format!("Namespace_{namespace}_table_{table}_region_{encoded_name}_metric_");
        self.of_region(&prefix, region, |metric| metric.bean == Bean::Regions);
    }

    pub(super) fn tables(&mut self, regions: &[RegionFigures], wants: impl Fn(&Metric) -> bool) {
        for ((namespace, table), sum) in tables(regions) {
            let prefix = format!("Namespace_{namespace}_table_{table}_metric_");
            self.of_region(&prefix, &sum, &wants);
        }
    }

    /// Of each table what is more than the sum over its regions.
    pub(super) fn table_times(&mut self, snapshot: &Snapshot, bean: Bean) {
        let earlier = snapshot.earlier.as_deref().map_or(&[][..], |earlier| &earlier.tables);
        for table in &snapshot.tables {
            let prefix = format!("Namespace_{}_table_{}_metric_", table.namespace, table.table);
            let then = earlier.binary_search_by_key(&table.key(), TableFigures::key).ok();
            let then = then.map(|place| &earlier[place]);
            for metric in metrics().filter(|metric| metric.bean == bean) {
                let Source::Table(of) = metric.source else { continue };
                let then = then.map(of);
                for name in metric.hbase {
                    self.metric(&format!("{prefix}{name}"), &of(table), then.as_ref());
                }
            }
        }
    }

    /// HBase has histograms of each user there; these are its names for what it counts of clients.
    pub(super) fn users(&mut self, users: &[UserFigures]) {
        for of in users {
            let prefix = format!("user_{}_client_{}_metric_", of.user, of.client);
            for (name, count) in [
                ("readRequestCount", of.reads),
                ("filteredReadRequestCount", of.filtered_reads),
                ("writeRequestCount", of.writes),
            ] {
                self.count(&format!("{prefix}{name}"), count);
            }
        }
    }

    fn of_region(&mut self, prefix: &str, region: &RegionFigures, wants: impl Fn(&Metric) -> bool) {
        for metric in metrics().filter(|metric| wants(metric)) {
            if let Source::Region(of) = metric.source {
                metric
                    .hbase
                    .iter()
                    .for_each(|name| self.metric(&format!("{prefix}{name}"), &of(region), None));
            }
        }
    }

    /// A metric as it is, and as it was a while ago.
    pub(super) fn metric(&mut self, name: &str, value: &Value<'_>, earlier: Option<&Value<'_>>) {
        match value {
            Value::Count(count) => self.count(name, count),
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

    pub(super) fn count(&mut self, name: &str, count: impl Display) {
        self.0.push((name.to_owned(), count.to_string()));
    }

    fn number(&mut self, name: &str, number: f64) {
        let mut value = String::new();
        json::number(&mut value, number);
        self.0.push((name.to_owned(), value));
    }

    pub(super) fn text(&mut self, name: &str, text: &str) {
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
