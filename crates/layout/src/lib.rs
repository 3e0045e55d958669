//! HBase's root directory: paths, version and id files, table and region descriptors on disk, names of store files,
//! moves to the archive.
//!
//! Guarantees: what a function here wrote is durable when it returns; a crash in the middle of one leaves the old state,
//! the new one, or something that [`RootDir::sweep`] can tell from both. Data is not deleted: it moves to the archive, from
//! which [`RootDir::clean_archive`] takes what nothing needs.
//!
//! It does not know what is inside HFiles and WALs, but for how a store file names MOB files, nor which tables *should* exist: that
//! is in hbase:meta.

mod archive;
mod error;
mod file_links;
mod hfile_cleaner;
mod initialize;
mod kept_switches;
mod mob;
mod offspring;
mod reference;
mod region_dir;
mod root_dir;
mod small_file;
mod snapshot;
mod store_file_list;
mod store_file_name;
mod store_file_tracker;
mod store_files;
mod table_descriptor;
mod table_dir;
mod unnamed_regions;

pub use error::LayoutError;
pub use hfile_cleaner::Cleaned;
pub use initialize::LAYOUT_VERSION;
pub use kept_switches::KeptSwitches;
pub use mob::{MOB_CELLS_COUNT, MOB_FILE_REFS, MobFileName, mob_file_refs, mob_region, new_mob_file_name};
pub use offspring::RowsOfFile;
pub use reference::{Half, Reference};
pub use root_dir::{RootDir, WalDir};
pub use snapshot::{FamilyFiles, KeptFiles, RegionFiles, SnapshotFile, SnapshotManifest, is_expired};
pub use store_file_name::{FileLink, StoreFileName, new_store_file_name};
pub use store_file_tracker::{MIGRATION_DESTINATION, MIGRATION_SOURCE, StoreFileTracker, TRACKER};
pub use store_files::StoreFileEntry;
pub use unnamed_regions::RegionsOfTables;

/// Results of this crate.
pub type Result<T> = std::result::Result<T, LayoutError>;
