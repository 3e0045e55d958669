//! `cells`: rows of many small values, as a column each and as one Avro record, with Snappy: writes, gets of whole rows, bytes
//! on disk. The comparison of a well-known article about HBase, with both servers.

mod load;
mod page;
#[path = "../../../crates/region/examples/cells/values.rs"]
mod values;

use crate::arguments::Arguments;
use crate::environment::Environment;
use crate::error::{BenchError, Result};
use crate::server::{Product, ServerUnderTest};
use load::{Load, Measured};
use values::{Form, Shape, Values};

/// What is measured of a table, and how it is stored.
#[derive(Clone, Debug, PartialEq)]
struct Case {
    shape: Shape,
    encoding: String,
}

/// What one server did with one table, in each round.
#[derive(Debug)]
struct Outcome {
    product: Product,
    case: Case,
    rounds: Vec<Measured>,
}

/// Measures, and writes `docs/benchmarks/cells.md` and its picture, or prints the tables alone.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let rounds: u32 = arguments.value("rounds")?.unwrap_or(3);
    let load = Load {
        rows: arguments.value("rows")?.unwrap_or(10_000),
        gets: arguments.value("gets")?.unwrap_or(20_000),
    };
    let encodings = arguments.list("encodings")?;
    let encodings = encodings.unwrap_or_else(|| vec!["NONE".to_owned(), "FAST_DIFF".to_owned()]);
    let products = products(arguments.list("servers")?)?;
    let write = arguments.flag("write");
    arguments.end()?;
    let environment = Environment::of_process()?;
    let cases = cases(&encodings);
    let mut outcomes: Vec<Outcome> = products
        .iter()
        .flat_map(|&product| {
            cases.iter().map(move |case| Outcome { product, case: case.clone(), rounds: Vec::new() })
        })
        .collect();
    for round in 0..rounds {
        for &product in &products {
            eprintln!("round {} of {rounds}: {}", round + 1, product.title());
            let directory = environment.fresh_directory(product.name())?;
            let mut server = ServerUnderTest::start(&environment, product, directory.path(), &[])?;
            server.first_put("first", b"row")?;
            // A virtual machine that is still cold would be slowest at what comes first.
            if let Some(case) = cases.last() {
                load.measure(&mut server, directory.path(), case)?;
            }
            for outcome in outcomes.iter_mut().filter(|outcome| outcome.product == product) {
                outcome.rounds.push(load.measure(&mut server, directory.path(), &outcome.case)?);
            }
            server.kill()?;
        }
    }
    page::print(&outcomes, &load, rounds);
    if write { page::write(&outcomes, &load, rounds) } else { Ok(()) }
}

fn products(names: Option<Vec<String>>) -> Result<Vec<Product>> {
    let Some(names) = names else { return Ok(vec![Product::Finback, Product::HBase]) };
    let named = |name: &String| {
        Product::named(name).ok_or_else(|| BenchError::Usage(format!("{name}: there is no such server")))
    };
    names.iter().map(named).collect()
}

fn cases(encodings: &[String]) -> Vec<Case> {
    let mut cases = Vec::new();
    for columns in [8, 64] {
        for values in [Values::Doubles, Values::Booleans, Values::Both] {
            for encoding in encodings {
                for form in [Form::Packed, Form::Separate] {
                    let shape = Shape { columns, values, form };
                    cases.push(Case { shape, encoding: encoding.clone() });
                }
            }
        }
    }
    cases
}
