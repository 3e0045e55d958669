//! Amounts as people read them.

/// Bytes, in the unit that leaves one to four digits before the point.
pub(crate) fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut amount = count as f64;
    let mut unit = "bytes";
    for next in UNITS {
        if amount < 1024.0 {
            break;
        }
        amount /= 1024.0;
        unit = next;
    }
    if unit == "bytes" { format!("{count} bytes") } else { format!("{amount:.1} {unit}") }
}

/// A number and what is counted: "1 file", "2 files", "2 entries".
pub(crate) fn counted(count: u64, one: &str) -> String {
    match one.strip_suffix('y') {
        _ if count == 1 => format!("{count} {one}"),
        Some(stem) => format!("{count} {stem}ies"),
        None => format!("{count} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_short() {
        assert_eq!(bytes(1023), "1023 bytes");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(u64::MAX), "16384.0 PiB");
        assert_eq!(
            [counted(1, "entry"), counted(0, "block"), counted(2, "entry")],
            ["1 entry", "0 blocks", "2 entries"]
        );
    }
}
