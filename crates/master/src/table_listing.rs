//! Calls that list tables and namespaces.

use finback_cell::TableName;
use finback_proto::{convert, pb};
use finback_rpc::{Call, RpcException, exceptions};
use pb::table_state::State as TableState;
use std::collections::HashSet;

use crate::{
    java_regex::NamePattern,
    master_service::{Answer, MasterService, reply, table_name},
    operation::{check_namespace, find},
    state::{ClusterState, Table},
};

impl MasterService {
    pub(crate) fn listing_call(&self, method: &str, call: &Call) -> Option<Answer> {
        Some(match method {
            "GetTableDescriptors" => self.table_descriptors(call),
            "GetTableNames" => self.table_names(call),
            "ListTableDescriptorsByNamespace" => self.table_descriptors_by_namespace(call),
            "ListTableNamesByNamespace" => self.table_names_by_namespace(call),
            "ListTableDescriptorsByState" => {
                call.decode().and_then(|request: pb::ListTableDescriptorsByStateRequest| {
                    let wanted = in_state(request.is_enabled);
                    let table_schema = self.descriptors(&wanted)?;
                    reply(&pb::ListTableDescriptorsByStateResponse { table_schema })
                })
            }
            "ListTableNamesByState" => call.decode().and_then(|request: pb::ListTableNamesByStateRequest| {
                let table_names = self.names(&in_state(request.is_enabled))?;
                reply(&pb::ListTableNamesByStateResponse { table_names })
            }),
            "GetTableState" => self.table_state(call),
            "GetSchemaAlterStatus" => self.schema_alter_status(call),
            "GetNamespaceDescriptor" => self.namespace_descriptor(call),
            "ListNamespaceDescriptors" => {
                let namespace_descriptor = self.driver.read(|core| {
                    let namespaces = core.state.namespaces.iter();
                    namespaces.map(|(name, entries)| convert::namespace_descriptor(name, entries)).collect()
                });
                reply(&pb::ListNamespaceDescriptorsResponse { namespace_descriptor })
            }
            "ListNamespaces" => {
                let namespace_name = self.driver.read(|core| core.state.namespaces.keys().cloned().collect());
                reply(&pb::ListNamespacesResponse { namespace_name })
            }
            _ => return None,
        })
    }

    fn names(&self, wanted: Wanted<'_>) -> Result<Vec<pb::TableName>, RpcException> {
        self.driver.read(|core| {
            let tables = select(&core.state, wanted)?;
            Ok(tables.into_iter().map(|(name, _)| name.into()).collect())
        })
    }

    fn descriptors(&self, wanted: Wanted<'_>) -> Result<Vec<pb::TableSchema>, RpcException> {
        self.driver.read(|core| {
            let tables = select(&core.state, wanted)?;
            Ok(tables
                .into_iter()
                .filter_map(|(_, table)| Some(table.descriptor.as_deref()?.into()))
                .collect())
        })
    }

    fn table_descriptors(&self, call: &Call) -> Answer {
        let request: pb::GetTableDescriptorsRequest = call.decode()?;
        let table_schema = if request.table_names.is_empty() {
            let matching = matching(
                request.regex.as_deref(),
                request.namespace.as_deref(),
                request.include_sys_tables(),
            )?;
            self.descriptors(&matching)?
        } else {
            let mut names: Vec<_> = request.table_names.iter().map(table_name).collect::<Result<_, _>>()?;
            let mut seen = HashSet::new();
            names.retain(|name| seen.insert(name.clone()));
            self.driver.read(|core| {
                let descriptor = |name| Some(core.state.tables.get(name)?.descriptor.as_deref()?.into());
                names.iter().filter_map(descriptor).collect()
            })
        };
        reply(&pb::GetTableDescriptorsResponse { table_schema })
    }

    fn table_names(&self, call: &Call) -> Answer {
        let request: pb::GetTableNamesRequest = call.decode()?;
        let matching =
            matching(request.regex.as_deref(), request.namespace.as_deref(), request.include_sys_tables())?;
        reply(&pb::GetTableNamesResponse { table_names: self.names(&matching)? })
    }

