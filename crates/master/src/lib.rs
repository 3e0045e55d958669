//! HBase's master: namespaces, tables, assignment of regions, procedures.
//!
//! * [`Master::start`] prepares the root directory; when a region server reports for duty, dead servers' logs are split,
//!   hbase:meta is opened and read, hbase:namespace is made or opened, and the regions of enabled tables are assigned.
//! * It serves `MasterService`, `RegionServerStatusService` and `ClientMetaService`.
//! * It talks to region servers through HBase's messages alone, over [`finback_rpc::Channel`]s.
//!
//! Guarantees of procedures: each is written down (`procedure_store`) before it acts, and before its client learns its id; the
//! next start finishes it or begins it anew (`core/recovery`), its result is kept, and its nonce is known.
//!
//! The core is a state machine without I/O: events in, actions out (`core`). What it remembers of regions and tables is
//! what hbase:meta says: memory changes when the write of meta has been confirmed. `driver` carries actions out.
//!
//! Guarantees: a change of a table is one atomic change of hbase:meta, with what it needs on disk made before and what it
//! leaves behind archived after, so a crash at any moment leaves the old state or the new one. Two operations on one table
//! run one after the other. Effects are visible before an operation is reported as finished.
//!
//! This crate does not know how regions store cells, nor what a socket is.

mod absent;
mod action;
mod admin_service;
mod client_meta_service;
mod cluster_status;
mod core;
mod driver;
mod file_tracker;
mod java_regex;
mod kinship;
mod lock_service;
mod master;
mod master_service;
mod meta_edit;
mod meta_row;
mod meta_scan;
mod mob_calls;
mod namespace_table;
mod operation;
mod options;
mod procedure_calls;
mod procedure_message;
mod procedure_record;
mod procedure_store;
mod region_calls;
mod region_division;
mod region_server_status_service;
mod region_service_calls;
mod sanity_check;
mod server_calls;
mod snapshots;
mod state;
mod storage_work;
mod switches;
mod system_tables;
mod table_listing;
mod write_calls;

pub use admin_service::UpdateConfiguration;
pub use master::{Master, MasterStatistics, MasterStatus, Reconfigurer};
pub use options::{
    Chores, Clock, Connect, FilesByFamily, MasterConfig, MasterError, MasterOptions, ServedFiles,
    ShutdownHook,
};
pub use sanity_check::SanityChecks;
