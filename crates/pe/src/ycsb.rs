//! YCSB's core workloads: properties, keys, fields, and what the six workloads are.

mod inserted;
mod plan;
mod preset;
mod properties;
mod record;

pub(crate) use inserted::Inserted;
pub(crate) use plan::Plan;
pub(crate) use preset::Preset;
#[cfg(test)]
pub(crate) use properties::KNOWN;
pub(crate) use properties::Properties;
pub(crate) use record::{Fields, fnv_hash, key};
