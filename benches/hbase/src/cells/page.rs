//! The tables and plots of `docs/benchmarks/cells.md`; what stands around them is written by hand.

use super::load::{Load, Measured};
use super::values::{Form, Values};
use super::{Case, Outcome};
use crate::error::{BenchError, Doing, Result};
use crate::machine;
use crate::plot::{self, Mark, Row, Series};
use crate::server::Product;
use crate::statistics::Spread;
use std::fmt::Write;
use std::path::Path;

/// The page, from the project's directory.
const PAGE: &str = "docs/benchmarks/cells.md";
/// What is measured stands between these lines of it.
const BEGIN: &str = "<!-- measured: from here on written by ./dev bench cells -->\n";
const END: &str = "<!-- measured: to here -->\n";

/// Something that is worth a ratio between the two forms.
struct Figure {
    file: &'static str,
    title: &'static str,
    of: fn(&Measured) -> f64,
    /// No more than so many times the packed form.
    goal: f64,
}

const FIGURES: [Figure; 2] = [
    Figure { file: "cells-disk", title: "Bytes on disk", of: |measured| measured.disk, goal: 1.5 },
    Figure {
        file: "cells-get",
        title: "CPU of the server for a get",
        of: |measured| measured.get_cpu,
        goal: 2.0,
    },
];

/// Prints the tables.
pub(super) fn print(outcomes: &[Outcome], load: &Load, rounds: u32) {
    println!("{}", measured(outcomes, load, rounds));
}

/// Writes the tables into the page, and the plots beside it.
pub(super) fn write(outcomes: &[Outcome], load: &Load, rounds: u32) -> Result<()> {
    let page = Path::new(PAGE);
    let text = std::fs::read_to_string(page).doing(|| format!("read {PAGE}"))?;
    let text = replaced(&text, &measured(outcomes, load, rounds))
        .ok_or_else(|| BenchError::Missing(format!("{PAGE} does not say where the tables go")))?;
    std::fs::write(page, text).doing(|| format!("write {PAGE}"))?;
    for figure in FIGURES {
        let plot = page.with_file_name(format!("{}.svg", figure.file));
        if let Some(svg) = picture(outcomes, &figure) {
            std::fs::write(&plot, svg).doing(|| format!("write {}", plot.display()))?;
        }
    }
    Ok(())
}

/// The page with other tables; none if it has no place for them.
fn replaced(page: &str, tables: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{tables}\n{END}{after}"))
}

fn measured(outcomes: &[Outcome], load: &Load, rounds: u32) -> String {
    let machine: Vec<String> =
        machine::description().into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
    format!(
        "{} rows in each table, {} gets of whole rows at random; medians of {rounds} rounds. {}.\n\n{}\n{}",
        load.rows,
        load.gets,
        machine.join("; "),
        ratios(outcomes),
        figures(outcomes)
    )
}

/// How many times the packed form the separate columns are.
fn ratios(outcomes: &[Outcome]) -> String {
    let mut table = "| table | encoding |".to_owned();
    let products = products(outcomes);
    for product in &products {
        let _ = write!(
            table,
            " {0}: disk | {0}: CPU of a get | {0}: time of a get | {0}: CPU of a put |",
            product.title()
        );
    }
    let _ = write!(table, "\n|---|---|{}\n", "---:|".repeat(4 * products.len()));
    for (case, _) in pairs(outcomes, products[0]) {
        let _ = write!(table, "| {} | {} |", name(case), case.storage);
        for &product in &products {
            let of = |of: fn(&Measured) -> f64| ratio(outcomes, product, case, of).map(|ratio| ratio.median);
            for ratio in [of(|m| m.disk), of(|m| m.get_cpu), of(|m| m.get_time), of(|m| m.put_cpu)] {
                let _ = write!(table, " {:.2} |", ratio.unwrap_or(f64::NAN));
            }
        }
        table.push('\n');
    }
    table
}

/// All that was measured.
fn figures(outcomes: &[Outcome]) -> String {
    let mut table = "| table | form | encoding | server | disk, bytes a row | rows written/s | CPU us | rows read/s | CPU us | read alone, us |\n\
                     |---|---|---|---|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    for Outcome { product, case, rounds } in outcomes {
        let median = |of: fn(&Measured) -> f64| Spread::of(rounds.iter().map(of)).map_or(0.0, |of| of.median);
        let form = match case.shape.form {
            Form::Separate => "columns",
            Form::Packed => "packed",
        };
        let _ = writeln!(
            table,
            "| {} | {form} | {} | {} | {:.1} | {:.0} | {:.1} | {:.0} | {:.1} | {:.0} |",
            name(case),
            case.storage,
            product.title(),
            median(|m| m.disk),
            median(|m| m.puts),
            median(|m| m.put_cpu),
            median(|m| m.gets),
            median(|m| m.get_cpu),
            median(|m| m.get_time)
        );
    }
    table
}

fn picture(outcomes: &[Outcome], figure: &Figure) -> Option<String> {
    let products = products(outcomes);
    let colour = |product: Product| if product == Product::Finback { "#1668b8" } else { "#c2410c" };
    let dots = products.iter().map(|&product| Series {
        name: product.title(),
        colour: colour(product),
        mark: Mark::Dot,
    });
    let goal = Series { name: "goal for 64 columns", colour: "#555", mark: Mark::Stroke };
    let series: Vec<Series> = dots.chain([goal]).collect();
    let rows: Vec<Row> = pairs(outcomes, products[0])
        .into_iter()
        .map(|(case, _)| {
            let of = |&product: &Product| ratio(outcomes, product, case, figure.of);
            let goal = Spread { median: figure.goal, min: figure.goal, max: figure.goal, count: 1 };
            let goal = (case.shape.columns == 64).then_some(goal);
            Row {
                label: format!("{}, {}", name(case), case.storage),
                values: products.iter().map(of).chain([goal]).collect(),
            }
        })
        .collect();
    let title = format!("{}: a column for each value, against one Avro record", figure.title);
    plot::dots(&title, "times the packed form", &series, &rows)
}

fn products(outcomes: &[Outcome]) -> Vec<Product> {
    let mut products: Vec<Product> = outcomes.iter().map(|outcome| outcome.product).collect();
    products.dedup();
    products
}

/// Separate columns of a product, each with the packed form of the same values.
fn pairs(outcomes: &[Outcome], product: Product) -> Vec<(&Case, (&Outcome, &Outcome))> {
    let of_product = || outcomes.iter().filter(move |outcome| outcome.product == product);
    let separate = of_product().filter(|outcome| outcome.case.shape.form == Form::Separate);
    let packed_of = |separate: &Outcome| {
        let mut wanted = separate.case.clone();
        wanted.shape.form = Form::Packed;
        of_product().find(|outcome| outcome.case == wanted)
    };
    separate.filter_map(|separate| Some((&separate.case, (separate, packed_of(separate)?)))).collect()
}

/// Round by round: the two forms were measured shortly after one another.
fn ratio(outcomes: &[Outcome], product: Product, case: &Case, of: fn(&Measured) -> f64) -> Option<Spread> {
    let pairs = pairs(outcomes, product);
    let (_, (separate, packed)) = pairs.into_iter().find(|(other, _)| *other == case)?;
    Spread::of(separate.rounds.iter().zip(&packed.rounds).map(|(separate, packed)| of(separate) / of(packed)))
}

fn name(case: &Case) -> String {
    let values = match case.shape.values {
        Values::Doubles => "doubles",
        Values::Booleans => "booleans",
        Values::Both => "doubles and booleans",
    };
    format!("{} {values}", case.shape.columns)
}

#[cfg(test)]
mod tests;
