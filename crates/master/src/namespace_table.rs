//! hbase:namespace: one row per namespace, `info:d` = NamespaceDescriptor.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use finback_cell::{CellBlock, RegionInfo, ServerName, TableName};
use finback_proto::{Message, convert, pb};

use crate::{
    meta_edit::{delete, namespace_cell, put},
    meta_row,
    state::{ClusterState, NamespaceConfiguration},
    system_tables::INFO,
};

/// A change of a namespace.
#[derive(Debug, Clone)]
pub(crate) enum NamespaceEdit {
    Put { name: String, configuration: NamespaceConfiguration },
    Remove(String),
}

impl NamespaceEdit {
    /// Of the namespace.
    pub(crate) fn name(&self) -> &str {
        let (Self::Put { name, .. } | Self::Remove(name)) = self;
        name
    }

    /// The change as a mutation of hbase:namespace.
    pub(crate) fn to_mutation(&self, at: u64) -> pb::MutationProto {
        match self {
            Self::Put { name, configuration } => {
                let value = convert::namespace_descriptor(name, configuration).encode_to_vec();
                put(Bytes::from(name.clone()), INFO, vec![namespace_cell(value, at)], at)
            }
            Self::Remove(name) => delete(Bytes::from(name.clone()), INFO, None, at),
        }
    }

    /// What memory says after the write.
    pub(crate) fn apply(&self, state: &mut ClusterState) {
        match self {
            Self::Put { name, configuration } => {
                Arc::make_mut(&mut state.namespaces).insert(name.clone(), configuration.clone());
            }
            Self::Remove(name) => {
                Arc::make_mut(&mut state.namespaces).remove(name);
            }
        }
    }
}

/// What hbase:namespace says.
#[derive(Debug, Clone, Default)]
pub(crate) struct NamespaceContents {
    pub(crate) namespaces: BTreeMap<String, NamespaceConfiguration>,
    /// Of all its cells.
    pub(crate) newest_timestamp: u64,
}

impl NamespaceContents {
    /// Adds a row.
    pub(crate) fn add(&mut self, row: &CellBlock) {
        self.newest_timestamp = self.newest_timestamp.max(meta_row::newest_timestamp(row));
        match decode(row) {
            Ok(decoded) => self.namespaces.extend(decoded),
            Err(e) => tracing::error!("hbase:namespace has a row that cannot be read: {e}"),
        }
    }
}

/// Reads a row; `None` if it has no descriptor.
fn decode(row: &CellBlock) -> Result<Option<(String, NamespaceConfiguration)>, String> {
    let Some(cell) = row.iter().find(|cell| cell.family() == INFO && cell.qualifier() == b"d") else {
        return Ok(None);
    };
    let shown = || cell.row().escape_ascii().to_string();
    let message = pb::NamespaceDescriptor::decode(cell.value()).map_err(|e| format!("{}: {e}", shown()))?;
    convert::decode_namespace(&message).map(Some).map_err(|e| format!("{}: {e}", shown()))
}

/// Where hbase:namespace is open, region by region: it may have been split. None while one is not open, or there is none.
pub(crate) fn locations(state: &ClusterState) -> Option<Vec<(ServerName, RegionInfo)>> {
    let regions = state.assignable_regions_of(&TableName::namespace_table());
    let location = |encoded: &String| {
        let region = state.regions.get(encoded)?;
        Some((region.location()?.clone(), region.info.clone()))
    };
    regions.iter().map(location).collect::<Option<Vec<_>>>().filter(|locations| !locations.is_empty())
}

/// Where the row of a namespace is, if its region is open.
pub(crate) fn location_of(state: &ClusterState, name: &str) -> Option<(ServerName, RegionInfo)> {
    let regions = state.assignable_regions_of(&TableName::namespace_table());
    let mut regions = regions.iter().filter_map(|encoded| state.regions.get(encoded));
    let region = regions.find(|region| region.info.contains_row(name.as_bytes()))?;
    Some((region.location()?.clone(), region.info.clone()))
}
