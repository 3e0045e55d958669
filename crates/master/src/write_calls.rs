//! Calls that change something: each becomes an operation, and answers with the id of its procedure.

use finback_cell::{ColumnFamilyDescriptor, TableDescriptor, TableName};
use finback_proto::{convert, pb};
use finback_rpc::{Call, Outcome, Reply, RpcException, exceptions};
use pb::get_procedure_result_response::State as ResultState;

use crate::{
    core::{Procedure, Status},
    master_service::{Answer, MasterService, reply, table_name},
    operation::Operation,
    state::NamespaceConfiguration,
};

/// What clients of 2.4 and 2.5 call a flush of a table.
const FLUSH_SIGNATURE: &str = "flush-table-proc";
/// How long such a client may wait for it, in ms; HBase's own answer.
const FLUSH_TIMEOUT_MS: i64 = 600_000;

/// Decodes the request, makes an operation of it, submits it with the request's nonce, and answers with the id when it is let
/// in.
macro_rules! submit {
    ($self:ident, $call:ident, $request:ident: $Request:ident -> $Response:ident, $operation:expr) => {{
        let submitted = (|| {
            let $request: pb::$Request = $call.decode()?;
            let operation = $operation;
            let id = $self.submit(operation, $request.nonce_group, $request.nonce)?;
            Ok((id, Reply::new(&pb::$Response { proc_id: Some(id) })))
        })();
        $self.when_admitted(submitted)
    }};
}

impl MasterService {
    pub(crate) fn operation_call(&self, method: &str, call: &Call) -> Option<Outcome> {
        Some(match method {
            "CreateNamespace" => submit!(self, call, r: CreateNamespaceRequest -> CreateNamespaceResponse, {
                let (name, configuration) = namespace(&r.namespace_descriptor)?;
                Operation::CreateNamespace { name, configuration }
            }),
            "ModifyNamespace" => submit!(self, call, r: ModifyNamespaceRequest -> ModifyNamespaceResponse, {
                let (name, configuration) = namespace(&r.namespace_descriptor)?;
                Operation::ModifyNamespace { name, configuration }
            }),
            "DeleteNamespace" => submit!(self, call, r: DeleteNamespaceRequest -> DeleteNamespaceResponse, {
                Operation::DeleteNamespace(r.namespace_name.clone())
            }),
            "CreateTable" => submit!(self, call, r: CreateTableRequest -> CreateTableResponse, {
                let mut split_keys = r.split_keys.clone();
                split_keys.sort();
                Operation::CreateTable { table: table(&r.table_schema)?, split_keys }
            }),
            "DeleteTable" => submit!(self, call, r: DeleteTableRequest -> DeleteTableResponse, {
                Operation::DeleteTable(table_name(&r.table_name)?)
            }),
            "EnableTable" => submit!(self, call, r: EnableTableRequest -> EnableTableResponse, {
                Operation::EnableTable(table_name(&r.table_name)?)
            }),
            "DisableTable" => submit!(self, call, r: DisableTableRequest -> DisableTableResponse, {
                Operation::DisableTable(table_name(&r.table_name)?)
            }),
            "truncateTable" => submit!(self, call, r: TruncateTableRequest -> TruncateTableResponse, {
                let table = table_name(&r.table_name)?;
                Operation::TruncateTable { table, preserve_splits: r.preserve_splits() }
            }),
            "ModifyTable" => submit!(self, call, r: ModifyTableRequest -> ModifyTableResponse, {
                modification(&r)?
            }),
            "AddColumn" => submit!(self, call, r: AddColumnRequest -> AddColumnResponse, {
                let (table, family) = (table_name(&r.table_name)?, family(&r.column_families)?);
                Operation::AddFamily { table, family }
            }),
            "ModifyColumn" => submit!(self, call, r: ModifyColumnRequest -> ModifyColumnResponse, {
                let (table, family) = (table_name(&r.table_name)?, family(&r.column_families)?);
                Operation::ModifyFamily { table, family }
            }),
            "DeleteColumn" => submit!(self, call, r: DeleteColumnRequest -> DeleteColumnResponse, {
                Operation::DeleteFamily { table: table_name(&r.table_name)?, family: r.column_name.clone() }
            }),
            "FlushTable" => submit!(self, call, r: FlushTableRequest -> FlushTableResponse, {
                let families = r.column_family.clone();
                Operation::FlushTable { table: table_name(&r.table_name)?, families }
            }),
            _ => return None,
        })
    }

    fn exec_procedure(&self, call: &Call) -> Answer {
        let request: pb::ExecProcedureRequest = call.decode()?;
        let description = &request.procedure;
        let table = flushed_table(description)?;
        let is_family = |entry: &&pb::NameStringPair| entry.name == "family";
        let names =
            description.configuration.iter().filter(is_family).flat_map(|entry| entry.value.split(','));
        let families = names.filter(|name| !name.is_empty()).map(|name| name.to_owned().into()).collect();
        self.submit(Operation::FlushTable { table, families }, None, None)?;
        reply(&pb::ExecProcedureResponse { expected_timeout: Some(FLUSH_TIMEOUT_MS), return_data: None })
    }

    fn is_procedure_done(&self, call: &Call) -> Answer {
        let request: pb::IsProcedureDoneRequest = call.decode()?;
        let description = request.procedure.unwrap_or_default();
        let table = flushed_table(&description)?;
        let status = self.driver.read(|core| core.procedures.last_flush(&table).map(|p| p.status.clone()));
        let done = match status {
            Some(Status::Finished(result)) => result.map(|()| true)?,
            Some(_) => false,
            None => return Err(exceptions::do_not_retry(format!("no flush of {table} is known"))),
        };
        reply(&pb::IsProcedureDoneResponse { done: Some(done), snapshot: Some(description) })
    }

