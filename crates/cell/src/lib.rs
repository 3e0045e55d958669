//! The vocabulary of Finback: the cell (HBase's KeyValue) and its order, cell blocks, tags, time ranges, names of
//! tables, regions and servers, table schemas, and the descriptions of reads and writes.
//!
//! Guarantees: everything here is pure; a [`Cell`] that was checked once ([`Cell::parse`]) never panics in an accessor.
//! It does not know about files, sockets, clocks, protobuf or regions being served.

pub mod block;
pub mod cell;
pub mod cell_type;
pub mod coprocessor;
pub mod key;
pub mod mutation;
pub mod order;
mod prefetch;
pub mod read;
pub mod region_info;
pub mod row_prefix;
pub mod schema;
pub mod server_name;
mod shortened;
mod split_restriction;
mod string_binary;
pub mod table_name;
pub mod tag;
pub mod time_range;

pub use block::{CellBlock, CellBlockBuilder};
pub use bytes::Bytes;
pub use cell::{Cell, CellError};
pub use cell_type::CellType;
pub use mutation::{Durability, Mutation, MutationKind};
pub use order::CellOrder;
pub use prefetch::{prefetch, prefetch_bytes, prefetch_cell, prefetch_searched};
pub use read::{FamilySelection, Get, MobRead, Scan};
pub use region_info::{RegionInfo, RegionState};
pub use schema::{ColumnFamilyDescriptor, KeepDeletedCells, MAX_BLOCK_SIZE_BYTES, TableDescriptor};
pub use server_name::ServerName;
pub use shortened::Shortened;
pub use split_restriction::SplitRestriction;
pub use string_binary::{StringBinary, from_string_binary};
pub use table_name::TableName;
pub use time_range::TimeRange;

/// `i64::MAX`: in a mutation "the server assigns now", in a seek key "before every real timestamp".
pub const LATEST_TIMESTAMP: i64 = i64::MAX;
/// Longest row key, in bytes.
pub const MAX_ROW_LENGTH: usize = i16::MAX as usize;
/// Longest family name, in bytes.
pub const MAX_FAMILY_LENGTH: usize = i8::MAX as usize;
/// Longest tags area of one cell, in bytes.
pub const MAX_TAGS_LENGTH: usize = u16::MAX as usize;
