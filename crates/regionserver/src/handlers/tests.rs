use super::*;
use finback_proto::pb;
use finback_rpc::{ChannelExt, Loopback, Outcome, Service};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Keeps the call that it gets.
#[derive(Default)]
struct Caught(Mutex<Option<Call>>);

impl Service for Caught {
    fn name(&self) -> &'static str {
        "ClientService"
    }

    fn call(&self, call: Call) -> Outcome {
        *self.0.lock() = Some(call);
        Outcome::message(&pb::GetResponse::default())
    }
}

async fn call(method: &'static str) -> Call {
    let caught = Arc::new(Caught::default());
    let channel = Loopback::new(Arc::clone(&caught) as Arc<dyn Service>);
    let request = pb::CloseRegionResponse::default();
    let _: (pb::GetResponse, _) = channel.call(method, &request, bytes::Bytes::new()).await.unwrap();
    caught.0.lock().take().unwrap()
}

fn soon() -> Option<Instant> {
    Some(Instant::now() + Duration::from_millis(20))
}

#[tokio::test]
async fn turns_of_reads_of_writes_and_of_the_cluster_are_counted_apart() {
    let handlers = Handlers::new(1, None);
    let (scan, get, put) = (call("Scan").await, call("Get").await, call("Mutate").await);
    let reads = handlers.turn(&scan, CallKind::Scan, None).await.unwrap().expect("a turn");
    assert!(
        handlers.turn(&get, CallKind::Read, soon()).await.unwrap().is_none(),
        "there is one turn for reads"
    );
    let _writes = handlers.turn(&put, CallKind::Write, soon()).await.unwrap().expect("a turn to write");
    let mut of_meta = call("Scan").await;
    of_meta.priority = 200;
    assert_eq!(
        handlers
            .turn(&of_meta, CallKind::Scan, soon())
            .await
            .unwrap()
            .unwrap()
            .run(async { Ok(1) })
            .await
            .unwrap(),
        1
    );
    let mut late = get.clone();
    late.deadline = soon();
    let dropped = handlers.turn_before_deadline(&late, CallKind::Read).await.unwrap_err();
    assert_eq!(dropped.simple_class(), "CallDroppedException");
    // A turn ends with what it was for.
    reads.run(async { Err::<(), _>(exceptions::io("failed")) }).await.unwrap_err();
    assert!(handlers.turn(&get, CallKind::Read, soon()).await.unwrap().is_some());
}

#[tokio::test]
async fn calls_that_are_marked_as_the_clusters_take_turns_among_them() {
    let handlers = Handlers::new(1, None);
    let mut marked = call("Scan").await;
    marked.priority = 100;
    let mut turns = Vec::new();
    for _ in 0..TURNS_OF_THE_CLUSTER {
        turns.push(handlers.turn(&marked, CallKind::Scan, soon()).await.unwrap().expect("a turn"));
    }
    assert!(handlers.turn(&marked, CallKind::Scan, soon()).await.unwrap().is_none());
    let scan = call("Scan").await;
    assert!(handlers.turn(&scan, CallKind::Scan, soon()).await.unwrap().is_some(), "that is for others");
    drop(turns.pop());
    assert!(handlers.turn(&marked, CallKind::Scan, soon()).await.unwrap().is_some());
}

#[test]
fn so_many_run_at_a_time_on_threads_of_their_own() {
    let builder = || tokio::runtime::Builder::new_multi_thread();
    let threads = builder().worker_threads(4).thread_name("long").enable_all().build().unwrap();
    let callers = builder().worker_threads(2).enable_all().build().unwrap();
    let handlers = Arc::new(Handlers::new(2, Some(threads.handle().clone())));
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    callers.block_on(async {
        let mut running = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let (handlers, now, most) = (Arc::clone(&handlers), Arc::clone(&now), Arc::clone(&most));
            running.spawn(async move {
                let scan = call("Scan").await;
                let work = async move {
                    assert_eq!(std::thread::current().name(), Some("long"));
                    most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    tokio::time::sleep(Duration::from_millis(2)).await;
                    now.fetch_sub(1, Ordering::SeqCst);
                    Ok(())
                };
                handlers.turn(&scan, CallKind::Scan, None).await.unwrap().unwrap().run(work).await.unwrap();
            });
        }
        while let Some(ended) = running.join_next().await {
            ended.unwrap();
        }
        let scan = call("Scan").await;
        let turn = handlers.turn(&scan, CallKind::Scan, None).await.unwrap().unwrap();
        let panicking = tokio::spawn({
            let handlers = Arc::clone(&handlers);
            async move {
                let turn = handlers.turn(&scan, CallKind::Scan, None).await.unwrap().unwrap();
                turn.run::<()>(async { panic!("oh no") }).await
            }
        });
        assert!(panicking.await.unwrap_err().is_panic(), "a panic is the caller's");
        drop(turn);
    });
    assert_eq!(most.load(Ordering::SeqCst), 2);
    assert_eq!(handlers.reads.available_permits(), 2);
}
