//! The machine, and what else it was doing.

pub(crate) mod memory;
pub(crate) mod rest;

use std::process::Command;
use std::time::Instant;

/// Processor cores.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What a reader must know of it: name and value.
pub(crate) fn description() -> Vec<(String, String)> {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let after = |text: &str, name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.trim_start_matches([' ', '\t', ':']).to_owned()
    };
    let memory: f64 =
        after(&read("/proc/meminfo"), "MemTotal").trim_end_matches(" kB").parse().unwrap_or_default();
    vec![
        (
            "processor".to_owned(),
            format!("{} cores, {}", cores(), after(&read("/proc/cpuinfo"), "model name")),
        ),
        ("memory".to_owned(), format!("{:.1} GiB", memory / 1048576.0)),
        ("system".to_owned(), format!("Linux {}", read("/proc/sys/kernel/osrelease").trim())),
        ("Java".to_owned(), first_line(Command::new("java").arg("-version"))),
    ]
}

/// Processes that ran or wanted to, on average over the last minute, five, and fifteen.
pub(crate) fn load_average() -> String {
    let told = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    told.split_whitespace().take(3).collect::<Vec<_>>().join(" ")
}

/// The first line that a program prints, wherever it prints it.
pub(crate) fn first_line(command: &mut Command) -> String {
    let Ok(output) = command.output() else { return "unknown".to_owned() };
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&text).lines().next().unwrap_or("unknown").to_owned()
}

/// Watches how much of the processors others use.
#[derive(Debug)]
pub(crate) struct Others {
    began: Instant,
    busy_before: u64,
    own_before: u64,
}

impl Others {
    /// From now on.
    pub(crate) fn watch() -> Self {
        Self { began: Instant::now(), busy_before: busy(), own_before: own() }
    }

    /// Cores that were busy on average with what is neither this program nor any that it started and that has ended.
    pub(crate) fn cores(&self) -> f64 {
        let others = (busy() - self.busy_before).saturating_sub(own() - self.own_before);
        others as f64 / TICKS_PER_SECOND / self.began.elapsed().as_secs_f64()
    }
}

/// Ticks of `/proc` in a second; fixed in Linux' interface to programs.
const TICKS_PER_SECOND: f64 = 100.0;

/// Ticks for which processors were busy, or not there because of other machines, since the system started.
fn busy() -> u64 {
    parse_busy(&std::fs::read_to_string("/proc/stat").unwrap_or_default()).unwrap_or(0)
}

/// Ticks that this process has used, and its children that have ended.
fn own() -> u64 {
    parse_own(&std::fs::read_to_string("/proc/self/stat").unwrap_or_default()).unwrap_or(0)
}

fn parse_busy(stat: &str) -> Option<u64> {
    let times: Vec<u64> =
        stat.lines().next()?.split_whitespace().skip(1).map_while(|time| time.parse().ok()).collect();
    let [user, nice, system, _idle, _waiting, interrupts, soft_interrupts, stolen, ..] = times[..] else {
        return None;
    };
    Some(user + nice + system + interrupts + soft_interrupts + stolen)
}

fn parse_own(stat: &str) -> Option<u64> {
    // utime, stime, and the same of children.
    let fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11).take(4);
    fields.map(|field| field.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests;
