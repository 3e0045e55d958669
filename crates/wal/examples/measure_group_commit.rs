//! How many durable writes a second one log takes, by number of concurrent writers.
//!
//! `cargo run --release -p finback-wal --example measure_group_commit [directory]`

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use finback_cell::Durability;
use finback_fs::{FileSystem, LocalFileSystem};
use finback_wal::{Wal, WalAppend, WalError, WalKind, WalOptions};

const RUN: Duration = Duration::from_secs(2);
const VALUE_BYTES: usize = 1000;

fn cell() -> Bytes {
    let mut kv = Vec::new();
    kv.extend(25u32.to_be_bytes());
    kv.extend((VALUE_BYTES as u32).to_be_bytes());
    kv.extend(b"\0\x0arow0000001\x01fqq");
    kv.extend([0; 8]);
    kv.push(4);
    kv.resize(8 + 25 + VALUE_BYTES, 7);
    let mut block = (kv.len() as u32).to_be_bytes().to_vec();
    block.extend(kv);
    block.into()
}

async fn write_until(wal: Arc<Wal>, writer: usize, end: Instant) -> Result<Vec<Duration>, WalError> {
    let region: Arc<[u8]> = format!("{writer:032x}").into_bytes().into();
    let table: Arc<[u8]> = Arc::from(&b"usertable"[..]);
    let cells = cell();
    let mut latencies = Vec::new();
    let mut sequence_id = 0;
    while Instant::now() < end {
        let started = Instant::now();
        let permit = wal.reserve(cells.len()).await?;
        sequence_id += 1;
        let entry = WalAppend {
            region: region.clone(),
            table: table.clone(),
            sequence_id,
            write_time_ms: 1_700_000_000_000,
            nonce_group: 0,
            nonce: 0,
            cells: cells.clone(),
            cell_count: 1,
            durability: Durability::SyncWal,
            after: None,
        };
        let position = wal.append(permit, entry)?;
        wal.sync(position).await?;
        latencies.push(started.elapsed());
    }
    Ok(latencies)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = std::env::args().nth(1).map_or_else(|| PathBuf::from("target/measure-wal"), PathBuf::from);
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem::new());
    println!("writers   writes/s   writes per sync   median us   p99 us");
    for writers in [1, 4, 16, 64, 256] {
        let wal =
            Arc::new(Wal::open(fs.clone(), &root, "measure,1,1", WalKind::Regions, WalOptions::default())?);
        let end = Instant::now() + RUN;
        let tasks: Vec<_> = (0..writers).map(|w| tokio::spawn(write_until(wal.clone(), w, end))).collect();
        let mut latencies = Vec::new();
        for task in tasks {
            latencies.extend(task.await??);
        }
        latencies.sort_unstable();
        let stats = wal.stats();
        println!(
            "{writers:7}   {:8.0}   {:15.1}   {:9}   {:6}",
            latencies.len() as f64 / RUN.as_secs_f64(),
            stats.entries as f64 / stats.syncs as f64,
            latencies[latencies.len() / 2].as_micros(),
            latencies[latencies.len() * 99 / 100].as_micros(),
        );
        wal.close().await?;
    }
    fs.remove_dir_all(&root)?;
    Ok(())
}
