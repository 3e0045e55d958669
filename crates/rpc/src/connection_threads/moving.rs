//! Connections move from a thread that is busy to one that is not.
//!
//! A connection asks now and then whether it is to [`leave`]. Its socket is then made known to the scheduler of the other thread, it
//! says that it has [`moved`], and what runs it hands it over. It goes on by looking at all that it waits for, so that it is woken
//! where it is then. One that makes a thread busy alone stays, and gives away calls
//! ([`super::helping`]).

use std::cell::{Cell, OnceCell};
use std::future::Future;
use std::io;
use std::os::fd::AsFd;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::net::TcpStream;

use super::{
    Schedulers,
    load::{self, Load},
};

/// How often a thread looks how busy it is.
const LOOKS_EVERY: Duration = Duration::from_millis(50);

thread_local! {
    pub(super) static HERE: OnceCell<Here> = const { OnceCell::new() };
}

/// A thread of connections.
pub(super) struct Here {
    pub(super) schedulers: Schedulers,
    pub(super) number: usize,
    pub(super) looked: Cell<Instant>,
    /// For how long it had computed by then.
    computed: Cell<Duration>,
    /// How many connections are to leave, and for which thread.
    leaving: Cell<(usize, usize)>,
    /// The thread that carries out calls for connections of this one.
    pub(super) helper: Cell<Option<usize>>,
    /// Where the connection that runs has moved to.
    moved_to: Cell<Option<usize>>,
}

impl Here {
    pub(super) fn new(schedulers: &Schedulers, number: usize) -> Self {
        Self {
            schedulers: schedulers.clone(),
            number,
            looked: Cell::new(Instant::now()),
            computed: Cell::new(load::computed()),
            leaving: Cell::default(),
            helper: Cell::default(),
            moved_to: Cell::default(),
        }
    }

    fn load(&self, number: usize) -> &Load {
        &self.schedulers.0[number].load
    }

    pub(super) fn look_now_and_then(&self, now: Instant) {
        if now.saturating_duration_since(self.looked.get()) >= LOOKS_EVERY {
            self.look(now);
        }
    }

    fn look(&self, now: Instant) {
        let computed = load::computed();
        let of = now.saturating_duration_since(self.looked.replace(now));
        let load = self.load(self.number);
        load.found(computed.saturating_sub(self.computed.replace(computed)), of);
        let connections = load.connections.load(Ordering::Relaxed);
        let others = (0..self.schedulers.0.len()).filter(|&number| number != self.number);
        let other = others.min_by_key(|&number| self.load(number).busy());
        let relief = other.filter(|&number| connections > 1 && self.load(number).relieves(load));
        self.leaving.set(relief.map_or((0, 0), |number| (connections / 2, number)));
        let helper = self.helper.get().filter(|&number| self.load(number).goes_on_for(load));
        let helper = helper.or_else(|| other.filter(|&number| self.load(number).relieves(load)));
        self.helper.set(helper.filter(|_| relief.is_none()));
    }
}

/// The thread that a connection goes to.
pub(crate) struct Destination(usize);

/// The socket of a connection that is to leave this thread, as the one that it is to go to has it: `None` if it is to stay, or
/// cannot go.
#[inline]
pub(crate) fn leave(stream: &TcpStream, now: Instant) -> Option<(TcpStream, Destination)> {
    HERE.with(|here| {
        let here = here.get()?;
        here.look_now_and_then(now);
        let (left, to) = here.leaving.get();
        here.leaving.set((left.checked_sub(1)?, to));
        let there = adopt(&here.schedulers, to, stream);
        let there = there.inspect_err(|error| tracing::debug!(%error, "a connection stays on a busy thread"));
        Some((there.ok()?, Destination(to)))
    })
}

fn adopt(schedulers: &Schedulers, to: usize, stream: &TcpStream) -> io::Result<TcpStream> {
    let stream = std::net::TcpStream::from(stream.as_fd().try_clone_to_owned()?);
    let _there = schedulers.0[to].runtime.enter();
    TcpStream::from_std(stream)
}

/// To be awaited by a connection that goes on with the socket that [`leave`] has given it: on the other thread.
pub(crate) async fn moved(Destination(to): Destination) {
    let mut leaves = true;
    std::future::poll_fn(|_| {
        if !std::mem::take(&mut leaves) {
            return Poll::Ready(());
        }
        HERE.with(|here| {
            if let Some(here) = here.get() {
                here.moved_to.set(Some(to));
            }
        });
        Poll::Pending
    })
    .await;
}

/// A connection that is served on a thread, until it ends or moves.
pub(super) struct OnThread<S>(Option<Serving<S>>);

struct Serving<S> {
    schedulers: Schedulers,
    number: usize,
    serving: Pin<Box<S>>,
}

impl<S: Future<Output = ()> + Send + 'static> OnThread<S> {
    pub(super) fn new(schedulers: Schedulers, number: usize, serving: S) -> Self {
        Self::counted(Serving { schedulers, number, serving: Box::pin(serving) })
    }

    fn counted(serving: Serving<S>) -> Self {
        serving.load().connections.fetch_add(1, Ordering::Relaxed);
        Self(Some(serving))
    }

    pub(super) fn spawn(self) {
        let Some(serving) = &self.0 else { return };
        let runtime = serving.schedulers.0[serving.number].runtime.clone();
        runtime.spawn(self);
    }

    /// Takes it from this thread.
    fn take(&mut self) -> Option<Serving<S>> {
        self.0.take().inspect(|serving| {
            serving.load().connections.fetch_sub(1, Ordering::Relaxed);
        })
    }
}

impl<S> Serving<S> {
    fn load(&self) -> &Load {
        &self.schedulers.0[self.number].load
    }
}

impl<S: Future<Output = ()> + Send + 'static> Future for OnThread<S> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let Some(serving) = &mut self.0 else { return Poll::Ready(()) };
        let (schedulers, number) = (&serving.schedulers, serving.number);
        HERE.with(|here| {
            here.get_or_init(|| Here::new(schedulers, number));
        });
        let polled = serving.serving.as_mut().poll(context);
        let moved_to = HERE.with(|here| here.get()?.moved_to.take());
        if polled.is_pending() {
            let Some(number) = moved_to else { return Poll::Pending };
            if let Some(serving) = self.take() {
                OnThread::counted(Serving { number, ..serving }).spawn();
            }
        }
        Poll::Ready(())
    }
}

impl<S> Drop for OnThread<S> {
    fn drop(&mut self) {
        if let Some(serving) = &self.0 {
            serving.load().connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
