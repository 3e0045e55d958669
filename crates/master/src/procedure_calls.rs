//! Calls about procedures: how they are, how they ended, what they lock; and procedures that are called by name.

use finback_cell::TableName;
use finback_proto::pb;
use finback_rpc::{Call, Reply, RpcException, exceptions};
use pb::get_procedure_result_response::State as ResultState;

use crate::{
    core::Origin,
    master_service::{Answer, MasterService, reply},
    operation::Operation,
    procedure_message as message, snapshots,
};

/// What clients of 2.4 and 2.5 call a flush of a table.
const FLUSH_SIGNATURE: &str = "flush-table-proc";
/// How long such a client may wait for it, in ms; HBase's own answer.
const FLUSH_TIMEOUT_MS: i64 = 300_000;

impl MasterService {
    pub(crate) fn procedure_call(&self, method: &str, call: &Call) -> Option<Answer> {
        Some(match method {
            "ExecProcedure" => self.exec_procedure(call),
            "ExecProcedureWithRet" => exec_procedure_with_return(call),
            "IsProcedureDone" => self.is_procedure_done(call),
            "getProcedureResult" => self.procedure_result(call),
            "AbortProcedure" => call.decode().map(|request: pb::AbortProcedureRequest| {
                let (id, may_interrupt) = (request.proc_id, request.may_interrupt_if_running());
                let aborted = self.driver.event(|core, now| core.abort_procedure(id, may_interrupt, now));
                Reply::new(&pb::AbortProcedureResponse { is_procedure_aborted: aborted })
            }),
            "GetProcedures" => {
                let procedure = self.driver.read(|core| {
                    core.procedures.all().map(|(id, procedure)| message::procedure(id, procedure)).collect()
                });
                reply(&pb::GetProceduresResponse { procedure })
            }
            "GetLocks" => {
                let lock =
                    self.driver.read(|core| core.procedures.locks().iter().map(message::lock).collect());
                reply(&pb::GetLocksResponse { lock })
            }
            _ => return None,
        })
    }

    fn exec_procedure(&self, call: &Call) -> Answer {
        let request: pb::ExecProcedureRequest = call.decode()?;
        let description = &request.procedure;
        if description.signature != FLUSH_SIGNATURE {
            return Err(exceptions::do_not_retry(unregistered(&description.signature)));
        }
        let table = instance_table(description)?;
        let is_family = |entry: &&pb::NameStringPair| entry.name == "family";
        let names =
            description.configuration.iter().filter(is_family).flat_map(|entry| entry.value.split(','));
        let families = names.filter(|name| !name.is_empty()).map(|name| name.to_owned().into()).collect();
        self.driver.submit(Operation::FlushTable { table, families }, Origin::of(call, None, None))?;
        reply(&pb::ExecProcedureResponse { expected_timeout: Some(FLUSH_TIMEOUT_MS), return_data: None })
    }

    fn is_procedure_done(&self, call: &Call) -> Answer {
        let request: pb::IsProcedureDoneRequest = call.decode()?;
        let description = request.procedure.unwrap_or_default();
        if description.signature != FLUSH_SIGNATURE {
            return Err(exceptions::io(unregistered(&description.signature)));
        }
        let table = instance_table(&description)?;
        let result =
            self.driver.read(|core| core.procedures.last_flush(&table).and_then(|p| p.result().cloned()));
        // As in HBase, one that nobody has heard of is not done.
        let done = result.transpose()?.is_some();
        reply(&pb::IsProcedureDoneResponse { done: Some(done), snapshot: Some(description) })
    }

    fn procedure_result(&self, call: &Call) -> Answer {
        let request: pb::GetProcedureResultRequest = call.decode()?;
        let response = self.driver.read(|core| match core.procedures.get(request.proc_id) {
            None => {
                pb::GetProcedureResultResponse { state: ResultState::NotFound.into(), ..Default::default() }
            }
            Some(procedure) => {
                let finished = procedure.result().is_some();
                let state = if finished { ResultState::Finished } else { ResultState::Running };
                pb::GetProcedureResultResponse {
                    state: state.into(),
                    submitted_time: Some(procedure.submitted_ms),
                    last_update: Some(procedure.updated_ms),
                    result: None,
                    exception: message::failure(procedure),
                }
            }
        });
        if response.state() == ResultState::Finished {
            self.driver.event(|core, now| core.acknowledge(request.proc_id, now));
        }
        reply(&response)
    }
}

/// Calls a procedure for what it returns. HBase's own return nothing, and are not even begun by this.
fn exec_procedure_with_return(call: &Call) -> Answer {
    let request: pb::ExecProcedureRequest = call.decode()?;
    match request.procedure.signature.as_str() {
        FLUSH_SIGNATURE | snapshots::SIGNATURE => reply(&pb::ExecProcedureResponse::default()),
        signature => Err(exceptions::io(unregistered(signature))),
    }
}

fn unregistered(signature: &str) -> String {
    format!("The procedure is not registered: {signature}")
}

fn instance_table(description: &pb::ProcedureDescription) -> Result<TableName, RpcException> {
    TableName::parse(description.instance().as_bytes()).map_err(|e| exceptions::do_not_retry(e.to_string()))
}
