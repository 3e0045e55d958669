//! Batch mode: what the screen shows, printed one time after the other.

use crate::layout::{Widths, cell, heading};
use crate::model::TopModel;
use std::io::{self, Write};

/// Prints what is to be seen. Its lines are HBase's.
pub(crate) fn print(
    out: &mut impl Write,
    model: &TopModel,
    widths: &mut Widths,
    time: &str,
) -> io::Result<()> {
    writeln!(out, "finback top - {time}")?;
    for line in model.summary().cloned().unwrap_or_default().lines() {
        writeln!(out, "{}", crate::layout::printable(&line))?;
    }
    writeln!(out)?;
    let fields = model.shown_fields();
    widths.fit(model.mode(), &fields, model.records());
    let columns = widths.natural(&fields);
    let line = |cells: Vec<String>| cells.join(" ");
    writeln!(out, "{}", line(columns.iter().map(|&column| heading(column)).collect()).trim_end())?;
    for record in model.records() {
        let cells = columns.iter().map(|&column| cell(record, column)).collect();
        writeln!(out, "{}", line(cells).trim_end())?;
    }
    writeln!(out)?;
    out.flush()
}

#[cfg(test)]
mod tests;
