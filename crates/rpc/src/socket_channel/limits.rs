//! Every limit of a connection to a server, on the calling side.

use std::time::Duration;

/// What a connection to a server admits.
#[derive(Debug, Clone)]
pub struct SocketLimits {
    /// Time for the server to accept the connection. `hbase.ipc.client.socket.timeout.connect`.
    pub connect_timeout: Duration,
    /// Time without a byte from the server while it owes answers, after which a call that runs out of time takes the
    /// connection with it: the other end may be gone without having said so. `hbase.ipc.client.socket.timeout.read`.
    pub silence: Duration,
    /// Time without a byte taken by the server while requests wait, after which it counts as gone.
    /// `hbase.ipc.client.socket.timeout.write`.
    pub write_stall: Duration,
    /// Time without a call after which the connection is closed; none is never.
    /// `hbase.ipc.client.connection.minIdleTimeBeforeClose`.
    pub idle: Option<Duration>,
    /// Calls at the same time; more wait. A server of HBase's reads on regardless, Finback's stops reading at 1000.
    pub max_in_flight: usize,
    /// Bytes of requests that wait to be written; callers beyond wait. One request may be larger.
    pub max_queued_bytes: usize,
    /// Longest response; a longer one fails its call, with a DoNotRetryIOException.
    pub max_response_bytes: usize,
    /// Whether cells come with their tags (KeyValueCodecWithTags, as between servers) or without (KeyValueCodec, as
    /// HBase's clients have it).
    pub cell_tags: bool,
}

impl Default for SocketLimits {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            silence: Duration::from_secs(20),
            write_stall: Duration::from_secs(60),
            idle: None,
            max_in_flight: 1000,
            max_queued_bytes: 64 << 20,
            max_response_bytes: 256 << 20,
            cell_tags: true,
        }
    }
}
