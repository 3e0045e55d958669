//! Takes MOB files out of service that no store file refers to any more (HBase's MobFileCleanerChore), and those of which every cell
//! has outlived its time (its ExpiredMobFileCleaner). They go to the archive, where they are found as long as they are there.
//!
//! The server looks at the tables of the whole root directory, whoever has their regions: there is one server.

use crate::mob_references::{StoreFiles, Unknown};
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor, TableName};
use finback_fs::DirEntry;
use finback_layout::{MobFileName, RootDir, StoreFileName};
use finback_region::{MobFiles, mob_file_date};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// What a sweep came to, in files; links to files count as these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MobSwept {
    /// Archived, since no store file refers to them.
    pub unreferenced: u64,
    /// Archived, since all that is in them has outlived the time to live of its family.
    pub expired: u64,
    /// Unreferenced for the first time, or not for long.
    pub waiting: u64,
}

/// What a sweep has to know of its surroundings.
pub(crate) struct Look<'a> {
    pub(crate) now: Instant,
    /// What the time is, which may jump.
    pub(crate) time: SystemTime,
    /// How far local time is ahead at a moment, both in milliseconds.
    pub(crate) utc_offset_ms: &'a dyn Fn(i64) -> i64,
    pub(crate) is_stopping: &'a dyn Fn() -> bool,
    /// Whether a region of the table is open. A table that is being restored has none: what its new regions need is not seen by who has
    /// looked before.
    pub(crate) is_served: &'a dyn Fn(&TableName) -> bool,
}

/// Looks for such files now and then.
#[derive(Debug)]
pub(crate) struct MobSweeper {
    root: RootDir,
    min_age: Duration,
    /// Those that are open: what goes to the archive is closed.
    files: Arc<MobFiles>,
    /// Since when files are known to be unreferenced. A file goes that was so at two looks, so long one after the other: the MOB files
    /// of a compaction get their places together at its end, and the store files that refer to them come after that.
    unreferenced: Mutex<HashMap<PathBuf, Instant>>,
}

/// A sweep under way.
struct Sweep<'a> {
    sweeper: &'a MobSweeper,
    look: &'a Look<'a>,
    before: HashMap<PathBuf, Instant>,
    unreferenced: HashMap<PathBuf, Instant>,
    swept: MobSwept,
}

impl MobSweeper {
    /// Leaves alone what is younger than `min_age`.
    pub(crate) fn new(root: RootDir, min_age: Duration, files: Arc<MobFiles>) -> Self {
        Self { root, min_age, files, unreferenced: Mutex::default() }
    }

    /// Looks at all tables; what stays for want of knowledge, the log says. One at a time. Blocks the calling thread.
    pub(crate) fn sweep(&self, look: &Look<'_>) -> MobSwept {
        let mut known = self.unreferenced.lock();
        let tables = self.root.list_tables().unwrap_or_else(|error| {
            tracing::warn!(%error, "MOB files are not looked through");
            Vec::new()
        });
        let before = std::mem::take(&mut *known);
        let (unreferenced, swept) = (HashMap::new(), MobSwept::default());
        let mut sweep = Sweep { sweeper: self, look, before, unreferenced, swept };
        for table in tables {
            let swept = sweep.table(&table);
            if swept.is_err() {
                sweep.keep_waiting(&self.root.mob_table_dir(&table));
            }
            match swept {
                Ok(()) => {}
                Err(Unknown::Stopping) => break,
                Err(Unknown::Gone(what)) => {
                    tracing::info!(%table, what, "MOB files of a table that changes are looked through next time");
                }
                Err(error) => tracing::warn!(%table, %error, "MOB files of a table are not looked through"),
            }
        }
        sweep.swept.waiting = sweep.unreferenced.len() as u64;
        *known = sweep.unreferenced;
        sweep.swept
    }
}

