//! What clients change: several writes at once, or none of them.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::{Node, State, Tree, is_valid, split};
use crate::protocol::{ErrorCode, Stat};

/// Nodes that clients can make, all together.
const MAX_CLIENT_NODES: usize = 4096;
/// Memory that they can take: paths, values, and [`NODE_BYTES`] each. Many clients may ask for all names at once.
const MAX_CLIENT_BYTES: usize = 1 << 20;
/// What a node takes besides its path and value, about.
const NODE_BYTES: usize = 256;
/// Digits of the number at the end of a sequential node's name, at least.
const SEQUENCE_DIGITS: usize = 10;
/// A version that fits every node.
const ANY_VERSION: i32 = -1;

/// One write, borrowed from its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Write<'a> {
    Create {
        path: &'a str,
        data: &'a [u8],
        /// Whether it goes with the session.
        ephemeral: bool,
        /// Whether a number is put behind the name.
        sequential: bool,
        /// Whether the answer has its `Stat`.
        with_stat: bool,
    },
    Delete {
        path: &'a str,
        version: i32,
    },
    SetData {
        path: &'a str,
        data: &'a [u8],
        version: i32,
    },
    /// The only list that there is lets everybody do everything: setting it changes its version.
    SetAcl {
        path: &'a str,
        version: i32,
    },
    /// Changes nothing, and fails where the version is another one.
    Check {
        path: &'a str,
        version: i32,
    },
    /// What cannot be done, found out when the request was read.
    Refused(ErrorCode),
}

/// What a write has done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Done {
    Created { path: String, stat: Option<Stat> },
    Deleted,
    Set(Stat),
    Checked,
}

impl Tree {
    /// Does all writes of the session, or none: then the number of the first that cannot be done, and why.
    pub(crate) fn write(
        &self,
        writes: &[Write<'_>],
        session: i64,
        now_ms: i64,
    ) -> Result<Vec<Done>, (usize, ErrorCode)> {
        let mut state = self.write_lock();
        state.zxid += 1;
        let mut transaction = Transaction { state: &mut state, before: BTreeMap::new(), session, now_ms };
        let mut done = Vec::with_capacity(writes.len());
        for (number, write) in writes.iter().enumerate() {
            match self.permit(write).and_then(|()| transaction.apply(write)) {
                Ok(outcome) => done.push(outcome),
                Err(code) => {
                    transaction.roll_back();
                    return Err((number, code));
                }
            }
        }
        drop(state);
        self.changed();
        Ok(done)
    }

    /// Removes what goes with the session.
    pub(crate) fn end_session(&self, session: i64) {
        let mut state = self.write_lock();
        let Some(paths) = state.ephemeral.get(&session).cloned() else { return };
        state.zxid += 1;
        for path in paths {
            state.remove_leaf(&path);
        }
        drop(state);
        self.changed();
    }

    /// Whether the session has nodes that go with it.
    pub(crate) fn has_ephemeral_nodes(&self, session: i64) -> bool {
        self.read().ephemeral.contains_key(&session)
    }

    fn permit(&self, write: &Write<'_>) -> Result<(), ErrorCode> {
        let path = match write {
            Write::Create { path, .. } | Write::Delete { path, .. } => path,
            Write::SetData { path, .. } | Write::SetAcl { path, .. } => path,
            Write::Check { .. } | Write::Refused(_) => return Ok(()),
        };
        let below = |protected: &String| path.strip_prefix(protected.as_str());
        match self.protected.as_ref().and_then(below) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => Err(ErrorCode::NoAuth),
            _ => Ok(()),
        }
    }
}

struct Transaction<'a> {
    state: &'a mut State,
    /// What was there before it was changed.
    before: BTreeMap<String, Option<Node>>,
    session: i64,
    now_ms: i64,
}

