//! What a check finds, as it is found.

use crate::cli::amounts::{bytes, counted};
use crate::cli::interrupt::Interrupt;
use crate::cli::style::Style;
use crate::progress_bar::PacedBar;
use finback_inspect::{
    CheckReport, CheckWatcher, Finding, InspectError, Losses, Repair, RepairWatcher, Severity,
};
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

    /// Shows how far something is that is not counted in bytes. Whether to go on.
    pub(super) fn step(&mut self, what: &str, done: u64, total: u64) -> bool {
        self.show(what, done, total)
    }

    fn show(&mut self, what: &str, done: u64, total: u64) -> bool {
        if self.what != what {
            self.bar.clear();
            self.bar = PacedBar::on_terminal(what);
            self.what = what.to_owned();
        }
        self.bar.show(done, total);
        !self.interrupt.is_seen()
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
        let without_loss = report.repairs(Losses::Refused).count() as u64;
        let with_loss = report.repairs(Losses::Accepted).count() as u64 - without_loss;
        if without_loss > 0 {
            writeln!(out, "{} can be repaired: --fix", counted(without_loss, "thing"))?;
        }
        if with_loss > 0 {
            let more = if without_loss > 0 { " more" } else { "" };
            let things = counted(with_loss, "thing");
            writeln!(
                out,
                "{things}{more} with loss of data: --fix --salvage, which shows first what is lost"
            )?;
        }
        Ok(())
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
        self.show(&format!("verifying {what}"), done, total)
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

impl RepairWatcher for Told {
    fn progress(&mut self, path: &Path, done: u64, total: u64) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        self.show(&format!("salvaging {name}"), done, total)
    }

    fn repaired(&mut self, repair: &Repair) -> Result<(), InspectError> {
        if self.is_json {
            return Ok(());
        }
        self.bar.clear();
        Ok(writeln!(io::stdout(), "did {}", repair.describe(&self.root))?)
    }
}
