//! What can be done about a finding. Nothing is destroyed: what is in the way is moved aside, below `.hbck`, where it has
//! the path that it had; so is what is replaced.

use super::RepairWatcher;
use super::hole::HoleFilling;
use super::put_aside::{ASIDE, Aside};
use super::salvage::Salvage;
use crate::error::InspectError;
use finback_cell::{RegionInfo, TableDescriptor};
use finback_layout::RootDir;
use std::path::{Path, PathBuf};

/// Whether repairs may be made after which data is gone that nobody can read any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Losses {
    /// Only repairs without loss.
    Refused,
    /// Also those that keep what is left of something damaged.
    Accepted,
}

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
    /// Writes the `.regioninfo` of a region anew, as hbase:meta has it.
    RewriteRegionInfo {
        /// The region.
        region: RegionInfo,
    },
    /// Writes a descriptor for a table that has lost it, or whose descriptor is damaged.
    WriteDescriptor {
        /// The descriptor.
        descriptor: TableDescriptor,
        /// Where it is known from.
        source: DescriptorSource,
    },
    /// Puts what is left of a damaged file in its place.
    Salvage(Salvage),
    /// Writes regions into hbase:meta that have the rows of a hole.
    FillHole(HoleFilling),
    /// Has the master assign a region that no server has open: of a cluster that runs.
    Assign {
        /// The region.
        region: RegionInfo,
    },
}

/// Where the descriptor of a table is known from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DescriptorSource {
    /// An older file beside the damaged one.
    Older,
    /// A snapshot of this name.
    Snapshot(String),
    /// The families that there are directories of, with all versions and deleted cells kept, and HBase's defaults for everything
    /// else.
    Directories,
}

impl Repair {
    /// Whether data is gone when it is done: data that nobody could read before, either.
    pub fn loses_data(&self) -> bool {
        matches!(self, Self::Salvage(salvage) if salvage.loses_data())
    }

    /// The file or directory that it moves or replaces, if it is about one.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::MoveAside { path } => Some(path),
            Self::Salvage(salvage) => Some(&salvage.path),
            _ => None,
        }
    }

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
            Self::RewriteRegionInfo { region } => {
                let (region, table) = (region.encoded_name(), &region.table);
                format!(
                    "keep the .regioninfo of region {region} of table {table} in {ASIDE}, and write it as hbase:meta has it"
                )
            }
            Self::WriteDescriptor { descriptor, source } => {
                let source = match source {
                    DescriptorSource::Older => "as an older file of it says".to_owned(),
                    DescriptorSource::Snapshot(name) => format!("as snapshot {name} has it"),
                    DescriptorSource::Directories => {
                        "which keep all versions and deleted cells, with HBase's defaults for all other settings"
                            .to_owned()
                    }
                };
                let families = descriptor.families.iter().map(|family| String::from_utf8_lossy(&family.name));
                let families = families.collect::<Vec<_>>().join(", ");
                format!(
                    "write a descriptor of table {} with the families {families}, {source}",
                    descriptor.name
                )
            }
            Self::Salvage(salvage) => salvage.describe(root),
            Self::FillHole(filling) => filling.describe(),
            Self::Assign { region } => {
                format!("have the master assign region {} of table {}", region.encoded_name(), region.table)
            }
        }
    }

    /// Does it. What is in the way goes to `aside`.
    ///
    /// # Errors
    /// The storage's: it is done or not done then. [`InspectError::OnlyByMaster`] for what is no matter of files.
    pub(super) fn apply(
        &self,
        root: &RootDir,
        aside: &Aside<'_>,
        watcher: &mut dyn RepairWatcher,
    ) -> Result<(), InspectError> {
        match self {
            Self::MoveAside { path } => aside.take(path),
            Self::MakeRegion { region } => Ok(root.create_region_dir(region)?),
            Self::RewriteRegionInfo { region } => {
                aside.keep(&root.region_info_path(region))?;
                Ok(root.write_region_info(region)?)
            }
            Self::WriteDescriptor { descriptor, .. } => {
                for path in root.table_descriptor_files(&descriptor.name)? {
                    aside.keep(&path)?;
                }
                let temporary = root.temp_dir();
                root.fs().create_dir_all(&temporary).map_err(InspectError::io(&temporary))?;
                Ok(root.write_table_descriptor(descriptor)?)
            }
            Self::Salvage(salvage) => salvage.apply(root, aside, watcher),
            Self::FillHole(filling) => filling.apply(root),
            Self::Assign { region } => Err(InspectError::OnlyByMaster { region: region.encoded_name() }),
        }
    }
}
