//! The server's log: what `tracing` is told, as lines for people or as JSON, from levels on that can be changed while the
//! server runs, for each part of it apart.
//!
//! [`Log::install`] makes it the log of the process; its clones are for whoever shows levels, or changes them. A message below
//! its level costs a load and a branch where it stands. Nobody waits for who reads the log: what it does not take is dropped, and counted.
//!
//! Knows nothing of servers, settings or pages.

mod json;
mod layer;
mod levels;
mod log;
mod queue;
mod seen;

pub use levels::{BadLevels, LEVELS, Levels, parse_level};
pub use log::{Format, Log};
pub use tracing::level_filters::LevelFilter;
