//! What the system knows of the threads of this process.

use finback_pages::model::Threads;
use std::collections::BTreeMap;
use std::fs;

/// Threads that are looked at: there are a few dozen.
const MOST: usize = 2000;

/// Threads by name, busiest first; those whose names differ in a number alone are of one name.
pub(super) fn by_name() -> Vec<Threads> {
    let mut found: BTreeMap<String, Threads> = BTreeMap::new();
    let Ok(tasks) = fs::read_dir("/proc/self/task") else { return Vec::new() };
    for task in tasks.flatten().take(MOST) {
        // One that has ended meanwhile has none.
        let Ok(stat) = fs::read_to_string(task.path().join("stat")) else { continue };
        let name = kind(name(&stat));
        let threads = found.entry(name.clone()).or_insert(Threads { name, ..Threads::default() });
        threads.count += 1;
        threads.cpu_ms += crate::process::cpu_ms(&stat);
    }
    let mut threads: Vec<_> = found.into_values().collect();
    threads.sort_by_key(|one| std::cmp::Reverse(one.cpu_ms));
    threads
}

/// The name in a line of `/proc/PID/task/TID/stat`, in parentheses.
fn name(stat: &str) -> &str {
    let behind = stat.split_once('(').map_or("", |(_, rest)| rest);
    behind.rsplit_once(')').map_or("", |(name, _)| name)
}

fn kind(name: &str) -> String {
    name.trim_end_matches(|character: char| character.is_ascii_digit() || "-_ #".contains(character))
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_thread_is_among_them() {
        let work = std::thread::Builder::new().name("look-7".to_owned()).spawn(by_name).unwrap();
        let threads = work.join().unwrap();
        assert!(threads.iter().any(|one| one.name == "look" && one.count == 1), "{threads:?}");
    }

    #[test]
    fn names_may_have_anything_in_them() {
        assert_eq!(name("7 (a (b) c) S 1 2"), "a (b) c");
        assert_eq!((name("nonsense"), name(")(")), ("", ""));
        assert_eq!([kind("worker-12"), kind("tokio-rt-worker")], ["worker", "tokio-rt-worker"]);
    }
}
