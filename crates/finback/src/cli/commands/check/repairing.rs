//! `finback check --fix`

use super::telling::Told;
use crate::cli::amounts::counted;
use crate::cli::stop::Stop;
use finback_inspect::{CheckReport, FindingKind, InspectError, Losses, repair_directory};
use finback_layout::RootDir;
use std::io::{self, BufRead, IsTerminal, Write};
use std::time::{SystemTime, UNIX_EPOCH};

/// How repairs are made.
#[derive(Clone, Copy)]
pub(super) struct Fixing {
    pub(super) losses: Losses,
    pub(super) asks: bool,
    pub(super) is_json: bool,
}

/// Shows, asks if it is to, and repairs. Whether nothing is wrong any more; none if Ctrl-C ended it.
pub(super) fn run(
    root: &RootDir,
    report: &CheckReport,
    fixing: Fixing,
    told: &mut Told,
) -> Result<Option<bool>, Stop> {
    let Fixing { losses, asks, is_json } = fixing;
    let repairs = report.repairs(losses).count() as u64;
    if repairs == 0 {
        if !is_json && !report.is_sound() {
            writeln!(io::stdout(), "{}", nothing_to_do(report))?;
        }
        return Ok(Some(report.is_sound()));
    }
    // When it was, so that runs have directories of their own.
    let run = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis().to_string();
    if asks {
        for repair in report.repairs(losses) {
            writeln!(io::stdout(), "would {}", repair.describe(root.path()))?;
        }
        if !is_wanted(repairs)? {
            writeln!(io::stdout(), "nothing was changed")?;
            return Ok(Some(report.is_sound()));
        }
    }
    let repaired = repair_directory(root, report, &run, losses, told);
    told.end();
    match repaired {
        Err(InspectError::Interrupted) => return Ok(None),
        repaired => repaired?,
    }
    let left = report.problems_without_repair(losses);
    let is_meta_unread = report.findings.iter().any(|finding| finding.kind == FindingKind::MetaUnreadable);
    if !is_json {
        let aside = root.path().join(".hbck").join(&run);
        if aside.is_dir() {
            writeln!(io::stdout(), "what was there before is in {}", aside.display())?;
        }
        if is_meta_unread {
            writeln!(io::stdout(), "hbase:meta could not be read, and no table was checked: check again")?;
        } else if left > 0 {
            writeln!(io::stdout(), "{} cannot be repaired here", counted(left, "problem"))?;
        }
    }
    Ok(Some(left == 0))
}

/// Why nothing is repaired though something is wrong.
pub(super) fn nothing_to_do(report: &CheckReport) -> &'static str {
    match report.repairs(Losses::Accepted).next() {
        Some(_) => "nothing of that can be repaired here without loss: --fix --salvage keeps what is left",
        None => "nothing of that can be repaired here",
    }
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