impl Sweep<'_> {
    /// A table without a descriptor is not there yet, or no longer: what belongs to it is its makers' concern. One that is disabled is
    /// left alone, as by HBase.
    fn table(&mut self, name: &TableName) -> Result<(), Unknown> {
        if !(self.look.is_served)(name) {
            return Ok(());
        }
        let table = match self.sweeper.root.read_table_descriptor(name) {
            Err(error) if error.is_not_found() => return Ok(()),
            read => read?,
        };
        for family in &table.families {
            match self.family(&table, family) {
                Err(error @ Unknown::Silent(_)) => {
                    self.keep_waiting(&self.sweeper.root.mob_family_dir(name, &family.name));
                    let family = family.name.escape_ascii();
                    tracing::warn!(
                        table = %name, %family, %error,
                        "its MOB files stay as long as a store file does not say which it refers to"
                    );
                }
                swept => swept?,
            }
        }
        Ok(())
    }

    fn family(&mut self, table: &TableDescriptor, family: &ColumnFamilyDescriptor) -> Result<(), Unknown> {
        // Listed before the store files: what one of these refers to that comes later is young, or known to those that there are.
        let mut files = self.sweeper.root.list_mob_files(&table.name, &family.name)?;
        files.retain(|file| self.is_old(file));
        let expired_before = self.expired_before(family);
        // By the file itself: that may be there, and a link to it too.
        let mut candidates: HashMap<String, Vec<String>> = HashMap::new();
        for file in files {
            // What can be no MOB file is not ours.
            let Some(name) = original_name(&file.name) else { continue };
            let date = MobFileName::parse(name).map(|name| name.date);
            if expired_before.as_deref().zip(date).is_some_and(|(first_kept, date)| date < first_kept) {
                self.archive(table, family, &file.name)?;
                self.swept.expired += 1;
                continue;
            }
            candidates.entry(name.to_owned()).or_default().push(file.name);
        }
        if candidates.is_empty() {
            return Ok(());
        }
        let store_files = StoreFiles::of(&self.sweeper.root, table, family, self.look.is_stopping)?;
        store_files.each_reference(&mut |name| drop(candidates.remove(name)))?;
        let is_served = (self.look.is_served)(&table.name);
        candidates
            .into_values()
            .flatten()
            .filter(|_| is_served)
            .try_for_each(|name| self.unreferenced(table, family, &name))
    }

    /// What is known of files below a directory that cannot be looked through is known the next time, too.
    fn keep_waiting(&mut self, dir: &Path) {
        self.unreferenced.extend(self.before.extract_if(|path, _| path.starts_with(dir)));
    }

    /// By the time of its last change. One from the future tells of a clock that was wrong, then or now.
    fn is_old(&self, file: &DirEntry) -> bool {
        self.look.time.duration_since(file.modified).is_ok_and(|age| age >= self.sweeper.min_age)
    }

    /// The first day of which some cells may not have outlived the family's time to live, as names have it. One day more is kept:
    /// the server may have stood in another zone when it gave the names. Under NEW_VERSION_BEHAVIOR there is no such
    /// day: cells that have expired still count as versions there.
    fn expired_before(&self, family: &ColumnFamilyDescriptor) -> Option<String> {
        const DAY_MS: i64 = 24 * 3600 * 1000;
        let goes_by_age = family.min_versions() == 0 && !family.new_version_behavior();
        let ttl_seconds = family.ttl_seconds().filter(|_| goes_by_age)?;
        let since_epoch = self.look.time.duration_since(UNIX_EPOCH).ok()?;
        let now_ms = i64::try_from(since_epoch.as_millis()).ok()?;
        let moment = now_ms.saturating_sub(i64::from(ttl_seconds) * 1000).saturating_sub(DAY_MS);
        Some(mob_file_date(moment.saturating_add((self.look.utc_offset_ms)(moment))))
    }

    fn unreferenced(
        &mut self,
        table: &TableDescriptor,
        family: &ColumnFamilyDescriptor,
        name: &str,
    ) -> Result<(), Unknown> {
        let path = self.sweeper.root.mob_family_dir(&table.name, &family.name).join(name);
        let since = self.before.get(&path).copied().unwrap_or(self.look.now);
        if self.look.now.saturating_duration_since(since) < self.sweeper.min_age {
            self.unreferenced.insert(path, since);
            return Ok(());
        }
        self.archive(table, family, name)?;
        self.swept.unreferenced += 1;
        Ok(())
    }

    fn archive(
        &self,
        table: &TableDescriptor,
        family: &ColumnFamilyDescriptor,
        name: &str,
    ) -> Result<(), Unknown> {
        self.sweeper.root.archive_mob_file(&table.name, &family.name, name)?;
        let files = &self.sweeper.files;
        match StoreFileName::parse(name) {
            Some(StoreFileName::Link(link)) => files.forget(&link.table, &family.name, link.file),
            _ => files.forget(&table.name, &family.name, name),
        }
        tracing::debug!(table = %table.name, name, "a MOB file goes to the archive");
        Ok(())
    }
}

/// The name of the MOB file that a file of that name is, or is a link to.
fn original_name(name: &str) -> Option<&str> {
    if MobFileName::parse(name).is_some() {
        return Some(name);
    }
    match StoreFileName::parse(name)? {
        StoreFileName::Link(link) => MobFileName::parse(link.file).is_some().then_some(link.file),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
