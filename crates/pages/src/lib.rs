//! The web page of a server: its state, as an operator wants it in one look.
//!
//! A server fills a small model of plain data through [`Source`]; the pages are made from that and from nothing else, on the
//! server, so that they work without scripts. Text from outside (names, row keys, values) comes into a page only through the
//! templates, which escape it. What a request costs is bounded: lists are cut, and say so; rows are read within limits.
//!
//! Knows nothing of regions, logs or sockets.

mod chart;
mod configuration;
mod dump;
mod history;
mod layout;
mod log_level;
pub mod model;
mod overview;
mod parameters;
mod region;
mod regions;
mod row_key;
mod rows;
mod site;
mod slow;
mod source;
mod table;
mod tables;
mod tasks;
mod units;

pub use history::{History, HotRegion, Sample, Totals};
pub use site::Site;
pub use source::Source;
