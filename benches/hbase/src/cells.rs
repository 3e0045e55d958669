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
    storage: Storage,
}

/// How cells become blocks.
#[derive(Clone, Debug, PartialEq)]
struct Storage {
    encoding: String,
    /// BLOCKSIZE.
    block_kib: u32,
}

impl Storage {
    const DEFAULT_BLOCK_KIB: u32 = 64;

    /// Of an encoding, or of one and a block size, as `DIFF:128`.
    fn parse(text: &str) -> Result<Self> {
        let (encoding, block_kib) = match text.split_once(':') {
            None => (text, Ok(Self::DEFAULT_BLOCK_KIB)),
            Some((encoding, block_kib)) => (encoding, block_kib.parse()),
        };
        let block_kib = block_kib.map_err(|error| BenchError::Usage(format!("{text}: {error}")))?;
        Ok(Self { encoding: encoding.to_owned(), block_kib })
    }
}

impl std::fmt::Display for Storage {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { encoding, block_kib } = self;
        if *block_kib == Self::DEFAULT_BLOCK_KIB {
            return out.write_str(encoding);
        }
        write!(out, "{encoding}, {block_kib} KiB")
    }
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
    let encodings =
        encodings.unwrap_or_else(|| ["NONE", "FAST_DIFF", "DIFF", "DIFF:128"].map(str::to_owned).to_vec());
    let storages = encodings.iter().map(|text| Storage::parse(text)).collect::<Result<Vec<_>>>()?;
    let products = products(arguments.list("servers")?)?;
    let write = arguments.flag("write");
    arguments.end()?;
    let environment = Environment::of_process()?;
    let cases = cases(&storages);
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

fn cases(storages: &[Storage]) -> Vec<Case> {
    let mut cases = Vec::new();
    for columns in [8, 64] {
        for values in [Values::Doubles, Values::Booleans, Values::Both] {
            for storage in storages {
                for form in [Form::Packed, Form::Separate] {
                    let shape = Shape { columns, values, form };
                    cases.push(Case { shape, storage: storage.clone() });
                }
            }
        }
    }
    cases
}
