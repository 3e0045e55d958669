//! The server: services behind a listening socket.

use crate::call_metrics::CallMetrics;
use crate::call_queue::{CallKind, CallQueues};
use crate::connection;
use crate::connection_threads::Schedulers;
use crate::in_flight::InFlight;
use crate::limits::Limits;
use crate::outbox::Outbox;
use crate::service::Service;
use crate::unread::Unread;
use finback_metrics::IpcFigures;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Notify;

/// Connections that the kernel keeps for us until we accept them.
const BACKLOG: u32 = 1024;
/// Pause after an accept that failed, by no fault of the connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Silence after which the kernel asks whether the other end is still there, how often, and how many times: a client
/// that vanished without a word is noticed after about two minutes.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(60);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);
const KEEPALIVE_COUNT: u32 = 6;

/// Opens a listening socket, with the address free again as soon as a former server has gone.
///
/// # Errors
/// Of the system: the address is in use, or not ours.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// What goes into a [`Server`].
#[derive(Default)]
pub struct ServerBuilder {
    services: HashMap<&'static str, Arc<dyn Service>>,
    cluster_id: Option<String>,
    name: String,
    limits: Limits,
    schedulers: Option<Schedulers>,
}

impl ServerBuilder {
    /// Adds a service, under its name; a former one of that name is replaced.
    #[must_use]
    pub fn service(mut self, service: Arc<dyn Service>) -> Self {
        self.services.insert(service.name(), service);
        self
    }

    /// Sets the cluster id, told to clients that ask for nothing else.
    #[must_use]
    pub fn cluster_id(mut self, id: impl Into<String>) -> Self {
        self.cluster_id = Some(id.into());
        self
    }

    /// Sets the name that is in messages.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets where its connections are served. Without, they are tasks of the runtime that serves.
    #[must_use]
    pub fn schedulers(mut self, schedulers: Schedulers) -> Self {
        self.schedulers = Some(schedulers);
        self
    }

    /// The server.
    pub fn build(self) -> Server {
        let name: Arc<str> = self.name.into();
        Server {
            shared: Arc::new(Shared {
                services: self.services,
                cluster_id: self.cluster_id,
                in_flight: InFlight::new(self.limits.max_in_flight_bytes, Arc::clone(&name)),
                queues: CallQueues::new(self.limits.call_queues, name),
                unread: Arc::default(),
                metrics: Arc::default(),
                limits: self.limits,
                schedulers: self.schedulers,
                connections: Mutex::default(),
                is_draining: AtomicBool::new(false),
                all_gone: Notify::new(),
            }),
        }
    }
}

/// What all connections of a server share.
pub(crate) struct Shared {
    pub(crate) services: HashMap<&'static str, Arc<dyn Service>>,
    pub(crate) cluster_id: Option<String>,
    pub(crate) limits: Limits,
    pub(crate) in_flight: Arc<InFlight>,
    pub(crate) queues: CallQueues,
    pub(crate) unread: Arc<Unread>,
    pub(crate) metrics: Arc<CallMetrics>,
    schedulers: Option<Schedulers>,
    /// Touched when a connection comes or goes, not by calls.
    connections: Mutex<Connections>,
    is_draining: AtomicBool,
    all_gone: Notify,
}

#[derive(Default)]
struct Connections {
    outboxes: HashMap<u64, Arc<Outbox>>,
    next: u64,
}

impl Shared {
    pub(crate) fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }
}

/// A server of services; cheap to clone.
#[derive(Clone)]
pub struct Server {
    shared: Arc<Shared>,
}

impl Server {
    /// What to say before it can be built.
    pub fn builder() -> ServerBuilder {
        ServerBuilder::default()
    }

