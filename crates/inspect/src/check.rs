//! Checks a whole root directory that no server has open, and changes nothing: every file, what hbase:meta says, and
//! whether the directories agree with it. Or, by what the servers of a cluster that runs have answered, whether those agree
//! with each other ([`check_cluster`]).

mod chain;
mod descriptor;
mod finding;
mod hole;
mod live;
mod mob;
mod put_aside;
mod repair;
mod report;
mod salvage;
mod snapshots;
mod store;
mod surroundings;
mod tables;
mod verified_files;

use crate::error::InspectError;
use crate::offline_meta::OfflineMeta;
use finback_layout::{KeptFiles, RootDir};
use finding::FindingKind as Kind;
pub use finding::{Finding, FindingKind, Severity};
pub use hole::HoleFilling;
pub use live::{Cluster, ClusterRegion, ClusterServer, ClusterTransition, check_cluster};
pub use repair::{DescriptorSource, Losses, Repair};
pub use report::CheckReport;
pub use salvage::{Left, Salvage};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Who is told how a check goes on.
pub trait CheckWatcher {
    /// So many bytes of all are done of what is called so. Says whether to go on.
    fn progress(&mut self, what: &str, done: u64, total: u64) -> bool;

    /// Something was found.
    ///
    /// # Errors
    /// It cannot be told; that ends the check.
    fn finding(&mut self, finding: &Finding) -> Result<(), InspectError>;
}

/// Who is told how repairs go on.
pub trait RepairWatcher {
    /// So many bytes of all are done of the damaged file at `path`. Says whether to go on.
    fn progress(&mut self, path: &Path, done: u64, total: u64) -> bool;

    /// Something was repaired.
    ///
    /// # Errors
    /// It cannot be told; that ends the repairs.
    fn repaired(&mut self, repair: &Repair) -> Result<(), InspectError>;
}

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckOptions {
    /// Whether every block of every file is read, too.
    pub verifies_files: bool,
}

/// Checks the root directory `root`, which the caller has locked.
///
/// # Errors
/// What `watcher` answers. What cannot be read is a finding.
pub fn check_directory(
    root: &RootDir,
    options: CheckOptions,
    watcher: &mut dyn CheckWatcher,
) -> Result<CheckReport, InspectError> {
    let mut check = Check {
        root,
        watcher,
        report: CheckReport::new(root.path()),
        kept_files: OnceCell::new(),
        mob_files: HashMap::new(),
    };
    if !check.is_root_directory()? {
        return Ok(check.report);
    }
    if options.verifies_files && !check.verify_files()? {
        check.report.was_interrupted = true;
        return Ok(check.report);
    }
    match OfflineMeta::read(root) {
        Ok(meta) => check.tables(&meta)?,
        Err(error) => {
            let message =
                format!("what hbase:meta says is not known, so that no table can be checked: {error}");
            check.note(Finding::new(Kind::MetaUnreadable, meta_dir(root), message))?;
        }
    }
    check.snapshots()?;
    check.leftovers()?;
    Ok(check.report)
}

/// Repairs what can be repaired, in the order of the report. `run`: a name for what is put aside.
///
/// # Errors
/// A repair fails, or `watcher` ended it ([`InspectError::Interrupted`]): those before it are done, it and those behind it
/// are not; or what `watcher` answers.
pub fn repair_directory(
    root: &RootDir,
    report: &CheckReport,
    run: &str,
    losses: Losses,
    watcher: &mut dyn RepairWatcher,
) -> Result<(), InspectError> {
    let aside = put_aside::Aside::new(root, run);
    report.repairs(losses).try_for_each(|repair| {
        repair.apply(root, &aside, watcher)?;
        watcher.repaired(repair)
    })
}

fn meta_dir(root: &RootDir) -> PathBuf {
    root.table_dir(&finback_cell::TableName::meta())
}

/// A check that is going on.
struct Check<'a> {
    root: &'a RootDir,
    watcher: &'a mut dyn CheckWatcher,
    report: CheckReport,
    /// Files that somebody needs, or why they are not known: looked for once, when they are asked for.
    kept_files: OnceCell<Result<KeptFiles, String>>,
    /// Names of the MOB files in the directories that were looked into.
    mob_files: HashMap<PathBuf, HashSet<String>>,
}

impl Check<'_> {
    fn note(&mut self, finding: Finding) -> Result<(), InspectError> {
        self.watcher.finding(&finding)?;
        self.report.findings.push(finding);
        Ok(())
    }

    /// A directory, or a file, that cannot be read is a finding.
    fn note_unreadable(
        &mut self,
        path: impl Into<PathBuf>,
        error: impl ToString,
    ) -> Result<(), InspectError> {
        self.note(Finding::new(Kind::Unreadable, path, error.to_string()))
    }

    /// A directory that is in the way goes aside, unless others have files of it, which they would not find there.
    fn aside_unless_needed(&self, finding: Finding) -> Finding {
        let kept = self.kept_files.get_or_init(|| self.root.kept_files().map_err(|error| error.to_string()));
        let is_needed = match kept {
            Ok(kept) => self.root.has_files_of_others(&finding.path, kept).map_err(|error| error.to_string()),
            Err(error) => Err(error.clone()),
        };
        let why = match is_needed {
            Ok(false) => return finding.aside(),
            Ok(true) => "a snapshot, or a link or a reference elsewhere, leads to files of it".to_owned(),
            Err(error) => format!("whether others have files of it is not known: {error}"),
        };
        let message = format!("{}. It stays where it is: {why}", finding.message);
        Finding { message, ..finding }
    }

    /// The entries of a directory, in order of their names; none if it is not there, or cannot be read, which is noted.
    fn entries(&mut self, path: &std::path::Path) -> Result<Vec<finback_fs::DirEntry>, InspectError> {
        match self.root.fs().list(path) {
            Ok(mut entries) => {
                entries.sort_by(|a, b| a.name.cmp(&b.name));
                Ok(entries)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => self.note_unreadable(path, error).map(|()| Vec::new()),
        }
    }

    /// Whether there is anything to check.
    fn is_root_directory(&mut self) -> Result<bool, InspectError> {
        let root = self.root;
        let version = root.version_file();
        if !root.fs().exists(&version).unwrap_or(false) {
            let message = "no root directory of HBase or Finback: there is no hbase.version in it";
            self.note(Finding::new(Kind::NoRootDirectory, root.path(), message))?;
            return Ok(false);
        }
        if let Err(error) = root.cluster_id() {
            self.note_unreadable(root.cluster_id_file(), error)?;
        }
        Ok(true)
    }
}
