//! A bar on standard error that shows how far something is, where that is a terminal.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Characters of the bar itself.
const WIDTH: usize = 30;

/// A bar with a label before it.
#[derive(Debug)]
pub(crate) struct ProgressBar {
    label: String,
    /// Whether anybody can see it.
    is_shown: bool,
}

impl ProgressBar {
    pub(crate) fn on_terminal(label: &str) -> Self {
        Self { label: label.to_owned(), is_shown: std::io::stderr().is_terminal() }
    }

    /// Shows that so much of a total is done.
    pub(crate) fn show(&mut self, done: u64, total: u64) {
        if self.is_shown && total > 0 {
            eprint!("\r{}", line(&self.label, done, total));
            let _ = std::io::stderr().flush();
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&mut self) {
        if self.is_shown {
            eprint!("\r\x1b[K");
        }
    }
}

/// A bar that may be told of every step: it is drawn now and then.
#[derive(Debug)]
pub(crate) struct PacedBar {
    bar: ProgressBar,
    drawn: Option<Instant>,
}

impl PacedBar {
    pub(crate) fn on_terminal(label: &str) -> Self {
        Self { bar: ProgressBar::on_terminal(label), drawn: None }
    }

    /// Shows that so much of a total is done.
    pub(crate) fn show(&mut self, done: u64, total: u64) {
        const BETWEEN: Duration = Duration::from_millis(100);
        if self.drawn.is_none_or(|drawn| drawn.elapsed() >= BETWEEN) {
            self.drawn = Some(Instant::now());
            self.bar.show(done, total);
        }
    }

    /// Takes the bar away, until it is shown again.
    pub(crate) fn clear(&mut self) {
        self.bar.clear();
        self.drawn = None;
    }
}

fn line(label: &str, done: u64, total: u64) -> String {
    let share = done.min(total) as f64 / total.max(1) as f64;
    let full = (share * WIDTH as f64) as usize;
    format!("{label} [{}{}] {:3.0} %", "#".repeat(full), " ".repeat(WIDTH - full), share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_grows_from_nothing_to_all() {
        assert_eq!(line("a", 0, 7), format!("a [{}]   0 %", " ".repeat(30)));
        assert_eq!(line("a", 1, 2), format!("a [{}{}]  50 %", "#".repeat(15), " ".repeat(15)));
        assert_eq!(line("a", 9, 7), format!("a [{}] 100 %", "#".repeat(30)));
        assert_eq!(line("a", 0, 0), line("a", 0, 1));
    }
}
