//! Names of tables, servers and namespaces.

use crate::{ProtoError, pb};
use finback_cell::{ServerName, TableName, table_name};

impl TryFrom<&pb::TableName> for TableName {
    type Error = ProtoError;

    fn try_from(name: &pb::TableName) -> Result<Self, ProtoError> {
        Self::new(&name.namespace, &name.qualifier)
            .map_err(|e| ProtoError::invalid("TableName", "qualifier", e))
    }
}

impl From<&TableName> for pb::TableName {
    fn from(name: &TableName) -> Self {
        Self {
            namespace: name.namespace().as_bytes().to_vec().into(),
            qualifier: name.qualifier().as_bytes().to_vec().into(),
        }
    }
}

impl TryFrom<&pb::ServerName> for ServerName {
    type Error = ProtoError;

    fn try_from(name: &pb::ServerName) -> Result<Self, ProtoError> {
        if name.host_name.is_empty() {
            return Err(ProtoError::missing("ServerName", "host_name"));
        }
        let port = name.port.unwrap_or(0);
        Ok(Self {
            host: name.host_name.clone(),
            port: u16::try_from(port)
                .map_err(|_| ProtoError::invalid("ServerName", "port", format!("{port} is no port")))?,
            start_code: name.start_code.unwrap_or(0),
        })
    }
}

impl From<&ServerName> for pb::ServerName {
    fn from(name: &ServerName) -> Self {
        Self {
            host_name: name.host.clone(),
            port: Some(u32::from(name.port)),
            start_code: Some(name.start_code),
        }
    }
}

/// The name of a namespace and its configuration, in the order given.
///
/// # Errors
/// [`ProtoError::Invalid`] if the name is none.
pub fn decode_namespace(
    descriptor: &pb::NamespaceDescriptor,
) -> Result<(String, Vec<(String, String)>), ProtoError> {
    table_name::check_namespace(&descriptor.name)
        .map_err(|e| ProtoError::invalid("NamespaceDescriptor", "name", e))?;
    let name = std::str::from_utf8(&descriptor.name)
        .map_err(|e| ProtoError::invalid("NamespaceDescriptor", "name", e))?;
    let configuration = descriptor.configuration.iter().map(|c| (c.name.clone(), c.value.clone())).collect();
    Ok((name.to_owned(), configuration))
}

/// The message of a namespace.
pub fn namespace_descriptor(name: &str, configuration: &[(String, String)]) -> pb::NamespaceDescriptor {
    pb::NamespaceDescriptor {
        name: name.as_bytes().to_vec().into(),
        configuration: configuration
            .iter()
            .map(|(name, value)| pb::NameStringPair { name: name.clone(), value: value.clone() })
            .collect(),
    }
}

#[cfg(test)]
mod tests;
