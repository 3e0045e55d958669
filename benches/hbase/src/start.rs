//! `start`: from the start of a server to its first acknowledged put, on an empty directory and after SIGKILL.

use crate::arguments::Arguments;
use crate::environment::Environment;
use crate::error::Result;
use crate::server::{Product, ServerUnderTest};

/// Prints a line for each server and round.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let rounds: u32 = arguments.value("rounds")?.unwrap_or(1);
    arguments.end()?;
    let environment = Environment::of_process()?;
    for _ in 0..rounds {
        for product in [Product::Finback, Product::HBase] {
            let directory = environment.fresh_directory(product.name())?;
            let mut server = ServerUnderTest::start(&environment, product, directory.path(), &[])?;
            let took = server.first_put("t", b"row")?;
            server.settle()?;
            let usage = server.usage()?;
            println!(
                "{}: {took:.3?}, at rest {} MB, {:.2?} CPU",
                product.title(),
                usage.resident_bytes >> 20,
                usage.cpu
            );
            server.kill()?;
            server.restart(&environment)?;
            let again = server.first_put("t", b"row")?;
            println!("{}: {again:.3?} after SIGKILL", server.product().title());
            server.stop()?;
        }
    }
    Ok(())
}
