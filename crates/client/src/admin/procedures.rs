//! What the master does in steps, and the locks that it takes.

use super::{Admin, attempt};
use crate::error::{Error, Result};
use finback_proto::pb;
use finback_rpc::RpcException;
use pb::get_procedure_result_response::State;
use std::time::{Duration, Instant};

/// Pauses between two looks at a procedure; the last one from there on.
const PAUSES_MS: [u64; 9] = [2, 5, 10, 20, 50, 100, 200, 500, 1000];

/// What tells a request from others: one that is sent again under the same is not carried out again.
pub(super) struct Nonces {
    pub(super) group: Option<u64>,
    pub(super) nonce: Option<u64>,
}

impl Admin {
    pub(super) fn nonces(&self) -> Nonces {
        Nonces { group: Some(self.shared.nonce_group), nonce: Some(self.shared.entropy.nonce()) }
    }

    /// Waits for the end of a procedure; gives back what it left. One that the master does not know (any more) counts as
    /// done, as for HBase's asynchronous client. `method` is what it was begun by.
    ///
    /// # Errors
    /// What it failed with.
    pub async fn wait_for_procedure(
        &self,
        method: &'static str,
        proc_id: u64,
    ) -> Result<Option<bytes::Bytes>> {
        let started = Instant::now();
        for look in 0.. {
            let question = pb::GetProcedureResultRequest { proc_id };
            let answer: pb::GetProcedureResultResponse =
                self.ask_master("getProcedureResult", &question).await?;
            if answer.state() != State::Running {
                let failure = answer.exception.and_then(|exception| exception.generic_exception);
                return match failure {
                    Some(failure) => Err(Error::Refused(Box::new(attempt(method, None, thrown(failure))))),
                    None => Ok(answer.result),
                };
            }
            self.pause(method, look, started).await?;
        }
        Ok(None)
    }

    /// The `look`th pause of something that is waited for since `started`.
    ///
    /// # Errors
    /// The time for the operation is over.
    pub(super) async fn pause(&self, method: &'static str, look: usize, started: Instant) -> Result<()> {
        if started.elapsed() >= self.timeout {
            return Err(Error::TimedOut { method, after: self.timeout, attempts: 1, last: None });
        }
        let ms = PAUSES_MS[look.min(PAUSES_MS.len() - 1)];
        tokio::time::sleep(Duration::from_millis(ms)).await;
        Ok(())
    }

    /// Waits for the end of a procedure, if there is one.
    pub(super) async fn done(&self, method: &'static str, proc_id: Option<u64>) -> Result<()> {
        match proc_id {
            Some(proc_id) => self.wait_for_procedure(method, proc_id).await.map(|_| ()),
            None => Ok(()),
        }
    }

    /// The master's procedures: those at work, and those that have ended lately.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn procedures(&self) -> Result<Vec<pb::Procedure>> {
        let answer: pb::GetProceduresResponse =
            self.ask_master("GetProcedures", &pb::GetProceduresRequest {}).await?;
        Ok(answer.procedure)
    }

    /// Asks for a procedure to be undone; whether that can be.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn abort_procedure(&self, proc_id: u64, may_interrupt: bool) -> Result<bool> {
        let question = pb::AbortProcedureRequest { proc_id, may_interrupt_if_running: Some(may_interrupt) };
        let answer: pb::AbortProcedureResponse = self.ask_master("AbortProcedure", &question).await?;
        Ok(answer.is_procedure_aborted)
    }

    /// The locks that procedures hold and wait for.
    ///
    /// # Errors
    /// As of all operations.
    pub async fn locks(&self) -> Result<Vec<pb::LockedResource>> {
        let answer: pb::GetLocksResponse = self.ask_master("GetLocks", &pb::GetLocksRequest {}).await?;
        Ok(answer.lock)
    }
}

/// The exception of a procedure that failed: it will not succeed by being asked for again.
fn thrown(failure: pb::GenericExceptionMessage) -> RpcException {
    let class = failure.class_name.unwrap_or_else(|| "java.io.IOException".to_owned());
    RpcException::permanent(class, failure.message.unwrap_or_default())
}
