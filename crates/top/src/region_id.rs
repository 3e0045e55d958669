//! What the name of a region says.
//!
//! ```text
//! <table>,<start key>,<start code>[_<replica, hex>].<encoded name>.
//! ```

use finback_client::{StringBinary, messages};
use finback_proto::convert;
use std::sync::Arc;

/// A table, as its name is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableId {
    pub(crate) namespace: Arc<str>,
    pub(crate) qualifier: Arc<str>,
    /// `namespace:qualifier`
    pub(crate) full: Arc<str>,
}

/// A region, as the parts of its name are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RegionId {
    pub(crate) name: Arc<str>,
    pub(crate) table: Arc<TableId>,
    pub(crate) start_key: String,
    pub(crate) start_code: String,
    pub(crate) replica_id: String,
    pub(crate) encoded_name: String,
}

/// A server, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerId {
    /// `host,port`
    pub(crate) short: Arc<str>,
    /// `host,port,startcode`
    pub(crate) long: Arc<str>,
}

impl TableId {
    /// Of a name as it stands in names of regions: the default namespace is left out there.
    fn of(name: &[u8]) -> Self {
        let text = StringBinary(name).to_string();
        let (namespace, qualifier) = text.split_once(':').unwrap_or(("default", &text));
        Self {
            namespace: namespace.into(),
            qualifier: qualifier.into(),
            full: format!("{namespace}:{qualifier}").into(),
        }
    }
}

impl RegionId {
    /// Reads a name. Of a name that is none all parts but the name are empty.
    pub(crate) fn of(specifier: &messages::RegionSpecifier) -> Self {
        let name: &[u8] = &specifier.value;
        let encoded = convert::encoded_name(specifier).unwrap_or_default();
        let parts = parts(name, encoded);
        let (table, start_key, start_code, replica_id) = parts.unwrap_or_default();
        Self {
            name: StringBinary(name).to_string().into(),
            table: Arc::new(TableId::of(table)),
            start_key: StringBinary(start_key).to_string(),
            start_code: StringBinary(start_code).to_string(),
            replica_id: replica_id.map(|replica| replica.to_string()).unwrap_or_default(),
            encoded_name: StringBinary(encoded).to_string(),
        }
    }
}

type Parts<'a> = (&'a [u8], &'a [u8], &'a [u8], Option<u32>);

/// Table, start key, start code, replica.
fn parts<'a>(name: &'a [u8], encoded: &[u8]) -> Option<Parts<'a>> {
    let first = name.iter().position(|&byte| byte == b',')?;
    // Start keys may have commas; what stands behind them has none.
    let last = name.iter().rposition(|&byte| byte == b',').filter(|&last| last > first)?;
    let id = &name[last + 1..];
    let id = id.strip_suffix(b".").and_then(|id| id.strip_suffix(encoded)?.strip_suffix(b".")).unwrap_or(id);
    let (start_code, replica) = match id.iter().position(|&byte| byte == b'_') {
        Some(at) => (&id[..at], std::str::from_utf8(&id[at + 1..]).ok()),
        None => (id, None),
    };
    let replica = replica.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    Some((&name[..first], &name[first + 1..last], start_code, replica))
}

impl ServerId {
    pub(crate) fn of(server: &messages::ServerName) -> Self {
        let short = format!("{},{}", server.host_name, server.port());
        let long = format!("{short},{}", server.start_code());
        Self { short: short.into(), long: long.into() }
    }
}

#[cfg(test)]
mod tests;
