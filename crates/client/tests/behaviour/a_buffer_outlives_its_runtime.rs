use finback_client::{BufferedMutator, BufferedMutatorOptions, ClientConfig, Connection, Error, Put, Scan};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc;
use std::task::{Context, Waker};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

const PATIENCE: Duration = Duration::from_secs(60);

fn put() -> Put {
    Put::new("r").column("f", "q", "v")
}

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// A buffer that is sent with each write, to a cluster that is not there.
fn buffer() -> BufferedMutator {
    let connection = Connection::open_lazily(ClientConfig::bootstrap("127.0.0.1:1")).unwrap();
    let options = BufferedMutatorOptions { buffer_bytes: 1, ..BufferedMutatorOptions::default() };
    connection.table("t").unwrap().buffered_mutator_with(options)
}

/// What `doing` gives back, in a thread of its own, which must end.
fn within_patience<T: Send + 'static>(doing: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, ends) = mpsc::channel();
    std::thread::spawn(move || done.send(doing()));
    ends.recv_timeout(PATIENCE).expect("it does not end")
}

#[test]
fn a_write_without_a_runtime_panics_and_does_not_hang() {
    let buffer = buffer();
    let panic = within_patience(move || {
        let mut writing = pin!(buffer.mutate(put()));
        let polled = catch_unwind(AssertUnwindSafe(|| {
            writing.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready()
        }));
        polled.expect_err("sent without a runtime")
    });
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("no reactor running"), "{message}");
}

#[test]
fn a_runtime_ends_in_which_writes_are_made() {
    let runtime = runtime();
    let buffer = Arc::new(buffer());
    let (begun, begins) = mpsc::channel();
    runtime.spawn(async move {
        loop {
            let _ = begun.send(());
            // The runtime can end this task only where it yields.
            for _ in 0..1_000 {
                let _ = buffer.mutate(put()).await;
            }
            tokio::task::yield_now().await;
        }
    });
    begins.recv_timeout(PATIENCE).expect("nothing is written");
    within_patience(move || drop(runtime));
}

#[test]
fn writes_that_a_runtime_took_with_it_have_failed() {
    let (first, second) = (runtime(), runtime());
    let buffer = Arc::new(buffer());
    for _ in 0..3 {
        first.block_on(buffer.mutate(put())).unwrap();
    }
    let flushing = second.spawn({
        let buffer = Arc::clone(&buffer);
        async move { buffer.flush().await }
    });
    drop(first);
    let flushed = within_patience(move || second.block_on(flushing).unwrap());
    let failed = flushed.expect_err("nothing was written");
    assert_eq!((failed.count, failed.failures.len()), (3, 0));
    assert_eq!(failed.to_string(), "3 writes failed, and more is not known of them");
}

#[test]
fn writes_whose_delivery_panics_have_failed() {
    // Tries are timed, and this runtime has no clock.
    let runtime = Builder::new_current_thread().build().unwrap();
    let buffer = buffer();
    let flushed = within_patience(move || {
        runtime.block_on(async {
            buffer.mutate(put()).await.unwrap();
            buffer.flush().await
        })
    });
    assert_eq!(flushed.expect_err("nothing was written").count, 1);
}

#[test]
fn a_scan_whose_runtime_is_gone_is_not_at_its_end() {
    let first = runtime();
    let connection = Connection::open_lazily(ClientConfig::bootstrap("127.0.0.1:1")).unwrap();
    let mut scanner = first.block_on(async { connection.table("t").unwrap().scan(Scan::new()).unwrap() });
    first.shutdown_background();
    let (ended, behind) = within_patience(move || {
        runtime().block_on(async move { (scanner.next().await, scanner.next().await) })
    });
    assert!(matches!(ended, Err(Error::Interrupted(_))), "{ended:?}");
    assert!(matches!(behind, Ok(None)), "{behind:?}");
}
