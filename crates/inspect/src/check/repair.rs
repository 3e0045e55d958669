//! What can be done about a finding. Nothing is destroyed: what is in the way is moved aside, below `.hbck`, where it has
//! the path that it had.

use super::hole::HoleFilling;
use crate::error::InspectError;
use finback_cell::{RegionInfo, TableDescriptor};
use finback_layout::RootDir;
use std::path::{Path, PathBuf};

/// The directory for what was moved aside, as HBase's hbck2 has it.
pub(super) const ASIDE: &str = ".hbck";

/// A repair.
#[derive(Debug, Clone, PartialEq)]
pub enum Repair {
    /// Moves a file or directory aside.
    MoveAside {
        /// What is moved.
        path: PathBuf,
    },
    /// Makes the directory of a region, with its `.regioninfo`, as hbase:meta has it.
    MakeRegion {
        /// The region.
        region: RegionInfo,
    },
    /// Writes a descriptor for a table that has lost it: with the families that there are directories of, and HBase's
    /// defaults for everything else.
    WriteDescriptor {
        /// The descriptor.
        descriptor: TableDescriptor,
    },
    /// Writes regions into hbase:meta that have the rows of a hole.
    FillHole(HoleFilling),
    /// Has the master assign a region that no server has open: of a cluster that runs.
    Assign {
        /// The region.
        region: RegionInfo,
    },
}

impl Repair {
    /// What it does, in one line.
    pub fn describe(&self, root: &Path) -> String {
        match self {
            Self::MoveAside { path } => {
                let path = path.strip_prefix(root).unwrap_or(path);
                format!("move {} to {ASIDE}", path.display())
            }
            Self::MakeRegion { region } => {
                format!("make the directory of region {} of table {}", region.encoded_name(), region.table)
            }
            Self::WriteDescriptor { descriptor } => {
                let families: Vec<_> = descriptor
                    .families
                    .iter()
                    .map(|family| String::from_utf8_lossy(&family.name).into_owned())
                    .collect();
                let families = families.join(", ");
                format!("write a descriptor of table {} with the families {families}", descriptor.name)
            }
            Self::FillHole(filling) => filling.describe(),
            Self::Assign { region } => {
                format!("have the master assign region {} of table {}", region.encoded_name(), region.table)
            }
        }
    }

    /// Does it. `aside`: the directory below [`ASIDE`] of this run.
    ///
    /// # Errors
    /// The storage's: it is done or not done then. [`InspectError::OnlyByMaster`] for what is no matter of files.
    pub fn apply(&self, root: &RootDir, aside: &Path) -> Result<(), InspectError> {
        match self {
            Self::MoveAside { path } => move_aside(root, path, aside),
            Self::MakeRegion { region } => Ok(root.create_region_dir(region)?),
            Self::WriteDescriptor { descriptor } => {
                let temporary = root.temp_dir();
                root.fs().create_dir_all(&temporary).map_err(InspectError::io(&temporary))?;
                Ok(root.write_table_descriptor(descriptor)?)
            }
            Self::FillHole(filling) => filling.apply(root),
            Self::Assign { region } => Err(InspectError::OnlyByMaster { region: region.encoded_name() }),
        }
    }
}

fn move_aside(root: &RootDir, path: &Path, aside: &Path) -> Result<(), InspectError> {
    let fs = root.fs();
    let to = aside.join(path.strip_prefix(root.path()).unwrap_or(path));
    let (from_dir, to_dir) = (path.parent().unwrap_or(path), to.parent().unwrap_or(aside));
    fs.create_dir_all(to_dir).map_err(InspectError::io(to_dir))?;
    if fs.exists(&to).map_err(InspectError::io(&to))? {
        let source = std::io::ErrorKind::AlreadyExists.into();
        return Err(InspectError::Io { path: to, source });
    }
    fs.rename(path, &to).map_err(InspectError::io(path))?;
    fs.sync_dir(to_dir).map_err(InspectError::io(to_dir))?;
    fs.sync_dir(from_dir).map_err(InspectError::io(from_dir))
}
