//! The sockets: accepts clients, cuts what they send into frames, sends what their sessions answer.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};
use tracing::{debug, info, warn};

use crate::Error;
use crate::attachments::Attachments;
use crate::protocol::{LENGTH_BYTES, frame_length};
use crate::session::{Next, Session};
use crate::tree::Tree;
use crate::unread::Unread;

/// Session ids begin with the time of the start, so that those of an earlier life are others; so many low bits count.
const SESSION_COUNTER_BITS: u32 = 16;
/// Bits of the time in milliseconds that session ids have: eight years of it, and ids that are positive.
const SESSION_TIME_BITS: u32 = 38;

/// Answers are sent when so many bytes of them have gathered, even if more requests are waiting. Bounds what a
/// client that sends without reading makes the server keep.
const REPLY_BATCH_BYTES: usize = 64 << 10;

/// A pause after the system refused a connection, so that a shortage of file descriptors is no busy loop.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What one client, or all of them together, can make the responder keep or wait for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// Longest frame that a client may send, in bytes. A request is as long as its paths and values.
    pub frame_bytes: usize,
    /// Connections at the same time; further ones are closed at once.
    pub connections: usize,
    /// How long a client may take to ask for its session.
    pub connect_timeout: Duration,
    /// How long a client may take to accept a batch of replies.
    pub write_timeout: Duration,
    /// Bytes of replies that wait for clients, all together: a connection whose replies would be more is closed. Those of a
    /// client that has little to take do not count.
    pub unread_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            frame_bytes: 64 << 10,
            connections: 1024,
            connect_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(10),
            unread_bytes: 16 << 20,
        }
    }
}

/// Shows a [`Tree`] to ZooKeeper clients, and lets them write to it.
#[derive(Debug)]
pub struct Responder {
    tree: Arc<Tree>,
    limits: Limits,
    attachments: Attachments,
    next_session_id: AtomicI64,
    unread: Unread,
    /// Milliseconds since 1970.
    clock: fn() -> i64,
}

impl Responder {
    /// A responder with the usual limits. `clock`: milliseconds since 1970.
    pub fn new(tree: Arc<Tree>, clock: fn() -> i64) -> Self {
        Self::with_limits(tree, clock, Limits::default())
    }

    /// A responder with limits of the caller's choice.
    pub fn with_limits(tree: Arc<Tree>, clock: fn() -> i64, limits: Limits) -> Self {
        let started = clock() & ((1 << SESSION_TIME_BITS) - 1);
        let next_session_id = AtomicI64::new(started << SESSION_COUNTER_BITS | 1);
        Self {
            tree,
            limits,
            attachments: Attachments::default(),
            next_session_id,
            unread: Unread::default(),
            clock,
        }
    }

