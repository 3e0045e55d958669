//! The load generator: the commands and options of HBase's PerformanceEvaluation, and YCSB's core workloads, over
//! [`finback_client`], against Apache HBase as well as Finback.
//!
//! [`Options`] say what is to be done; [`run`] does it and gives back a [`Report`], which is text, JSON and a page with plots.
//! Rows, families and tables are PerformanceEvaluation's and YCSB's own: what theirs have written, these read, and the other
//! way round.
//!
//! It measures the cluster rather than itself: one thread drives many clients over a few connections, and latencies go into
//! histograms of their own for each thread. In an open loop ([`Options`]' `rate`) operations begin at moments that were fixed
//! before, and latencies count from these: a server that stalls is not asked less.
//!
//! It does not know about command lines and terminals, nor how a server does what it is asked.

mod command;
mod cpu;
mod distribution;
#[cfg(test)]
mod documentation;
mod error;
mod options;
mod pace;
mod progress;
mod random;
mod recorder;
mod report;
mod row_key;
mod row_value;
mod rows;
mod run;
mod schema;
mod units;
mod work;
mod worker;
mod ycsb;

pub use command::{COMMANDS, PeCommand};
pub use error::{PeError, Result};
pub use options::{OPTIONS, Options, Origin, PeOption};
pub use progress::{Observer, Progress};
pub use report::Report;
pub use run::run;
