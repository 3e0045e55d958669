//! Numbers with units, as HBase's PrettyPrinter writes and reads them.

use std::fmt::Write;

/// What `i32::MAX` seconds mean.
const FOREVER: i64 = i32::MAX as i64;

const TIME: [(&str, i64); 4] = [("DAY", 86_400), ("HOUR", 3600), ("MINUTE", 60), ("SECOND", 1)];
const SIZE: [(&str, i64); 5] = [("TB", 1 << 40), ("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10), ("B", 1)];

/// `FOREVER`, `30 SECONDS`, `86400 SECONDS (1 DAY)`. Text that is no number stays.
pub(super) fn ttl(text: &str) -> String {
    let Ok(seconds) = text.trim().parse::<i64>() else { return text.to_owned() };
    let plural = |count: i64| if count == 1 { "" } else { "S" };
    match seconds {
        FOREVER => "FOREVER".to_owned(),
        seconds if seconds < 60 => format!("{seconds} SECOND{}", plural(seconds)),
        seconds => {
            let parts = parts(seconds, &TIME);
            let words: Vec<_> =
                parts.iter().map(|(count, unit)| format!("{count} {unit}{}", plural(*count))).collect();
            format!("{seconds} SECONDS ({})", words.join(" "))
        }
    }
}

/// `512 B`, `65536 B (64KB)`
pub(super) fn bytes(text: &str) -> String {
    let Ok(size) = text.trim().parse::<i64>() else { return text.to_owned() };
    let mut shown = format!("{size} B");
    if size >= 1024 {
        let words: Vec<_> = parts(size, &SIZE).iter().map(|(count, unit)| format!("{count}{unit}")).collect();
        let _ = write!(shown, " ({})", words.join(" "));
    }
    shown
}

/// How often each unit is in it, without those that are not.
fn parts<'a>(mut value: i64, units: &[(&'a str, i64)]) -> Vec<(i64, &'a str)> {
    let mut parts = Vec::new();
    for &(unit, size) in units {
        if value >= size {
            parts.push((value / size, unit));
            value %= size;
        }
    }
    parts
}

/// Seconds: a number, `FOREVER`, `1 DAY 2 HOURS`, or what [`ttl`] writes.
pub(crate) fn parse_ttl(text: &str) -> Option<i64> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("forever") {
        return Some(FOREVER);
    }
    parse(text, "SECOND", &TIME)
}

/// Bytes: a number, `1 GB 512 MB`, or what [`bytes`] writes.
pub(crate) fn parse_bytes(text: &str) -> Option<i64> {
    parse(text.trim(), "B", &SIZE)
}

fn parse(text: &str, smallest: &str, units: &[(&str, i64)]) -> Option<i64> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    // What stands before brackets is the same once more.
    let text = match text.split_once('(') {
        Some((whole, same))
            if is_unit(whole.trim().trim_start_matches(|c: char| c.is_ascii_digit()), smallest) =>
        {
            same.strip_suffix(')')?
        }
        Some(_) => return None,
        None => text,
    };
    let (mut rest, mut sum, mut units) = (text.trim(), 0i64, units.iter());
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let count: i64 = rest[..digits].parse().ok()?;
        let word = rest[digits..].trim_start();
        let end = word.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(word.len());
        // From the largest to the smallest, each once.
        let (_, size) = units.by_ref().find(|(unit, _)| is_unit(&word[..end], unit))?;
        sum = sum.checked_add(count.checked_mul(*size)?)?;
        rest = word[end..].trim_start();
    }
    (!text.is_empty()).then_some(sum)
}

fn is_unit(word: &str, unit: &str) -> bool {
    let word = word.trim().to_ascii_uppercase();
    word == unit || word.strip_suffix('S') == Some(unit)
}
