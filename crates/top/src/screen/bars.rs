//! Bars of the last minutes, one letter of the terminal wide.

use super::theme::Theme;
use crate::layout::width_of;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;

/// The samples in as many bars as there is room for, the latest at the right. Each bar is of so many samples, a power of two, and
/// as high as the highest of them. `total` counts all samples that there ever were: bars do not change while they move.
pub(crate) fn bars(
    samples: impl ExactSizeIterator<Item = f64>,
    total: u64,
    room: usize,
) -> (Vec<f64>, usize) {
    let count = samples.len();
    let mut each = 1;
    // One bar more than the samples fill may be begun at either end.
    while count.div_ceil(each) + usize::from(each > 1) > room && each < count {
        each *= 2;
    }
    let first = total.saturating_sub(count as u64);
    let mut bars: Vec<f64> = Vec::new();
    let mut last = None;
    for (number, sample) in (first..).zip(samples) {
        let bar = number / each as u64;
        match bars.last_mut().filter(|_| last == Some(bar)) {
            Some(height) => *height = height.max(sample),
            None => bars.push(sample),
        }
        last = Some(bar);
    }
    let surplus = bars.len().saturating_sub(room);
    bars.drain(..surplus);
    (bars, each)
}

/// Draws bars into an area, at its right.
pub(crate) fn draw(buffer: &mut Buffer, area: Rect, heights: &[f64], theme: Theme, style: Style) {
    let highest = heights.iter().copied().fold(0.0, f64::max);
    let letters = theme.bars();
    let steps = letters.len() * usize::from(area.height);
    let heights = &heights[heights.len().saturating_sub(area.width.into())..];
    let left = area.right() - heights.len() as u16;
    for (x, &height) in (left..).zip(heights) {
        // Something is never shown as nothing.
        let height = if highest > 0.0 { (height / highest * steps as f64).ceil() as usize } else { 0 };
        for row in 0..area.height {
            let below = usize::from(area.height - 1 - row) * letters.len();
            let filled = height.saturating_sub(below).min(letters.len());
            if let Some(&letter) = filled.checked_sub(1).and_then(|filled| letters.get(filled)) {
                buffer.set_string(x, area.y + row, letter.encode_utf8(&mut [0; 4]), style);
            }
        }
    }
}

/// A number in a few letters: `999`, `1.2k`, `34k`, `5.6M`.
pub(crate) fn short(number: f64) -> String {
    const UNITS: [&str; 5] = ["", "k", "M", "G", "T"];
    let (mut number, mut unit) = (number.max(0.0), 0);
    while number >= 999.5 && unit + 1 < UNITS.len() {
        number /= 1000.0;
        unit += 1;
    }
    let digits = usize::from(unit > 0 && number < 9.95);
    format!("{number:.digits$}{}", UNITS[unit])
}

/// A time in a few letters: `40 s`, `5 min`, `2 h`.
pub(crate) fn span(ms: u64) -> String {
    match ms / 1000 {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    }
}

/// Writes text into a line, as far as there is room. Gives back where it ends.
pub(crate) fn put(buffer: &mut Buffer, area: Rect, x: u16, y: u16, text: &str, style: Style) -> u16 {
    if y >= area.bottom() || x >= area.right() {
        return x;
    }
    let room = usize::from(area.right() - x);
    buffer.set_stringn(x, y, text, room, style);
    x + width_of(text).min(room) as u16
}

#[cfg(test)]
mod tests;
