//! Every limit of the server.

use crate::call_queue::CallQueueLimits;
use std::time::Duration;

/// What a server admits, per connection and altogether.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Bytes of one request frame; a longer one is answered with RequestTooBigException and the connection closed.
    /// `hbase.ipc.max.request.size`.
    pub max_request_bytes: usize,
    /// Bytes of all requests that are being received or answered, in the whole server; beyond it calls are answered
    /// with CallQueueTooBigException. `hbase.ipc.server.max.callqueue.size`.
    pub max_in_flight_bytes: usize,
    /// Time that a client's next large request is left unread when three quarters of these bytes are taken, in part by its own calls:
    /// as a rule one of them ends before that, and what would be refused needs not be sent twice.
    pub max_left_unread: Duration,
    /// Calls of all connections that wait at the same time; beyond it further ones are answered with
    /// CallQueueTooBigException.
    pub call_queues: CallQueueLimits,
    /// Bytes of replies waiting for one client to read them, beyond which no more of its requests are begun. What
    /// waits can exceed it by the replies of the calls begun before.
    pub max_outgoing_bytes: usize,
    /// Bytes of replies waiting for all clients, beyond which a connection that has some waiting begins no more requests
    /// before they are taken. What waits can exceed it by one reply of each connection.
    pub max_unread_bytes: usize,
    /// Calls of one connection that may be pending at the same time; beyond it no more of its requests are begun.
    pub max_pending_calls: usize,
    /// Connections at the same time; more are closed at once.
    pub max_connections: usize,
    /// Time for a client to send a whole connection header.
    pub header_timeout: Duration,
    /// Time without a byte read by a client that has replies waiting, after which it counts as gone.
    pub write_stall_timeout: Duration,
    /// The same while other clients wait for the memory that these replies have, and after they have waited as long. Likewise the time
    /// without a byte in the midst of a large request, while requests of others are refused for want of the memory that it has.
    pub crowded_stall_timeout: Duration,
    /// Time after which a client counts as gone that has not read a reply to its end, or not sent a large request to its end, while
    /// others wait for the memory that it has. For a request of less than a 64th of all it begins when others are refused.
    pub crowded_reply_timeout: Duration,
    /// Time without a byte in the midst of a request, after which the client counts as gone.
    pub read_stall_timeout: Duration,
    /// Time for pending calls and unread replies when the server stops.
    pub drain_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_request_bytes: 256 << 20,
            max_in_flight_bytes: 1 << 30,
            max_left_unread: Duration::from_secs(1),
            call_queues: CallQueueLimits::default(),
            max_outgoing_bytes: 16 << 20,
            max_unread_bytes: 256 << 20,
            max_pending_calls: 1000,
            max_connections: 10_000,
            header_timeout: Duration::from_secs(30),
            write_stall_timeout: Duration::from_secs(300),
            crowded_stall_timeout: Duration::from_secs(5),
            crowded_reply_timeout: Duration::from_secs(60),
            read_stall_timeout: Duration::from_secs(120),
            drain_timeout: Duration::from_secs(10),
        }
    }
}
