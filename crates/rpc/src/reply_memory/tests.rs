use super::*;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

const LIMIT: usize = 1 << 20;

fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn what_replies_hold_is_counted_and_given_back() {
    let memory = ReplyMemory::new(LIMIT);
    let (mut one, mut other) = (memory.share(), memory.share());
    assert!(one.try_hold(UNCOUNTED_BYTES));
    assert_eq!(memory.bytes(), 0, "small replies touch nothing shared");
    assert!(one.try_hold(LIMIT / 2) && other.try_hold(LIMIT / 2));
    assert!(!other.try_hold(LIMIT / 2 + 1));
    assert_eq!(memory.bytes(), LIMIT);
    assert!(one.try_hold(10), "it may shrink at any time");
    assert_eq!((memory.bytes(), one.bytes()), (LIMIT / 2 + 10, 10));
    drop(one);
    drop(other);
    assert_eq!(memory.bytes(), 0);
}

#[tokio::test]
async fn one_at_a_time_goes_beyond_the_limit() {
    let memory = ReplyMemory::new(LIMIT);
    let (mut one, mut other) = (memory.share(), memory.share());
    one.hold(LIMIT, None).await.unwrap();
    other.hold(LIMIT, None).await.unwrap();
    let mut third = memory.share();
    {
        let mut waiting = pin!(third.hold(LIMIT, None));
        assert!(!one.is_wanted());
        assert!(poll(waiting.as_mut()).is_pending());
        assert!(one.is_wanted(), "its client is to take it, or to go");
        drop(other);
        assert!(poll(waiting.as_mut()).is_ready(), "it is the third's turn");
    }
    assert!(!one.is_wanted());
    assert_eq!(memory.bytes(), 2 * LIMIT);
    third.hold(2 * LIMIT, None).await.unwrap();
    assert_eq!(memory.bytes(), 3 * LIMIT, "it stays its turn");
}

#[tokio::test]
async fn a_client_whose_time_is_over_is_told_to_come_back() {
    let memory = ReplyMemory::new(LIMIT);
    let (mut one, mut other, mut third) = (memory.share(), memory.share(), memory.share());
    one.hold(LIMIT, None).await.unwrap();
    other.hold(LIMIT, None).await.unwrap();
    let refused = third.hold(LIMIT, Some(Instant::now() + Duration::from_millis(5))).await.unwrap_err();
    assert_eq!(refused.simple_class(), "CallQueueTooBigException");
    assert!(!refused.do_not_retry);
    assert_eq!(third.bytes(), 0);
}
