//! The outcome of a check.

use super::finding::{Finding, Severity};
use super::repair::{Losses, Repair};
use crate::json_text::{array, object, quoted};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What a check found.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckReport {
    /// What was checked: a directory, or how a cluster was named.
    pub root: PathBuf,
    /// In the order in which it was found.
    pub findings: Vec<Finding>,
    /// Tables of hbase:meta.
    pub tables: u64,
    /// Regions of hbase:meta.
    pub regions: u64,
    /// Store files that were verified.
    pub store_files: u64,
    /// Cells in them.
    pub cells: u64,
    /// Logs that were verified.
    pub logs: u64,
    /// Snapshots.
    pub snapshots: u64,
    /// Bytes of files and logs.
    pub bytes: u64,
    /// Region servers that were asked.
    pub servers: u64,
    /// Whether it was ended before the end.
    pub was_interrupted: bool,
}

impl CheckReport {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            findings: Vec::new(),
            tables: 0,
            regions: 0,
            store_files: 0,
            cells: 0,
            logs: 0,
            snapshots: 0,
            bytes: 0,
            servers: 0,
            was_interrupted: false,
        }
    }

    /// How many findings are that bad.
    pub fn count(&self, severity: Severity) -> u64 {
        self.findings.iter().filter(|finding| finding.kind.severity() == severity).count() as u64
    }

    /// Whether everything was looked at and nothing is wrong. Notes do not count.
    pub fn is_sound(&self) -> bool {
        self.count(Severity::Problem) == 0 && !self.was_interrupted
    }

    /// Leaves out what an earlier look at the same cluster did not find: clusters are busy, and what is true only for a
    /// moment is no finding.
    #[must_use]
    pub fn confirming(mut self, earlier: &Self) -> Self {
        let seen: HashSet<_> = earlier.findings.iter().map(|finding| (finding.kind, &finding.path)).collect();
        self.findings.retain(|finding| seen.contains(&(finding.kind, &finding.path)));
        self
    }

    /// What can be repaired, if losses are refused or accepted. What goes aside as a whole stays as it is.
    pub fn repairs(&self, losses: Losses) -> impl Iterator<Item = &Repair> {
        let repairs = || self.findings.iter().filter_map(|finding| finding.repair.as_ref());
        let moved: Vec<&Path> = repairs()
            .filter(|repair| matches!(repair, Repair::MoveAside { .. }))
            .filter_map(Repair::path)
            .collect();
        let goes_along = move |repair: &Repair| {
            let is_move = matches!(repair, Repair::MoveAside { .. });
            let is_below = |path: &Path, moved: &Path| path.starts_with(moved) && !(is_move && path == moved);
            repair.path().is_some_and(|path| moved.iter().any(|moved| is_below(path, moved)))
        };
        let is_made = move |repair: &&Repair| losses == Losses::Accepted || !repair.loses_data();
        repairs().filter(is_made).filter(move |repair| !goes_along(repair))
    }

    /// How many problems stay when everything is repaired that can be.
    pub fn problems_without_repair(&self, losses: Losses) -> u64 {
        let stays = |finding: &&Finding| match &finding.repair {
            Some(repair) => losses == Losses::Refused && repair.loses_data(),
            None => true,
        };
        let is_problem = |finding: &&Finding| finding.kind.severity() == Severity::Problem;
        self.findings.iter().filter(is_problem).filter(stays).count() as u64
    }

    /// The report for programs: one JSON object.
    pub fn to_json(&self) -> String {
        let findings = self.findings.iter().map(|finding| {
            let severity = match finding.kind.severity() {
                Severity::Problem => "problem",
                Severity::Note => "note",
            };
            let repair = finding.repair.as_ref().map(|repair| quoted(&repair.describe(&self.root)));
            object([
                ("kind", quoted(finding.kind.name())),
                ("severity", quoted(severity)),
                ("path", quoted(&finding.path.to_string_lossy())),
                ("message", quoted(&finding.message)),
                ("repair", repair.unwrap_or_else(|| "null".to_owned())),
                ("loses_data", finding.repair.as_ref().is_some_and(Repair::loses_data).to_string()),
            ])
        });
        object([
            ("root", quoted(&self.root.to_string_lossy())),
            ("sound", self.is_sound().to_string()),
            ("interrupted", self.was_interrupted.to_string()),
            ("problems", self.count(Severity::Problem).to_string()),
            ("notes", self.count(Severity::Note).to_string()),
            ("tables", self.tables.to_string()),
            ("regions", self.regions.to_string()),
            ("store_files", self.store_files.to_string()),
            ("cells", self.cells.to_string()),
            ("logs", self.logs.to_string()),
            ("snapshots", self.snapshots.to_string()),
            ("bytes", self.bytes.to_string()),
            ("servers", self.servers.to_string()),
            ("findings", array(findings)),
        ])
    }
}
