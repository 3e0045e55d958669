//! How things are written.

mod cell;
mod descriptor;
pub(crate) mod json;
mod load;
mod message;
mod pretty;
mod time;

pub(crate) use cell::CellFormat;
pub(crate) use descriptor::{family, region, table_attributes};
pub(crate) use load::{region_load, server_load};
pub(crate) use message::message;
pub(crate) use pretty::{parse_bytes, parse_ttl};
pub(crate) use time::{java_date, ruby_time};

#[cfg(test)]
mod tests;
