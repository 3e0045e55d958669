//! The progress line, and Ctrl-C.

use crate::cli::interrupt::Interrupt;
use finback_pe::{Observer, Progress};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often there is a line of progress where nobody looks at a terminal.
const LINES: Duration = Duration::from_secs(10);

/// Tells progress on standard error: in one line of a terminal, which is written over and over; else now and then in a line
/// of its own.
pub(super) struct Watching {
    interrupt: Interrupt,
    is_quiet: bool,
    is_terminal: bool,
    told: Instant,
    line_is_open: bool,
}

impl Watching {
    pub(super) fn new(is_quiet: bool) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        Self {
            interrupt: Interrupt::listen(),
            is_quiet,
            is_terminal,
            told: Instant::now(),
            line_is_open: false,
        }
    }
}

impl Observer for Watching {
    fn told(&mut self, progress: &Progress) {
        if self.is_quiet {
            return;
        }
        // Whoever has closed standard error does not want to know.
        let mut stderr = std::io::stderr();
        if self.is_terminal {
            let _ = write!(stderr, "\r{progress}\x1b[K");
            self.line_is_open = true;
        } else if self.told.elapsed() >= LINES {
            self.told = Instant::now();
            let _ = writeln!(stderr, "{progress}");
        }
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.is_seen()
    }

    fn over(&mut self) {
        if self.line_is_open {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
