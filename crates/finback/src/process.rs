//! What the system knows of this process.

use crate::server::now_ms;
use finback_metrics::ProcessFigures;
use std::fs;

/// What `/proc` counts processor time in: a hundredth of a second, whatever the kernel's own clock is.
const MS_PER_TICK: u64 = 10;

/// When this process began, ms since the epoch.
#[derive(Clone, Copy)]
pub(crate) struct Start(u64);

impl Start {
    /// Now.
    pub(crate) fn now() -> Self {
        Self(now_ms())
    }

    /// The numbers at the moment; what the system does not tell is 0.
    pub(crate) fn figures(&self) -> ProcessFigures {
        let read = |name: &str| fs::read_to_string(format!("/proc/self/{name}")).unwrap_or_default();
        let (stat, status, limits) = (read("stat"), read("status"), read("limits"));
        ProcessFigures {
            start_ms: self.0,
            now_ms: now_ms(),
            cpu_ms: cpu_ms(&stat),
            resident_bytes: number(&status, "VmRSS:").saturating_mul(1024),
            peak_resident_bytes: number(&status, "VmHWM:").saturating_mul(1024),
            threads: number(&status, "Threads:"),
            open_descriptors: fs::read_dir("/proc/self/fd").map_or(0, |entries| entries.count() as u64),
            most_descriptors: number(&limits, "Max open files"),
            processors: std::thread::available_parallelism().map_or(1, |count| count.get() as u64),
            load_average: load_average(&fs::read_to_string("/proc/loadavg").unwrap_or_default()),
            spans: None,
        }
    }
}

/// The first number in the line that begins so.
fn number(text: &str, beginning: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(beginning));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Of user and of system.
pub(crate) fn cpu_ms(stat: &str) -> u64 {
    // The name, in parentheses, may have spaces and parentheses in it.
    let behind_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = behind_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok());
    ticks.sum::<u64>().saturating_mul(MS_PER_TICK)
}

/// The first of three averages, of a minute.
fn load_average(loadavg: &str) -> f64 {
    loadavg.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_tells_of_this_process() {
        let figures = Start::now().figures();
        assert!(
            figures.resident_bytes > 1 << 20 && figures.peak_resident_bytes >= figures.resident_bytes / 2
        );
        assert!(figures.threads > 0 && figures.open_descriptors > 2);
        assert!(figures.most_descriptors >= figures.open_descriptors);
    }

    #[test]
    fn the_load_is_that_of_the_last_minute() {
        assert_eq!(load_average("1.25 0.50 0.10 2/345 6789\n"), 1.25);
        assert_eq!(load_average(""), 0.0);
    }

    #[test]
    fn processor_time_is_found_behind_any_name() {
        let stat = "7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0";
        assert_eq!(cpu_ms(stat), 3000);
        assert_eq!(cpu_ms(""), 0);
    }
}
