//! What a check finds, as it is found.

use crate::cli::amounts::{bytes, counted};
use crate::cli::interrupt::Interrupt;
use crate::cli::style::Style;
use crate::progress_bar::PacedBar;
use finback_inspect::{CheckReport, CheckWatcher, Finding, InspectError, Severity};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Lines on standard output, a bar on standard error.
pub(super) struct Told {
    root: PathBuf,
    bar: PacedBar,
    /// What the bar is of.
    what: String,
    style: Style,
    is_json: bool,
    interrupt: Interrupt,
}

impl Told {
    pub(super) fn new(root: &Path, is_json: bool) -> Self {
        Self {
            root: root.to_owned(),
            bar: PacedBar::on_terminal(""),
            what: String::new(),
            style: Style::of_stdout(),
            is_json,
            interrupt: Interrupt::listen(),
        }
    }

    /// Takes the bar away.
    pub(super) fn end(&mut self) {
        self.bar.clear();
    }

    /// What was looked at, and the verdict.
    pub(super) fn summary(&self, report: &CheckReport) -> io::Result<()> {
        let mut out = io::stdout().lock();
        writeln!(out, "{}", self.looked_at(report))?;
        let notes = match report.count(Severity::Note) {
            0 => String::new(),
            notes => format!(", {} worth knowing", counted(notes, "thing")),
        };
        if report.was_interrupted {
            return writeln!(out, "{}: interrupted before the end", self.root.display());
        }
        let verdict = match report.count(Severity::Problem) {
            0 => self.style.good("sound"),
            problems => self.style.bad(&counted(problems, "problem")),
        };
        writeln!(out, "{}: {verdict}{notes}", self.root.display())?;
        match report.repairs().count() as u64 {
            0 => Ok(()),
            repairs => writeln!(out, "{} can be repaired: --fix", counted(repairs, "thing")),
        }
    }
}

impl Told {
    /// Whether Ctrl-C was pressed.
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupt.is_seen()
    }

    fn looked_at(&self, report: &CheckReport) -> String {
        let tables = counted(report.tables, "table");
        let regions = counted(report.regions, "region");
        if report.servers > 0 {
            return format!("{tables}, {regions}, {}", counted(report.servers, "server"));
        }
        format!(
            "{tables}, {regions}, {}; {} with {}, {}, {}",
            counted(report.snapshots, "snapshot"),
            counted(report.store_files, "store file"),
            counted(report.cells, "cell"),
            counted(report.logs, "log"),
            bytes(report.bytes)
        )
    }
}

impl CheckWatcher for Told {
    fn progress(&mut self, what: &str, done: u64, total: u64) -> bool {
        if self.what != what {
            self.bar.clear();
            self.bar = PacedBar::on_terminal(&format!("verifying {what}"));
            self.what = what.to_owned();
        }
        self.bar.show(done, total);
        !self.interrupt.is_seen()
    }

    fn finding(&mut self, finding: &Finding) -> Result<(), InspectError> {
        if self.is_json {
            return Ok(());
        }
        self.bar.clear();
        let word = match finding.kind.severity() {
            Severity::Problem => self.style.bad("problem"),
            Severity::Note => "note".to_owned(),
        };
        let path = finding.path.strip_prefix(&self.root).unwrap_or(&finding.path);
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Ok(writeln!(io::stdout(), "{word} {}: {}: {}", finding.kind.name(), path.display(), finding.message)?)
    }
}
