//! A constructor for every exception that HBase clients know, with what they do when they get it.

use crate::exception::RpcException;
use std::time::Duration;

macro_rules! exceptions {
    ($($(#[doc = $doc:literal])+ $name:ident = $kind:ident $class:literal;)+) => {
        $(
            $(#[doc = $doc])+
            pub fn $name(message: impl Into<String>) -> RpcException {
                RpcException::$kind($class, message)
            }
        )+

        /// Whether the class is a DoNotRetryIOException, for exceptions that come without saying so (those of single
        /// actions). A class that is not known is not, as for HBase's clients.
        pub fn is_permanent(class: &str) -> bool {
            match class {
                $($class => is_permanent!($kind),)+
                _ => PERMANENT_ELSEWHERE.contains(&class),
            }
        }
    };
}

macro_rules! is_permanent {
    (permanent) => {
        true
    };
    (retriable) => {
        false
    };
}

/// Classes of HBase's that are DoNotRetryIOExceptions, and that nobody makes here.
const PERMANENT_ELSEWHERE: [&str; 10] = [
    "org.apache.hadoop.hbase.quotas.SpaceLimitingException",
    "org.apache.hadoop.hbase.quotas.ThrottlingException",
    "org.apache.hadoop.hbase.filter.IncompatibleFilterException",
    "org.apache.hadoop.hbase.filter.InvalidRowFilterException",
    "org.apache.hadoop.hbase.exceptions.MasterStoppedException",
    "org.apache.hadoop.hbase.exceptions.MasterRegistryFetchException",
    "org.apache.hadoop.hbase.ipc.UnsupportedCellCodecException",
    "org.apache.hadoop.hbase.ipc.UnsupportedCompressionCodecException",
    "org.apache.hadoop.hbase.ipc.UnsupportedCryptoException",
    "org.apache.hadoop.hbase.coprocessor.CoprocessorException",
];

exceptions! {
    /// A failure that the client retries after a fresh look-up of the location.
    io = retriable "java.io.IOException";
    /// A failure of HBase's own that has no class of its own, and that the client retries.
    hbase_io = retriable "org.apache.hadoop.hbase.HBaseIOException";
    /// The region is not hosted here: the client looks it up again and retries.
    not_serving_region = retriable "org.apache.hadoop.hbase.NotServingRegionException";
    /// The region is opening here.
    region_opening = retriable "org.apache.hadoop.hbase.exceptions.RegionOpeningException";
    /// Memstore over its limit: the client backs off and keeps the location.
    region_too_busy = retriable "org.apache.hadoop.hbase.RegionTooBusyException";
    /// Action of a Multi not run because the reply is big enough: the client sends it again at once.
    multi_action_result_too_large = retriable "org.apache.hadoop.hbase.MultiActionResultTooLarge";
    /// The row is outside the region.
    wrong_region = retriable "org.apache.hadoop.hbase.regionserver.WrongRegionException";
    /// The region server shuts down.
    region_server_stopped = retriable "org.apache.hadoop.hbase.regionserver.RegionServerStoppedException";
    /// The region server aborts.
    region_server_aborted = retriable "org.apache.hadoop.hbase.regionserver.RegionServerAbortedException";
    /// The server is not ready, or a standby master.
    server_not_running_yet = retriable "org.apache.hadoop.hbase.ipc.ServerNotRunningYetException";
    /// The master is initialising.
    please_hold = retriable "org.apache.hadoop.hbase.PleaseHoldException";
    /// This is not the active master.
    master_not_running = retriable "org.apache.hadoop.hbase.MasterNotRunningException";
    /// A permanent failure that has no class of its own.
    do_not_retry = permanent "org.apache.hadoop.hbase.DoNotRetryIOException";
    /// No such table. The message is the table's name.
    table_not_found = permanent "org.apache.hadoop.hbase.TableNotFoundException";
    /// There is such a table already. The message is the table's name.
    table_exists = permanent "org.apache.hadoop.hbase.TableExistsException";
    /// The table is not enabled. The message is the table's name.
    table_not_enabled = permanent "org.apache.hadoop.hbase.TableNotEnabledException";
    /// The table is not disabled. The message is the table's name.
    table_not_disabled = permanent "org.apache.hadoop.hbase.TableNotDisabledException";
    /// Another change of the table is under way.
    concurrent_table_modification = permanent "org.apache.hadoop.hbase.ConcurrentTableModificationException";
    /// The column family is there already, is not there, or must not be changed so.
    invalid_family_operation = permanent "org.apache.hadoop.hbase.InvalidFamilyOperationException";
    /// Somebody asked for the procedure to be undone.
    procedure_aborted = retriable "org.apache.hadoop.hbase.procedure2.ProcedureAbortedException";
    /// There is such a namespace already.
    namespace_exist = permanent "org.apache.hadoop.hbase.NamespaceExistException";
    /// No such namespace.
    namespace_not_found = permanent "org.apache.hadoop.hbase.NamespaceNotFoundException";
    /// Something of HBase's own that must stay as it is. Clients without HBase's server classes see a DoNotRetryIOException.
    constraint = permanent "org.apache.hadoop.hbase.constraint.ConstraintException";
    /// No such replication peer.
    replication_peer_not_found = permanent "org.apache.hadoop.hbase.ReplicationPeerNotFoundException";
    /// The table has no such column family.
    no_such_column_family = permanent "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException";
    /// A mutation that must not be applied (row out of range, timestamp in the future).
    failed_sanity_check = permanent "org.apache.hadoop.hbase.exceptions.FailedSanityCheckException";
    /// A read of a row larger than `hbase.table.max.rowsize`.
    row_too_big = permanent "org.apache.hadoop.hbase.client.RowTooBigException";
    /// A file cannot be opened for what is in it.
    corrupt_hfile = permanent "org.apache.hadoop.hbase.io.hfile.CorruptHFileException";
    /// The user may not do this.
    access_denied = permanent "org.apache.hadoop.hbase.security.AccessDeniedException";
    /// No such region (admin calls).
    unknown_region = permanent "org.apache.hadoop.hbase.UnknownRegionException";
    /// These regions cannot be merged.
    merge_region = permanent "org.apache.hadoop.hbase.exceptions.MergeRegionException";
    /// The region cannot be operated on like this.
    do_not_retry_region = permanent "org.apache.hadoop.hbase.client.DoNotRetryRegionException";
    /// The region is offline (a split parent).
    region_offline = retriable "org.apache.hadoop.hbase.client.RegionOfflineException";
    /// No such snapshot.
    snapshot_does_not_exist = permanent "org.apache.hadoop.hbase.snapshot.SnapshotDoesNotExistException";
    /// There is such a snapshot already.
    snapshot_exists = permanent "org.apache.hadoop.hbase.snapshot.SnapshotExistsException";
    /// The snapshot could not be taken.
    snapshot_creation = permanent "org.apache.hadoop.hbase.snapshot.SnapshotCreationException";
    /// The snapshot could not be restored.
    restore_snapshot = permanent "org.apache.hadoop.hbase.snapshot.RestoreSnapshotException";
    /// The snapshot asked for is not being taken.
    unknown_snapshot = permanent "org.apache.hadoop.hbase.snapshot.UnknownSnapshotException";
    /// A failure of a snapshot that has no class of its own.
    hbase_snapshot = permanent "org.apache.hadoop.hbase.snapshot.HBaseSnapshotException";
    /// What is on disk of a snapshot makes no sense, or files of it are missing.
    corrupted_snapshot = permanent "org.apache.hadoop.hbase.snapshot.CorruptedSnapshotException";
    /// The snapshot has outlived its time to live.
    snapshot_ttl_expired = permanent "org.apache.hadoop.hbase.snapshot.SnapshotTTLExpiredException";
    /// A space quota is violated.
    quota_exceeded = permanent "org.apache.hadoop.hbase.quotas.QuotaExceededException";
    /// No such coprocessor service.
    unknown_protocol = permanent "org.apache.hadoop.hbase.exceptions.UnknownProtocolException";
    /// The request is larger than `hbase.ipc.max.request.size`.
    request_too_big = permanent "org.apache.hadoop.hbase.exceptions.RequestTooBigException";
    /// Something took longer than it may.
    timeout_io = retriable "org.apache.hadoop.hbase.exceptions.TimeoutIOException";
    /// No such scanner: the client opens another one behind the last row it got.
    unknown_scanner = permanent "org.apache.hadoop.hbase.UnknownScannerException";
    /// The sequence number of a scanner call is not the expected one.
    out_of_order_scanner_next = permanent "org.apache.hadoop.hbase.exceptions.OutOfOrderScannerNextException";
    /// The scanner was closed after an error that may have lost rows: the client opens another one.
    scanner_reset = permanent "org.apache.hadoop.hbase.exceptions.ScannerResetException";
    /// The lease of the scanner has expired.
    lease = permanent "org.apache.hadoop.hbase.regionserver.LeaseException";
    /// The master has declared this region server dead.
    you_are_dead = retriable "org.apache.hadoop.hbase.YouAreDeadException";
    /// The region server's clock differs too much from the master's.
    clock_out_of_sync = retriable "org.apache.hadoop.hbase.ClockOutOfSyncException";
    /// The region server's host is decommissioned.
    decommissioned_host_rejected = retriable "org.apache.hadoop.hbase.ipc.DecommissionedHostRejectedException";
    /// The client fails all calls of the connection and closes it.
    fatal_connection = permanent "org.apache.hadoop.hbase.ipc.FatalConnectionException";
    /// The preamble names a version that is not spoken here.
    wrong_version = permanent "org.apache.hadoop.hbase.ipc.WrongVersionException";
    /// The preamble names an authentication method that does not exist.
    bad_auth = permanent "org.apache.hadoop.hbase.ipc.BadAuthException";
    /// The client asks for the server's principal, but the server has none.
    security_not_enabled = permanent "org.apache.hadoop.hbase.ipc.SecurityNotEnabledException";
    /// Made on the caller's side: the connection is gone, and the call may or may not have been run.
    connection_closed = retriable "org.apache.hadoop.hbase.exceptions.ConnectionClosedException";
    /// Made on the caller's side: no reply came in time, and the call may or may not have been run.
    call_timeout = retriable "org.apache.hadoop.hbase.ipc.CallTimeoutException";
}

/// Too much is waiting in this server: the client backs off for longer and keeps the location.
pub fn call_queue_too_big(message: impl Into<String>) -> RpcException {
    overloaded("org.apache.hadoop.hbase.CallQueueTooBigException", message)
}

/// The call was dropped before it was run: the client backs off for longer and keeps the location.
pub fn call_dropped(message: impl Into<String>) -> RpcException {
    overloaded("org.apache.hadoop.hbase.CallDroppedException", message)
}

/// Whether the class says that too much waits in the server (HBase's `HBaseServerException.isServerOverloaded`).
pub fn is_overload(class: &str) -> bool {
    matches!(
        class,
        "org.apache.hadoop.hbase.CallQueueTooBigException" | "org.apache.hadoop.hbase.CallDroppedException"
    )
}

fn overloaded(class: &'static str, message: impl Into<String>) -> RpcException {
    RpcException { server_overloaded: true, ..RpcException::retriable(class, message) }
}

/// No such method. Newer clients fall back to an older method on exactly this class and message.
pub fn unsupported_operation(method: &str) -> RpcException {
    do_not_retry(format!("java.lang.UnsupportedOperationException: {method}"))
}

/// No such method, and what to do instead. For methods that no client falls back from.
pub fn absent_operation(method: &str, instead: &str) -> RpcException {
    unsupported_operation(&format!("{method}: {instead}"))
}

/// The region has moved to a known server: the client goes there without a look-up. It parses this message.
pub fn region_moved(host: &str, port: u16, start_code: u64, open_seq_num: i64) -> RpcException {
    let message = format!(
        "Region moved to: hostname={host} port={port} startCode={start_code}. As of locationSeqNum={open_seq_num}."
    );
    RpcException {
        moved_to: Some(Box::new((host.to_owned(), port))),
        ..RpcException::retriable("org.apache.hadoop.hbase.exceptions.RegionMovedException", message)
    }
}

/// A quota is used up for `wait`; newer clients parse the message and sleep exactly that long. `what` is
/// the quota in HBase's words, such as `number of requests exceeded`.
pub fn rpc_throttling(what: &str, wait: Duration) -> RpcException {
    RpcException::retriable(
        "org.apache.hadoop.hbase.quotas.RpcThrottlingException",
        format!("{what} - wait {}", human_wait(wait)),
    )
}

/// `1hr, 2mins, 3sec, 4ms` without the parts that are zero, but for the last: clients find a time of `1min` to be none.
fn human_wait(wait: Duration) -> String {
    let ms = wait.as_millis();
    let parts = [
        (ms / 3_600_000, if ms / 3_600_000 == 1 { "hr" } else { "hrs" }),
        (ms / 60_000 % 60, if ms / 60_000 % 60 == 1 { "min" } else { "mins" }),
        (ms / 1000 % 60, "sec"),
    ];
    let mut text: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, unit)| format!("{n}{unit}")).collect();
    text.push(format!("{}ms", ms % 1000));
    text.join(", ")
}

#[cfg(test)]
mod tests;
