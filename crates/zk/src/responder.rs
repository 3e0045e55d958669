//! The sockets: accepts clients, cuts what they send into frames, sends what their sessions answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};
use tracing::{debug, info, warn};

use crate::Error;
use crate::protocol::{LENGTH_BYTES, frame_length};
use crate::session::{Next, Session};
use crate::tree::Tree;

/// The first session id that is given out; as a ZooKeeper server with the id 1 would.
const FIRST_SESSION_ID: i64 = 0x0001_0000_0000_0001;

/// Answers are sent when so many bytes of them have gathered, even if more requests are waiting. Bounds what a
/// client that sends without reading makes the server keep.
const REPLY_BATCH_BYTES: usize = 64 << 10;

/// A pause after the system refused a connection, so that a shortage of file descriptors is no busy loop.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// What one client, or all of them together, can make the responder keep or wait for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Limits {
    /// Longest frame that a client may send, in bytes. A read request is as long as its path.
    pub frame_bytes: usize,
    /// Connections at the same time; further ones are closed at once.
    pub connections: usize,
    /// How long a client may take to ask for its session.
    pub connect_timeout: Duration,
    /// How long a client may take to accept a batch of replies.
    pub write_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            frame_bytes: 64 << 10,
            connections: 1024,
            connect_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(10),
        }
    }
}

/// Shows a [`Tree`] to ZooKeeper clients.
#[derive(Debug)]
pub struct Responder {
    tree: Arc<Tree>,
    limits: Limits,
    next_session_id: AtomicI64,
}

impl Responder {
    /// A responder with the usual limits.
    pub fn new(tree: Arc<Tree>) -> Self {
        Self::with_limits(tree, Limits::default())
    }

    /// A responder with limits of the caller's choice.
    pub fn with_limits(tree: Arc<Tree>, limits: Limits) -> Self {
        Self { tree, limits, next_session_id: AtomicI64::new(FIRST_SESSION_ID) }
    }

    /// Serves clients until `shutdown` completes, then closes all connections.
    pub async fn serve(self, listener: TcpListener, shutdown: impl Future<Output = ()>) {
        let responder = Arc::new(self);
        let mut connections = JoinSet::new();
        tokio::pin!(shutdown);
        loop {
            tokio::select! {
                () = &mut shutdown => break,
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
        let mut session =
            Session::open(&received[LENGTH_BYTES..LENGTH_BYTES + length], fresh_id, &mut replies)?;
        received.advance(LENGTH_BYTES + length);

        let session_timeout = Duration::from_millis(u64::from(session.timeout_ms().unsigned_abs()));
        let mut heard = Instant::now();
        loop {
            let next = self.answer_received(&mut session, &mut received, &mut replies)?;
            self.send(&mut stream, &mut replies).await?;
            match next {
                Some(Next::Close) => {
                    stream.shutdown().await?;
                    return Ok(());
                }
                Some(Next::Serve) => continue,
                None => {}
            }
            tokio::select! {
                more = timeout_at(heard + session_timeout, self.fill_frame(&mut stream, &mut received)) => {
                    if more.map_err(|_| Error::Idle(session_timeout))??.is_none() {
                        return Ok(());
                    }
                    heard = Instant::now();
                }
                _ = changes.changed() => session.tell(&self.tree, &mut replies),
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
            let next = session.answer(payload, &self.tree, replies)?;
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
                    Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into())
                } else {
                    Ok(None)
                };
            }
        }
    }

    async fn send(&self, stream: &mut TcpStream, replies: &mut BytesMut) -> Result<(), Error> {
        if !replies.is_empty() {
            let limit = self.limits.write_timeout;
            timeout(limit, stream.write_all(replies)).await.map_err(|_| Error::SlowReader(limit))??;
            replies.clear();
        }
        Ok(())
    }
}
