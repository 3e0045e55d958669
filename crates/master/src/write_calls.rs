//! Calls that change something: each becomes an operation, and answers with the id of its procedure.

use finback_cell::{ColumnFamilyDescriptor, TableDescriptor};
use finback_proto::{convert, pb};
use finback_rpc::{Call, Outcome, Reply, RpcException, exceptions};

use crate::{
    core::Origin,
    master_service::{MasterService, table_name},
    operation::Operation,
    state::NamespaceConfiguration,
};

/// Decodes the request, makes an operation of it, submits it with the request's nonce, and answers with the id when it is let
/// in.
macro_rules! submit {
    ($self:ident, $call:ident, $request:ident: $Request:ident -> $Response:ident, $operation:expr) => {{
        let submitted = (|| {
            let $request: pb::$Request = $call.decode()?;
            let operation = $operation;
            let origin = Origin::of($call, $request.nonce_group, $request.nonce);
            let id = $self.driver.submit(operation, origin)?;
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
