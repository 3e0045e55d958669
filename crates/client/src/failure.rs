//! What exceptions mean to this client: HBase's `ClientExceptionsUtil`, by class names instead of classes.

use finback_cell::ServerName;
use finback_rpc::RpcException;

/// Exceptions which say that the server is fine and has the region, so that the location stays.
const LEAVING_THE_LOCATION: [&str; 7] = [
    "RegionTooBusyException",
    "RpcThrottlingException",
    "MultiActionResultTooLarge",
    "RetryImmediatelyException",
    "CallQueueTooBigException",
    "CallDroppedException",
    "RequestTooBigException",
];

/// Whether the location that was asked is not to be asked again.
pub(crate) fn clears_location(exception: &RpcException) -> bool {
    !LEAVING_THE_LOCATION.contains(&exception.simple_class())
}

/// Whether this is a NotServingRegionException or one of its children.
pub(crate) fn is_not_serving(exception: &RpcException) -> bool {
    matches!(
        exception.simple_class(),
        "NotServingRegionException" | "RegionMovedException" | "RegionOpeningException"
    )
}

/// Whether the region is expected to be somewhere soon: it is elsewhere than it was, or hbase:meta does not say yet where it is.
pub(crate) fn is_on_its_way(exception: &RpcException) -> bool {
    is_not_serving(exception) || exception.simple_class() == "NoServerForRegionException"
}

/// Whether the table may be disabled: then its state is worth a look.
pub(crate) fn hints_at_a_disabled_table(exception: &RpcException) -> bool {
    is_on_its_way(exception) || exception.simple_class() == "RegionOfflineException"
}

/// Where a region has moved, and its sequence number there, out of the message of a RegionMovedException.
pub(crate) fn moved_to(exception: &RpcException) -> Option<(ServerName, i64)> {
    if exception.simple_class() != "RegionMovedException" {
        return None;
    }
    let field = |name: &str, end: char| {
        let (_, rest) = exception.message.split_once(name)?;
        Some(rest.split_once(end).map_or(rest, |(value, _)| value))
    };
    let server = ServerName {
        host: field("hostname=", ' ')?.to_owned(),
        port: field("port=", ' ')?.parse().ok()?,
        start_code: field("startCode=", '.')?.parse().ok()?,
    };
    Some((server, field("locationSeqNum=", '.')?.parse().ok()?))
}

/// Whether a look-up of any other region of the table would fail with it as well: it is of the table, or of hbase:meta. Other refusals
/// may be of the row, one that is too long for instance.
pub(crate) fn fails_every_look_up(exception: &RpcException) -> bool {
    matches!(
        exception.simple_class(),
        "TableNotFoundException" | "CallTimeoutException" | "ConnectException" | "FailedServerException"
    )
}

/// Whether an action was only left for another reply, this one being large enough.
pub(crate) fn is_left_for_later(exception: &RpcException) -> bool {
    matches!(exception.simple_class(), "MultiActionResultTooLarge" | "RetryImmediatelyException")
}

/// Whether the server has forgotten a scanner, or is out of reach with it: another one takes its place, where the region is by then.
pub(crate) fn scanner_is_gone(exception: &RpcException) -> bool {
    is_not_serving(exception)
        || matches!(
            exception.simple_class(),
            "UnknownScannerException"
                | "ScannerResetException"
                | "LeaseException"
                | "RegionServerStoppedException"
                | "RegionServerAbortedException"
                | "ConnectException"
                | "FailedServerException"
        )
}

#[cfg(test)]
mod tests;