    pub(crate) fn procedure_call(&self, method: &str, call: &Call) -> Option<Answer> {
        Some(match method {
            "ExecProcedure" => self.exec_procedure(call),
            "IsProcedureDone" => self.is_procedure_done(call),
            "getProcedureResult" => self.procedure_result(call),
            "AbortProcedure" => call.decode().map(|request: pb::AbortProcedureRequest| {
                let aborted = self.driver.event(|core, now| core.abort_procedure(request.proc_id, now));
                Reply::new(&pb::AbortProcedureResponse { is_procedure_aborted: aborted })
            }),
            "GetProcedures" => {
                let message = |(id, p): (u64, &Procedure)| procedure_message(id, p);
                let procedure = self.driver.read(|core| core.procedures.active().map(message).collect());
                reply(&pb::GetProceduresResponse { procedure })
            }
            "GetLocks" => reply(&pb::GetLocksResponse { lock: self.locks() }),
            _ => return None,
        })
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
                    exception: failure(procedure),
                }
            }
        });
        if response.state() == ResultState::Finished {
            self.driver.event(|core, now| core.acknowledge(request.proc_id, now));
        }
        reply(&response)
    }

    /// A running operation has its table (or namespace) for itself; those behind it wait.
    fn locks(&self) -> Vec<pb::LockedResource> {
        self.driver.read(|core| {
            let active: Vec<_> = core.procedures.active().collect();
            let lock = |(id, owner): &(u64, &Procedure)| {
                let resource = owner.operation.table().map(ToString::to_string);
                let kind = match resource {
                    Some(_) => pb::LockedResourceType::Table,
                    None => pb::LockedResourceType::Namespace,
                };
                let waits = |p: &Procedure| {
                    p.status == Status::Waiting && p.operation.conflicts_with(&owner.operation)
                };
                let waiting =
                    active.iter().filter(|(_, p)| waits(p)).map(|(id, p)| procedure_message(*id, p));
                pb::LockedResource {
                    resource_type: kind.into(),
                    resource_name: Some(resource.unwrap_or_else(|| owner.operation.namespace().to_owned())),
                    lock_type: pb::LockType::Exclusive.into(),
                    exclusive_lock_owner_procedure: Some(procedure_message(*id, owner)),
                    shared_lock_count: Some(0),
                    waiting_procedures: waiting.collect(),
                }
            };
            active.iter().filter(|(_, p)| p.status == Status::Running).map(lock).collect()
        })
    }
}

fn procedure_message(id: u64, procedure: &Procedure) -> pb::Procedure {
    let state = match &procedure.status {
        Status::Waiting => pb::ProcedureState::Waiting,
        Status::Running => pb::ProcedureState::Runnable,
        Status::Finished(Ok(())) => pb::ProcedureState::Success,
        Status::Finished(Err(_)) => pb::ProcedureState::Failed,
    };
    pb::Procedure {
        class_name: format!("org.apache.hadoop.hbase.master.procedure.{}", procedure.operation.class_name()),
        proc_id: id,
        submitted_time: procedure.submitted_ms,
        state: state.into(),
        last_update: procedure.updated_ms,
        exception: failure(procedure),
        nonce_group: procedure.nonce.map(|(group, _)| group),
        nonce: procedure.nonce.map(|(_, nonce)| nonce),
        locked: Some(procedure.status == Status::Running),
        ..Default::default()
    }
}

fn failure(procedure: &Procedure) -> Option<pb::ForeignExceptionMessage> {
    let exception = procedure.result()?.as_ref().err()?;
    Some(pb::ForeignExceptionMessage {
        source: Some("master".to_owned()),
        generic_exception: Some(pb::GenericExceptionMessage {
            class_name: Some(exception.class.clone().into_owned()),
            message: Some(exception.message.clone()),
            ..Default::default()
        }),
    })
}

fn refused(e: &dyn std::fmt::Display) -> RpcException {
    exceptions::do_not_retry(e.to_string())
}

fn namespace(message: &pb::NamespaceDescriptor) -> Result<(String, NamespaceConfiguration), RpcException> {
    convert::decode_namespace(message).map_err(|e| refused(&e))
}

fn table(message: &pb::TableSchema) -> Result<TableDescriptor, RpcException> {
    TableDescriptor::try_from(message).map_err(|e| refused(&e))
}

fn family(message: &pb::ColumnFamilySchema) -> Result<ColumnFamilyDescriptor, RpcException> {
    ColumnFamilyDescriptor::try_from(message).map_err(|e| refused(&e))
}

fn modification(request: &pb::ModifyTableRequest) -> Result<Operation, RpcException> {
    let (name, table) = (table_name(&request.table_name)?, table(&request.table_schema)?);
    if table.name != name {
        return Err(exceptions::do_not_retry(format!("the schema for {name} is that of {}", table.name)));
    }
    Ok(Operation::ModifyTable { table, reopen: request.reopen_regions() })
}

fn flushed_table(description: &pb::ProcedureDescription) -> Result<TableName, RpcException> {
    if description.signature != FLUSH_SIGNATURE {
        let message = format!("The procedure is not registered: {}", description.signature);
        return Err(exceptions::do_not_retry(message));
    }
    TableName::parse(description.instance().as_bytes()).map_err(|e| refused(&e))
}
