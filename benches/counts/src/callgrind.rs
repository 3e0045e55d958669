//! Runs this program under Valgrind, and reads what it has counted.

use crate::Result;
use crate::directory::Directory;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// The argument before the name of a path that is to run.
pub(crate) const RUN: &str = "--run";
/// The function of which every call is counted by itself, by its whole name: Valgrind makes no profile after a call of a function
/// that a pattern names.
const COUNTED: &str = "finback_bench_counts::hot_path::counted_call";
/// Memory that was freed is not given back to the system after a while, and threads do not share it out differently.
const ALLOCATOR: &str = "narenas:1,dirty_decay_ms:-1,muzzy_decay_ms:-1";
/// How a line of a profile begins that says how many instructions it has.
const TOTALS: &str = "totals: ";

/// Instructions of a call of the path, the median of `calls`.
pub(crate) fn count(path: &str, calls: usize) -> Result<u64> {
    let directory = Directory::new()?;
    let profile = directory.path().join("profile");
    let output = without_address_randomization()
        .env("_RJEM_MALLOC_CONF", ALLOCATOR)
        .args(["valgrind", "--tool=callgrind", "--collect-atstart=no"])
        .arg(format!("--toggle-collect={COUNTED}"))
        .arg(format!("--dump-after={COUNTED}"))
        .arg(format!("--callgrind-out-file={}", profile.display()))
        .arg(env::current_exe()?)
        .args([RUN, path])
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let mut counts = counts_in(directory.path())?;
    if counts.len() != calls {
        return Err(format!("{} of {calls} calls were counted", counts.len()).into());
    }
    counts.sort_unstable();
    Ok(counts[counts.len() / 2])
}

/// Addresses decide where hash tables and allocators put things.
fn without_address_randomization() -> Command {
    let mut command = Command::new("setarch");
    command.arg("-R");
    command
}

/// What a count depends on beside the code.
pub(crate) fn versions() -> Result<String> {
    let said = |program: &str| -> Result<String> {
        let output = Command::new(program).arg("--version").output()?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().trim().to_owned())
    };
    Ok(format!("{}, {}, {}", said("valgrind")?, said("rustc")?, env::consts::ARCH))
}

/// The counts of the profiles in a directory; the one at the program's end has counted nothing.
fn counts_in(directory: &Path) -> Result<Vec<u64>> {
    let mut counts = Vec::new();
    for entry in fs::read_dir(directory)? {
        let profile = fs::read_to_string(entry?.path())?;
        let totals = profile
            .lines()
            .rev()
            .find_map(|line| line.strip_prefix(TOTALS))
            .ok_or("a profile without totals")?;
        counts.push(totals.trim().parse()?);
    }
    counts.retain(|&count: &u64| count > 0);
    Ok(counts)
}
