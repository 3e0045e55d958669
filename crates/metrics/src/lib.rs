//! What a server tells about itself in numbers.
//!
//! [`Histogram`] is for hot paths: a few nanoseconds, no lock, no look-up. Everything else is read when somebody asks: a
//! [`Snapshot`] holds plain numbers, and one [table](metrics) says for each what it is called in HBase and in Prometheus,
//! what it means, and where in the snapshot it is. From that table come HBase's JSON ([`jmx`]), Prometheus text
//! ([`prometheus`]), OpenTelemetry's JSON ([`otlp`]) and the page of documentation ([`page`]).
//!
//! Knows nothing of servers, regions or sockets.

mod bean;
mod counter;
mod file_io;
mod file_times;
mod histogram;
pub mod jmx;
pub mod json;
mod manual;
mod meter;
mod metric;
mod operation;
pub mod otlp;
pub mod prometheus;
mod series;
mod size;
mod snapshot;
mod stripe;
mod table;
mod table_times;
mod value;

pub use bean::Bean;
pub use counter::Counter;
pub use file_io::{FileIo, FileIoFigures, file_io};
pub use file_times::FileTimes;
pub use histogram::{Histogram, HistogramSnapshot, nanos, record_each};
pub use manual::page;
pub use meter::Meter;
pub use metric::{Kind, Metric, Source};
pub use operation::{Operation, OperationTimes, Timer, is_recording, record};
pub use size::{OperationSizes, Size};
pub use snapshot::{
    CacheFigures, ExceptionCounts, FileTierFigures, IpcFigures, MasterFigures, MobFigures, ProcedureFigures,
    ProcessFigures, RegionFigures, ServerFigures, Snapshot, SpanFigures, TableFigures, UserFigures,
    WalFigures, Work,
};
pub use stripe::count_alone;
pub use table::metrics;
pub use table_times::{TableTimes, TableTimesSnapshot};
pub use value::Value;
