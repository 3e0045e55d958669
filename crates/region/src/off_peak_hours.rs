//! The hours of the day in which nobody minds background work.

/// HBase's `hbase.offpeak.start.hour` and `hbase.offpeak.end.hour`: from the first hour, to before the second, over
/// midnight if need be. As in HBase, hours are those of the machine's time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OffPeakHours {
    start: u8,
    end: u8,
}

impl OffPeakHours {
    /// `None` for what are no hours of a day, such as HBase's default -1.
    pub fn new(start: i64, end: i64) -> Option<Self> {
        let hour = |hour: i64| u8::try_from(hour).ok().filter(|hour| *hour < 24);
        Some(Self { start: hour(start)?, end: hour(end)? })
    }

    /// Whether a moment, in ms since the epoch, lies in these hours, where local time is so much ahead of UTC.
    pub fn contains(&self, now_ms: i64, utc_offset_ms: i64) -> bool {
        let local_ms = now_ms.saturating_add(utc_offset_ms);
        let hour = (local_ms.div_euclid(3_600_000).rem_euclid(24)) as u8;
        if self.start <= self.end {
            (self.start..self.end).contains(&hour)
        } else {
            hour >= self.start || hour < self.end
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    #[test]
    fn hours_are_those_of_the_place() {
        let night = OffPeakHours::new(1, 2).unwrap();
        // 23:30 UTC of the day before is 1:30 two hours further east.
        assert!(night.contains(-HOUR_MS / 2, 2 * HOUR_MS));
        assert!(!night.contains(HOUR_MS, 2 * HOUR_MS));
        assert!(night.contains(9 * HOUR_MS, -8 * HOUR_MS));
    }

    #[test]
    fn hours_may_go_over_midnight() {
        let inside = |hours: OffPeakHours| -> Vec<i64> {
            (0..24).filter(|hour| hours.contains((hour + 24 * 7) * HOUR_MS + 59, 0)).collect()
        };
        assert_eq!(inside(OffPeakHours::new(2, 5).unwrap()), [2, 3, 4]);
        assert_eq!(inside(OffPeakHours::new(22, 1).unwrap()), [0, 22, 23]);
        assert_eq!(inside(OffPeakHours::new(3, 3).unwrap()), Vec::<i64>::new());
        assert_eq!(OffPeakHours::new(-1, -1), None);
        assert_eq!(OffPeakHours::new(0, 24), None);
    }
}
