//! What the balancer decided lately, and what it decided against.

use super::{Admin, malformed};
use crate::error::{Error, Result};
use bytes::Bytes;
use finback_proto::{Message, ProtoError, pb};

const METHOD: &str = "GetLogEntries";
const CLASSES: &str = "org.apache.hadoop.hbase.shaded.protobuf.generated.MasterProtos$";

impl Admin {
    /// The latest decisions of the balancer to move regions, at most as many; none where the master does not note them.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn balancer_decisions(&self, limit: u32) -> Result<Vec<pb::BalancerDecision>> {
        let question = pb::BalancerDecisionsRequest { limit: Some(limit) };
        let answer = self.balancer_log("BalancerDecisionsRequest", question.encode_to_vec()).await?;
        let answer: pb::BalancerDecisionsResponse = decode(answer, "BalancerDecisionsResponse")?;
        Ok(answer.balancer_decision)
    }

    /// The latest decisions of the balancer to move nothing, at most as many; none where the master does not note them.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn balancer_rejections(&self, limit: u32) -> Result<Vec<pb::BalancerRejection>> {
        let question = pb::BalancerRejectionsRequest { limit: Some(limit) };
        let answer = self.balancer_log("BalancerRejectionsRequest", question.encode_to_vec()).await?;
        let answer: pb::BalancerRejectionsResponse = decode(answer, "BalancerRejectionsResponse")?;
        Ok(answer.balancer_rejection)
    }

    async fn balancer_log(&self, class: &str, message: Vec<u8>) -> Result<pb::LogEntry> {
        let question =
            pb::LogRequest { log_class_name: format!("{CLASSES}{class}"), log_message: message.into() };
        self.ask_master(METHOD, &question).await
    }
}

fn decode<M: Message + Default>(entry: pb::LogEntry, class: &'static str) -> Result<M> {
    if !entry.log_class_name.ends_with(class) {
        return Err(Error::Malformed { method: METHOD, reason: format!("a {}", entry.log_class_name) });
    }
    let message: Bytes = entry.log_message;
    let decoded = M::decode(message).map_err(|source| ProtoError::Decode { message: class, source });
    decoded.map_err(malformed(METHOD))
}
