//! A region server: regions served over HBase's protocol.
//!
//! `ClientService` (get, mutate, multi, scan), `AdminService` (open, close, flush, information) and `ClientMetaService`
//! (for clients that find the cluster through region servers). It talks to the master only through channels that carry
//! HBase's messages, and knows nothing of how the master decides.

mod admin_service;
mod aggregate;
mod assignment;
mod background_options;
mod bootstrap_node_service;
mod bulk_load;
mod client_counts;
mod client_meta_service;
mod client_service;
mod closed_regions;
mod compactor;
mod condition;
mod ended_scanners;
mod endpoint_scan;
mod endpoints;
mod exceptions;
mod figures;
mod flusher;
mod flushes_under_way;
mod get;
mod handlers;
mod host;
mod idle_memory;
mod io_budget;
mod job;
mod job_queue;
mod load;
mod load_statistics;
mod multi;
mod multi_row;
mod mutate;
mod nonces;
mod observation;
mod operation_counts;
mod periodic_flusher;
mod read_memory;
mod reads_together;
mod reconfiguration;
mod region_files;
mod regions;
mod remote_procedure;
mod reopening;
mod result;
mod row_count;
mod run_inline;
mod scan;
mod scanner_shares;
mod scanners;
mod scheduler;
mod schemas;
mod server;
mod slow_calls;
mod splitter;
mod stale_scanners;
mod stop_request;
mod table_counts;
mod task_queue;
mod throughput_controller;
mod turn_pace;

pub use admin_service::AdminService;
pub use background_options::BackgroundOptions;
pub use bootstrap_node_service::BootstrapNodeService;
pub use client_meta_service::ClientMetaService;
pub use client_service::ClientService;
pub use io_budget::ThroughputBounds;
pub use reconfiguration::UpdateConfiguration;
pub use server::{RegionServer, RegionServerOptions};
pub use slow_calls::SlowCallOptions;
