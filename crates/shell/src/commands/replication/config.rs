//! The configuration of a peer: what is replicated, and what is told to it.

use crate::arguments::{Options, table_name};
use crate::error::{Result, ShellError};
use crate::value::Value;
use finback_client::messages::{BytesBytesPair, NameStringPair, TableCf};
use finback_client::{Bytes, PeerConfig, TableName};

/// What is replicated where not all is, or what is not where all is.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Included,
    Excluded,
}

impl Part {
    pub(super) fn namespaces(self, config: &mut PeerConfig) -> &mut Vec<Bytes> {
        match self {
            Self::Included => &mut config.namespaces,
            Self::Excluded => &mut config.exclude_namespaces,
        }
    }

    pub(super) fn tables(self, config: &mut PeerConfig) -> &mut Vec<TableCf> {
        match self {
            Self::Included => &mut config.table_cfs,
            Self::Excluded => &mut config.exclude_table_cfs,
        }
    }
}

/// Tables, and which of their families: all, where none is named.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Families(Vec<(TableName, Vec<Bytes>)>);

impl Families {
    /// Of a hash: `{ 't1' => [], 'ns2:t2' => ['cf1'] }`
    pub(super) fn of(value: Value) -> Result<Self> {
        let Value::Hash(pairs) = value else {
            return Err(ShellError::argument(format!("TABLE_CFS must be a Hash: {value}")));
        };
        let mut tables = Vec::new();
        for (table, families) in pairs {
            let families = match families {
                Value::Nil => Vec::new(),
                Value::Array(families) => families.iter().map(|name| name.to_bytes().into()).collect(),
                one => vec![one.to_bytes().into()],
            };
            tables.push((table_name(&table.to_bytes())?, families));
        }
        Ok(Self(tables))
    }

    pub(super) fn of_messages(messages: &[TableCf]) -> Result<Self> {
        let table = |one: &TableCf| {
            let name = one.table_name.as_ref().and_then(|name| TableName::try_from(name).ok());
            let name = name.ok_or_else(|| ShellError::argument("the peer has a table without a name"))?;
            Ok((name, one.families.clone()))
        };
        Ok(Self(messages.iter().map(table).collect::<Result<_>>()?))
    }

    pub(super) fn messages(&self) -> Vec<TableCf> {
        let message = |(table, families): &(TableName, Vec<Bytes>)| TableCf {
            table_name: Some(table.into()),
            families: families.clone(),
        };
        self.0.iter().map(message).collect()
    }

    /// Adds families to their tables. A table without families has all, and keeps them.
    pub(super) fn add(&mut self, more: Self) {
        for (table, families) in more.0 {
            match self.0.iter_mut().find(|(known, _)| *known == table) {
                None => self.0.push((table, families)),
                Some((_, known)) if known.is_empty() || families.is_empty() => known.clear(),
                Some((_, known)) => {
                    known.extend(families);
                    known.sort();
                    known.dedup();
                }
            }
        }
    }

    /// Takes families away; a table whose last one goes, goes.
    ///
    /// # Errors
    /// Of a table that is not there; of one of which all families are, when some are to go; and the other way round.
    pub(super) fn remove(&mut self, less: &Self, peer: &str) -> Result<()> {
        for (table, families) in &less.0 {
            let Some(at) = self.0.iter().position(|(known, _)| known == table) else {
                return Err(ShellError::argument(format!(
                    "No table: {table} in table-cfs config of peer: {peer}"
                )));
            };
            let known = &mut self.0[at].1;
            match (known.is_empty(), families.is_empty()) {
                (true, false) => {
                    return Err(ShellError::argument(format!(
                        "Cannot remove cf of table: {table} which doesn't specify cfs from table-cfs config in \
                         peer: {peer}"
                    )));
                }
                (false, true) => {
                    return Err(ShellError::argument(format!(
                        "Cannot remove table: {table} which has specified cfs from table-cfs config in peer: {peer}"
                    )));
                }
                (true, true) => {}
                (false, false) => known.retain(|family| !families.contains(family)),
            }
            if self.0[at].1.is_empty() {
                self.0.remove(at);
            }
        }
        Ok(())
    }
}

