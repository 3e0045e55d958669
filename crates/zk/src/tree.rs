//! The nodes that the responder shows: the server's own, and what clients have made beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use bytes::Bytes;
use tokio::sync::watch;

use crate::protocol::Stat;

mod transaction;

pub(crate) use transaction::{Done, Write};

/// Bits of the time that transaction ids begin with, and of what is counted on: a million changes in each millisecond, and ids that are
/// positive for a century.
const ZXID_TIME_BITS: u32 = 42;
const ZXID_COUNTER_BITS: u32 = 20;

/// A path that cannot name a node.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not the path of a node: it must be / or /name[/name]..")]
pub struct InvalidPath(pub String);

/// Nodes by path, each with a value. The server that owns the tree may change it while clients read, and write elsewhere.
#[derive(Debug)]
pub struct Tree {
    state: RwLock<State>,
    /// Where clients do not write: this node and all below it.
    protected: Option<String>,
    /// Counts changes, for those that wait for one.
    changes: watch::Sender<u64>,
}

#[derive(Debug)]
struct State {
    /// Counts changes, as ZooKeeper's transaction id does. Never zero, so that clients take it for a real one.
    zxid: i64,
    nodes: BTreeMap<String, Node>,
    /// What clients have made: nodes, and about how many bytes they take.
    client_nodes: usize,
    client_bytes: usize,
    /// Nodes that go with their sessions.
    ephemeral: BTreeMap<i64, BTreeSet<String>>,
}

#[derive(Debug, Default, Clone)]
struct Node {
    data: Bytes,
    stat: Stat,
    /// Whether a client made it.
    of_client: bool,
    /// Children that were made since it exists: the next number of a sequential one.
    children_made: i32,
}

impl Default for Tree {
    fn default() -> Self {
        Self::new()
    }
}

impl Tree {
    /// A tree that has only its root, and in which clients may write anywhere.
    pub fn new() -> Self {
        let state = State {
            zxid: 1,
            nodes: BTreeMap::from([("/".to_owned(), Node::default())]),
            client_nodes: 0,
            client_bytes: 0,
            ephemeral: BTreeMap::new(),
        };
        Self { state: RwLock::new(state), protected: None, changes: watch::Sender::new(0) }
    }

    /// A tree that has only its root. Clients write neither the node `protected` nor anything below it.
    pub fn with_protected(protected: &str) -> Self {
        Self { protected: Some(protected.to_owned()), ..Self::new() }
    }

    /// The same with changes that count on from a time, in milliseconds since 1970: clients that knew the tree of an earlier process
    /// see that this one's are later.
    #[must_use]
    pub fn begun_at(mut self, now_ms: i64) -> Self {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.zxid = (now_ms & ((1 << ZXID_TIME_BITS) - 1)) << ZXID_COUNTER_BITS | 1;
        self
    }

    /// Sets the value of a node, and creates it, and its parents with empty values, when they do not exist.
    /// `now_ms` is the time of the change in milliseconds since 1970, shown to clients as it is.
    pub fn set(&self, path: &str, data: impl Into<Bytes>, now_ms: i64) -> Result<(), InvalidPath> {
        if !is_valid(path) {
            return Err(InvalidPath(path.to_owned()));
        }
        let mut state = self.write_lock();
        state.zxid += 1;
        state.create_with_parents(path, now_ms);
        state.adopt(path);
        let zxid = state.zxid;
        if let Some(node) = state.nodes.get_mut(path) {
            node.data = data.into();
            node.stat.data_length = i32::try_from(node.data.len()).unwrap_or(i32::MAX);
            if node.stat.created_zxid != zxid {
                node.stat.modified_zxid = zxid;
                node.stat.modified_ms = now_ms;
                node.stat.version = node.stat.version.wrapping_add(1);
            }
        }
        drop(state);
        self.changed();
        Ok(())
    }