impl Transaction<'_> {
    fn apply(&mut self, write: &Write<'_>) -> Result<Done, ErrorCode> {
        match *write {
            Write::Create { path, data, ephemeral, sequential, with_stat } => {
                let path = self.create(path, data, ephemeral, sequential)?;
                let stat = self.state.nodes.get(&path).map(|node| node.stat).filter(|_| with_stat);
                Ok(Done::Created { path, stat })
            }
            Write::Delete { path, version } => self.delete(path, version),
            Write::SetData { path, data, version } => self.set_data(path, data, version),
            Write::SetAcl { path, version } => {
                let node = self.change(path)?;
                fits(version, node.stat.acl_version)?;
                node.stat.acl_version = node.stat.acl_version.wrapping_add(1);
                Ok(Done::Set(node.stat))
            }
            Write::Check { path, version } => {
                let node = self.state.nodes.get(path).ok_or(ErrorCode::NoNode)?;
                fits(version, node.stat.version).map(|()| Done::Checked)
            }
            Write::Refused(code) => Err(code),
        }
    }

    fn create(
        &mut self,
        path: &str,
        data: &[u8],
        ephemeral: bool,
        sequential: bool,
    ) -> Result<String, ErrorCode> {
        // The name of a sequential node may be its number alone.
        let shown = if sequential { format!("{path}1") } else { path.to_owned() };
        let (parent, _) = split(&shown).filter(|_| is_valid(&shown)).ok_or(ErrorCode::BadArguments)?;
        let made = self.state.nodes.get(parent).ok_or(ErrorCode::NoNode)?;
        if made.stat.ephemeral_owner != 0 {
            return Err(ErrorCode::NoChildrenForEphemerals);
        }
        let path = match sequential {
            true => format!("{path}{:0SEQUENCE_DIGITS$}", made.children_made),
            false => shown.clone(),
        };
        if self.state.nodes.contains_key(&path) {
            return Err(ErrorCode::NodeExists);
        }
        self.keep(&path);
        self.keep(parent);
        let zxid = self.state.zxid;
        let stat = Stat {
            created_zxid: zxid,
            modified_zxid: zxid,
            created_ms: self.now_ms,
            modified_ms: self.now_ms,
            children_zxid: zxid,
            data_length: length(data),
            ephemeral_owner: if ephemeral { self.session } else { 0 },
            ..Stat::default()
        };
        let node = Node { data: Bytes::copy_from_slice(data), stat, of_client: true, children_made: 0 };
        self.state.add_client_node(path.clone(), node)?;
        self.state.count_child(parent, 1);
        Ok(path)
    }

    fn delete(&mut self, path: &str, version: i32) -> Result<Done, ErrorCode> {
        let node = self.state.nodes.get(path).ok_or(ErrorCode::NoNode)?;
        let (parent, _) = split(path).ok_or(ErrorCode::BadArguments)?;
        fits(version, node.stat.version)?;
        if node.stat.children_count > 0 {
            return Err(ErrorCode::NotEmpty);
        }
        self.keep(path);
        self.keep(parent);
        self.state.remove_leaf(path);
        Ok(Done::Deleted)
    }

    fn set_data(&mut self, path: &str, data: &[u8], version: i32) -> Result<Done, ErrorCode> {
        let (zxid, now_ms) = (self.state.zxid, self.now_ms);
        let node = self.change(path)?;
        fits(version, node.stat.version)?;
        let mut node = node.clone();
        node.data = Bytes::copy_from_slice(data);
        node.stat.data_length = length(data);
        node.stat.modified_zxid = zxid;
        node.stat.modified_ms = now_ms;
        node.stat.version = node.stat.version.wrapping_add(1);
        let stat = node.stat;
        self.state.replace(path, node)?;
        Ok(Done::Set(stat))
    }

    /// A node that is going to be changed.
    fn change(&mut self, path: &str) -> Result<&mut Node, ErrorCode> {
        self.keep(path);
        self.state.nodes.get_mut(path).ok_or(ErrorCode::NoNode)
    }

    /// Remembers what is there now, if it is the first time.
    fn keep(&mut self, path: &str) {
        if !self.before.contains_key(path) {
            self.before.insert(path.to_owned(), self.state.nodes.get(path).cloned());
        }
    }

    fn roll_back(self) {
        self.state.zxid -= 1;
        for (path, before) in self.before {
            if let Some(node) = self.state.nodes.remove(&path) {
                self.state.forget_client_node(&path, &node);
            }
            let Some(node) = before else { continue };
            self.state.count_client_node(&path, &node);
            self.state.nodes.insert(path, node);
        }
    }
}

impl State {
    /// Adds a node, if there is room for it.
    fn add_client_node(&mut self, path: String, node: Node) -> Result<(), ErrorCode> {
        self.count_client_node(&path, &node);
        if self.client_nodes > MAX_CLIENT_NODES || self.client_bytes > MAX_CLIENT_BYTES {
            self.forget_client_node(&path, &node);
            return Err(ErrorCode::SystemError);
        }
        self.nodes.insert(path, node);
        Ok(())
    }

    /// Puts another node in the place of one, if there is room for it.
    fn replace(&mut self, path: &str, node: Node) -> Result<(), ErrorCode> {
        let before = self.nodes.remove(path);
        if let Some(before) = &before {
            self.forget_client_node(path, before);
        }
        if !node.of_client {
            self.nodes.insert(path.to_owned(), node);
            return Ok(());
        }
        let added = self.add_client_node(path.to_owned(), node);
        if let (Err(_), Some(before)) = (&added, before) {
            self.count_client_node(path, &before);
            self.nodes.insert(path.to_owned(), before);
        }
        added
    }

    fn remove_leaf(&mut self, path: &str) {
        let Some(node) = self.nodes.remove(path) else { return };
        self.forget_client_node(path, &node);
        if let Some((parent, _)) = split(path) {
            self.count_child(parent, -1);
        }
    }

    fn count_client_node(&mut self, path: &str, node: &Node) {
        if node.of_client {
            self.client_nodes += 1;
            self.client_bytes += path.len() + node.data.len() + NODE_BYTES;
        }
        if node.stat.ephemeral_owner != 0 {
            self.ephemeral.entry(node.stat.ephemeral_owner).or_default().insert(path.to_owned());
        }
    }

    /// The counterpart of [`State::count_client_node`].
    pub(super) fn forget_client_node(&mut self, path: &str, node: &Node) {
        if node.of_client {
            self.client_nodes -= 1;
            self.client_bytes -= path.len() + node.data.len() + NODE_BYTES;
        }
        let owner = node.stat.ephemeral_owner;
        if let Some(paths) = self.ephemeral.get_mut(&owner) {
            paths.remove(path);
            if paths.is_empty() {
                self.ephemeral.remove(&owner);
            }
        }
    }
}

fn fits(wanted: i32, version: i32) -> Result<(), ErrorCode> {
    if wanted == ANY_VERSION || wanted == version { Ok(()) } else { Err(ErrorCode::BadVersion) }
}

fn length(data: &[u8]) -> i32 {
    i32::try_from(data.len()).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests;
