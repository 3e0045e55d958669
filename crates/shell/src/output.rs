//! What is written: rows and columns as HBase's formatter lays them out.

use std::io::{self, Write};

/// Where commands write. With a width (of a terminal) lines are filled and broken; without one they are as long as they are.
pub(crate) struct Output {
    to: Box<dyn Write>,
    width: fn() -> usize,
    /// Rows since the last header.
    rows: usize,
}

impl Output {
    pub(crate) fn new(to: Box<dyn Write>, width: fn() -> usize) -> Self {
        Self { to, width, rows: 0 }
    }

    /// A line.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.to, "{}", text.as_ref())
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }

    pub(crate) fn header(&mut self, columns: &[&str]) -> io::Result<()> {
        self.columns(columns, "")?;
        self.rows = 0;
        Ok(())
    }

    pub(crate) fn row(&mut self, columns: &[&str]) -> io::Result<()> {
        self.columns(columns, " ")?;
        self.rows += 1;
        Ok(())
    }

    /// `N row(s)`: as many as there were since the header, unless it is told otherwise.
    pub(crate) fn footer(&mut self, rows: Option<usize>, is_stale: bool) -> io::Result<()> {
        let rows = rows.unwrap_or(self.rows);
        self.line(format!("{rows} row(s)"))?;
        if is_stale { self.line(" (possible stale results) ") } else { Ok(()) }
    }

    /// Rows of two columns are set in by `inset`; headers have a second blank between them instead.
    fn columns(&mut self, columns: &[&str], inset: &str) -> io::Result<()> {
        let width = (self.width)();
        match columns {
            [] => Ok(()),
            [one] => {
                for part in broken(one, width) {
                    writeln!(self.to, "{part:<width$}")?;
                }
                Ok(())
            }
            [left, right] => {
                let left_width = width / 4;
                let right_width = if width == 0 { 0 } else { (width - left_width).saturating_sub(2) };
                let (left, right) = (broken(left, left_width), broken(right, right_width));
                let gap = if inset.is_empty() { "  " } else { " " };
                for at in 0..left.len().max(right.len()) {
                    let part = |parts: &[String]| parts.get(at).cloned().unwrap_or_default();
                    let (left, right) = (part(&left), part(&right));
                    writeln!(self.to, "{inset}{left:<left_width$}{gap}{right:<right_width$}")?;
                }
                Ok(())
            }
            many => writeln!(self.to, " {}", many.join(" ")),
        }
    }
}

/// Text in parts of as many characters; in one, without a width.
fn broken(text: &str, width: usize) -> Vec<String> {
    if width == 0 || text.is_empty() {
        return vec![text.to_owned()];
    }
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(width).map(|part| part.iter().collect()).collect()
}

#[cfg(test)]
mod tests;