    fn table_descriptors_by_namespace(&self, call: &Call) -> Answer {
        let request: pb::ListTableDescriptorsByNamespaceRequest = call.decode()?;
        self.driver.read(|core| check_namespace(&core.state, &request.namespace_name))?;
        let table_schema = self.descriptors(&matching(None, Some(&request.namespace_name), true)?)?;
        reply(&pb::ListTableDescriptorsByNamespaceResponse { table_schema })
    }

    fn table_names_by_namespace(&self, call: &Call) -> Answer {
        let request: pb::ListTableNamesByNamespaceRequest = call.decode()?;
        self.driver.read(|core| check_namespace(&core.state, &request.namespace_name))?;
        let table_name = self.names(&matching(None, Some(&request.namespace_name), true)?)?;
        reply(&pb::ListTableNamesByNamespaceResponse { table_name })
    }

    fn table_state(&self, call: &Call) -> Answer {
        let request: pb::GetTableStateRequest = call.decode()?;
        let name = table_name(&request.table_name)?;
        let state = self.driver.read(|core| find(&core.state, &name).map(|table| table.state))?;
        reply(&pb::GetTableStateResponse { table_state: pb::TableState { state: state.into() } })
    }

    fn schema_alter_status(&self, call: &Call) -> Answer {
        let request: pb::GetSchemaAlterStatusRequest = call.decode()?;
        let name = table_name(&request.table_name)?;
        let (left, total) = self.driver.read(|core| -> Result<_, RpcException> {
            find(&core.state, &name)?;
            let total = core.state.assignable_regions_of(&name).len();
            Ok((core.procedures.regions_to_reopen(&name), total))
        })?;
        reply(&pb::GetSchemaAlterStatusResponse {
            yet_to_update_regions: u32::try_from(left).ok(),
            total_regions: u32::try_from(total).ok(),
        })
    }

    fn namespace_descriptor(&self, call: &Call) -> Answer {
        let request: pb::GetNamespaceDescriptorRequest = call.decode()?;
        let name = &request.namespace_name;
        let found = self.driver.read(|core| {
            core.state.namespaces.get(name).map(|entries| convert::namespace_descriptor(name, entries))
        });
        let namespace_descriptor = found.ok_or_else(|| exceptions::namespace_not_found(name))?;
        reply(&pb::GetNamespaceDescriptorResponse { namespace_descriptor })
    }
}

type Wanted<'a> = &'a dyn Fn(&TableName, &Table) -> Result<bool, RpcException>;

fn select<'a>(
    state: &'a ClusterState,
    wanted: Wanted<'_>,
) -> Result<Vec<(&'a TableName, &'a Table)>, RpcException> {
    let mut selected = Vec::new();
    for (name, table) in &state.tables {
        if wanted(name, table)? {
            selected.push((name, table));
        }
    }
    Ok(selected)
}

fn matching(
    regex: Option<&str>,
    namespace: Option<&str>,
    include_system: bool,
) -> Result<impl Fn(&TableName, &Table) -> Result<bool, RpcException>, RpcException> {
    let pattern = regex.map(NamePattern::new).transpose()?;
    let namespace = namespace.filter(|namespace| !namespace.is_empty()).map(str::to_owned);
    Ok(move |name: &TableName, _: &Table| {
        let place = namespace.as_ref().is_none_or(|namespace| name.namespace() == namespace);
        if !place || (name.is_system() && !include_system) {
            return Ok(false);
        }
        pattern.as_ref().map_or(Ok(true), |pattern| pattern.matches(name))
    })
}

fn in_state(enabled: bool) -> impl Fn(&TableName, &Table) -> Result<bool, RpcException> {
    let state = if enabled { TableState::Enabled } else { TableState::Disabled };
    move |_, table| Ok(table.state == state)
}
