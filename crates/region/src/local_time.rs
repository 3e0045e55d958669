//! What time it is where the machine stands.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// How far local time is ahead of UTC at a moment, both in milliseconds; the moment counts from the epoch. The zone is that
/// of `TZ`, or else of `/etc/localtime`; without either it is UTC.
pub(crate) fn utc_offset_ms(now_ms: i64) -> i64 {
    offset_ms(&TimeZone::system(), now_ms)
}

fn offset_ms(zone: &TimeZone, now_ms: i64) -> i64 {
    // Of times that no calendar has, nothing is known.
    let offset = Timestamp::from_millisecond(now_ms).map(|moment| zone.to_offset(moment).seconds());
    i64::from(offset.unwrap_or(0)) * 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = 3_600_000;
    const JANUARY: i64 = 1_736_899_200_000; // 2025-01-15T00:00Z
    const JULY: i64 = 1_752_537_600_000; // 2025-07-15T00:00Z

    #[test]
    fn summer_time_is_an_hour_ahead() {
        let berlin = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        assert_eq!(offset_ms(&berlin, JANUARY), HOUR_MS);
        assert_eq!(offset_ms(&berlin, JULY), 2 * HOUR_MS);
    }

    #[test]
    fn zones_may_be_behind_by_half_hours_and_moments_out_of_range() {
        let st_johns = TimeZone::posix("NST3:30NDT,M3.2.0,M11.1.0").unwrap();
        assert_eq!(offset_ms(&st_johns, JANUARY), -7 * HOUR_MS / 2);
        assert_eq!(offset_ms(&st_johns, i64::MAX), 0);
        assert_eq!(offset_ms(&TimeZone::UTC, JULY), 0);
        // Whatever the zone of this machine is, it is one of the earth.
        assert!(utc_offset_ms(JULY).abs() <= 26 * HOUR_MS);
    }
}
