//! What a session wants to be told about, once each: ZooKeeper's watches.
//!
//! A watch remembers what its client was told of the node. When the tree has changed, what it says now is compared with
//! that, and the difference is the event. Between two looks only the outcome counts: what came and went is not told.

use std::collections::BTreeMap;

use crate::protocol::Stat;
use crate::tree::Tree;

/// Memory that the watches of one session may take. HBase's clients watch a dozen nodes, of paths shorter than 100 bytes.
/// Watches beyond it are not kept, and never fire.
const MAX_BYTES: usize = 16 << 10;
/// What a watch takes besides its path, about.
const WATCH_BYTES: usize = 128;

/// Which change of a node is watched. A node may be watched both ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Watched {
    /// Its coming, going, and value.
    Data,
    /// Its going, and which children it has.
    Children,
}

/// What has happened to a node; the numbers are ZooKeeper's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EventType {
    Created = 1,
    Deleted = 2,
    DataChanged = 3,
    ChildrenChanged = 4,
}

/// The watches of a session.
#[derive(Debug, Default)]
pub(crate) struct Watches {
    /// With what the client was told: `None` of a node that was not there.
    by_path: BTreeMap<(String, Watched), Option<Stat>>,
    bytes: usize,
    /// The tree's last change that was looked at.
    looked_at_zxid: i64,
}

impl Watches {
    /// Watches a node of which the client is told `stat`.
    pub(crate) fn add(&mut self, path: &str, watched: Watched, stat: Option<Stat>) {
        let bytes = path.len() + WATCH_BYTES;
        let key = (path.to_owned(), watched);
        let is_known = self.by_path.contains_key(&key);
        if is_known || self.bytes + bytes <= MAX_BYTES {
            self.bytes += if is_known { 0 } else { bytes };
            self.by_path.insert(key, stat);
            // The tree may have changed since the client was told.
            self.looked_at_zxid = 0;
        }
    }

    /// Takes out the watches that a change of the tree has set off, as what is to be told.
    pub(crate) fn fired(&mut self, tree: &Tree) -> Vec<(String, EventType)> {
        let zxid = tree.zxid();
        if self.by_path.is_empty() || std::mem::replace(&mut self.looked_at_zxid, zxid) == zxid {
            return Vec::new();
        }
        let mut events: Vec<(String, EventType)> = Vec::new();
        self.by_path.retain(|(path, watched), told| {
            let now = tree.get(path).map(|(_, stat)| stat);
            let Some(event) = difference(*watched, *told, now) else { return true };
            // A node that goes is told once, however it was watched.
            if events.last().is_none_or(|last| *last != (path.clone(), event)) {
                events.push((path.clone(), event));
            }
            false
        });
        self.bytes = self.by_path.keys().map(|(path, _)| path.len() + WATCH_BYTES).sum();
        events
    }
}

fn difference(watched: Watched, told: Option<Stat>, now: Option<Stat>) -> Option<EventType> {
    match (told, now) {
        (None, None) => None,
        (None, Some(_)) => Some(EventType::Created),
        (Some(_), None) => Some(EventType::Deleted),
        (Some(told), Some(now)) if told.created_zxid != now.created_zxid => Some(EventType::Deleted),
        (Some(told), Some(now)) => match watched {
            Watched::Data => (told.version != now.version).then_some(EventType::DataChanged),
            Watched::Children => {
                (told.children_version != now.children_version).then_some(EventType::ChildrenChanged)
            }
        },
    }
}

/// What a client that had seen the tree up to `zxid` was told of a node that is now like this: to be compared with what it is.
pub(crate) fn as_of(zxid: i64, stat: Option<Stat>) -> Stat {
    let stat = stat.unwrap_or_default();
    Stat {
        version: stat.version.wrapping_sub(i32::from(stat.modified_zxid > zxid)),
        children_version: stat.children_version.wrapping_sub(i32::from(stat.children_zxid > zxid)),
        ..stat
    }
}

#[cfg(test)]
mod tests;
