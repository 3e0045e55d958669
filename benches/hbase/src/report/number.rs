//! Numbers as they stand in tables.

use crate::statistics::Spread;

/// Three digits, or all before the point, with commas.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if size >= 100.0 => grouped(value.round() as i64),
        _ if size >= 10.0 => format!("{value:.1}"),
        _ if size >= 1.0 || size == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// The median, and what it lies between, if there are several values.
pub(super) fn spread(spread: &Spread) -> String {
    match spread.count {
        1 => number(spread.median),
        _ => format!("{} ({} to {})", number(spread.median), number(spread.min), number(spread.max)),
    }
}

fn grouped(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::from(if value < 0 { "-" } else { "" });
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests;
