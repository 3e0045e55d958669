//! A region on a disk that can fail and lose power.

use crate::world::World;
use finback_cell::{ColumnFamilyDescriptor, RegionInfo, TableDescriptor};
use finback_fs::{CrashMode, Faults, FaultyFileSystem, MemFileSystem};
use std::sync::Arc;

pub(crate) struct Machine {
    pub(crate) mem: MemFileSystem,
    pub(crate) faults: Faults,
    pub(crate) world: World,
}

impl Machine {
    /// An empty disk, and a table of these families.
    pub(crate) fn new(families: Vec<ColumnFamilyDescriptor>) -> Self {
        Self::on(MemFileSystem::new(), |fs| World::new(fs, families))
    }

    /// An empty disk, and one region of a table.
    pub(crate) fn of_region(info: RegionInfo, table: TableDescriptor) -> Self {
        Self::on(MemFileSystem::new(), |fs| World::of_region(fs, info, table))
    }

    fn on(mem: MemFileSystem, world: impl FnOnce(Arc<FaultyFileSystem>) -> World) -> Self {
        let faulty = FaultyFileSystem::new(Arc::new(mem.clone()));
        let faults = faulty.faults();
        Self { mem, faults, world: world(Arc::new(faulty)) }
    }

    /// The same disk past the faults, as another machine sees it.
    pub(crate) fn undisturbed(&self) -> World {
        self.world.after_crash(Arc::new(self.mem.clone()))
    }

    /// Writes the table's first descriptor, which cannot fail here. From now on [`World::reopen`] goes by the one
    /// on the disk.
    pub(crate) fn describe_table(&mut self) {
        let root = self.undisturbed().root;
        root.fs().create_dir_all(&root.temp_dir()).unwrap();
        root.write_table_descriptor(&self.world.table).unwrap();
        self.world.described = vec![Arc::clone(&self.world.table)];
    }

    /// How many files a directory has.
    pub(crate) fn mem_files(&self, directory: &std::path::Path) -> usize {
        finback_fs::FileSystem::list(&self.mem, directory).unwrap().len()
    }

    /// The machine after the power was cut.
    pub(crate) fn crash(&self, mode: CrashMode) -> Self {
        Self::on(self.mem.crash(mode), |fs| self.world.after_crash(fs))
    }
}
