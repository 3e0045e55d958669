use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{Semaphore, mpsc};

#[tokio::test]
async fn so_many_run_at_once_and_the_others_wait() {
    let queue = TaskQueue::new(3);
    let (gate, running) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicUsize::new(0)));
    let (done, mut all) = mpsc::unbounded_channel();
    for task in 0..1000 {
        let (gate, running, done) = (Arc::clone(&gate), Arc::clone(&running), done.clone());
        queue.spawn(task, 0, false, move |task| {
            let (gate, running, done) = (Arc::clone(&gate), Arc::clone(&running), done.clone());
            async move {
                let others = running.fetch_add(1, Ordering::SeqCst);
                gate.acquire().await.unwrap().forget();
                running.fetch_sub(1, Ordering::SeqCst);
                done.send((task, others)).unwrap();
            }
        });
    }
    while running.load(Ordering::SeqCst) < 3 {
        tokio::task::yield_now().await;
    }
    gate.add_permits(1000);
    for _ in 0..1000 {
        let (_, others) = all.recv().await.unwrap();
        assert!(others < 3);
    }
}

#[tokio::test]
async fn a_panic_takes_no_turn_from_others() {
    let queue = TaskQueue::new(1);
    let (done, mut all) = mpsc::unbounded_channel();
    for task in 0..3 {
        let done = done.clone();
        queue.spawn(task, 0, false, move |task| {
            let done = done.clone();
            async move {
                assert_ne!(task, 1, "a panic");
                done.send(task).unwrap();
            }
        });
    }
    assert_eq!([all.recv().await, all.recv().await], [Some(0), Some(2)]);
}

#[test]
fn urgent_tasks_come_first_and_there_is_room_for_so_many_bytes() {
    let queue = TaskQueue::new(1);
    assert!(queue.add("a", 0, false), "its turn");
    assert!(!queue.add("b", MAX_WAITING_BYTES, false));
    assert!(!queue.has_room());
    assert!(!queue.add("c", 0, true));
    assert_eq!([(); 4].map(|()| queue.next()), [Some("c"), Some("a"), Some("b"), None]);
    assert!(queue.has_room());
    assert!(queue.add("d", 0, false), "the turn was over");
}
