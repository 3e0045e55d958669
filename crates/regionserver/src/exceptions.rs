//! What a region's errors are to a client.

use finback_region::RegionError;
use finback_rpc::{RpcException, exceptions};
use finback_wal::WalError;

/// The exception of HBase for an error.
pub(crate) fn exception(error: &RegionError) -> RpcException {
    let message = error.to_string();
    match error {
        RegionError::Closing(_) => exceptions::not_serving_region(message),
        RegionError::WrongRegion { .. } => exceptions::wrong_region(message),
        RegionError::NoSuchFamily { .. } => exceptions::no_such_column_family(message),
        RegionError::RowTooBig { .. } => exceptions::row_too_big(message),
        RegionError::TooNew { .. } => exceptions::failed_sanity_check(message),
        RegionError::TooBusy(_) => exceptions::region_too_busy(message),
        RegionError::RowLockTimeout { is_of_client: true, .. } | RegionError::ReadTimeout(_) => {
            exceptions::timeout_io(message)
        }
        RegionError::Invalid(_)
        | RegionError::CellTooLarge { .. }
        | RegionError::ReadOnly(_)
        | RegionError::Filter(_) => exceptions::do_not_retry(message),
        RegionError::Wal(error) if is_of_entry(error) => exceptions::do_not_retry(message),
        // As in HBase: the region would be opened again for a file that is gone, and these are not the region's. It is so with a cell
        // that its file does not have.
        RegionError::MissingMobFile { .. } | RegionError::MissingMobCell { .. } => {
            exceptions::do_not_retry(format!("java.io.FileNotFoundException: {message}"))
        }
        RegionError::DamagedMobFile(_) => exceptions::corrupt_hfile(message),
        _ => exceptions::io(message),
    }
}

/// Whether the log refuses the entry itself: it will the next time.
fn is_of_entry(error: &WalError) -> bool {
    matches!(error, WalError::Malformed | WalError::TooLarge { .. })
}

/// The same for a put or delete of a batch, in which a row out of range is a failed check.
pub(crate) fn batch_exception(error: &RegionError) -> RpcException {
    match error {
        RegionError::WrongRegion { .. } => exceptions::failed_sanity_check(error.to_string()),
        _ => exception(error),
    }
}

#[cfg(test)]
mod tests;
