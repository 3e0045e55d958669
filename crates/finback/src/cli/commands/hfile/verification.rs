//! `finback hfile --verify`

use crate::cli::amounts::{bytes, counted};
use crate::cli::interrupt::Interrupt;
use crate::cli::stop::Stop;
use crate::cli::style::Style;
use crate::progress_bar::PacedBar;
use finback_fs::FileSystem;
use finback_inspect::{InspectError, TreeVerification, TreeWatcher, Verification, verify_tree};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Tells what is found as it is found: problems on standard output, a bar on standard error.
struct Told {
    bar: PacedBar,
    style: Style,
    verbose: bool,
    interrupt: Interrupt,
}

pub(super) fn run(fs: &Arc<dyn FileSystem>, paths: &[PathBuf], verbose: bool) -> Result<ExitCode, Stop> {
    let mut told = Told {
        bar: PacedBar::on_terminal("verifying"),
        style: Style::of_stdout(),
        verbose,
        interrupt: Interrupt::listen(),
    };
    let found = verify_tree(fs, paths, &mut told);
    told.bar.clear();
    let found = found?;
    writeln!(io::stdout(), "{}", summary(&found, told.style))?;
    Ok(super::exit_code(found.is_sound(), found.was_interrupted))
}

fn summary(found: &TreeVerification, style: Style) -> String {
    let TreeVerification { files, damaged, unreadable, blocks, cells, .. } = *found;
    let amount = format!(
        "{}, {}, {}, {}",
        counted(files, "file"),
        counted(blocks, "sound block"),
        counted(cells, "cell"),
        bytes(found.bytes)
    );
    let mut verdicts = Vec::new();
    if damaged > 0 {
        verdicts.push(style.bad(&format!("{} damaged", counted(damaged, "file"))));
    }
    if unreadable > 0 {
        verdicts.push(style.bad(&format!("{unreadable} could not be read")));
    }
    if found.was_interrupted {
        verdicts.push(style.bad("interrupted before the end"));
    }
    if verdicts.is_empty() && found.files == 0 {
        verdicts.push("no store file is there".to_owned());
    }
    if verdicts.is_empty() {
        verdicts.push(style.good("all sound"));
    }
    format!("{amount}: {}", verdicts.join(", "))
}

impl TreeWatcher for Told {
    fn progress(&mut self, done: u64, total: u64) -> bool {
        self.bar.show(done, total);
        !self.interrupt.is_seen()
    }

    fn file(&mut self, path: &Path, found: &Verification) -> Result<(), InspectError> {
        if found.problems.is_empty() && !self.verbose {
            return Ok(());
        }
        self.bar.clear();
        let mut out = io::stdout().lock();
        for problem in &found.problems {
            writeln!(out, "{} {problem}", self.style.bad("damaged"))?;
        }
        if found.untold_problems > 0 {
            writeln!(
                out,
                "{} {}: and {} more",
                self.style.bad("damaged"),
                path.display(),
                found.untold_problems
            )?;
        }
        if found.is_sound() {
            let amount = format!("{}, {}", counted(found.blocks, "block"), counted(found.cells, "cell"));
            writeln!(out, "{} {}: {amount}", self.style.good("sound"), path.display())?;
        }
        Ok(())
    }

    fn unreadable(&mut self, error: &InspectError) -> Result<(), InspectError> {
        self.bar.clear();
        Ok(writeln!(io::stdout(), "{} {error}", self.style.bad("unreadable"))?)
    }
}
