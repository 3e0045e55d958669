//! How much each user asks for, and from where: what `hbtop` shows of users and clients.
//!
//! Counts are a connection's own, so that calls of different clients share no memory. What connections have counted that
//! ended is added up.

use finback_proto::pb;
use finback_rpc::ConnectionInfo;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// Users and addresses that are told apart; those that have asked for least are forgotten first.
const MOST_CLIENTS: usize = 1000;
/// Bytes of a user's name that are kept.
const LONGEST_NAME: usize = 256;

/// Rows read, mutations, and rows that filters dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    reads: u64,
    writes: u64,
    filtered: u64,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.filtered += other.filtered;
    }
}

/// A user, and the address that it calls from.
type Client = (String, IpAddr);

/// The counts of all clients of a server since it was started.
#[derive(Debug, Default)]
pub(crate) struct ClientCounts {
    ended: Mutex<BTreeMap<Client, Counts>>,
    connections: Mutex<Vec<Weak<ConnectionCounts>>>,
}

/// The counts of a connection.
#[derive(Debug)]
pub(crate) struct ConnectionCounts {
    client: Client,
    reads: AtomicU64,
    writes: AtomicU64,
    filtered: AtomicU64,
    all: Arc<ClientCounts>,
}

impl ClientCounts {
    /// Counts a call's reads and writes. Calls from within the server are not counted.
    pub(crate) fn add(self: &Arc<Self>, connection: &ConnectionInfo, reads: u64, writes: u64) {
        if let Some(counts) = self.of(connection) {
            // Most calls do one thing.
            if reads > 0 {
                counts.reads.fetch_add(reads, Ordering::Relaxed);
            }
            if writes > 0 {
                counts.writes.fetch_add(writes, Ordering::Relaxed);
            }
        }
    }

    /// Counts rows that a filter dropped.
    pub(crate) fn add_filtered(self: &Arc<Self>, connection: &ConnectionInfo, rows: u64) {
        if rows > 0
            && let Some(counts) = self.of(connection)
        {
            counts.filtered.fetch_add(rows, Ordering::Relaxed);
        }
    }

    fn of<'a>(self: &Arc<Self>, connection: &'a ConnectionInfo) -> Option<&'a ConnectionCounts> {
        if connection.remote.port() == 0 {
            return None;
        }
        let kept = connection.kept.get_or_init(|| {
            let name = &connection.user[..connection.user.floor_char_boundary(LONGEST_NAME)];
            let counts = Arc::new(ConnectionCounts {
                client: (name.to_owned(), connection.remote.ip()),
                reads: AtomicU64::new(0),
                writes: AtomicU64::new(0),
                filtered: AtomicU64::new(0),
                all: Arc::clone(self),
            });
            let mut connections = self.connections.lock();
            // As many as are gone may stand in the list, and no more.
            if connections.len() == connections.capacity() {
                connections.retain(|connection| connection.strong_count() > 0);
            }
            connections.push(Arc::downgrade(&counts));
            counts
        });
        kept.downcast_ref()
    }

    /// What each user has asked for, in the order of their names.
    pub(crate) fn loads(&self) -> Vec<pb::UserLoad> {
        let live: Vec<_> = self.connections.lock().iter().filter_map(Weak::upgrade).collect();
        let mut all = self.ended.lock().clone();
        for connection in &live {
            all.entry(connection.client.clone()).or_default().add(connection.counts());
        }
        let mut loads: Vec<pb::UserLoad> = Vec::new();
        for ((user, address), counts) in all {
            let metrics = pb::ClientMetrics {
                host_name: address.to_string(),
                read_requests_count: Some(counts.reads),
                write_requests_count: Some(counts.writes),
                filtered_requests_count: Some(counts.filtered),
            };
            match loads.last_mut().filter(|load| load.user_name == user) {
                Some(load) => load.client_metrics.push(metrics),
                None => loads.push(pb::UserLoad { user_name: user, client_metrics: vec![metrics] }),
            }
        }
        loads
    }
}

impl ConnectionCounts {
    fn counts(&self) -> Counts {
        Counts {
            reads: self.reads.load(Ordering::Relaxed),
            writes: self.writes.load(Ordering::Relaxed),
            filtered: self.filtered.load(Ordering::Relaxed),
        }
    }
}

impl Drop for ConnectionCounts {
    fn drop(&mut self) {
        let mut ended = self.all.ended.lock();
        if ended.len() >= MOST_CLIENTS && !ended.contains_key(&self.client) {
            let asked = |counts: &Counts| counts.reads.saturating_add(counts.writes);
            let least =
                ended.iter().min_by_key(|(_, counts)| asked(counts)).map(|(client, _)| client.clone());
            least.map(|client| ended.remove(&client));
        }
        ended.entry(self.client.clone()).or_default().add(self.counts());
    }
}

#[cfg(test)]
mod tests;
