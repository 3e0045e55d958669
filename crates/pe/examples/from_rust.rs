//! The load generator as a library: a command, and its report.
//!
//!     cargo run --release -p finback-pe --example from_rust -- localhost:2181 randomRead 16 rows=10000 rate=2000

use finback_client::ClientConfig;
use finback_pe::{Observer, Options, PeCommand, Progress, run};

/// Tells how far it is, once a second.
struct Told;

impl Observer for Told {
    fn told(&mut self, progress: &Progress) {
        eprintln!("{progress}");
    }

    fn is_interrupted(&self) -> bool {
        false
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(quorum), Some(command)) = (arguments.next(), arguments.next()) else {
        return Err("give a ZooKeeper, a command, a number of clients, and options such as rows=1000".into());
    };
    let command = PeCommand::find(&command).ok_or("there is no such command")?;
    let mut options = Options::new(command);
    options.set_clients(arguments.next().unwrap_or_default().parse().unwrap_or(1))?;
    for option in arguments {
        let (name, value) = option.split_once('=').unwrap_or((&option, ""));
        options.set(name, value)?;
    }
    options.check()?;
    let report = run(&options, ClientConfig::zookeeper(&quorum), &mut Told)?;
    print!("{report}");
    Ok(())
}