/// A new peer, as `add_peer` has it; `own` is the key of this cluster, if it has one.
pub(super) fn new(options: &mut Options, own: Option<String>) -> Result<PeerConfig> {
    let (endpoint, key) = (options.text("ENDPOINT_CLASSNAME"), options.text("CLUSTER_KEY"));
    if endpoint.is_none() && key.is_none() {
        return Err(ShellError::argument("Either ENDPOINT_CLASSNAME or CLUSTER_KEY must be specified."));
    }
    let mut config = PeerConfig {
        clusterkey: key.or(own),
        replication_endpoint_impl: endpoint,
        serial: options.has("SERIAL").then(|| options.is_set("SERIAL")),
        replicate_all: Some(true),
        bandwidth: Some(0),
        ..PeerConfig::default()
    };
    if options.has("NAMESPACES") {
        config.replicate_all = Some(false);
        config.namespaces = options.list("NAMESPACES").iter().map(|name| name.to_bytes().into()).collect();
    }
    if let Some(tables) = options.take("TABLE_CFS") {
        config.replicate_all = Some(false);
        config.table_cfs = Families::of(tables)?.messages();
    }
    if let Some(directory) = options.text("REMOTE_WAL_DIR") {
        config.remote_wal_dir = Some(directory);
    }
    add_entries(&mut config, options)?;
    Ok(config)
}

/// Sets entries of `CONFIG` and `DATA`.
pub(super) fn add_entries(config: &mut PeerConfig, options: &mut Options) -> Result<()> {
    for (name, value) in options.pairs("CONFIG")? {
        config.configuration.retain(|entry| entry.name != name);
        let value = String::from_utf8_lossy(&value).into_owned();
        config.configuration.push(NameStringPair { name, value });
    }
    for (name, value) in options.pairs("DATA")? {
        let first: Bytes = name.into();
        config.data.retain(|entry| entry.first != first);
        config.data.push(BytesBytesPair { first, second: value.into() });
    }
    Ok(())
}

/// `ns.t1:cf1,cf2;t2`
pub(super) fn shown_tables(tables: &[TableCf]) -> String {
    let shown = |one: &TableCf| {
        let name = one.table_name.as_ref().and_then(|name| TableName::try_from(name).ok());
        let name = name.map(|name| format!("{}.{}", name.namespace(), name.qualifier())).unwrap_or_default();
        let families: Vec<_> = one.families.iter().map(|name| String::from_utf8_lossy(name)).collect();
        if families.is_empty() { name } else { format!("{name}:{}", families.join(",")) }
    };
    tables.iter().map(shown).collect::<Vec<_>>().join(";")
}

/// Namespaces and tables, as `list_peers` shows them: those excluded with a `!`, where all others are replicated.
pub(super) fn shown_selection(config: &PeerConfig) -> (String, String) {
    let shown_namespaces = |names: &[Bytes]| {
        let mut names: Vec<_> = names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        names.sort();
        names.join(";")
    };
    let marked = |shown: String| if shown.is_empty() { shown } else { format!("!{shown}") };
    match config.replicate_all() {
        true => (
            marked(shown_namespaces(&config.exclude_namespaces)),
            marked(shown_tables(&config.exclude_table_cfs)),
        ),
        false => (shown_namespaces(&config.namespaces), shown_tables(&config.table_cfs)),
    }
}

/// Whether edits of a table go to the peer.
pub(super) fn replicates(config: &PeerConfig, table: &TableName) -> bool {
    let has_namespace = |names: &[Bytes]| names.iter().any(|name| name[..] == *table.namespace().as_bytes());
    let families = |tables: &[TableCf]| {
        let of = |one: &&TableCf| {
            one.table_name.as_ref().and_then(|name| TableName::try_from(name).ok()).as_ref() == Some(table)
        };
        tables.iter().find(of).map(|one| one.families.len())
    };
    match config.replicate_all() {
        // A table of which some families are excluded has others.
        true => !has_namespace(&config.exclude_namespaces) && families(&config.exclude_table_cfs) != Some(0),
        false => has_namespace(&config.namespaces) || families(&config.table_cfs).is_some(),
    }
}

#[cfg(test)]
mod tests;
