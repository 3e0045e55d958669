//! `finback wal --verify`

use crate::cli::amounts::{bytes, counted};
use crate::cli::interrupt::Interrupt;
use crate::cli::stop::{EXIT_INTERRUPTED, Stop};
use crate::cli::style::Style;
use crate::progress_bar::PacedBar;
use finback_fs::LocalFileSystem;
use finback_inspect::{InspectError, LogState, LogWatcher, LogsVerification, verify_logs};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Tells what is found as it is found: problems on standard output, a bar on standard error.
struct Told {
    bar: PacedBar,
    style: Style,
    verbose: bool,
    interrupt: Interrupt,
}

pub(super) fn run(paths: &[PathBuf], verbose: bool) -> Result<ExitCode, Stop> {
    let mut told = Told {
        bar: PacedBar::on_terminal("verifying"),
        style: Style::of_stdout(),
        verbose,
        interrupt: Interrupt::listen(),
    };
    let found = verify_logs(&LocalFileSystem, paths, &mut told);
    told.bar.clear();
    let found = found?;
    writeln!(io::stdout(), "{}", summary(&found, told.style))?;
    Ok(match found.was_interrupted {
        true => ExitCode::from(EXIT_INTERRUPTED),
        false => super::exit_code(found.damaged, found.torn),
    })
}

fn summary(found: &LogsVerification, style: Style) -> String {
    let amount = format!(
        "{}, {}, {}, {}",
        counted(found.files, "log"),
        counted(found.entries, "entry"),
        counted(found.cells, "cell"),
        bytes(found.bytes)
    );
    let mut verdicts = Vec::new();
    if found.damaged > 0 {
        verdicts.push(style.bad(&format!("{} damaged", counted(found.damaged, "log"))));
    }
    if found.torn > 0 {
        verdicts.push(format!("{} with a torn end", counted(found.torn, "log")));
    }
    if found.was_interrupted {
        verdicts.push(style.bad("interrupted before the end"));
    }
    if verdicts.is_empty() && found.files == 0 {
        verdicts.push("no log is there".to_owned());
    }
    if verdicts.is_empty() {
        verdicts.push(style.good("all sound"));
    }
    format!("{amount}: {}", verdicts.join(", "))
}

impl LogWatcher for Told {
    fn progress(&mut self, done: u64, total: u64) -> bool {
        self.bar.show(done, total);
        !self.interrupt.is_seen()
    }

    fn log(&mut self, path: &Path, entries: u64, state: &LogState) -> Result<(), InspectError> {
        if matches!(state, LogState::Whole) && !self.verbose {
            return Ok(());
        }
        self.bar.clear();
        let mut out = io::stdout().lock();
        match state {
            LogState::Whole => {
                let entries = counted(entries, "entry");
                writeln!(out, "{} {}: {entries}", self.style.good("sound"), path.display())?;
            }
            LogState::Torn(tail) => writeln!(
                out,
                "torn {}: {} bytes at offset {}: {}",
                path.display(),
                tail.dropped_bytes,
                tail.offset,
                tail.reason
            )?,
            LogState::Damaged(error) => writeln!(out, "{} {error}", self.style.bad("damaged"))?,
        }
        Ok(())
    }
}
