use super::*;
use std::future::Future;
use std::task::{Context, Waker};

/// The turn, if there is one at once.
fn now(turns: &ReadTurns, bytes: u32) -> Option<Turn> {
    let mut turn = std::pin::pin!(turns.turn(bytes));
    match turn.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        std::task::Poll::Ready(turn) => Some(turn),
        std::task::Poll::Pending => None,
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
    let turns = ReadTurns::within(64 << 20);
    let begun: Vec<Turn> = (0..20).map_while(|_| now(&turns, 1 << 20)).collect();
    assert_eq!(begun.len(), 8);
    assert!(now(&turns, u32::MAX).is_none());
    drop(begun);
    let largest = now(&turns, u32::MAX);
    assert!(largest.is_some() && now(&turns, 1).is_none());
}
