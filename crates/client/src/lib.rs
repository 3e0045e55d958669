//! A client of Apache HBase (2.x) and of Finback: asynchronous, typed, pipelined.
//!
//! ```no_run
//! use finback_client::{ClientConfig, Connection, Get, Put, Scan};
//!
//! # async fn example() -> finback_client::Result<()> {
//! let connection = Connection::open(ClientConfig::zookeeper("localhost:2181")).await?;
//! let flowers = connection.table("flowers")?;
//!
//! flowers.put(Put::new("rose").column("f", "color", "red")).await?;
//! if let Some(rose) = flowers.get(Get::new("rose")).await? {
//!     assert_eq!(rose.value("f", "color"), Some(&b"red"[..]));
//! }
//! let mut rows = flowers.scan(Scan::prefix("r"))?;
//! while let Some(row) = rows.next().await? {
//!     println!("{}: {} cells", String::from_utf8_lossy(row.key()), row.len());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # The parts
//!
//! | for | there is |
//! |---|---|
//! | the way to a cluster | [`Connection`], made of a [`ClientConfig`]: through ZooKeeper, masters, or any servers |
//! | rows of a table | [`Table`] with [`Get`], [`Put`], [`Delete`], [`Increment`], [`Append`], [`CheckAndMutate`], [`RowMutations`] |
//! | many rows at a time | [`Table::batch`], [`Table::get_all`] and others; a [`BufferedMutator`] for writes without end |
//! | ranges of rows | [`Table::scan`] with a [`Scan`]; a [`Scanner`] gives the rows, and is a stream of them |
//! | files of rows | [`Table::bulk_load`] |
//! | what is to be left out | [`Filter`], put together or [parsed](Filter::parse), with [`Comparator`] |
//! | tables, regions, snapshots, the cluster | [`Admin`] |
//! | services of coprocessors | [`Table::call_service`], [`Admin::call_master_service`] |
//!
//! Rows, families, qualifiers and values are bytes: everything that is `AsRef<[u8]>` will do. What is read comes as [`Row`],
//! whose cells are slices of the answer. Where HBase's message is all there is to say, it is given back as it is, from
//! [`messages`].
//!
//! # What it guarantees
//!
//! * **One connection to each service of a server**, with many calls in flight; a call that is dropped is forgotten. Calls of
//!   a connection that breaks fail, and are tried again on the next.
//! * **Where regions are** is looked up once for all who want to know, and forgotten by the rules of HBase's client; a region
//!   that has moved is followed without a look-up.
//! * **Tries**: what may succeed later is tried again, after HBase's pauses, until
//!   [`operation_timeout`](ClientConfig::operation_timeout) or [`retries`](ClientConfig::retries) are used up. Increments and
//!   appends carry nonces, so that a repetition is not a second one.
//! * **Errors** ([`Error`]) say which server, region and attempt, and HBase's exception, whose class decides: see
//!   [`Error::is`].
//! * **Bounds**: calls in flight, bytes that wait to be sent, answers, pages of scans ahead of their reader, writes in a
//!   buffer. Whatever a server sends, nothing panics, and memory grows only with what has really arrived.
//!
//! It needs a runtime of tokio's, with its drivers for sockets and time. It does not know about Finback's servers: what it
//! does, it does by HBase's protocol.

mod admin;
mod batch;
mod buffered_mutator;
mod bulk_load;
mod check_and_mutate;
mod comparator;
mod config;
mod connection;
mod coprocessor;
mod entropy;
mod error;
mod failure;
mod filter;
mod get;
mod location;
mod locator;
mod meta;
mod mutation;
mod registry;
mod retrying;
mod row;
mod row_mutations;
mod scan;
mod scanner;
mod selection;
mod servers;
mod shared;
mod table;
mod timeline;

pub use admin::{
    Admin, BalanceResult, CompactionState, EntityLock, LockKind, MetaContents, NamespaceDescriptor,
    NormalizedTables, PeerConfig, PeerDescription, RegionSwitch, RsGroup, SlowLogFilter, SnapshotRequest,
    SnapshotType, StatusOption, StoredQuotas, TablePattern, TableState,
};
pub use batch::{BatchAction, BatchAnswer};
pub use buffered_mutator::{BufferedMutator, BufferedMutatorOptions, FailedWrites};
pub use bulk_load::BulkLoadFile;
pub use check_and_mutate::{CheckAndMutate, CheckAndMutateResult, Condition};
pub use comparator::{BitwiseOp, Comparator, CompareOperator};
pub use config::{ClientConfig, ClusterAddress};
pub use connection::{Connection, IntoTableName};
pub use coprocessor::ServiceMethod;
pub use error::{Attempt, Error, Result};
pub use filter::{Filter, RowRange};
pub use get::Get;
pub use location::RegionLocation;
pub use meta::MetaRegion;
pub use mutation::{Append, Delete, Increment, Mutation, Put};
pub use registry::ZooKeeperNode;
pub use row::Row;
pub use row_mutations::RowMutations;
pub use scan::{ReadType, Scan};
pub use scanner::{ScanEvent, Scanner};
pub use selection::Consistency;
pub use table::Table;

pub use finback_cell::{
    Bytes, Cell, CellType, ColumnFamilyDescriptor, Durability, RegionInfo, RegionState, ServerName,
    StringBinary, TableDescriptor, TableName, TimeRange,
};
pub use finback_proto::footprint::Measured;
pub use finback_proto::{Message, pb as messages};
pub use finback_rpc::RpcException;
