use super::*;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

const ROW: RowKey = RowKey(7);

fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

fn held(locks: &RowLocks) -> usize {
    locks.shards.get().map_or(0, |shards| shards.iter().map(|shard| shard.lock().len()).sum())
}

#[test]
fn shared_locks_are_shared_and_exclusive_ones_are_not() {
    let locks = RowLocks::new();
    let mut first = pin!(locks.lock(ROW, LockMode::Shared));
    let Poll::Ready(first) = poll(first.as_mut()) else { panic!("free lock refused") };
    let mut second = pin!(locks.lock(ROW, LockMode::Shared));
    let Poll::Ready(second) = poll(second.as_mut()) else { panic!("shared lock refused") };
    let mut writer = pin!(locks.lock(ROW, LockMode::Exclusive));
    assert!(poll(writer.as_mut()).is_pending());
    let mut late = pin!(locks.lock(ROW, LockMode::Shared));
    assert!(poll(late.as_mut()).is_pending(), "a shared request overtook a waiting exclusive one");
    drop((first, second));
    let Poll::Ready(writer) = poll(writer.as_mut()) else { panic!("exclusive lock not handed over") };
    assert!(poll(late.as_mut()).is_pending());
    drop(writer);
    let Poll::Ready(late) = poll(late.as_mut()) else { panic!("shared lock not handed over") };
    drop(late);
    assert_eq!(held(&locks), 0);
}

#[test]
fn a_waiter_that_goes_away_blocks_nobody_even_when_granted() {
    let locks = RowLocks::new();
    let mut holder = Box::pin(locks.lock(ROW, LockMode::Exclusive));
    let Poll::Ready(holder) = poll(holder.as_mut()) else { panic!() };
    let mut granted_unseen = Box::pin(locks.lock(ROW, LockMode::Exclusive));
    let mut given_up = Box::pin(locks.lock(ROW, LockMode::Exclusive));
    let mut last = Box::pin(locks.lock(ROW, LockMode::Shared));
    assert!(poll(granted_unseen.as_mut()).is_pending());
    assert!(poll(given_up.as_mut()).is_pending());
    assert!(poll(last.as_mut()).is_pending());
    drop(given_up);
    drop(holder);
    drop(granted_unseen);
    let Poll::Ready(last) = poll(last.as_mut()) else { panic!("lock lost with a waiter") };
    drop(last);
    assert_eq!(held(&locks), 0);
}

#[test]
fn a_lock_that_is_tried_is_had_only_if_nobody_has_or_awaits_it() {
    let locks = RowLocks::new();
    let row = locks.key(b"row");
    assert_eq!(row, locks.key(b"row"));
    assert_ne!(row, locks.key(b"another"));
    let first = locks.try_lock(row, LockMode::Shared).expect("a free lock");
    let second = locks.try_lock(row, LockMode::Shared).expect("a shared lock");
    assert!(locks.try_lock(row, LockMode::Exclusive).is_none());
    let mut writer = pin!(locks.lock(row, LockMode::Exclusive));
    assert!(poll(writer.as_mut()).is_pending());
    assert!(locks.try_lock(row, LockMode::Shared).is_none(), "overtook a waiting exclusive one");
    drop((first, second));
    let Poll::Ready(writer) = poll(writer.as_mut()) else { panic!("exclusive lock not handed over") };
    drop(writer);
    assert_eq!(held(&locks), 0);
}

fn write(sequence_id: u64) -> Unsettled {
    Unsettled { sequence_id, position: finback_wal::Position::default(), cells: bytes::Bytes::new() }
}

fn numbers(lock: &RowLock<'_>) -> Vec<u64> {
    lock.unsettled().iter().map(|write| write.sequence_id).collect()
}

#[test]
fn who_has_a_row_next_finds_what_is_not_settled_of_it() {
    let locks = RowLocks::new();
    let first = locks.try_lock(ROW, LockMode::Exclusive).unwrap();
    assert_eq!(numbers(&first), [0; 0]);
    let mut second = pin!(locks.lock(ROW, LockMode::Exclusive));
    assert!(poll(second.as_mut()).is_pending());
    let first = first.let_go(write(1));
    let Poll::Ready(second) = poll(second.as_mut()) else { panic!("the lock was not handed over") };
    assert_eq!(numbers(&second), [1]);
    let second = second.let_go(write(2));
    assert!(second.retake().is_none(), "two are not settled");
    let shared = locks.try_lock(ROW, LockMode::Shared).unwrap();
    assert_eq!(numbers(&shared), [1, 2]);
    drop(first);
    assert_eq!(numbers(&shared), [2]);
    assert!(second.retake().is_none(), "somebody has it");
    drop(shared);
    let retaken = second.retake().unwrap();
    assert!(locks.try_lock(ROW, LockMode::Shared).is_none());
    drop(retaken);
    assert_eq!(held(&locks), 1, "as long as something is not settled");
    drop(second);
    assert_eq!(held(&locks), 0);
}
