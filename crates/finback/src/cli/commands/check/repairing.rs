//! `finback check --fix`

use crate::cli::amounts::counted;
use crate::cli::stop::Stop;
use finback_inspect::{CheckReport, Severity, repair_directory};
use finback_layout::RootDir;
use std::io::{self, BufRead, IsTerminal, Write};
use std::time::{SystemTime, UNIX_EPOCH};

/// Shows, asks if it is to, and repairs. Whether nothing is wrong any more.
pub(super) fn run(root: &RootDir, report: &CheckReport, asks: bool, is_json: bool) -> Result<bool, Stop> {
    let repairs = report.repairs().count() as u64;
    if repairs == 0 {
        if !is_json && !report.is_sound() {
            writeln!(io::stdout(), "nothing of that can be repaired here")?;
        }
        return Ok(report.is_sound());
    }
    // When it was, so that runs have directories of their own.
    let run = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis().to_string();
    if asks {
        for repair in report.repairs() {
            writeln!(io::stdout(), "would {}", repair.describe(root.path()))?;
        }
        if !is_wanted(repairs)? {
            writeln!(io::stdout(), "nothing was changed")?;
            return Ok(report.is_sound());
        }
    }
    repair_directory(root, report, &run, &mut |repair| {
        if !is_json {
            writeln!(io::stdout(), "did {}", repair.describe(root.path()))?;
        }
        Ok(())
    })?;
    let is_open = |finding: &&finback_inspect::Finding| {
        finding.repair.is_none() && finding.kind.severity() == Severity::Problem
    };
    let left = report.findings.iter().filter(is_open).count() as u64;
    if !is_json && left > 0 {
        writeln!(io::stdout(), "{} cannot be repaired here", counted(left, "problem"))?;
    }
    Ok(left == 0)
}

/// Asks on standard output. Whoever is not at a terminal has to say --yes.
pub(super) fn is_wanted(repairs: u64) -> Result<bool, Stop> {
    if !io::stdin().is_terminal() {
        let hint = "standard input is no terminal to ask at: --yes repairs without asking";
        return Err(Stop::Failed(hint.to_owned()));
    }
    let mut out = io::stdout().lock();
    write!(out, "Do that ({})? [y/N] ", counted(repairs, "thing"))?;
    out.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(Stop::Output)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
