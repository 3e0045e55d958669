//! The page of documentation, made from the table.

use crate::bean::Bean;
use crate::jmx;
use crate::metric::{Kind, Metric};
use crate::table::metrics;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

mod reasons;

use reasons::{OTHER_BEANS, reason};

const HEAD: &str = "\
# Metrics

A server tells about itself in numbers, on an HTTP port of the master (16010, `hbase.master.info.port`) and one of the region
server (16030, `hbase.regionserver.info.port`); both tell the same. This page is made from the table in
`crates/metrics/src/table.rs` and from a recording of Apache HBase 2.5.11; a test fails when they differ, and
`FINBACK_WRITE_DOCS=1 cargo test -p finback-metrics` writes it anew.

`/jmx` has HBase's beans, for dashboards made for HBase: `?qry=` takes a pattern of their names
(`Hadoop:service=HBase,name=RegionServer,sub=*`), `?get=BEAN::ATTRIBUTE,ATTRIBUTE` single attributes; with a star somewhere these are
regular expressions (`::[a-zA-Z_0-9]*memStoreSize`). An attribute that is not there is told in its bean, as `\"result\": \"ERROR\"`
with a `message`, as HBase does; a name that cannot be one of a bean is status 400. Of HBase's other parameters `description` is ignored,
and `callback` too: with it any site on the Internet could read the metrics through the browser of who can reach the server. Percentiles,
means and extremes there are of the last 10 to 20 seconds, within an eighth, and 0 without anything in them, as HBase's; `_num_ops`
counts since the start. Milliseconds are whole ones, as HBase's.

`/metrics` is text for Prometheus. Of regions, and of tables, the 20 with most requests are told, of all with `?regions=all`. Histograms have a
bucket for each power of two from about a microsecond to about a minute. How to have it scraped:

    scrape_configs:
      - job_name: finback
        static_configs:
          - targets: ['localhost:16030']

`etc/grafana/finback.json` is a dashboard of these for Grafana. Both ports tell the same: scrape one of them.

What others ask HBase for is there, or below with the reason why not; a test looks at the lists of Datadog's integration,
OpenTelemetry's gatherer, Ambari (with its Grafana dashboards), Sematext's agent, Google Cloud's dashboards, and two exporters for Prometheus
that read `/jmx` (`crates/metrics/tests/monitoring/`). A Java agent, such as jmx_exporter, has no Java virtual machine to be loaded into: let
what it fed read `/jmx` or `/metrics`.

What is counted of regions begins anew when a region is opened, and sums over regions are of those that are open.
";

/// The whole of `docs/metrics.md`. `recorded`: the names of HBase's beans and attributes, `BEAN TAB ATTRIBUTE` a line.
pub fn page(recorded: &str) -> String {
    let mut page = HEAD.to_owned();
    for bean in Bean::ALL {
        let _ = writeln!(page, "\n## `{}`\n", bean.name());
        if bean == Bean::MasterIpc {
            page.push_str(
                "What the region server's has but for long calls, of the master's RPC server. Prometheus has both under the same \
                 names, with the label\n`role`: `regionserver` or `master`.\n",
            );
            continue;
        }
        if bean == Bean::TableLatencies {
            page.push_str(
                "HBase's names begin with `Namespace_NAMESPACE_table_TABLE_metric_`. What is told of a table begins anew when none of its \
                 regions\nhas been open. Prometheus has of operations what there were.\n\n",
            );
        }
        if bean == Bean::Regions {
            page.push_str(
                "HBase's names begin with `Namespace_NAMESPACE_table_TABLE_region_REGION_metric_`. Those marked with a star are also \
                 told of tables, in\n`Hadoop:service=HBase,name=RegionServer,sub=Tables`, under `Namespace_NAMESPACE_table_TABLE_metric_`.\n\n",
            );
        }
        if bean == Bean::Tables {
            page.push_str("These stand beside those of regions that have a star, under the same names.\n\n");
        }
        if bean == Bean::Users {
            page.push_str(
                "Beside it, for each user on each machine, `user_USER_client_ADDRESS_metric_` with `readRequestCount`, \
                 `filteredReadRequestCount` and `writeRequestCount`:\nthe counts of HBase's cluster status, under names of our own.\n\n",
            );
        }
        page.push_str("| HBase | Prometheus | kind | unit in HBase | meaning |\n|---|---|---|---|---|\n");
        metrics().filter(|metric| metric.bean == bean).for_each(|metric| row(&mut page, metric));
    }
    missing(&mut page, recorded);
    page
}

