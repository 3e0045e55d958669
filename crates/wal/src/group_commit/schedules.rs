//! Writers and the thread of a log, in many orders of their steps.

use std::{
    future::{Future, poll_fn},
    path::Path,
    pin::pin,
    sync::Arc,
};

use bytes::Bytes;
use finback_cell::{CellBlockBuilder, Durability, cell::CellParts};
use finback_fs::{CrashMode, FileSystem, MemFileSystem};
use finback_sync::{shuttle::future::block_on, thread, try_schedules};

use crate::{
    Wal, WalAppend, WalError, WalKind, WalOptions, WalReader, commit_on_this_thread, server_log_dir,
};

/// Schedules tried of each program.
const SCHEDULES: usize = 200;
const SERVER: &str = "h,1,1";

fn root() -> &'static Path {
    Path::new("/root")
}

fn open(fs: &MemFileSystem, options: WalOptions) -> Arc<Wal> {
    let fs: Arc<dyn FileSystem> = Arc::new(fs.clone());
    Arc::new(Wal::open(fs, root(), SERVER, WalKind::Regions, options).unwrap())
}

async fn put(wal: &Wal, region: u8, sequence_id: u64) -> Result<(), WalError> {
    let mut cells = CellBlockBuilder::default();
    let (row, family, qualifier) = (&b"r"[..], &b"f"[..], &b"q"[..]);
    cells.push_parts(&CellParts {
        row,
        family,
        qualifier,
        timestamp: 1,
        type_code: 4,
        value: b"v",
        tags: b"",
    });
    let cells = Bytes::clone(cells.finish().bytes());
    let entry = WalAppend {
        region: Arc::from([region]),
        table: Arc::from(&b"t"[..]),
        sequence_id,
        write_time_ms: 1,
        nonce_group: 0,
        nonce: 0,
        cells,
        cell_count: 1,
        durability: Durability::SyncWal,
        after: None,
    };
    let permit = wal.reserve(entry.cells.len()).await?;
    let position = wal.append(permit, entry)?;
    wal.sync(position).await
}

/// What a power cut leaves of all logs.
fn durable(fs: &MemFileSystem) -> Vec<(u8, u64)> {
    let fs = fs.crash(CrashMode::Strict);
    let dir = server_log_dir(root(), SERVER);
    let mut found = Vec::new();
    for file in fs.list(&dir).unwrap() {
        let mut reader = WalReader::open(&fs, &dir.join(file.name)).unwrap();
        while let Some(entry) = reader.next_entry().unwrap() {
            found.push((entry.key.region()[0], entry.key.sequence_id()));
        }
    }
    found
}

#[test]
fn who_is_answered_is_on_disk_and_everybody_is_answered() {
    try_schedules(SCHEDULES, || {
        let fs = MemFileSystem::new();
        let wal = open(&fs, WalOptions::default());
        let writers: Vec<_> = [b'a', b'b']
            .into_iter()
            .map(|region| {
                let (wal, fs) = (Arc::clone(&wal), fs.clone());
                thread::spawn(move || {
                    for id in 1..=2 {
                        block_on(put(&wal, region, id)).unwrap();
                        assert!(durable(&fs).contains(&(region, id)));
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        block_on(wal.close()).unwrap();
        let mut all = durable(&fs);
        all.sort_unstable();
        assert_eq!(all, [(b'a', 1), (b'a', 2), (b'b', 1), (b'b', 2)]);
    });
}

#[test]
fn a_close_that_comes_between_answers_everybody() {
    try_schedules(SCHEDULES, || {
        let fs = MemFileSystem::new();
        // Room for one entry: the second waits until the first is written.
        let wal = open(&fs, WalOptions { queue_bytes: 300, ..WalOptions::default() });
        let writers: Vec<_> = [b'a', b'b']
            .into_iter()
            .map(|region| {
                let wal = Arc::clone(&wal);
                thread::spawn(move || (region, block_on(put(&wal, region, 1))))
            })
            .collect();
        let rolled = block_on(wal.roll());
        block_on(wal.close()).unwrap();
        assert!(rolled.is_ok());
        let on_disk = durable(&fs);
        for writer in writers {
            let (region, answer) = writer.join().unwrap();
            assert!(answer.is_err() || on_disk.contains(&(region, 1)), "{answer:?}");
        }
    });
}

#[test]
fn threads_that_commit_for_themselves_answer_everybody() {
    try_schedules(SCHEDULES, || {
        let fs = MemFileSystem::new();
        let wal = open(&fs, WalOptions::default());
        let writers: Vec<_> = [(b'a', true), (b'b', true), (b'c', false)]
            .into_iter()
            .map(|(region, commits)| {
                let (wal, fs) = (Arc::clone(&wal), fs.clone());
                thread::spawn(move || {
                    let mut committing = pin!(commit_on_this_thread());
                    for id in 1..=2 {
                        let mut put = pin!(put(&wal, region, id));
                        block_on(poll_fn(|context| {
                            if commits {
                                assert!(committing.as_mut().poll(context).is_pending(), "it never ends");
                            }
                            put.as_mut().poll(context)
                        }))
                        .unwrap();
                        assert!(durable(&fs).contains(&(region, id)));
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        block_on(wal.close()).unwrap();
        assert_eq!(durable(&fs).len(), 6);
    });
}

#[test]
fn a_close_beside_a_thread_that_commits_answers_everybody() {
    try_schedules(SCHEDULES, || {
        let fs = MemFileSystem::new();
        let wal = open(&fs, WalOptions::default());
        let of_writer = Arc::clone(&wal);
        let writer = thread::spawn(move || {
            let mut committing = pin!(commit_on_this_thread());
            let answers = (1..=3).map(|id| {
                let mut put = pin!(put(&of_writer, b'a', id));
                block_on(poll_fn(|context| {
                    assert!(committing.as_mut().poll(context).is_pending(), "it never ends");
                    put.as_mut().poll(context)
                }))
            });
            answers.collect::<Vec<_>>()
        });
        let rolled = block_on(wal.roll());
        block_on(wal.close()).unwrap();
        assert!(rolled.is_ok());
        let on_disk = durable(&fs);
        for (answer, id) in writer.join().unwrap().into_iter().zip(1..) {
            assert!(answer.is_err() || on_disk.contains(&(b'a', id)), "{answer:?}");
        }
    });
}
