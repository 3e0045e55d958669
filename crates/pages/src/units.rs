//! Numbers as people read them.

/// With commas between thousands.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Bytes, in powers of 1,024.
pub(crate) fn bytes(number: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if number < 1024 {
        return format!("{number} B");
    }
    let mut value = number as f64;
    let mut unit = "B";
    for next in UNITS {
        // What would be shown as 1,024 is one of the next unit.
        if value < 1023.5 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    format!("{} {unit}", three_digits(value))
}

/// Events per second.
pub(crate) fn rate(per_second: f64) -> String {
    let number =
        if per_second >= 999.5 { count(per_second.round() as u64) } else { three_digits(per_second) };
    format!("{number}/s")
}

/// A short duration.
pub(crate) fn latency(us: f64) -> String {
    if us < 999.5 {
        format!("{} µs", three_digits(us))
    } else if us < 999_500.0 {
        format!("{} ms", three_digits(us / 1e3))
    } else {
        format!("{} s", three_digits(us / 1e6))
    }
}

/// A part of a whole, 0 to 1.
pub(crate) fn percent(part: f64) -> String {
    format!("{} %", three_digits((part * 1000.0).round() / 10.0))
}

/// A duration in the two largest units that it has.
pub(crate) fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) if seconds == 0 => format!("{ms} ms"),
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min {} s", seconds % 60),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

/// How long ago; `-` for never.
pub(crate) fn ago(then_ms: u64, now_ms: u64) -> String {
    if then_ms == 0 { "–".to_owned() } else { format!("{} ago", duration(now_ms.saturating_sub(then_ms))) }
}

/// A time of the proleptic Gregorian calendar in UTC, `2026-01-31 12:00:00`.
pub(crate) fn time(ms: u64) -> String {
    let (days, seconds) = (ms / 86_400_000, ms / 1000 % 86_400);
    let (year, month, day) = civil(days);
    format!("{year}-{month:02}-{day:02} {:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Year, month and day of a day since the epoch, by Howard Hinnant's `civil_from_days`.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

/// About three digits; no more than are there.
fn three_digits(value: f64) -> String {
    let decimals = match value {
        _ if value >= 99.95 || value == value.trunc() => 0,
        _ if value >= 9.995 => 1,
        _ => 2,
    };
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_grouped() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([0, 1, 2000].map(|number| counted(number, "file")), ["0 files", "1 file", "2,000 files"]);
        assert_eq!(
            [0, 1023, 1024, 1536, (1 << 20) - 1, 1 << 20, 5_000_000_000, u64::MAX].map(bytes),
            ["0 B", "1023 B", "1 KiB", "1.5 KiB", "1 MiB", "1 MiB", "4.66 GiB", "16 EiB"]
        );
        assert_eq!(
            [0.0, 0.123, 12.34, 999.4, 1234.5].map(rate),
            ["0/s", "0.12/s", "12.3/s", "999/s", "1,235/s"]
        );
        assert_eq!([7.0, 1250.0, 2_500_000.0].map(latency), ["7 µs", "1.25 ms", "2.5 s"]);
        assert_eq!([0.0, 0.9996, 1.0, 0.123].map(percent), ["0 %", "100 %", "100 %", "12.3 %"]);
    }

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(time(0), "1970-01-01 00:00:00");
        assert_eq!(time(951_782_399_999), "2000-02-28 23:59:59");
        assert_eq!(time(951_782_400_000), "2000-02-29 00:00:00");
        assert_eq!(time(1_767_225_599_000), "2025-12-31 23:59:59");
        // Any number is a time.
        assert!(time(u64::MAX).ends_with(":51"));
    }

    #[test]
    fn durations_have_two_units() {
        let shown = [12, 1000, 61_000, 3_660_000, 90_000_000].map(duration);
        assert_eq!(shown, ["12 ms", "1 s", "1 min 1 s", "1 h 1 min", "1 d 1 h"]);
        assert_eq!([ago(0, 5), ago(5000, 4000)], ["–", "0 ms ago"]);
    }
}
