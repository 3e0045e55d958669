use super::*;
use crate::host::read_from_device;
use finback_cell::key::Key;
use finback_hfile::testing::{file_of_rows, reader_of};
use finback_hfile::{Compression, FileId, HFileScanner, ScanInterrupt, WriterOptions};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// The turn, if there is one at once.
fn now(turns: &ReadTurns, bytes: u64) -> Option<Turn> {
    match pin!(turns.turn(bytes)).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(turn) => Some(turn),
        Poll::Pending => None,
    }
}

#[test]
fn small_blocks_are_as_many_as_one_multi_get_asks_for() {
    let turns = ReadTurns::within(1 << 30);
    let begun: Vec<Turn> = (0..MAX_READS_AT_ONCE).map_while(|_| now(&turns, 64 << 10)).collect();
    assert_eq!(begun.len(), MAX_READS_AT_ONCE);
    assert!(now(&turns, 1).is_none());
    drop(begun);
    assert!(now(&turns, 1).is_some());
}

#[test]
fn large_blocks_have_their_part_of_memory_and_one_is_read_however_large_it_is() {
    let turns = ReadTurns::within(8 << 20);
    let begun: Vec<Turn> = (0..20).map_while(|_| now(&turns, 1 << 20)).collect();
    assert_eq!(begun.len(), 8);
    assert!(now(&turns, u64::MAX).is_none());
    drop(begun);
    let largest = now(&turns, u64::MAX);
    assert!(largest.is_some() && now(&turns, 1).is_none());
}

#[tokio::test]
async fn a_compressed_block_waits_for_the_memory_that_it_takes_decompressed() {
    let options = WriterOptions { compression: Compression::Gz, ..WriterOptions::default() };
    let reader = reader_of(file_of_rows(options, 0..30, &[7; 256 << 10]), FileId::next());
    let mut scanner = HFileScanner::new(reader, None, false);
    let Err(ScanInterrupt::NeedBlock(request)) = scanner.seek(&Key::first_on_row(b"")) else {
        panic!("no block is asked for");
    };
    let turns = Arc::new(ReadTurns::within(64 << 10));
    assert!(request.block.size < 4 << 10, "{request:?}");
    let other = now(&turns, 1 << 10);
    let mut read = pin!(read_from_device(Arc::clone(&turns), request));
    assert!(read.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    // It has all that is left, and waits for more.
    assert!(now(&turns, 1).is_none());
    drop(other);
    assert!(read.await.is_ok());
}
