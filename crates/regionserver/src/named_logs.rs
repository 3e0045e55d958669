//! Logs of slow and of large calls, which HBase keeps in memory where `hbase.regionserver.slowlog.buffer.enabled` is set. By
//! default it is not, and is answered for like that: there are none, and nothing that could be cleared.

use finback_proto::{Message, pb};
use finback_rpc::{Call, Reply, RpcException, exceptions};

/// Where HBase has its messages.
const MESSAGES: &str = "org.apache.hadoop.hbase.shaded.protobuf.generated.AdminProtos$";

pub(crate) fn slow_calls(call: &Call) -> Result<Reply, RpcException> {
    let _: pb::SlowLogResponseRequest = call.decode()?;
    Ok(Reply::new(&pb::SlowLogResponses::default()))
}

pub(crate) fn clear(call: &Call) -> Result<Reply, RpcException> {
    let _: pb::ClearSlowLogResponseRequest = call.decode()?;
    Ok(Reply::new(&pb::ClearSlowLogResponses { is_cleaned: false }))
}

/// The same for any log, by the class of its request.
pub(crate) fn entries(call: &Call) -> Result<Reply, RpcException> {
    let request: pb::LogRequest = call.decode()?;
    if !request.log_class_name.contains("SlowLogResponseRequest") {
        return Err(exceptions::io("Invalid request params"));
    }
    pb::SlowLogResponseRequest::decode(request.log_message)
        .map_err(|error| exceptions::do_not_retry(format!("malformed log_message: {error}")))?;
    Ok(Reply::new(&pb::LogEntry {
        log_class_name: format!("{MESSAGES}SlowLogResponses"),
        log_message: pb::SlowLogResponses::default().encode_to_vec().into(),
    }))
}
