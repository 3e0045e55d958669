//! What the tools print, and check, of files.
//!
//! Printers write in the shape of HBase's own, so that scripts made for those go on working; checks say where something
//! is wrong, and go on to the end. All of it takes files of any size in bounded memory, and changes none of them.
//!
//! This crate knows files and their formats; it does not know command lines, terminals, or servers.

mod cell_text;
mod check;
mod error;
mod hfile_printer;
mod java_text;
mod json_text;
mod offline_meta;
mod region_files;
mod store_file_tree;
mod tree_verification;
mod wal_printer;
mod wal_verification;

pub use check::{
    CheckOptions, CheckReport, CheckWatcher, Cluster, ClusterRegion, ClusterServer, ClusterTransition,
    DescriptorSource, Finding, FindingKind, HoleFilling, Left, Losses, Repair, RepairWatcher, Salvage,
    Severity, check_cluster, check_directory, repair_directory,
};
pub use error::InspectError;
pub use finback_hfile::Verification;
pub use hfile_printer::{HFilePrinter, HFilePrinterOptions, MobFiles};
pub use region_files::{RegionFiles, store_files_of_region};
pub use store_file_tree::{StoreFile, StoreFileTree, looks_like_an_hfile};
pub use tree_verification::{TreeVerification, TreeWatcher, verify_tree};
pub use wal_printer::{Torn, WalForm, WalPrinter, WalPrinterOptions, java_date};
pub use wal_verification::{LogState, LogWatcher, LogsVerification, verify_logs};
