//! Bold headings and coloured verdicts, where a person looks and wants them.

use std::io::IsTerminal;

/// Whether what is written is decorated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    is_on: bool,
}

impl Style {
    /// Nothing is decorated.
    pub const PLAIN: Self = Self { is_on: false };

    /// For what goes to standard output: on a terminal, unless `NO_COLOR` says no (<https://no-color.org>).
    pub fn of_stdout() -> Self {
        let is_refused =
            |name, no: fn(&std::ffi::OsStr) -> bool| std::env::var_os(name).is_some_and(|v| no(&v));
        let is_unwanted =
            is_refused("NO_COLOR", |value| !value.is_empty()) || is_refused("TERM", |value| value == "dumb");
        Self { is_on: !is_unwanted && std::io::stdout().is_terminal() }
    }

    fn decorated(self, code: &str, text: &str) -> String {
        if self.is_on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// A heading.
    pub fn bold(self, text: &str) -> String {
        self.decorated("1", text)
    }

    /// What is well.
    pub fn good(self, text: &str) -> String {
        self.decorated("32", text)
    }

    /// What is wrong.
    pub fn bad(self, text: &str) -> String {
        self.decorated("31", text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_style_that_is_on_decorates() {
        assert_eq!(Style::PLAIN.bold("x"), "x");
        assert_eq!(Style { is_on: true }.bold("x"), "\x1b[1mx\x1b[0m");
        // No terminal reads what a test writes to its pipe; where one does, the answer is the environment's.
        assert_eq!(Style::PLAIN.good("x") + &Style::PLAIN.bad("y"), "xy");
    }
}