    /// Serves clients until `shutdown` completes, then closes all connections.
    pub async fn serve(self, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        let responder = Arc::new(self);
        let mut connections = JoinSet::new();
        tokio::pin!(shutdown);
        loop {
            let next_end = responder.attachments.expire(Instant::now(), &responder.tree);
            tokio::select! {
                () = &mut shutdown => break,
                () = sleep_until(next_end) => {}
                () = responder.attachments.changed() => {}
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
                accepted = listener.accept() => match accepted {
                    Ok((_, peer)) if connections.len() >= responder.limits.connections => {
                        warn!(%peer, limit = responder.limits.connections, "zookeeper: too many connections");
                    }
                    Ok((stream, peer)) => {
                        let responder = Arc::clone(&responder);
                        connections.spawn(async move {
                            match responder.converse(stream).await {
                                Ok(()) => debug!(%peer, "zookeeper: connection ended"),
                                Err(error) => info!(%peer, %error, "zookeeper: connection closed"),
                            }
                        });
                    }
                    Err(error) => {
                        warn!(%error, "zookeeper: cannot accept a connection");
                        tokio::time::sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
        connections.shutdown().await;
    }

    /// Serves one client until it leaves.
    async fn converse(&self, mut stream: TcpStream) -> Result<(), Error> {
        stream.set_nodelay(true)?;
        let mut received = BytesMut::new();
        let mut replies = BytesMut::new();

        let connecting = self.limits.connect_timeout;
        let first = timeout(connecting, self.fill_frame(&mut stream, &mut received)).await;
        let Some(length) = first.map_err(|_| Error::Idle(connecting))?? else { return Ok(()) };
        let fresh_id = self.next_session_id.fetch_add(1, Ordering::Relaxed);
        // From here on no change is missed.
        let mut changes = self.tree.changes();
        let mut attached = None;
        let is_over = |id| {
            attached = self.attachments.attach(id);
            attached.is_none()
        };
        let payload = &received[LENGTH_BYTES..LENGTH_BYTES + length];
        let opened = Session::open(payload, fresh_id, is_over, &mut replies)?;
        received.advance(LENGTH_BYTES + length);
        let (Some(mut session), Some(number)) = (opened, attached) else {
            return self.send(&mut stream, &mut replies).await;
        };
        let session_timeout = Duration::from_millis(u64::from(session.timeout_ms().unsigned_abs()));
        let mut presence = Presence { responder: self, session: session.id(), number, until: None };

        loop {
            presence.until = Some(Instant::now() + session_timeout);
            let next = self.answer_received(&mut session, &mut received, &mut replies)?;
            if next == Some(Next::Close) {
                presence.until = None;
                drop(presence);
                self.send(&mut stream, &mut replies).await?;
                stream.shutdown().await?;
                return Ok(());
            }
            self.send(&mut stream, &mut replies).await?;
            if next == Some(Next::Serve) {
                continue;
            }
            let deadline = presence.until.unwrap_or_else(Instant::now);
            loop {
                tokio::select! {
                    more = timeout_at(deadline, self.fill_frame(&mut stream, &mut received)) => {
                        if more.map_err(|_| Error::Idle(session_timeout))??.is_none() {
                            return Ok(());
                        }
                        break;
                    }
                    _ = changes.changed() => {
                        session.tell(&self.tree, &mut replies);
                        self.send(&mut stream, &mut replies).await?;
                    }
                }
            }
        }
    }

    /// Answers the complete frames in `received`: all of them (`None`), until the client closes its session
    /// (`Close`), or until a batch of replies is full (`Serve`).
    fn answer_received(
        &self,
        session: &mut Session,
        received: &mut BytesMut,
        replies: &mut BytesMut,
    ) -> Result<Option<Next>, Error> {
        while let Some(length) = self.complete_frame(received)? {
            let payload = &received[LENGTH_BYTES..LENGTH_BYTES + length];
            let next = session.answer(payload, &self.tree, (self.clock)(), replies)?;
            received.advance(LENGTH_BYTES + length);
            if next == Next::Close || replies.len() >= REPLY_BATCH_BYTES {
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    /// Payload length of the frame at the start of `received`, when all of it is there.
    fn complete_frame(&self, received: &[u8]) -> Result<Option<usize>, Error> {
        let length = frame_length(received, self.limits.frame_bytes)?;
        Ok(length.filter(|length| received.len() - LENGTH_BYTES >= *length))
    }

    /// Receives until `received` starts with a complete frame; its payload length, or `None` when the client
    /// has left between two frames. The buffer grows with what arrives, not with what is announced.
    async fn fill_frame(
        &self,
        stream: &mut TcpStream,
        received: &mut BytesMut,
    ) -> Result<Option<usize>, Error> {
        loop {
            if let Some(length) = self.complete_frame(received)? {
                return Ok(Some(length));
            }
            if stream.read_buf(received).await? == 0 {
                let torn = !received.is_empty();
                return if torn {
                    Err(std::io::Error::from(ErrorKind::UnexpectedEof).into())
                } else {
                    Ok(None)
                };
            }
        }
    }

    async fn send(&self, stream: &mut TcpStream, replies: &mut BytesMut) -> Result<(), Error> {
        if replies.is_empty() {
            return Ok(());
        }
        let taken = match stream.try_write(replies) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
            taken => taken?,
        };
        // What waits takes no more than its length.
        let rest = Bytes::copy_from_slice(&replies[taken..]);
        replies.clear();
        if replies.capacity() > 2 * REPLY_BATCH_BYTES {
            *replies = BytesMut::new();
        }
        if rest.is_empty() {
            return Ok(());
        }
        let unread = self.unread.add(rest.len(), self.limits.unread_bytes);
        let _unread = unread.ok_or(Error::TooMuchUnread(rest.len()))?;
        let limit = self.limits.write_timeout;
        timeout(limit, stream.write_all(&rest)).await.map_err(|_| Error::SlowReader(limit))??;
        Ok(())
    }
}

/// A session's connection. When it ends, however that comes, its session waits or ends.
struct Presence<'a> {
    responder: &'a Responder,
    session: i64,
    number: u64,
    /// When the session ends if nothing more is heard; none if its client has closed it.
    until: Option<Instant>,
}

impl Drop for Presence<'_> {
    fn drop(&mut self) {
        let Responder { attachments, tree, .. } = self.responder;
        attachments.detach(self.session, self.number, self.until, tree);
    }
}

async fn sleep_until(instant: Option<Instant>) {
    match instant {
        Some(instant) => tokio::time::sleep_until(instant).await,
        None => std::future::pending().await,
    }
}
