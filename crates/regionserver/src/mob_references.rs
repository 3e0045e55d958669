//! Which MOB files the store files of a table refer to, as they lie on the disk, whoever has their regions open.

use finback_cell::{ColumnFamilyDescriptor, TableDescriptor};
use finback_hfile::{HFileReader, file_info_keys};
use finback_layout::{LayoutError, MOB_FILE_REFS, RootDir, StoreFileEntry, StoreFileTracker, mob_file_refs};
use std::collections::HashSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// File info: which task of HBase's tools made a file to be bulk loaded.
const BULKLOAD_SOURCE_TASK: &[u8] = b"BULKLOAD_SOURCE_TASK";
/// How often a store is listed of which files vanish while they are looked at: compactions take them.
const MOST_LOOKS: usize = 3;
/// How often a table is listed that has other regions than before: splits and merges make them.
const MOST_LISTINGS: usize = 10;

/// Why it is not known to which MOB files a table's store files refer.
#[derive(Debug)]
pub(crate) enum Unknown {
    /// A store file that may refer to some does not say it, being older than HBase's first that do, or loaded by somebody. Of a family
    /// that has IS_MOB, a MOB compaction makes one of it that does.
    Silent(PathBuf),
    /// A file vanished, or its regions kept changing.
    Gone(String),
    /// A file cannot be read, or says nonsense.
    Unreadable(String),
    /// The server goes down.
    Stopping,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silent(path) => {
                write!(f, "{} does not say to which MOB files it refers", path.display())
            }
            Self::Gone(what) => write!(f, "not there any more: {what}"),
            Self::Unreadable(what) => f.write_str(what),
            Self::Stopping => f.write_str("the server goes down"),
        }
    }
}

impl Unknown {
    fn io(path: &Path, error: &io::Error) -> Self {
        let what = format!("{}: {error}", path.display());
        if error.kind() == io::ErrorKind::NotFound { Self::Gone(what) } else { Self::Unreadable(what) }
    }
}

impl From<LayoutError> for Unknown {
    fn from(error: LayoutError) -> Self {
        let what = error.to_string();
        if error.is_not_found() { Self::Gone(what) } else { Self::Unreadable(what) }
    }
}

/// The store files of a family.
pub(crate) struct StoreFiles<'a> {
    root: &'a RootDir,
    table: &'a TableDescriptor,
    family: &'a ColumnFamilyDescriptor,
    tracker: StoreFileTracker,
    is_stopping: &'a dyn Fn() -> bool,
}

impl<'a> StoreFiles<'a> {
    pub(crate) fn of(
        root: &'a RootDir,
        table: &'a TableDescriptor,
        family: &'a ColumnFamilyDescriptor,
        is_stopping: &'a dyn Fn() -> bool,
    ) -> Result<Self, Unknown> {
        let tracker = StoreFileTracker::of(table, family).map_err(Unknown::Unreadable)?;
        Ok(Self { root, table, family, tracker, is_stopping })
    }

    /// Calls `refers` with the name of each MOB file that one of all regions refers to. Which table's it is does not matter: no other
    /// file has that name.
    ///
    /// What is in a region's `.tmp` is not looked at: a compaction under way refers to files to which its inputs refer, and a flush to
    /// those that it has just made.
    pub(crate) fn each_reference(&self, refers: &mut dyn FnMut(&str)) -> Result<(), Unknown> {
        let mut seen = HashSet::new();
        for _ in 0..MOST_LISTINGS {
            let regions = self.root.list_regions(&self.table.name)?;
            let new: Vec<String> = regions.into_iter().filter(|region| !seen.contains(region)).collect();
            if new.is_empty() {
                return Ok(());
            }
            for region in new {
                self.each_reference_of(&region, refers)?;
                // Others may have come into being of it meanwhile, and it may have gone.
                seen.insert(region);
            }
        }
        Err(Unknown::Gone(format!("{} has other regions each time it is looked at", self.table.name)))
    }

    fn each_reference_of(&self, region: &str, refers: &mut dyn FnMut(&str)) -> Result<(), Unknown> {
        let mut looks = 1;
        loop {
            match self.look_at(region, refers) {
                Err(Unknown::Gone(_)) if looks < MOST_LOOKS => looks += 1,
                told => return told,
            }
        }
    }

    fn look_at(&self, region: &str, refers: &mut dyn FnMut(&str)) -> Result<(), Unknown> {
        let (table, family) = (&self.table.name, &self.family.name);
        let entries = match self.tracker.reads_list() {
            true => self.root.listed_store_files(table, region, family)?,
            false => self.root.list_store_files(table, region, family)?,
        };
        for entry in entries {
            if (self.is_stopping)() {
                return Err(Unknown::Stopping);
            }
            self.references_of(&entry, refers)?;
        }
        Ok(())
    }

    fn references_of(&self, entry: &StoreFileEntry, refers: &mut dyn FnMut(&str)) -> Result<(), Unknown> {
        let path = entry.elsewhere.as_ref().unwrap_or(&entry.path);
        let file = self.root.fs().open(path).map_err(|error| Unknown::io(path, &error))?;
        let reader = HFileReader::open_to_inspect(file, path);
        let reader = reader.map_err(|error| Unknown::Unreadable(error.to_string()))?;
        let Some(value) = reader.file_info(MOB_FILE_REFS) else {
            // HBase's tools that write what is to be loaded write no references. Whoever else has a file loaded may have: MOB
            // compactions of HBase 1 did. Cells without tags are none.
            let is_of_tools = reader.file_info(BULKLOAD_SOURCE_TASK).is_some();
            let longest_tags = reader.file_info(file_info_keys::MAX_TAGS_LEN).unwrap_or_default();
            let has_tags = longest_tags.iter().any(|byte| *byte != 0);
            return if is_of_tools || !has_tags { Ok(()) } else { Err(Unknown::Silent(path.clone())) };
        };
        let Some(references) = mob_file_refs(value) else {
            let value = value.escape_ascii();
            return Err(Unknown::Unreadable(format!("MOB_FILE_REFS of {} is {value}", path.display())));
        };
        references.iter().flat_map(|(_, names)| names).for_each(|name| refers(name));
        Ok(())
    }
}