    /// Removes a node and all below it. Says whether it was there. The root stays.
    pub fn remove(&self, path: &str) -> bool {
        let mut state = self.write_lock();
        let Some((parent, _)) = split(path).filter(|_| state.nodes.contains_key(path)) else { return false };
        let below = format!("{path}/");
        let below_it = state.nodes.range(below.clone()..).map(|(name, _)| name);
        let mut gone: Vec<String> = below_it.take_while(|name| name.starts_with(&below)).cloned().collect();
        gone.push(path.to_owned());
        for name in &gone {
            if let Some(node) = state.nodes.remove(name) {
                state.forget_client_node(name, &node);
            }
        }
        state.zxid += 1;
        state.count_child(parent, -1);
        drop(state);
        self.changed();
        true
    }

    /// Whoever has this hears of every change.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn changed(&self) {
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Value and `Stat` of a node.
    pub(crate) fn get(&self, path: &str) -> Option<(Bytes, Stat)> {
        self.read().nodes.get(path).map(|node| (node.data.clone(), node.stat))
    }

    /// Names of the children of a node, in order, and its `Stat`.
    pub(crate) fn children(&self, path: &str) -> Option<(Vec<String>, Stat)> {
        let state = self.read();
        let stat = state.nodes.get(path)?.stat;
        let prefix = if path == "/" { path.to_owned() } else { format!("{path}/") };
        let mut names = Vec::new();
        let mut from = Bound::Excluded(prefix.clone());
        while let Some((path, _)) = state.nodes.range((from, Bound::Unbounded)).next() {
            let Some(name) = path.strip_prefix(&prefix) else { break };
            from = match name.split_once('/') {
                None => {
                    names.push(name.to_owned());
                    Bound::Excluded(path.clone())
                }
                // Over all below that child: the first path that is greater ends with the character behind the slash.
                Some((child, _)) => Bound::Included(format!("{prefix}{child}0")),
            };
        }
        Some((names, stat))
    }

    /// The id of the last change.
    pub(crate) fn zxid(&self) -> i64 {
        self.read().zxid
    }

    // A panic cannot leave the map half changed in a way that matters to a reader, so poison is not passed on.
    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_lock(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn create_with_parents(&mut self, path: &str, now_ms: i64) {
        let mut missing = path;
        while !self.nodes.contains_key(missing) {
            let stat = Stat {
                created_zxid: self.zxid,
                modified_zxid: self.zxid,
                created_ms: now_ms,
                modified_ms: now_ms,
                children_zxid: self.zxid,
                ..Stat::default()
            };
            self.nodes.insert(missing.to_owned(), Node { stat, ..Node::default() });
            let Some((parent, _)) = split(missing) else { break };
            missing = parent;
        }
        let mut child = path;
        while let Some((parent, _)) = split(child).filter(|_| self.is_new(child)) {
            self.count_child(parent, 1);
            child = parent;
        }
    }

    /// What a client had made there is the server's from now on.
    fn adopt(&mut self, path: &str) {
        let Some(node) = self.nodes.get(path).filter(|node| node.of_client).cloned() else { return };
        self.forget_client_node(path, &node);
        let stat = Stat { ephemeral_owner: 0, ..node.stat };
        self.nodes.insert(path.to_owned(), Node { of_client: false, stat, ..node });
    }

    fn is_new(&self, path: &str) -> bool {
        self.nodes.get(path).is_some_and(|node| node.stat.created_zxid == self.zxid)
    }

    fn count_child(&mut self, parent: &str, change: i32) {
        let zxid = self.zxid;
        if let Some(parent) = self.nodes.get_mut(parent) {
            parent.stat.children_count += change;
            parent.stat.children_version = parent.stat.children_version.wrapping_add(1);
            parent.stat.children_zxid = zxid;
            parent.children_made = parent.children_made.wrapping_add(i32::from(change > 0));
        }
    }
}

/// Whether ZooKeeper would take this for the path of a node.
pub(crate) fn is_valid(path: &str) -> bool {
    let Some(names) = path.strip_prefix('/') else { return false };
    names.is_empty()
        || names
            .split('/')
            .all(|name| !name.is_empty() && name != "." && name != ".." && !name.contains('\0'))
}

/// Parent and name of a node; `None` for the root and for what is no path.
fn split(path: &str) -> Option<(&str, &str)> {
    let (parent, name) = path.rsplit_once('/').filter(|(_, name)| !name.is_empty())?;
    Some((if parent.is_empty() { "/" } else { parent }, name))
}

#[cfg(test)]
mod tests;
