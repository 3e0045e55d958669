//! Snapshots: which files a table had. They have no data of their own: the files are where the table has them, or in the
//! archive, which keeps what a snapshot names.
//!
//! ```text
//! .hbase-snapshot/<name>/.snapshotinfo            SnapshotDescription, without magic
//! .hbase-snapshot/<name>/data.manifest            SnapshotDataManifest, without magic
//! .hbase-snapshot/.tmp/<name>/                    a snapshot that is being taken:
//!                      region-manifest.<region>   SnapshotRegionManifest of each region so far, and of the MOB region
//! ```

mod info;
mod kept_files;
mod making;
mod manifest;
mod mob_files;
mod taking;
mod verification;

pub use info::is_expired;
pub use kept_files::KeptFiles;
pub use manifest::{FamilyFiles, RegionFiles, SnapshotFile, SnapshotManifest};

#[cfg(test)]
mod tests;
