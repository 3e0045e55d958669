//! Whether the files are there that the cells of a family with MOB lead to.
//!
//! Such a cell has a tag that says so, one with the name of the table, and as its value the length of what it stands for and
//! the name of the file that has it.

use finback_cell::tag::tags;
use finback_cell::{Cell, TableName};
use finback_fs::FileSystem;
use finback_layout::mob_region;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Tag of a cell that leads to a file.
const REFERENCE_TAG: u8 = 5;
/// Tag with the name of the table.
const TABLE_TAG: u8 = 6;
/// Bytes of the value before the name of the file.
const LENGTH_BYTES: usize = 4;
/// So many answers are kept; neighbours mostly lead to the same file.
const KNOWN_FILES: usize = 64;

/// A root directory with files of large values.
#[derive(Clone)]
pub struct MobFiles {
    fs: Arc<dyn FileSystem>,
    root: PathBuf,
    known: RefCell<HashMap<PathBuf, bool>>,
}

impl MobFiles {
    /// Those in the root directory `root`.
    pub fn new(fs: Arc<dyn FileSystem>, root: impl Into<PathBuf>) -> Self {
        Self { fs, root: root.into(), known: RefCell::default() }
    }

    /// What is wrong with a cell that leads to a file; the words go before "cell".
    pub(super) fn problem_of(&self, cell: &Cell<'_>) -> Option<String> {
        if !tags(cell.tags()).any(|tag| tag.tag_type == REFERENCE_TAG) {
            return None;
        }
        let table = tags(cell.tags()).find(|tag| tag.tag_type == TABLE_TAG);
        let Some(table) = table.and_then(|tag| TableName::parse(tag.value).ok()) else {
            return Some("wrong tag format in mob reference".to_owned());
        };
        let name = cell.value().get(LENGTH_BYTES..).and_then(|name| std::str::from_utf8(name).ok());
        // What has a slash is no name of a file.
        let Some(name) = name.filter(|name| !name.is_empty() && !name.contains('/')) else {
            return Some("wrong value format in mob reference".to_owned());
        };
        let family = String::from_utf8_lossy(cell.family()).into_owned();
        let is_there = ["mobdir", "archive"]
            .iter()
            .any(|place| self.exists(&self.family_dir(place, &table, &family).join(name)));
        (!is_there).then(|| format!("the mob file [{name}] is missing referenced by"))
    }

    fn family_dir(&self, place: &str, table: &TableName, family: &str) -> PathBuf {
        let table_dir = self.root.join(place).join("data").join(table.namespace()).join(table.qualifier());
        table_dir.join(mob_region(table)).join(family)
    }

    fn exists(&self, path: &Path) -> bool {
        let mut known = self.known.borrow_mut();
        if let Some(&exists) = known.get(path) {
            return exists;
        }
        if known.len() >= KNOWN_FILES {
            known.clear();
        }
        let exists = self.fs.exists(path).unwrap_or(false);
        known.insert(path.to_owned(), exists);
        exists
    }
}

impl std::fmt::Debug for MobFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MobFiles({})", self.root.display())
    }
}
