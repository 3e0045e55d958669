//! Where the files of open handles are: their names change while they are open.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use finback_sync::Mutex;

/// Names of one file, at most: one, and a few more after renames of which nobody knows whether they came about.
const MAX_NAMES: usize = 4;

/// The names under which a file may be.
#[derive(Debug, Default)]
pub(crate) struct Names(Mutex<Vec<PathBuf>>);

impl Names {
    pub(crate) fn new(path: &Path) -> Self {
        Self(Mutex::new(vec![path.to_owned()]))
    }

    /// All of them, the likeliest first.
    pub(crate) fn all(&self) -> Vec<PathBuf> {
        self.0.lock().clone()
    }

    fn add(&self, path: PathBuf) {
        let mut names = self.0.lock();
        if !names.contains(&path) {
            names.push(path);
            if names.len() > MAX_NAMES {
                names.remove(0);
            }
        }
    }

    fn set(&self, path: PathBuf) {
        *self.0.lock() = vec![path];
    }
}

/// Something that has names.
pub(crate) trait Named {
    fn names(&self) -> &Names;
}

/// The handles that there are, by name.
#[derive(Debug)]
pub(crate) struct HandleNames<H> {
    handles: Mutex<BTreeMap<PathBuf, Vec<Weak<H>>>>,
}

impl<H> Default for HandleNames<H> {
    fn default() -> Self {
        Self { handles: Mutex::default() }
    }
}

/// A handle, and the name that it will have.
pub(crate) type Moving<H> = Vec<(Arc<H>, PathBuf, PathBuf)>;

impl<H: Named> HandleNames<H> {
    pub(crate) fn add(&self, path: &Path, handle: &Arc<H>) {
        self.handles.lock().entry(path.to_owned()).or_default().push(Arc::downgrade(handle));
    }

    /// Forgets what is left of a handle that is being dropped.
    pub(crate) fn forget(&self, names: &Names) {
        let mut handles = self.handles.lock();
        for path in names.all() {
            if let Some(list) = handles.get_mut(&path) {
                list.retain(|handle| handle.strong_count() > 0);
                if list.is_empty() {
                    handles.remove(&path);
                }
            }
        }
    }

    /// The handles of `path` itself.
    pub(crate) fn at(&self, path: &Path) -> Vec<Arc<H>> {
        let handles = self.handles.lock();
        handles.get(path).into_iter().flatten().filter_map(Weak::upgrade).collect()
    }

    /// The handles of `path` and of what is below it.
    pub(crate) fn at_or_below(&self, path: &Path) -> Vec<(PathBuf, Arc<H>)> {
        let handles = self.handles.lock();
        // Paths sort by components: what is below a directory follows it.
        let from = (Bound::Included(path.to_owned()), Bound::Unbounded);
        let below = handles.range(from).take_while(|(name, _)| name.starts_with(path));
        below
            .flat_map(|(name, list)| list.iter().filter_map(|handle| Some((name.clone(), handle.upgrade()?))))
            .collect()
    }

    /// Before a rename: what moves gets its new name beside the old one.
    pub(crate) fn begin_move(&self, from: &Path, to: &Path) -> Moving<H> {
        let mut moving = Vec::new();
        for (name, handle) in self.at_or_below(from) {
            let rest = name.strip_prefix(from).unwrap_or(Path::new(""));
            let new = if rest.as_os_str().is_empty() { to.to_owned() } else { to.join(rest) };
            handle.names().add(new.clone());
            self.add(&new, &handle);
            moving.push((handle, name, new));
        }
        moving
    }

    /// After a rename that succeeded: the old names are gone. (After one that failed both stay: it may have come about.)
    pub(crate) fn end_move(&self, moving: Moving<H>) {
        let mut handles = self.handles.lock();
        // Its user may have let go of it meanwhile: then it ends with `moving`, when the lock is free, which it takes.
        for (handle, old, new) in &moving {
            handle.names().set(new.clone());
            if let Some(list) = handles.get_mut(old) {
                list.retain(|other| other.strong_count() > 0 && !std::ptr::eq(other.as_ptr(), &**handle));
                if list.is_empty() {
                    handles.remove(old);
                }
            }
        }
    }
}
