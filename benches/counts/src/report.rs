//! The table of counts beside those that are kept.

use crate::kept::Kept;
use std::fmt::Write;

/// A line for each path: its count, what was kept, and the change in percent.
pub(crate) fn table(counts: &[(String, u64)], kept: &Kept) -> String {
    let mut table = format!("{:<28}{:>14}{:>14}{:>10}\n", "instructions of a", "now", "kept", "change");
    for (name, now) in counts {
        let (before, change) = match kept.count(name) {
            Some(before) => (before.to_string(), format!("{:+.2} %", change_percent(before, *now))),
            None => ("-".to_owned(), "new".to_owned()),
        };
        // A String takes everything.
        let _ = writeln!(table, "{name:<28}{now:>14}{before:>14}{change:>10}");
    }
    table
}

fn change_percent(before: u64, now: u64) -> f64 {
    (now as f64 / before as f64 - 1.0) * 100.0
}

#[cfg(test)]
mod tests;
