//! The slow and the large calls that servers have noted.

use super::{Admin, malformed};
use crate::error::{Error, Result};
use bytes::Bytes;
use finback_cell::ServerName;
use finback_proto::{Message, ProtoError, pb};

const METHOD: &str = "GetLogEntries";
const REQUEST_CLASS: &str =
    "org.apache.hadoop.hbase.shaded.protobuf.generated.AdminProtos$SlowLogResponseRequest";

/// Which of the noted calls are wanted; without more, the slow ones, as many as the server gives.
pub use pb::SlowLogResponseRequest as SlowLogFilter;

impl Admin {
    /// The slow calls that a server has noted; the large ones if the filter says so.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn slow_log(
        &self,
        server: &ServerName,
        filter: &SlowLogFilter,
    ) -> Result<Vec<pb::SlowLogPayload>> {
        let question = pb::LogRequest {
            log_class_name: REQUEST_CLASS.to_owned(),
            log_message: filter.encode_to_vec().into(),
        };
        let answer: pb::LogEntry = self.ask_server(server, METHOD, &question).await?;
        if !answer.log_class_name.ends_with("SlowLogResponses") {
            let reason = format!("a {}", answer.log_class_name);
            return Err(Error::Malformed { method: METHOD, reason });
        }
        let responses = decode(answer.log_message).map_err(malformed(METHOD))?;
        Ok(responses.slow_log_payloads)
    }

    /// Has a server forget the calls that it has noted; whether it did.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn clear_slow_log(&self, server: &ServerName) -> Result<bool> {
        let answer: pb::ClearSlowLogResponses =
            self.ask_server(server, "ClearSlowLogsResponses", &pb::ClearSlowLogResponseRequest {}).await?;
        Ok(answer.is_cleaned)
    }
}

fn decode(message: Bytes) -> Result<pb::SlowLogResponses, ProtoError> {
    pb::SlowLogResponses::decode(message)
        .map_err(|source| ProtoError::Decode { message: "SlowLogResponses", source })
}
