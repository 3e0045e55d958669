//! The table of metrics.

use crate::metric::Metric;
use crate::value::Value;

mod block_cache;
mod io;
mod ipc;
mod master;
mod mob;
mod operations;
mod process;
mod region_server;
mod regions;
mod tables;
mod wal;

const BYTES: &str = "bytes";

const PARTS: [&[Metric]; 11] = [
    region_server::REGION_SERVER,
    block_cache::BLOCK_CACHE,
    mob::MOB,
    operations::OPERATIONS,
    regions::REGIONS,
    tables::TABLES,
    wal::WAL,
    io::IO,
    ipc::IPC,
    master::MASTER,
    process::PROCESS,
];

/// Every metric, in the order in which they are told.
pub fn metrics() -> impl Iterator<Item = &'static Metric> {
    PARTS.into_iter().flatten()
}

fn since(then_ms: u64, now_ms: u64) -> Value<'static> {
    Value::Count(if then_ms == 0 { 0 } else { now_ms.saturating_sub(then_ms) })
}
