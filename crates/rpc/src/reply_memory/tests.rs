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

/// A share for the reply to a call of this client.
fn share(memory: &Arc<ReplyMemory>, client: &Arc<ConnectionInfo>) -> ReplyShare {
    memory.share_for(Some(Arc::clone(client)))
}

fn client() -> Arc<ConnectionInfo> {
    Arc::new(ConnectionInfo::in_process("test"))
}

#[tokio::test]
async fn one_at_a_time_goes_beyond_the_limit() {
    let memory = ReplyMemory::new(LIMIT);
    let (mut one, mut other) = (share(&memory, &client()), share(&memory, &client()));
    one.hold(LIMIT, None).await.unwrap();
    other.hold(LIMIT, None).await.unwrap();
    let mut third = share(&memory, &client());
    {
        let mut waiting = pin!(third.hold(LIMIT, None));
        assert!(one.wanted_since().is_none());
        assert!(poll(waiting.as_mut()).is_pending());
        assert!(one.wanted_since().is_some(), "its client is to take it, or to go");
        drop(other);
        assert!(poll(waiting.as_mut()).is_ready(), "it is the third's turn");
    }
    assert!(one.wanted_since().is_none());
    assert_eq!(memory.bytes(), 2 * LIMIT);
    third.hold(2 * LIMIT, None).await.unwrap();
    assert_eq!(memory.bytes(), 3 * LIMIT, "it stays its turn");
}

#[tokio::test]
async fn those_that_wait_get_what_is_given_back_though_the_turn_is_not() {
    let memory = ReplyMemory::new(LIMIT);
    let (mut first, mut in_turn) = (memory.share(), memory.share());
    first.hold(LIMIT, None).await.unwrap();
    in_turn.hold(LIMIT / 4, None).await.unwrap();
    let mut shares = [memory.share(), memory.share(), memory.share()];
    let [one, other, third] = &mut shares;
    let mut waiting = [one, other, third].map(|share| Box::pin(share.hold(LIMIT / 2, None)));
    assert!(waiting.iter_mut().all(|waiting| poll(waiting.as_mut()).is_pending()));
    // The reply whose turn it is stays where it is: its client does not read.
    drop(first);
    let ready = waiting.iter_mut().map(|waiting| poll(waiting.as_mut()).is_ready());
    assert_eq!(ready.collect::<Vec<_>>(), [true, true, false], "the second goes beyond the limit");
    drop(in_turn);
    assert!(poll(waiting[2].as_mut()).is_ready(), "without it all are within the limit");
    drop(waiting);
    assert_eq!((memory.bytes(), memory.waiting()), (LIMIT / 2 * 3, 0));
    drop(shares);
    assert_eq!(memory.bytes(), 0);
}

#[tokio::test]
async fn who_had_the_turn_while_there_was_room_waits_for_it_like_others() {
    let memory = ReplyMemory::new(LIMIT);
    let (mut first, mut in_turn, mut next) = (memory.share(), memory.share(), memory.share());
    first.hold(LIMIT, None).await.unwrap();
    in_turn.hold(LIMIT / 4, None).await.unwrap();
    {
        let mut waiting = pin!(next.hold(LIMIT, None));
        assert!(poll(waiting.as_mut()).is_pending());
        drop(first);
        assert!(poll(waiting.as_mut()).is_ready());
    }
    assert!(!in_turn.try_hold(LIMIT));
    let mut again = pin!(in_turn.hold(LIMIT, None));
    assert!(poll(again.as_mut()).is_pending());
    drop(next);
    assert!(poll(again.as_mut()).is_ready());
    assert_eq!(memory.bytes(), LIMIT);
}

#[tokio::test]
async fn a_client_with_many_calls_is_not_before_all_others() {
    let memory = ReplyMemory::new(LIMIT);
    let (mut first, mut second) = (memory.share(), memory.share());
    first.hold(LIMIT, None).await.unwrap();
    second.hold(LIMIT, None).await.unwrap();
    let (greedy, modest) = (client(), client());
    let mut of_greedy = [share(&memory, &greedy), share(&memory, &greedy), share(&memory, &greedy)];
    let mut of_modest = share(&memory, &modest);
    let mut greedy_waits = of_greedy.each_mut().map(|share| Box::pin(share.hold(LIMIT, None)));
    assert!(greedy_waits.iter_mut().all(|waiting| poll(waiting.as_mut()).is_pending()));
    let mut modest_waits = Box::pin(of_modest.hold(LIMIT, None));
    assert!(poll(modest_waits.as_mut()).is_pending());
    drop(first);
    assert!(poll(greedy_waits[0].as_mut()).is_ready());
    assert!(poll(modest_waits.as_mut()).is_pending());
    drop(second);
    assert!(poll(greedy_waits[1].as_mut()).is_pending());
    assert!(poll(modest_waits.as_mut()).is_ready(), "it came last and is second");
    drop((greedy_waits, modest_waits));
}

#[tokio::test]
async fn a_client_is_not_in_its_own_way() {
    let memory = ReplyMemory::new(LIMIT);
    let (alone, other) = (client(), client());
    let mut held = share(&memory, &alone);
    held.hold(2 * LIMIT, None).await.unwrap();
    let (mut own, mut of_other) = (share(&memory, &alone), share(&memory, &other));
    let mut own = Box::pin(own.hold(LIMIT, None));
    assert!(poll(own.as_mut()).is_pending());
    assert!(held.wanted_since().is_none(), "only by the same client");
    let mut waiting = Box::pin(of_other.hold(LIMIT, None));
    assert!(poll(waiting.as_mut()).is_pending());
    assert!(held.wanted_since().is_some());
    drop(waiting);
    assert!(held.wanted_since().is_none());
}

#[tokio::test]
async fn calls_of_a_lost_connection_wait_for_nothing() {
    let memory = ReplyMemory::new(LIMIT);
    let lost = client();
    let mut held = memory.share();
    held.hold(2 * LIMIT, None).await.unwrap();
    let (mut before, mut after) = (share(&memory, &lost), share(&memory, &lost));
    let mut waiting = Box::pin(before.hold(LIMIT, None));
    assert!(poll(waiting.as_mut()).is_pending());
    lost.set_lost();
    let Poll::Ready(Err(_)) = poll(waiting.as_mut()) else { panic!("it waits") };
    after.hold(LIMIT, None).await.unwrap_err();
    assert_eq!(memory.waiting(), 0);
    assert_eq!(memory.bytes(), 2 * LIMIT);
}

#[test]
fn nothing_is_lost_between_threads() {
    let memory = ReplyMemory::new(LIMIT);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_time().build().unwrap();
    runtime.block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..64 {
            let (memory, client) = (Arc::clone(&memory), client());
            tasks.spawn(async move {
                for round in 1..50 {
                    let mut share = share(&memory, &client);
                    // Some stop waiting, at any moment.
                    let holding = share.hold(LIMIT / 8 * (1 + (number + round) % 7), None);
                    if number % 8 == 0 {
                        let _ = tokio::time::timeout(Duration::from_micros(round as u64), holding).await;
                    } else {
                        holding.await.unwrap();
                        tokio::task::yield_now().await;
                        share.hold(LIMIT, None).await.unwrap();
                    }
                }
            });
        }
        while let Some(done) = tasks.join_next().await {
            done.unwrap();
        }
    });
    assert_eq!((memory.bytes(), memory.waiting()), (0, 0));
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