fn row(page: &mut String, metric: &Metric) {
    let star = if metric.of_tables && metric.bean == Bean::Regions { " *" } else { "" };
    let parts = if matches!(metric.kind, Kind::Histogram | Kind::Sizes) { "_…" } else { "" };
    let names: Vec<_> = metric.hbase.iter().map(|name| format!("`{name}{parts}`{star}")).collect();
    let prometheus = match (metric.prometheus, metric.label) {
        ("", _) => String::new(),
        (name, None) => format!("`{name}`"),
        (name, Some((label, value))) => format!("`{name}{{{label}=\"{value}\"}}`"),
    };
    let kind = match metric.kind {
        Kind::Counter => "counter",
        Kind::Gauge => "gauge",
        Kind::Histogram | Kind::Sizes => "histogram",
        Kind::Tag => "tag",
    };
    let _ = writeln!(
        page,
        "| {} | {prometheus} | {kind} | {} | {} |",
        names.join(", "),
        metric.unit,
        metric.help
    );
}

/// What HBase has and we have not.
fn missing(page: &mut String, recorded: &str) {
    page.push_str(
        "\n## What HBase has and Finback has not\n\nIn the same beans, parts of histograms as `_…`.\n",
    );
    let ours: BTreeSet<(&str, String)> = jmx::names().into_iter().collect();
    let mut beans: BTreeMap<&str, BTreeMap<&str, BTreeSet<String>>> = BTreeMap::new();
    let of_hbase: Vec<&str> =
        Bean::ALL.into_iter().filter(|bean| bean.is_of_hbase()).map(Bean::name).collect();
    for (bean, name) in recorded.lines().filter_map(|line| line.split_once('\t')) {
        let frame = ["tag.Context", "tag.Hostname"].contains(&name);
        if of_hbase.contains(&bean) && !frame && !ours.contains(&(bean, name.to_owned())) {
            let short = name.rsplit_once("_metric_").map_or(name, |(_, short)| short);
            let name = without_part(short);
            let reason = reason(bean, &name);
            beans.entry(bean).or_default().entry(reason).or_default().insert(name);
        }
    }
    for (bean, reasons) in beans {
        let _ = writeln!(page, "\n`{bean}`:\n\n| attributes | why not |\n|---|---|");
        for (reason, names) in reasons {
            let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            let _ = writeln!(page, "| {} | {reason} |", names.join(", "));
        }
    }
    page.push_str("\nOther beans:\n\n| bean | why not |\n|---|---|\n");
    for (bean, reason) in OTHER_BEANS {
        let _ = writeln!(page, "| `{bean}` | {reason} |");
    }
}

/// The name of a histogram instead of that of a part of it.
fn without_part(name: &str) -> String {
    let ranges = ["_TimeRangeCount_", "_SizeRangeCount_"];
    let parts = ["_num_ops", "_min", "_max", "_mean", "_median"];
    let of_range = ranges.iter().find_map(|range| name.split_once(range)).map(|(of, _)| of);
    let of_part = || parts.iter().find_map(|part| name.strip_suffix(part));
    let of_percentile =
        || name.strip_suffix("th_percentile").and_then(|name| name.rsplit_once('_')).map(|(of, _)| of);
    match of_range.or_else(of_part).or_else(of_percentile) {
        Some(of) => format!("{of}_…"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_page_is_up_to_date() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/metrics.md");
        let page = page(include_str!("../../../fixtures/hbase-2.5.11/jmx/names.tsv"));
        if std::env::var_os("FINBACK_WRITE_DOCS").is_some() {
            std::fs::write(path, &page).unwrap();
        }
        let written = std::fs::read_to_string(path).unwrap_or_default();
        assert!(written == page, "FINBACK_WRITE_DOCS=1 cargo test -p finback-metrics writes {path} anew");
    }

    #[test]
    fn parts_of_a_histogram_are_one_name() {
        for part in ["Get_num_ops", "Get_99.9th_percentile", "Get_TimeRangeCount_0-1", "Get_median"] {
            assert_eq!(without_part(part), "Get_…", "{part}");
        }
        assert_eq!(without_part("regionCount"), "regionCount");
    }
}