    /// Accepts connections until `shutdown` is ready. Then no call begins any more; what has begun is answered, within
    /// [`Limits::drain_timeout`].
    ///
    /// What goes wrong with a connection ends that connection; what goes wrong with the listener is logged, and tried again.
    pub async fn serve(&self, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        let mut shutdown = pin!(shutdown);
        loop {
            let accepted = tokio::select! {
                biased;
                () = &mut shutdown => break,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, remote)) => self.admit(stream, remote),
                Err(error) if is_of_one_connection(&error) => tracing::debug!(%error, "accept"),
                // There are no descriptors or no memory at the moment, or the network or a rule of the system's is in the way.
                Err(error) => {
                    tracing::warn!(%error, "accept");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
        drop(listener);
        self.drain().await;
    }

    /// Connections at this moment.
    pub fn connections(&self) -> usize {
        self.shared.connections.lock().outboxes.len()
    }

    /// What it counts of its calls, and what waits at this moment.
    pub fn figures(&self) -> IpcFigures {
        let waiting = |kind| self.waiting_calls(kind) as u64;
        IpcFigures {
            connections: self.connections() as u64,
            in_flight_bytes: self.in_flight_bytes() as u64,
            waiting_priority: waiting(CallKind::Priority),
            waiting_reads: waiting(CallKind::Read),
            waiting_scans: waiting(CallKind::Scan),
            waiting_writes: waiting(CallKind::Write),
            ..self.shared.metrics.figures()
        }
    }

    /// Bytes of requests that are being received or answered, as far as they count against
    /// [`Limits::max_in_flight_bytes`].
    pub fn in_flight_bytes(&self) -> usize {
        self.shared.in_flight.bytes()
    }

    /// Calls of a kind that wait at this moment.
    pub fn waiting_calls(&self, kind: CallKind) -> usize {
        self.shared.queues.waiting(kind)
    }

    fn admit(&self, stream: TcpStream, remote: SocketAddr) {
        if let Err(error) = prepare(&stream) {
            tracing::debug!(%remote, %error, "socket options");
        }
        let Some(registered) = self.register() else {
            let limit = self.shared.limits.max_connections;
            return tracing::warn!(%remote, "refused: there are {limit} connections already");
        };
        let shared = Arc::clone(&self.shared);
        let serve = move |stream| async move {
            let outbox = Arc::clone(&registered.outbox);
            connection::serve(stream, remote, shared, outbox).await;
            drop(registered);
        };
        let Some(schedulers) = &self.shared.schedulers else {
            tokio::spawn(serve(stream));
            return;
        };
        if let Err(error) = stream.into_std().and_then(|stream| schedulers.serve(stream, serve)) {
            tracing::debug!(%remote, %error, "connection lost");
        }
    }

    fn register(&self) -> Option<Registered> {
        let mut connections = self.shared.connections.lock();
        if connections.outboxes.len() >= self.shared.limits.max_connections {
            return None;
        }
        let id = connections.next;
        connections.next += 1;
        let outbox = Arc::new(Outbox::default());
        connections.outboxes.insert(id, Arc::clone(&outbox));
        Some(Registered { shared: Arc::clone(&self.shared), id, outbox })
    }

    async fn drain(&self) {
        self.shared.is_draining.store(true, Ordering::Relaxed);
        let gone = async {
            loop {
                let notified = self.shared.all_gone.notified();
                // Copied, so that no connection waits for the lock while others are woken under it.
                let outboxes: Vec<_> = self.shared.connections.lock().outboxes.values().cloned().collect();
                if outboxes.is_empty() {
                    break;
                }
                outboxes.iter().for_each(|outbox| outbox.nudge());
                notified.await;
            }
        };
        if tokio::time::timeout(self.shared.limits.drain_timeout, gone).await.is_err() {
            tracing::warn!(connections = self.connections(), "stopped with calls unanswered");
        }
    }
}

/// A connection's entry, removed when it ends, even by a panic.
struct Registered {
    shared: Arc<Shared>,
    id: u64,
    outbox: Arc<Outbox>,
}

impl Drop for Registered {
    fn drop(&mut self) {
        let mut connections = self.shared.connections.lock();
        connections.outboxes.remove(&self.id);
        if connections.outboxes.is_empty() {
            self.shared.all_gone.notify_waiters();
        }
    }
}

fn prepare(stream: &TcpStream) -> io::Result<()> {
    use rustix::net::sockopt;
    stream.set_nodelay(true)?;
    sockopt::set_socket_keepalive(stream, true)?;
    sockopt::set_tcp_keepidle(stream, KEEPALIVE_IDLE)?;
    sockopt::set_tcp_keepintvl(stream, KEEPALIVE_INTERVAL)?;
    sockopt::set_tcp_keepcnt(stream, KEEPALIVE_COUNT)?;
    Ok(())
}

/// The connection was gone before it was accepted.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

#[cfg(test)]
mod tests;
