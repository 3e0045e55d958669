//! Numbers as people read them.

/// A time in nanoseconds, with three digits: `1.23 ms`.
pub(crate) fn time(nanoseconds: u64) -> String {
    let value = nanoseconds as f64;
    let (value, unit) = match nanoseconds {
        0..1_000 => (value, "ns"),
        1_000..1_000_000 => (value / 1e3, "µs"),
        1_000_000..1_000_000_000 => (value / 1e6, "ms"),
        _ => (value / 1e9, "s"),
    };
    format!("{} {unit}", digits(value))
}

/// Three digits, or all of those before the point.
pub(crate) fn digits(value: f64) -> String {
    match value.abs() {
        0.0..9.995 => format!("{value:.2}"),
        9.995..99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// Bytes: `1.23 MiB`.
pub(crate) fn bytes(bytes: f64) -> String {
    match bytes {
        0.0..1024.0 => format!("{bytes:.0} B"),
        1024.0..1_048_576.0 => format!("{} KiB", digits(bytes / 1024.0)),
        1_048_576.0..1_073_741_824.0 => format!("{} MiB", digits(bytes / 1_048_576.0)),
        _ => format!("{} GiB", digits(bytes / 1_073_741_824.0)),
    }
}

/// A count with its thousands apart: `1,234,567`.
pub(crate) fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!([999, 1_000, 12_345, 999_499_999].map(time), ["999 ns", "1.00 µs", "12.3 µs", "999 ms"]);
        assert_eq!(time(61_000_000_000), "61.0 s");
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([1.0, 2048.0, 5e6, 5e9].map(bytes), ["1 B", "2.00 KiB", "4.77 MiB", "4.66 GiB"]);
    }
}
