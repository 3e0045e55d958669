//! `finback compact`: compacts the files of a table, or of one of its regions, that no server has open.
//!
//! The regions are opened as a server opens them, with a log in memory that nobody reads: nothing is written but files of
//! compactions, which are as safe against a crash as those of a server. What is still in the logs of a server stays there.

mod target;

use crate::config::ServerConfig;
use crate::progress_bar::ProgressBar;
use crate::root_lock;
use finback_cache::MemoryBlockCache;
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor, TableName};
use finback_fs::{FileSystem, LocalFileSystem, MemFileSystem};
use finback_layout::{LayoutError, RootDir};
use finback_region::{CompactionOutcome, PlainHost, Region, RegionConfig, RegionEnvironment};
use finback_wal::{Wal, WalKind, WalOptions};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use target::Target;

/// Why something is not compacted, in one line.
type Failure = String;

/// What to compact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactOptions {
    /// The directory of a table or of a region.
    pub directory: PathBuf,
    /// Whether all files of each store are compacted, or what its policy chooses.
    pub major: bool,
    /// The only family to compact.
    pub family: Option<String>,
}

/// Compacts, and tells what was done: a line for each store on standard output, a bar on standard error.
pub fn run(options: &CompactOptions, config: &ServerConfig) -> ExitCode {
    match compact(options, config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("finback: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn compact(options: &CompactOptions, config: &ServerConfig) -> Result<(), Failure> {
    let fs: Arc<dyn FileSystem> = Arc::new(LocalFileSystem);
    let target = Target::find(&fs, &options.directory)?;
    let root = &target.root;
    let instead = "stop the server, or have it compact: compact and major_compact in finback shell";
    let _lock = root_lock::lock(root, instead)?;
    let table = root.read_table_descriptor(&target.table).map_err(|error| error.to_string())?;
    let families = families(&table, options.family.as_deref())?;
    let table = Arc::new(table);
    let environment = environment(root, config)?;
    let all = root.list_regions(&target.table).map_err(|error| error.to_string())?;
    let regions = target.region.as_ref().map_or_else(|| all.clone(), |region| vec![region.clone()]);
    let mut needed = BTreeSet::new();
    for region in &all {
        let mut others = root.leads_to(&target.table, region).map_err(|error| error.to_string())?;
        // HBase's restores link to files of the same region.
        others.remove(region);
        needed.append(&mut others);
    }
    let mut failures = Vec::new();
    for encoded_name in regions {
        let compacted = match why_not(root, &target.table, &encoded_name, &needed) {
            Ok(Some(reason)) => {
                say(&format!("{encoded_name}: {reason}"));
                Ok(())
            }
            Ok(None) => compact_region(&environment, &table, &encoded_name, &families, options.major),
            Err(failure) => Err(failure),
        };
        failures.extend(compacted.err().map(|failure| format!("region {encoded_name}: {failure}")));
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\nfinback: ")) }
}

/// Why a region is passed over, if it is. `needed`: regions whose files others lead to.
fn why_not(
    root: &RootDir,
    table: &TableName,
    region: &str,
    needed: &BTreeSet<String>,
) -> Result<Option<&'static str>, Failure> {
    let failure = |error: LayoutError| error.to_string();
    match root.read_region_info(table, region) {
        // A directory gets it last.
        Err(error) if error.is_not_found() => return Ok(Some("passed over, for it never became a region")),
        read => read.map(drop).map_err(failure)?,
    }
    if needed.contains(region) {
        // HBase looks for them nowhere else.
        return Ok(Some(
            "passed over, for regions that it was split or merged into need its files where they are",
        ));
    }
    let loads = root.region_bulk_load_dir(table, region);
    let has_loads = root.fs().exists(&loads).map_err(|error| format!("{}: {error}", loads.display()))?;
    if has_loads && !root.list_wal_dirs().map_err(failure)?.is_empty() {
        return Err("the server's log may say how a bulk load goes on: start the server once".to_owned());
    }
    Ok(None)
}

fn compact_region(
    environment: &RegionEnvironment,
    table: &Arc<TableDescriptor>,
    encoded_name: &str,
    families: &[ColumnFamilyDescriptor],
    major: bool,
) -> Result<(), Failure> {
    let info =
        environment.root.read_region_info(&table.name, encoded_name).map_err(|error| error.to_string())?;
    let region = Region::open(environment.clone(), info, Arc::clone(table), &mut |_, _, _| {})
        .map_err(|error| error.to_string())?;
    let compacted = families.iter().try_for_each(|family| compact_store(&region, family, major));
    let compacted = compacted.and_then(|()| region.put_leftovers_away().map_err(|error| error.to_string()));
    // Nothing was written to it that would have to be flushed.
    region.abandon();
    compacted
}

/// The work goes on when nobody listens any more.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn families(table: &TableDescriptor, only: Option<&str>) -> Result<Vec<ColumnFamilyDescriptor>, Failure> {
    let is_wanted =
        |family: &&ColumnFamilyDescriptor| only.is_none_or(|only| only.as_bytes() == &family.name[..]);
    let wanted: Vec<_> = table.families.iter().filter(is_wanted).cloned().collect();
    match only {
        Some(only) if wanted.is_empty() => Err(format!("table {} has no family {only}", table.name)),
        _ => Ok(wanted),
    }
}

fn environment(root: &RootDir, config: &ServerConfig) -> Result<RegionEnvironment, Failure> {
    /// Indexes of the files that are read back; compactions keep no blocks.
    const CACHE_BYTES: u64 = 16 << 20;
    let memory: Arc<dyn FileSystem> = Arc::new(MemFileSystem::new());
    let wal = Wal::open(memory, Path::new("/"), "offline,0,0", WalKind::Regions, WalOptions::default())
        .map_err(|error| error.to_string())?;
    Ok(RegionEnvironment {
        root: root.clone(),
        wal: Arc::new(wal),
        cache: Arc::new(MemoryBlockCache::new(CACHE_BYTES)),
        host: Arc::new(PlainHost),
        config: Arc::new(RegionConfig {
            flush_size_bytes: config.tables.memstore_flush_bytes,
            compaction: config.compaction(),
            checksums: config.checksums(),
            zstd_form: config.zstd_codec,
            mob: config.mob(),
            ..RegionConfig::default()
        }),
    })
}

fn compact_store(region: &Region, family: &ColumnFamilyDescriptor, major: bool) -> Result<(), Failure> {
    let name = String::from_utf8_lossy(&family.name);
    let label = format!("{} {name}", region.encoded_name());
    let mut done: Option<CompactionOutcome> = None;
    // Each compaction leaves fewer files: so many are enough for any choice of a policy.
    for _ in 0..=region.metrics().store_files {
        match with_progress(region, &label, || region.compact(&family.name, major)) {
            Ok(Some(outcome)) => {
                let before = done.take().unwrap_or_default();
                done = Some(CompactionOutcome {
                    inputs: before.inputs + outcome.inputs,
                    cells_read: before.cells_read + outcome.cells_read,
                    blocks_copied: before.blocks_copied + outcome.blocks_copied,
                    bytes_written: before.bytes_written + outcome.bytes_written,
                    ..outcome
                });
                if major {
                    break;
                }
            }
            Ok(None) => break,
            Err(error) => return Err(format!("family {name}: {error}")),
        }
    }
    let said = match done {
        Some(CompactionOutcome {
            inputs, cells_read, cells_written, blocks_copied, bytes_written, ..
        }) => format!(
            "{inputs} files compacted, {cells_read} cells read, {cells_written} left, {bytes_written} bytes written, \
             {blocks_copied} blocks copied as they are stored"
        ),
        None => "nothing to compact".to_owned(),
    };
    say(&format!("{label}: {said}"));
    Ok(())
}

/// Does something to a region while a bar shows how far its compaction is.
fn with_progress<T>(region: &Region, label: &str, work: impl FnOnce() -> T) -> T {
    const BETWEEN_LOOKS: Duration = Duration::from_millis(100);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut bar = ProgressBar::on_terminal(label);
            while !over.load(Ordering::Acquire) {
                std::thread::park_timeout(BETWEEN_LOOKS);
                let metrics = region.metrics();
                bar.show(metrics.compacted_cells, metrics.compacting_cells);
            }
            bar.clear();
        });
        let result = work();
        over.store(true, Ordering::Release);
        watcher.thread().unpark();
        result
    })
}
