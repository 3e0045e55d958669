//! Calls of HBase's that this master does not have, and what a user is to do instead.

use finback_rpc::{RpcException, exceptions};

const QUOTAS: &str =
    "this server has no quotas yet; its limits are those of its settings, for all clients together";
const REPLICATION: &str =
    "this server replicates to no other cluster yet; HBase's ExportSnapshot and CopyTable take tables to one";
const ACCESS: &str = "this server has no access control yet: who reaches its ports may do everything, so they are to be in a network of friends";

/// The answer to a call that there is not.
pub(crate) fn answer(method: &str) -> RpcException {
    let instead = match method {
        "SetQuota"
        | "GetSpaceQuotaRegionSizes"
        | "GetQuotaStates"
        | "SwitchRpcThrottle"
        | "IsRpcThrottleEnabled"
        | "SwitchExceedThrottleQuota" => QUOTAS,
        "AddReplicationPeer"
        | "RemoveReplicationPeer"
        | "EnableReplicationPeer"
        | "DisableReplicationPeer"
        | "GetReplicationPeerConfig"
        | "UpdateReplicationPeerConfig"
        | "IsReplicationPeerEnabled"
        | "ReplicationPeerModificationSwitch"
        | "GetReplicationPeerModificationProcedures"
        | "IsReplicationPeerModificationEnabled"
        | "TransitReplicationPeerSyncReplicationState" => REPLICATION,
        "Grant" | "Revoke" | "GetUserPermissions" | "HasUserPermissions" => ACCESS,
        // Without words: HBase's clients fall back from some.
        _ => return exceptions::unsupported_operation(method),
    };
    exceptions::absent_operation(method, instead)
}
