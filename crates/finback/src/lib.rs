//! The `finback` program: argument parsing, configuration and wiring only.
//!
//! It knows which crates make a standalone server and how they are put together, and nothing of what they do.

mod addresses;
mod allocator;
mod block_cache;
pub mod cli;
pub mod compact;
pub mod config;
mod info_ports;
mod logging;
mod long_calls;
mod metrics;
mod metrics_history;
mod nearest;
mod pages;
mod process;
mod progress_bar;
mod publication;
pub mod reconfiguration;
mod region_server_options;
mod root_lock;
mod screen;
pub mod server;
mod signals;
mod telemetry;
