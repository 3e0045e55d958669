//! Which renames and removals are under way: what is opened meanwhile may be moved without its handle being told.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use finback_sync::Mutex;

/// Renames and removals under way, numbered as they begin.
#[derive(Debug)]
pub(crate) struct Moves<H> {
    state: Mutex<State<H>>,
}

#[derive(Debug)]
struct State<H> {
    begun: u64,
    under_way: BTreeMap<u64, Move<H>>,
}

#[derive(Debug)]
struct Move<H> {
    /// What is moved, removed or replaced, with what is below it.
    paths: Vec<PathBuf>,
    /// What was opened there meanwhile, and under which name.
    opened: Vec<(PathBuf, Weak<H>)>,
}

impl<H> Move<H> {
    fn concerns(&self, path: &Path) -> bool {
        self.paths.iter().any(|moved| path.starts_with(moved))
    }
}

impl<H> Default for Moves<H> {
    fn default() -> Self {
        Self { state: Mutex::new(State { begun: 0, under_way: BTreeMap::new() }) }
    }
}

impl<H> Moves<H> {
    /// One begins; gives back its number.
    pub(crate) fn begin(&self, paths: &[&Path]) -> u64 {
        let paths = paths.iter().map(|path| path.to_path_buf()).collect();
        let mut state = self.state.lock();
        let number = state.begun;
        state.begun += 1;
        state.under_way.insert(number, Move { paths, opened: Vec::new() });
        number
    }

    /// One has ended; gives back what was put off because of it.
    pub(crate) fn end(&self, number: u64) -> Vec<(PathBuf, Arc<H>)> {
        let ended = self.state.lock().under_way.remove(&number);
        let opened = ended.into_iter().flat_map(|ended| ended.opened);
        opened.filter_map(|(path, file)| Some((path, file.upgrade()?))).collect()
    }

    /// How many have begun, if all of them have ended: nothing moves between two calls with the same answer.
    pub(crate) fn all_ended(&self) -> Option<u64> {
        let state = self.state.lock();
        state.under_way.is_empty().then_some(state.begun)
    }

    /// Whether one is under way that concerns `path`: then `file` is given back at its end.
    pub(crate) fn put_off(&self, path: &Path, file: &Arc<H>) -> bool {
        let mut state = self.state.lock();
        let concerning = state.under_way.values_mut().find(|moving| moving.concerns(path));
        let is_concerned = concerning.is_some();
        if let Some(moving) = concerning {
            moving.opened.push((path.to_owned(), Arc::downgrade(file)));
        }
        is_concerned
    }
}
