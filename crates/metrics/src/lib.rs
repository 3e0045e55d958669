//! What a server tells about itself in numbers.
//!
//! [`Histogram`] is for hot paths: a few nanoseconds, no lock, no look-up. Everything else is read when somebody asks: a
//! [`Snapshot`] holds plain numbers, and one [table](METRICS) says for each what it is called in HBase and in Prometheus,
//! what it means, and where in the snapshot it is. From that table come HBase's JSON ([`jmx`]), Prometheus text
//! ([`prometheus`]) and the page of documentation ([`page`]).
//!
//! Knows nothing of servers, regions or sockets.

mod bean;
mod histogram;
pub mod jmx;
mod json;
mod manual;
mod operation;
pub mod prometheus;
mod snapshot;
mod stripe;
mod table;
mod value;

pub use bean::Bean;
pub use histogram::{Histogram, HistogramSnapshot};
pub use manual::page;
pub use operation::{Operation, OperationTimes, Timer, record};
pub use snapshot::{
    CacheFigures, IpcFigures, MasterFigures, ProcessFigures, RegionFigures, ServerFigures, Snapshot,
    WalFigures,
};
pub use table::{Kind, METRICS, Metric, Source};
pub use value::Value;
