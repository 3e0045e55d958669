//! What a workload was told, and what may therefore be found.
//!
//! An entity is a set of rows with a common prefix that are always written whole, together: a row, the rows of an atomic
//! write, the rows of a bulk load. Its history is the list of its states, in the order in which they were tried. After a
//! crash it is in one of them: in the last that was acknowledged and must be durable, or in a later one.

use crate::world::{Plain, scan};
use finback_cell::{Durability, Scan};
use finback_region::Region;
use std::collections::BTreeMap;

/// Cells of an entity: row, family and qualifier, and the value.
pub(crate) type State = BTreeMap<(String, String), Vec<u8>>;

#[derive(Clone, Debug, Default)]
struct Entity {
    /// The first state of all is that there is nothing.
    states: Vec<State>,
    /// What readers see now: the last state that was acknowledged.
    seen: usize,
    /// What a crash must leave, or a later one.
    durable: usize,
    /// Until an edit after it is durable, or a flush.
    in_log: usize,
}

/// What was told of all entities.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    entities: BTreeMap<String, Entity>,
    /// Whether a synced write says that all logged before it are durable: not where a log may fail and another go on.
    pub(crate) one_log: bool,
}

impl Ledger {
    fn entity(&mut self, name: &str) -> &mut Entity {
        let entity = self.entities.entry(name.to_owned()).or_default();
        if entity.states.is_empty() {
            entity.states.push(State::new());
        }
        entity
    }

    /// The state that readers see.
    pub(crate) fn seen(&mut self, name: &str) -> State {
        let entity = self.entity(name);
        entity.states[entity.seen].clone()
    }

    /// An entity is about to be put into `state`.
    pub(crate) fn try_state(&mut self, name: &str, state: State) {
        self.entity(name).states.push(state);
    }

    /// The last state that was tried was acknowledged.
    pub(crate) fn acknowledge(&mut self, name: &str, durability: Durability) {
        let one_log = self.one_log;
        let entity = self.entity(name);
        entity.seen = entity.states.len() - 1;
        match durability {
            Durability::SkipWal => {}
            Durability::AsyncWal => entity.in_log = entity.seen,
            _ => {
                (entity.in_log, entity.durable) = (entity.seen, entity.seen);
                if one_log {
                    self.entities
                        .values_mut()
                        .for_each(|entity| entity.durable = entity.durable.max(entity.in_log));
                }
            }
        }
    }

    /// All that is seen is in files.
    pub(crate) fn flushed(&mut self) {
        for entity in self.entities.values_mut() {
            (entity.in_log, entity.durable) = (entity.seen, entity.seen);
        }
    }

    /// Readers see what was acknowledged, and nothing else.
    pub(crate) fn check_seen(&self, region: &Region, what: &str) {
        let found = entities_of(region, what);
        for (name, entity) in &self.entities {
            let found = found.get(name).cloned().unwrap_or_default();
            assert_eq!(found, entity.states[entity.seen], "{what}: {name} is not as acknowledged");
        }
        self.check_names(&found, what);
    }

    /// After a crash: each entity is as it must be, and what it is now is its past.
    pub(crate) fn check_survived(&mut self, region: &Region, what: &str) {
        let found = entities_of(region, what);
        self.check_names(&found, what);
        for (name, entity) in &mut self.entities {
            let found = found.get(name).cloned().unwrap_or_default();
            let fits = entity.states[entity.durable..].contains(&found);
            assert!(fits, "{what}: {name} is {found:?}, of {entity:?}");
            *entity = Entity { states: vec![found], ..Entity::default() };
        }
    }

    fn check_names(&self, found: &BTreeMap<String, State>, what: &str) {
        let unknown: Vec<_> = found.keys().filter(|name| !self.entities.contains_key(*name)).collect();
        assert!(unknown.is_empty(), "{what}: nobody wrote {unknown:?}");
    }
}

/// What is in the region, by entity.
fn entities_of(region: &Region, what: &str) -> BTreeMap<String, State> {
    let cells = scan(region, &Scan::default(), None).unwrap_or_else(|error| panic!("{what}: {error}"));
    let mut found: BTreeMap<String, State> = BTreeMap::new();
    for Plain { row, family, qualifier, value, .. } in cells {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let row = text(row);
        let name = row.split_once('/').map_or(&row[..], |(name, _)| name).to_owned();
        found.entry(name).or_default().insert((row, text(family) + ":" + &text(qualifier)), value);
    }
    found
}
