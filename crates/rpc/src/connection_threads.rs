//! Threads for connections.
//!
//! Each has a scheduler of its own, and a connection stays where it was begun: a call, and what it wakes, touch one thread, and
//! none is woken only to find that there is nothing to take over from it. That a short call is as short as its kind permits is up to
//! the services; what takes long is to run elsewhere, or on another of the threads, if it queues here ([`helping`]).
//!
//! A few connections share a thread: it finds the next call when it is done with one, where several would each go to sleep and be
//! woken for every call, and what their writers need is written and synced together. When that thread becomes busy, connections move from it to
//! others ([`moving`]).

use std::future::Future;
use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};

use tokio::net::TcpStream;
use tokio::runtime::{Builder, Handle};
use tokio::sync::watch;

mod helping;
mod load;
mod moving;

pub(crate) use helping::{Helper, helper};
use load::Load;
use moving::OnThread;
pub(crate) use moving::{leave, moved};

/// So many connections share a thread, as long as it is not busy.
const FEW: usize = 16;

/// The threads, until this is dropped; what runs on them ends then.
#[derive(Debug)]
pub struct ConnectionThreads {
    schedulers: Schedulers,
    threads: Vec<JoinHandle<()>>,
    end: watch::Sender<bool>,
}

/// Where a server has its connections served; cheap to clone.
#[derive(Debug, Clone)]
pub struct Schedulers(Arc<[Scheduler]>);

#[derive(Debug)]
struct Scheduler {
    runtime: Handle,
    load: Load,
}

impl ConnectionThreads {
    /// Starts as many as there are processors, each with a task of its own, to run `beside` the connections as long as they.
    ///
    /// # Errors
    /// The system has none.
    pub fn start<B: Future<Output = ()> + Send + 'static>(beside: impl Fn() -> B) -> io::Result<Self> {
        let (end, ended) = watch::channel(false);
        let (mut schedulers, mut threads) = (Vec::new(), Vec::new());
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            schedulers.push(Scheduler { runtime: runtime.handle().clone(), load: Load::default() });
            runtime.spawn(beside());
            let mut ended = ended.clone();
            threads.push(thread::Builder::new().name("connections".to_owned()).spawn(move || {
                finback_metrics::count_alone();
                // An error means that the sender is gone.
                let _ = runtime.block_on(ended.wait_for(|&end| end));
                runtime.shutdown_background();
            })?);
        }
        Ok(Self { schedulers: Schedulers(schedulers.into()), threads, end })
    }

    /// To be given to a server.
    pub fn schedulers(&self) -> Schedulers {
        self.schedulers.clone()
    }
}

impl Drop for ConnectionThreads {
    fn drop(&mut self) {
        let _ = self.end.send(true);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Schedulers {
    /// Lets a connection be served by the first thread that has few and is not busy, or else by that which has the fewest.
    ///
    /// # Errors
    /// The socket cannot be used there.
    pub(crate) fn serve<S: Future<Output = ()> + Send + 'static>(
        &self,
        stream: std::net::TcpStream,
        serve: impl FnOnce(TcpStream) -> S,
    ) -> io::Result<()> {
        let connections = |number: &usize| self.0[*number].load.connections.load(Ordering::Relaxed);
        let mut numbers = 0..self.0.len();
        let has_room = |number: &usize| connections(number) < FEW && !self.0[*number].load.is_busy();
        let number = numbers.clone().find(has_room).or_else(|| numbers.by_ref().min_by_key(connections));
        let number = number.expect("one for each processor");
        let serving = {
            let _there = self.0[number].runtime.enter();
            serve(TcpStream::from_std(stream)?)
        };
        OnThread::new(self.clone(), number, serving).spawn();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
