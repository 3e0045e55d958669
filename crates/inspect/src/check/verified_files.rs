//! Every store file and every log, block by block and entry by entry.

use super::finding::{Finding, FindingKind as Kind};
use super::put_aside::ASIDE;
use super::repair::Repair;
use super::salvage::Salvage;
use super::{Check, CheckReport, CheckWatcher};
use crate::error::InspectError;
use crate::tree_verification::{TreeWatcher, verify_tree};
use crate::wal_verification::{LogState, LogWatcher, verify_logs};
use finback_hfile::Verification;
use finback_layout::RootDir;
use std::path::{Path, PathBuf};

/// What was moved aside is not looked at again.
const NOT_LOOKED_AT: [&str; 2] = [ASIDE, "corrupt"];

impl Check<'_> {
    /// False if it was ended before the end.
    pub(super) fn verify_files(&mut self) -> Result<bool, InspectError> {
        let root = self.root.path().to_owned();
        let directories: Vec<PathBuf> = self
            .entries(&root)?
            .into_iter()
            .filter(|entry| entry.is_dir && !NOT_LOOKED_AT.contains(&entry.name.as_str()))
            .map(|entry| root.join(entry.name))
            .collect();
        let fs = self.root.fs();
        let mut told = Told { root: self.root, report: &mut self.report, watcher: self.watcher };
        let files = verify_tree(fs, &directories, &mut told)?;
        let mut logs = None;
        if !files.was_interrupted {
            match verify_logs(&**fs, &directories, &mut told) {
                Ok(found) => logs = Some(found),
                Err(InspectError::Output(error)) => return Err(error.into()),
                Err(error) => told.note(Finding::new(Kind::Unreadable, &root, error.to_string()))?,
            }
        }
        let logs = logs.unwrap_or_default();
        self.report.store_files = files.files;
        self.report.cells = files.cells;
        self.report.logs = logs.files;
        self.report.bytes = files.bytes + logs.bytes;
        Ok(!files.was_interrupted && !logs.was_interrupted)
    }
}

struct Told<'a> {
    root: &'a RootDir,
    report: &'a mut CheckReport,
    watcher: &'a mut dyn CheckWatcher,
}

impl Told<'_> {
    fn note(&mut self, finding: Finding) -> Result<(), InspectError> {
        self.watcher.finding(&finding)?;
        self.report.findings.push(finding);
        Ok(())
    }
}

impl Told<'_> {
    /// Damage, with what is left of the file, if that can be found out.
    fn note_damage(
        &mut self,
        finding: Finding,
        salvage: Result<Option<Salvage>, InspectError>,
    ) -> Result<(), InspectError> {
        self.note(match salvage {
            Ok(Some(salvage)) => finding.repaired_by(Repair::Salvage(salvage)),
            // What is left could be read another time.
            Ok(None) | Err(_) => finding,
        })
    }
}

impl TreeWatcher for Told<'_> {
    fn progress(&mut self, done: u64, total: u64) -> bool {
        self.watcher.progress("store files", done, total)
    }

    fn file(&mut self, path: &Path, found: &Verification) -> Result<(), InspectError> {
        let Some(first) = found.problems.first() else { return Ok(()) };
        let more = found.problems.len() as u64 - 1 + found.untold_problems;
        let more =
            if more == 0 { String::new() } else { format!(" (and {more} more: finback hfile --verify)") };
        let finding = Finding::new(Kind::DamagedFile, path, format!("{first}{more}"));
        // The bytes are whole: no other file is right where these cells are not.
        let salvage = match found.has_misplaced_cells {
            true => Ok(None),
            false => {
                let length = self.root.fs().metadata(path).map_or(0, |metadata| metadata.len);
                let mut watch =
                    |done: u64| self.watcher.progress("what is left of it", done.min(length), length);
                Salvage::of_store_file(self.root, path, &mut watch)
            }
        };
        self.note_damage(finding, salvage)
    }

    fn unreadable(&mut self, error: &InspectError) -> Result<(), InspectError> {
        let root = self.report.root.clone();
        self.note(Finding::new(Kind::Unreadable, root, error.to_string()))
    }
}

impl LogWatcher for Told<'_> {
    fn progress(&mut self, done: u64, total: u64) -> bool {
        self.watcher.progress("logs", done, total)
    }

    fn log(&mut self, path: &Path, _: u64, state: &LogState) -> Result<(), InspectError> {
        match state {
            LogState::Whole => Ok(()),
            LogState::Torn(tail) => {
                let message = format!(
                    "ends in an entry that was never finished, {} bytes at offset {}; the next start drops it: {}",
                    tail.dropped_bytes, tail.offset, tail.reason
                );
                self.note(Finding::new(Kind::TornLog, path, message))
            }
            LogState::Damaged(error) => {
                let finding = Finding::new(Kind::DamagedLog, path, error.to_string());
                self.note_damage(finding, Salvage::of_log(self.root, path))
            }
        }
    }
}
