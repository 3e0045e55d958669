//! One scripted workload with everything that a region does to its files.

use crate::hfiles::{put_cell, write_hfile};
use crate::ledger::{Ledger, State};
use crate::machine::Machine;
use crate::world::{family, increment, mutation_of, run};
use finback_cell::cell::CellParts;
use finback_cell::{
    CellOrder, CellType, ColumnFamilyDescriptor, Durability, LATEST_TIMESTAMP, Mutation, MutationKind,
    TableDescriptor,
};
use finback_region::{BulkLoadFile, BulkLoadOptions, InMemoryCompaction, Region, RegionError};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// One step. Rows are entities of the ledger.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// A row is put, whole, at a durability, into these families.
    Put(&'static str, Durability, &'static [&'static str]),
    Delete(&'static str),
    /// Two rows are put together.
    PutRows(&'static str),
    Increment,
    /// A row with so large a value that the active segments go into the pipelines, and are compacted there.
    FlushInMemory(&'static str),
    Flush(&'static [&'static str]),
    FlushAll,
    /// Compacts a family; all files or what the policy says.
    Compact(&'static str, bool),
    /// Compacts the two oldest files.
    CompactTwo(&'static str),
    Roll,
    /// Two families get a file each.
    BulkLoad(&'static str),
    Close,
    /// Opens on the server that runs.
    Open,
    /// The server stops and another is started.
    Restart,
    /// The table gets another family, and others get compression and an encoding. The next opening reads it.
    Alter,
}

use Durability::{AsyncWal, FsyncWal, SkipWal, SyncWal};
use Step::{
    Alter, BulkLoad, Close, Compact, CompactTwo, Delete, Flush, FlushAll, FlushInMemory, Increment, Open,
    Put, PutRows, Restart, Roll,
};

const BOTH: &[&str] = &["a", "b"];

/// Larger than an active segment may become.
const LARGE_VALUE_BYTES: usize = 400;

/// Where the workload's values go that are longer than a few bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LargeValues {
    InStoreFiles,
    /// All families have MOB files; after the alteration of the table the second one has them no more, the first one for
    /// fewer of its values, and the third one from the beginning.
    InMobFiles,
}

impl LargeValues {
    /// A family of which values of more than so many bytes go there.
    fn of(self, family: ColumnFamilyDescriptor, above_bytes: usize) -> ColumnFamilyDescriptor {
        match self {
            Self::InStoreFiles => family,
            Self::InMobFiles => family.with("IS_MOB", "true").with("MOB_THRESHOLD", &above_bytes.to_string()),
        }
    }
}

/// The counter's values, and some of the others, are not longer.
const MOB_THRESHOLD_BYTES: usize = 8;
/// More of them are not.
const ALTERED_MOB_THRESHOLD_BYTES: usize = 11;

/// The workload.
pub(crate) const STEPS: [Step; 57] = [
    Restart,
    Put("synced", SyncWal, BOTH),
    Put("fsynced", FsyncWal, BOTH),
    Put("async", AsyncWal, BOTH),
    Put("skipped", SkipWal, &["a"]),
    PutRows("rows"),
    Increment,
    FlushInMemory("large"),
    Increment,
    Flush(&["a"]),
    Put("synced", SyncWal, BOTH),
    Put("async", AsyncWal, BOTH),
    Delete("fsynced"),
    Increment,
    FlushAll,
    Roll,
    Put("fsynced", FsyncWal, &["b"]),
    BulkLoad("load"),
    Put("load", SyncWal, BOTH),
    Increment,
    CompactTwo("a"),
    PutRows("rows"),
    Roll,
    FlushAll,
    Compact("a", false),
    Compact("b", true),
    Put("skipped", SkipWal, &["a"]),
    Put("async", AsyncWal, BOTH),
    Alter,
    Open,
    Put("wide", SyncWal, &["a", "b", "c"]),
    Delete("synced"),
    BulkLoad("again"),
    Increment,
    Roll,
    Flush(&["c"]),
    Put("wide", AsyncWal, &["a", "b", "c"]),
    Compact("a", true),
    Compact("b", true),
    Put("synced", SyncWal, BOTH),
    Close,
    Restart,
    BulkLoad("load"),
    Increment,
    FlushInMemory("large"),
    PutRows("rows"),
    Put("skipped", SkipWal, &["a"]),
    FlushInMemory("large"),
    Flush(&["a"]),
    Put("wide", SyncWal, &["a", "b", "c"]),
    Roll,
    Roll,
    FlushAll,
    Compact("a", true),
    Delete("rows"),
    Put("async", AsyncWal, BOTH),
    Increment,
];

/// A workload on its machine.
pub(crate) struct Workload {
    pub(crate) machine: Machine,
    pub(crate) ledger: Ledger,
    pub(crate) region: Option<Arc<Region>>,
    pub(crate) large_values: LargeValues,
    /// Makes each value another.
    written: u32,
}

impl Workload {
    pub(crate) fn new(large_values: LargeValues) -> Self {
        let eager = family("a", 1).with("IN_MEMORY_COMPACTION", "EAGER");
        let families = [eager, listed("b")].map(|family| large_values.of(family, MOB_THRESHOLD_BYTES));
        let mut machine = Machine::new(families.into());
        machine.world.compact_in_memory(InMemoryCompaction::Basic);
        machine.world.host.has_no_background.store(true, Ordering::SeqCst);
        machine.describe_table();
        Self { machine, ledger: Ledger::default(), region: None, large_values, written: 0 }
    }

    /// Carries out one step.
    pub(crate) fn step(&mut self, step: Step) -> Result<(), RegionError> {
        self.machine.world.host.now_ms.fetch_add(1, Ordering::SeqCst);
        self.written += 1;
        match step {
            Restart => return self.restart(),
            Open => return self.open(),
            Alter => return self.alter(),
            Close => return self.close(),
            _ => {}
        }
        let Some(region) = self.region.clone() else {
            return Err(RegionError::Closing("not open".into()));
        };
        match step {
            Put(name, durability, families) => self.put(&region, name, durability, families),
            PutRows(name) => self.put_rows(&region, name),
            Delete(name) => self.delete(&region, name),
            Increment => self.increment(&region),
            FlushInMemory(name) => self.flush_in_memory(&region, name),
            Flush(families) => {
                let families: Vec<Vec<u8>> =
                    families.iter().map(|family| family.as_bytes().to_vec()).collect();
                region.flush(Some(&families)).map(drop)
            }
            FlushAll => self.flush(&region),
            Compact(family, major) => region.compact(family.as_bytes(), major).map(drop),
            CompactTwo(family) => region.compact_run(family.as_bytes(), 0..2).map(drop),
            BulkLoad(name) => self.bulk_load(&region, name),
            Roll => {
                let wal = self.machine.world.wal.clone().expect("a log");
                run(wal.roll()).map_err(RegionError::from)
            }
            Restart | Open | Alter | Close => unreachable!("done above"),
        }
    }

    fn value(&self, row: &str) -> String {
        format!("{row} {}", self.written)
    }

    /// The cells of a row that is put into some families.
    fn state(&self, rows: &[String], families: &[&str]) -> State {
        let mut state = State::new();
        for row in rows {
            for family in families {
                state.insert((row.clone(), format!("{family}:q")), self.value(row).into_bytes());
            }
        }
        state
    }

    fn put(
        &mut self,
        region: &Region,
        name: &str,
        durability: Durability,
        families: &[&str],
    ) -> Result<(), RegionError> {
        let row = if name == "load" { "load/1".to_owned() } else { name.to_owned() };
        let mut state = self.ledger.seen(name);
        state.extend(self.state(std::slice::from_ref(&row), families));
        let value = self.value(&row);
        let mut mutation = row_put(&row, families, value.as_bytes());
        mutation.durability = durability;
        self.ledger.try_state(name, state);
        run(region.batch(vec![mutation])).swap_remove(0)?;
        self.ledger.acknowledge(name, durability);
        Ok(())
    }

    fn flush_in_memory(&mut self, region: &Region, name: &str) -> Result<(), RegionError> {
        let value = format!("{:LARGE_VALUE_BYTES$}", self.value(name)).into_bytes();
        let key = |family: &&str| ((name.to_owned(), format!("{family}:q")), value.clone());
        self.ledger.try_state(name, BOTH.iter().map(key).collect());
        let before = region.metrics().in_memory.flushes;
        run(region.batch(vec![row_put(name, BOTH, &value)])).swap_remove(0)?;
        assert!(region.metrics().in_memory.flushes > before, "nothing was flushed in memory");
        self.ledger.acknowledge(name, SyncWal);
        Ok(())
    }

    fn put_rows(&mut self, region: &Region, name: &str) -> Result<(), RegionError> {
        let rows = ["1", "2"].map(|number| format!("{name}/{number}"));
        let mutations = rows.iter().map(|row| row_put(row, BOTH, self.value(row).as_bytes())).collect();
        self.ledger.try_state(name, self.state(&rows, BOTH));
        run(region.mutate_atomically(Vec::new(), mutations))?;
        self.ledger.acknowledge(name, SyncWal);
        Ok(())
    }

    fn delete(&mut self, region: &Region, name: &str) -> Result<(), RegionError> {
        let rows: &[&str] = if name == "rows" { &["rows/1", "rows/2"] } else { &[name] };
        let mutations = rows.iter().map(|row| {
            mutation_of(MutationKind::Delete, row.as_bytes(), std::iter::empty::<CellParts<'_>>())
        });
        self.ledger.try_state(name, State::new());
        run(region.mutate_atomically(Vec::new(), mutations.collect()))?;
        self.ledger.acknowledge(name, SyncWal);
        Ok(())
    }

    fn increment(&mut self, region: &Region) -> Result<(), RegionError> {
        let key = ("counter".to_owned(), "a:n".to_owned());
        let mut state = self.ledger.seen("counter");
        let before = state.get(&key).map_or(0, |value| i64::from_be_bytes(value[..].try_into().unwrap()));
        state.insert(key, (before + 1).to_be_bytes().to_vec());
        self.ledger.try_state("counter", state);
        run(region.mutate_atomically(Vec::new(), vec![increment(("counter", "a", "n"), 1)]))?;
        self.ledger.acknowledge("counter", SyncWal);
        Ok(())
    }

    fn flush(&mut self, region: &Region) -> Result<(), RegionError> {
        region.flush(None)?;
        self.ledger.flushed();
        Ok(())
    }

    fn bulk_load(&mut self, region: &Region, name: &str) -> Result<(), RegionError> {
        let rows = ["1", "2", "3"].map(|number| format!("{name}/{number}"));
        let now = self.machine.world.host.now_ms.load(Ordering::SeqCst);
        let mut files = Vec::new();
        for family in BOTH {
            // Another machine made it: that cannot fail here.
            let path = PathBuf::from("/client").join(family).join(format!("{}", self.written));
            let cells: Vec<_> = rows.iter().map(|row| put_cell(row, family, now, &self.value(row))).collect();
            let elsewhere = self.machine.undisturbed();
            write_hfile(&elsewhere, &path, &cells, CellOrder::User);
            elsewhere.fs.sync_dir(path.parent().unwrap()).unwrap();
            files.push(BulkLoadFile { family: family.as_bytes().to_vec(), path });
        }
        self.ledger.try_state(name, self.state(&rows, BOTH));
        region.bulk_load(&files, &BulkLoadOptions::default())?;
        self.ledger.acknowledge(name, SyncWal);
        Ok(())
    }

    fn restart(&mut self) -> Result<(), RegionError> {
        self.machine.world.start_server()?;
        self.open()
    }

    fn open(&mut self) -> Result<(), RegionError> {
        if self.machine.world.wal.is_none() {
            return Err(RegionError::Closing("no server".into()));
        }
        self.region = Some(self.machine.world.reopen()?);
        Ok(())
    }

    fn close(&mut self) -> Result<(), RegionError> {
        if let Some(region) = &self.region {
            region.close()?;
            self.ledger.flushed();
            self.region = None;
        }
        Ok(())
    }

    fn alter(&mut self) -> Result<(), RegionError> {
        self.close()?;
        let large_values = self.large_values;
        let world = &mut self.machine.world;
        let altered = |name: &str, compression: &str, encoding: &str| -> ColumnFamilyDescriptor {
            listed_if_b(name).with("COMPRESSION", compression).with("DATA_BLOCK_ENCODING", encoding)
        };
        let families = vec![
            large_values.of(altered("a", "GZ", "FAST_DIFF"), ALTERED_MOB_THRESHOLD_BYTES),
            altered("b", "SNAPPY", "ROW_INDEX_V1").with("BLOOMFILTER", "ROWCOL"),
            large_values.of(family("c", 1), 0),
        ];
        world.alter(TableDescriptor { families, ..(*world.table).clone() })
    }
}

/// One put of a row into column `q` of some families.
fn row_put(row: &str, families: &[&str], value: &[u8]) -> Mutation {
    let cells = families.iter().map(|family| CellParts {
        row: row.as_bytes(),
        family: family.as_bytes(),
        qualifier: b"q",
        timestamp: LATEST_TIMESTAMP,
        type_code: CellType::Put.code(),
        value,
        tags: b"",
    });
    mutation_of(MutationKind::Put, row.as_bytes(), cells)
}

/// A write that works as soon as the log does again.
pub(crate) fn write_when_possible(workload: &mut Workload) {
    for _ in 0..500 {
        if workload.step(Put("after", SyncWal, BOTH)).is_ok() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    panic!("writes do not work again");
}

/// A family whose files are in a list (HBase's store file tracker FILE).
pub(crate) fn listed(name: &str) -> ColumnFamilyDescriptor {
    family(name, 1).with("hbase.store.file-tracker.impl", "FILE")
}

fn listed_if_b(name: &str) -> ColumnFamilyDescriptor {
    if name == "b" { listed(name) } else { family(name, 1) }
}
