//! The plots of the report.

use super::tables::titles;
use crate::compare::Check;
use crate::goals::{Outcome, outcomes};
use crate::load::Client;
use crate::plot::{Mark, Row, Series, dots};
use crate::results::{Figure, Results};
use crate::server::Product;
use crate::statistics::Spread;

/// All that there are figures for: file and SVG.
pub(super) fn all(results: &Results) -> Vec<(&'static str, String)> {
    let plots = [
        ("goals.svg", goals(&outcomes(results))),
        ("cpu.svg", cpu(results, Client::Finback)),
        ("throughput.svg", throughput(results, Client::Finback)),
        ("cpu-many.svg", cpu(results, Client::FinbackMany)),
        ("throughput-many.svg", throughput(results, Client::FinbackMany)),
        ("latency.svg", latencies(results)),
        ("memory.svg", memory(results)),
    ];
    plots.into_iter().filter_map(|(name, plot)| Some((name, plot?))).collect()
}

/// How many times ahead, beside what is to be reached.
fn goals(outcomes: &[Outcome]) -> Option<String> {
    let series = [
        Series { name: "Finback, times ahead of HBase", colour: "#1f618d", mark: Mark::Dot },
        Series { name: "goal", colour: "#888", mark: Mark::Stroke },
    ];
    let row = |outcome: &Outcome| Row {
        label: match outcome.client {
            Some(Client::Java) => format!("{} (Java)", outcome.goal.title),
            Some(Client::FinbackMany) => format!("{} (64 clients)", outcome.goal.title),
            _ => outcome.goal.title.to_owned(),
        },
        values: vec![outcome.times.and_then(|times| Spread::of([times])), Spread::of([outcome.goal.times])],
    };
    dots("How far Finback is ahead of HBase", "times", &series, &outcomes.iter().map(row).collect::<Vec<_>>())
}

fn servers() -> [Series; 3] {
    let series = |product: Product, colour| Series { name: product.title(), colour, mark: Mark::Dot };
    let [hbase, hsync, finback] = Product::ALL;
    [series(hbase, "#c0392b"), series(hsync, "#e59866"), series(finback, "#1f618d")]
}

fn row(results: &Results, label: String, client: Option<Client>, name: &str, figure: Figure) -> Row {
    let values = Product::ALL.map(|product| results.spread(product, client, name, figure)).to_vec();
    Row { label, values }
}

fn cpu(results: &Results, client: Client) -> Option<String> {
    workloads(results, client, "Server CPU by row", "µs", Figure::CpuMicros)
}

fn throughput(results: &Results, client: Client) -> Option<String> {
    workloads(results, client, "Throughput", "rows a second", Figure::PerSecond)
}

fn workloads(results: &Results, client: Client, title: &str, axis: &str, figure: Figure) -> Option<String> {
    let row = |(title, name): (&str, &str)| row(results, title.to_owned(), Some(client), name, figure);
    let title = format!("{title}, {}", client.title());
    dots(&title, axis, &servers(), &titles().map(row).collect::<Vec<_>>())
}

fn latencies(results: &Results) -> Option<String> {
    let of = [
        (Check::Steady.name(), "steady load, gets"),
        ("get", "random get, cached"),
        ("default-put", "single put"),
    ];
    let parts =
        [("p50", Figure::P50), ("p99", Figure::P99), ("p99.9", Figure::P999), ("maximum", Figure::Max)];
    let rows = of.iter().flat_map(|(name, title)| {
        parts.map(|(part, figure)| {
            row(results, format!("{title}: {part}"), Some(Client::Finback), name, figure)
        })
    });
    dots("Latencies, finback pe", "µs", &servers(), &rows.collect::<Vec<_>>())
}

fn memory(results: &Results) -> Option<String> {
    let rows = [
        ("idle", Check::IdleMemory, Figure::ResidentMib),
        ("after the whole run", Check::MemoryAfter, Figure::ResidentMib),
        ("at its highest", Check::MemoryAfter, Figure::PeakMib),
    ];
    let rows = rows.map(|(label, check, figure)| row(results, label.to_owned(), None, check.name(), figure));
    dots("Resident memory", "MiB", &servers(), &rows)
}
