//! Points in time.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// As Java's `LocalDateTime` writes it: `2026-11-21T13:24:28.575`, without seconds or fractions that are zero.
pub(crate) fn local_date_time(ms: i64, zone: &TimeZone) -> String {
    let Ok(timestamp) = Timestamp::from_millisecond(ms) else {
        // LATEST_TIMESTAMP of a delete marker: outside of all calendars here.
        return ms.to_string();
    };
    let time = timestamp.to_zoned(zone.clone()).datetime();
    let minutes = time.strftime("%Y-%m-%dT%H:%M");
    match (time.second(), time.subsec_nanosecond() / 1_000_000) {
        (0, 0) => minutes.to_string(),
        (second, 0) => format!("{minutes}:{second:02}"),
        (second, millis) => format!("{minutes}:{second:02}.{millis:03}"),
    }
}

/// As Ruby's `Time` writes it: `2026-11-21 13:24:28 +0000`.
pub(crate) fn ruby_time(ms: i64, zone: &TimeZone) -> String {
    match Timestamp::from_millisecond(ms) {
        Ok(timestamp) => timestamp.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S %z").to_string(),
        Err(_) => ms.to_string(),
    }
}

/// As Java's `Date` writes it: `Tue Nov 14 22:13:20 UTC 2023`.
pub(crate) fn java_date(ms: u64, zone: &TimeZone) -> String {
    match i64::try_from(ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok()) {
        Some(at) => at.to_zoned(zone.clone()).strftime("%a %b %d %H:%M:%S %Z %Y").to_string(),
        None => ms.to_string(),
    }
}
