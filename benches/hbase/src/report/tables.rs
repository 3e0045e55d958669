//! The tables of the report.

use super::number::{number, spread};
use crate::compare::{Check, MIXED, WORKLOADS};
use crate::goals::Outcome;
use crate::load::Client;
use crate::results::{Figure, Results};
use crate::server::Product;
use std::fmt::Write;

/// A figure's unit, in tables and plots.
pub(super) fn unit(figure: Figure) -> &'static str {
    match figure {
        Figure::CpuMicros | Figure::P50 | Figure::P99 | Figure::P999 | Figure::Max => "µs",
        Figure::CpuSeconds | Figure::Seconds => "s",
        Figure::PerSecond => "/s",
        Figure::WrittenPerByte => "",
        Figure::ResidentMib | Figure::PeakMib => "MiB",
    }
}

/// What is measured, if a goal's title does not say so.
fn kind(figure: Figure) -> &'static str {
    match figure {
        Figure::CpuMicros => "server CPU",
        Figure::CpuSeconds => "CPU",
        _ => "",
    }
}

fn reached<'a>(outcomes: impl ExactSizeIterator<Item = &'a Outcome>) -> String {
    let all = outcomes.len();
    format!("{} of {all}", outcomes.filter(|outcome| outcome.is_reached()).count())
}

/// How far each goal is reached.
pub(super) fn goals(outcomes: &[Outcome]) -> String {
    let mut table = format!("Reached: {}.", reached(outcomes.iter()));
    for client in [None].into_iter().chain(Client::ALL.map(Some)) {
        let of_client: Vec<&Outcome> = outcomes.iter().filter(|outcome| outcome.client == client).collect();
        if !of_client.is_empty() {
            let name = client.map_or("without a client", Client::title);
            let _ = write!(table, " {name}: {}.", reached(of_client.into_iter()));
        }
    }
    table.push_str("\n\n");
    table.push_str("| row | client | unit | HBase | Finback | times ahead | goal | |\n|---|---|---|---:|---:|---:|---:|---|\n");
    for outcome in outcomes {
        let figure = outcome.goal.figure;
        let kind = kind(figure);
        let _ = writeln!(
            table,
            "| {} | {} | {}{}{} | {} | {} | {} | {} | {} |",
            outcome.goal.title,
            outcome.client.map_or("", Client::title),
            unit(figure),
            if kind.is_empty() { "" } else { " of " },
            kind,
            spread(&outcome.hbase),
            spread(&outcome.finback),
            outcome.times.map_or_else(|| "–".to_owned(), number),
            outcome.goal.times,
            if outcome.is_reached() { "reached" } else { "**not reached**" },
        );
    }
    table
}

/// The columns of a workload's table.
const COLUMNS: [(&str, Figure); 9] = [
    ("rows/s", Figure::PerSecond),
    ("server CPU µs/row", Figure::CpuMicros),
    ("p50 µs", Figure::P50),
    ("p99 µs", Figure::P99),
    ("p99.9 µs", Figure::P999),
    ("max µs", Figure::Max),
    ("bytes written per byte", Figure::WrittenPerByte),
    ("MiB after", Figure::ResidentMib),
    ("MiB peak", Figure::PeakMib),
];

/// A table for each client: every workload on every server.
pub(super) fn workloads(results: &Results) -> String {
    let mut text = String::new();
    for client in Client::ALL {
        let rows = titles().map(|(title, name)| rows(results, client, title, name)).collect::<String>();
        if !rows.is_empty() {
            let _ = write!(text, "\n### {}\n\n{}{rows}", client.title(), header());
        }
    }
    text
}

/// All that has a client, by title and name.
pub(super) fn titles() -> impl Iterator<Item = (&'static str, &'static str)> {
    let mixed = [("half gets, half puts", MIXED), ("the same, steady, gets", Check::Steady.name())];
    WORKLOADS.iter().map(|workload| (workload.title, workload.name)).chain(mixed)
}

fn header() -> String {
    let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    format!("| load | server | {} |\n|---|---|{}\n", names.join(" | "), "---:|".repeat(COLUMNS.len()))
}

fn rows(results: &Results, client: Client, title: &str, name: &str) -> String {
    let mut rows = String::new();
    for product in Product::ALL {
        let cells = COLUMNS.map(|(_, figure)| results.spread(product, Some(client), name, figure));
        if cells.iter().any(Option::is_some) {
            let cells = cells.map(|cell| cell.as_ref().map(spread).unwrap_or_default());
            let _ = writeln!(rows, "| {title} | {} | {} |", product.title(), cells.join(" | "));
        }
    }
    rows
}
