//! What the core wants done, and how it went.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use finback_cell::{RegionInfo, ServerName, TableDescriptor, TableName};
use finback_proto::pb;
use finback_rpc::RpcException;
use finback_wal::SplitReport;

use crate::{meta_row::MetaContents, namespace_table::NamespaceContents, storage_work::StorageWork};

/// Ties an outcome to its action.
pub(crate) type ActionId = u64;

/// Something to do outside of the core. Each is followed by exactly one outcome.
#[derive(Debug, Clone)]
pub(crate) enum Action {
    /// Work on the root directory.
    Storage(StorageWork),
    /// One atomic change of hbase:meta.
    WriteMeta { server: ServerName, mutations: Vec<pb::MutationProto> },
    /// Reads all of hbase:meta.
    ScanMeta { server: ServerName },
    /// Asks a server to open regions; it reports later.
    OpenRegions { server: ServerName, regions: Vec<(RegionInfo, u64)> },
    /// Asks a server to close regions; it reports later. `opened_here`: all their rows are opened there again.
    CloseRegions { server: ServerName, regions: Vec<(RegionInfo, u64)>, opened_here: bool },
    /// Flushes a region, or one of its families.
    FlushRegion { server: ServerName, region: RegionInfo, family: Option<Bytes> },
    /// Flushes regions, if the snapshot is of that kind, and writes down which files they have.
    AddToSnapshot {
        snapshot: pb::SnapshotDescription,
        table: Arc<TableDescriptor>,
        regions: Vec<(ServerName, RegionInfo)>,
    },
    /// Changes a row of hbase:namespace.
    WriteNamespace { server: ServerName, region: RegionInfo, mutation: pb::MutationProto },
    /// Reads all of hbase:namespace.
    ScanNamespaces { regions: Vec<(ServerName, RegionInfo)> },
    /// Writes down how procedures stand.
    StoreProcedures(pb::StoredProcedures),
    /// Comes back after a while.
    Wait { milliseconds: u64 },
}

/// What a successful action gives.
#[derive(Debug, Clone)]
pub(crate) enum Output {
    Done,
    /// Logs that were split, and are to be put away.
    LogsSplit(Vec<SplitReport>),
    Meta(MetaContents),
    Descriptors(BTreeMap<TableName, Arc<TableDescriptor>>),
    Namespaces(NamespaceContents),
}

/// How an action went.
pub(crate) type Outcome = Result<Output, RpcException>;
