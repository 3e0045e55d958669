//! Everything as text, for who asks for help.

use crate::model::{Identity, Region, Setting, Status, Tasks};
use crate::units;
use std::fmt::{self, Write};

/// Regions that are listed, most requested first.
const REGIONS: usize = 100;

/// The state of the server.
pub(crate) fn render(
    identity: &Identity,
    status: &Status,
    regions: &[Region],
    tasks: &Tasks,
    settings: &[Setting],
) -> String {
    let mut text = String::new();
    // Into a text nothing fails.
    let _ = write(&mut text, identity, status, regions, tasks, settings);
    text
}

fn write(
    text: &mut String,
    identity: &Identity,
    status: &Status,
    regions: &[Region],
    tasks: &Tasks,
    settings: &[Setting],
) -> fmt::Result {
    let process = &status.process;
    writeln!(
        text,
        "Finback {} {} at {} UTC",
        identity.version,
        identity.server,
        units::time(identity.now_ms)
    )?;
    writeln!(
        text,
        "started {} UTC, cluster {}, master {}",
        units::time(identity.start_ms),
        status.cluster_id,
        status.master
    )?;
    writeln!(text, "\nProcess {}", process.id)?;
    writeln!(text, "  processor time {}", units::duration(process.cpu_ms))?;
    let [resident, peak, limit] =
        [process.resident, process.peak_resident, process.memory_limit].map(units::bytes);
    writeln!(text, "  memory {resident}, at most {peak}, limit {limit}")?;
    writeln!(text, "  file descriptors {} of {}", process.descriptors, process.most_descriptors)?;
    writeln!(text, "\nMemory")?;
    for share in &status.memory {
        let used = share.used.map_or_else(|| "-".to_owned(), units::bytes);
        writeln!(text, "  {:<24} {used:>10} of {:>10}", share.name, units::bytes(share.limit))?;
    }
    writeln!(text, "\nThreads")?;
    for one in &process.threads {
        writeln!(text, "  {:<24} {:>4} {:>16}", one.name, one.count, units::duration(one.cpu_ms))?;
    }
    writeln!(text, "\nTasks")?;
    for task in &tasks.running {
        let since = units::duration(identity.now_ms.saturating_sub(task.since_ms));
        writeln!(text, "  {}: {}, for {since}", task.description, task.status)?;
    }
    for (kind, number) in &tasks.waiting {
        writeln!(text, "  {kind}: {number} waiting")?;
    }
    for (kind, number) in &status.waiting {
        writeln!(text, "  calls waiting, {kind}: {number}")?;
    }
    writeln!(text, "\nRegions: {}", regions.len())?;
    let mut sorted: Vec<_> = regions.iter().collect();
    sorted.sort_by_key(|region| std::cmp::Reverse(region.requests()));
    for region in sorted.into_iter().take(REGIONS) {
        let [files, memstores] = [region.file_bytes, region.memstore_bytes].map(units::bytes);
        let (name, reads, writes) = (&region.name, region.reads, region.writes);
        writeln!(
            text,
            "  {name} read {reads} written {writes} files {} {files} memstores {memstores}",
            region.files
        )?;
    }
    writeln!(text, "\nConfiguration")?;
    for setting in settings {
        writeln!(text, "  {} = {} ({})", setting.name, setting.value, setting.origin)?;
    }
    Ok(())
}
