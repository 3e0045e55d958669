//! What others ask for by name is there: our dashboard in Prometheus' names, and well-known monitoring in HBase's.

use finback_metrics::{Kind, jmx, metrics};
use std::collections::BTreeSet;

const DASHBOARD: &str = include_str!("../../../etc/grafana/finback.json");
const MONITORING: [(&str, &str); 7] = [
    ("ambari", include_str!("monitoring/ambari.tsv")),
    ("datadog", include_str!("monitoring/datadog.tsv")),
    ("google_cloud", include_str!("monitoring/google_cloud.tsv")),
    ("hadoop_exporter", include_str!("monitoring/hadoop_exporter.tsv")),
    ("hbase_exporter", include_str!("monitoring/hbase_exporter.tsv")),
    ("opentelemetry", include_str!("monitoring/opentelemetry.tsv")),
    ("sematext", include_str!("monitoring/sematext.tsv")),
];
const PAGE: &str = include_str!("../../../docs/metrics.md");

/// The names of Prometheus that an expression has.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = text.split(move |c| !is_of_name(c));
    words.filter(|word| word.starts_with("finback_") || word.starts_with("process_"))
}

#[test]
fn every_metric_of_the_dashboard_is_in_the_table() {
    let mut known = BTreeSet::new();
    for metric in metrics().filter(|metric| !metric.prometheus.is_empty()) {
        known.insert(metric.prometheus.to_owned());
        if matches!(metric.kind, Kind::Histogram | Kind::Sizes) {
            known.extend(["_bucket", "_sum", "_count"].map(|part| format!("{}{part}", metric.prometheus)));
        }
    }
    let dashboard: serde_json::Value = serde_json::from_str(DASHBOARD).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().filter_map(|panel| panel["targets"].as_array()).flatten();
    let expressions: Vec<&str> = targets.map(|target| target["expr"].as_str().unwrap()).collect();
    assert!(expressions.len() > 40, "{}", expressions.len());
    for expression in &expressions {
        let mut names = names_in(expression).peekable();
        assert!(names.peek().is_some(), "{expression}");
        names.for_each(|name| assert!(known.contains(name), "{name} of {expression}"));
    }
}

/// A label by which a panel sums or chooses is one that its metric has.
#[test]
fn labels_of_the_dashboard_are_those_of_the_table() {
    for metric in metrics().filter(|metric| DASHBOARD.contains(&format!("{}{{", metric.prometheus))) {
        let Some((label, _)) = metric.label else { continue };
        for expression in DASHBOARD.lines().filter(|line| line.contains(&format!("{}{{", metric.prometheus)))
        {
            for other in ["operation", "method", "kind", "class", "outcome", "pool", "state"] {
                let chosen = expression.contains(&format!(", {other}="))
                    || expression.contains(&format!("by ({other})"));
                assert!(!chosen || other == label, "{expression} has no {other}, but {label}");
            }
        }
    }
}

#[test]
fn what_monitoring_asks_for_is_there_or_the_page_says_why_not() {
    let names: BTreeSet<(&str, String)> = jmx::names().into_iter().collect();
    let missing = PAGE.split_once("## What HBase has and Finback has not").unwrap().1;
    for (tool, list) in MONITORING {
        let asked: Vec<_> = list.lines().filter(|line| !line.starts_with('#')).collect();
        let mut found = 0;
        for line in &asked {
            let (bean, name) = line.split_once('\t').unwrap();
            if names.contains(&(bean, name.to_owned())) {
                found += 1;
                continue;
            }
            let short = name.rsplit_once("_metric_").map_or(name, |(_, short)| short);
            let whole = short.split_once('_').map_or(short, |(histogram, _)| histogram);
            let told = [short.to_owned(), format!("{whole}_…")].iter().any(|name| {
                missing.contains(&format!("`{name}`")) && missing.contains(&format!("`{bean}`:\n"))
            });
            let told = told || missing.contains(&format!("\n| `{bean}` | "));
            assert!(told, "{tool} asks for {name} of {bean}");
        }
        assert!(found * 2 > asked.len(), "{tool} finds {found} of {}", asked.len());
        println!("{tool}: {found} of {} are there", asked.len());
    }
}
