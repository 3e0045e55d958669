//! Snapshots of tables: taken, listed, removed, and made tables of.

mod calls;
mod cleaning;
mod making;
mod regions;
mod taking;
mod work;

pub(crate) use calls::SIGNATURE;
pub(crate) use making::{TableOfSnapshot, check_clone, check_restore, clone_steps, decide, restore_steps};
pub(crate) use regions::add_regions;
pub(crate) use taking::{check as check_taking, steps as taking_steps};
pub(crate) use work::SnapshotWork;

use finback_layout::LayoutError;
use finback_proto::pb;
use finback_rpc::{RpcException, exceptions};

/// As HBase prints a snapshot.
pub(crate) fn describe(snapshot: &pb::SnapshotDescription) -> String {
    let (name, table, ttl) = (&snapshot.name, snapshot.table(), snapshot.ttl());
    format!("{{ ss={name} table={table} type={} ttl={ttl} }}", snapshot.r#type().as_str_name())
}

/// What the client is told of a failure on disk.
pub(crate) fn exception(error: &LayoutError) -> RpcException {
    match error {
        LayoutError::Corrupt { .. } | LayoutError::Unsupported { .. } => {
            exceptions::corrupted_snapshot(error.to_string())
        }
        LayoutError::Exists { .. } => exceptions::snapshot_exists(error.to_string()),
        LayoutError::Name { .. } => exceptions::do_not_retry(error.to_string()),
        _ => exceptions::io(error.to_string()),
    }
}
