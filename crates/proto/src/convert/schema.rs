//! Table and column family schemas.

use crate::{ProtoError, pb};
use bytes::Bytes;
use finback_cell::schema::Entry;
use finback_cell::{ColumnFamilyDescriptor, MAX_FAMILY_LENGTH, TableDescriptor, TableName};
use std::collections::HashMap;

impl TryFrom<&pb::TableSchema> for TableDescriptor {
    type Error = ProtoError;

    /// The configuration of a table becomes attributes, as in HBase, which writes it back as attributes too.
    fn try_from(schema: &pb::TableSchema) -> Result<Self, ProtoError> {
        let name = schema.table_name.as_ref().ok_or(ProtoError::missing("TableSchema", "table_name"))?;
        let mut families: Vec<_> =
            schema.column_families.iter().map(ColumnFamilyDescriptor::try_from).collect::<Result<_, _>>()?;
        families.sort_by(|a, b| a.name.cmp(&b.name));
        if let Some(twice) = families.windows(2).find(|pair| pair[0].name == pair[1].name) {
            let reason = format!("family {} is there twice", twice[0].name.escape_ascii());
            return Err(ProtoError::invalid("TableSchema", "column_families", reason));
        }
        let entries = schema.attributes.iter().map(attribute).chain(schema.configuration.iter().map(setting));
        Ok(Self { name: TableName::try_from(name)?, attributes: last_of_each(entries), families })
    }
}

impl From<&TableDescriptor> for pb::TableSchema {
    fn from(table: &TableDescriptor) -> Self {
        Self {
            table_name: Some((&table.name).into()),
            attributes: attributes(&table.attributes),
            column_families: table.families.iter().map(Into::into).collect(),
            configuration: Vec::new(),
        }
    }
}

impl TryFrom<&pb::ColumnFamilySchema> for ColumnFamilyDescriptor {
    type Error = ProtoError;

    fn try_from(schema: &pb::ColumnFamilySchema) -> Result<Self, ProtoError> {
        if schema.name.is_empty() {
            return Err(ProtoError::missing("ColumnFamilySchema", "name"));
        }
        if schema.name.len() > MAX_FAMILY_LENGTH {
            let reason = format!("{} bytes, the limit is {MAX_FAMILY_LENGTH}", schema.name.len());
            return Err(ProtoError::invalid("ColumnFamilySchema", "name", reason));
        }
        Ok(Self {
            name: schema.name.clone(),
            attributes: last_of_each(schema.attributes.iter().map(attribute)),
            configuration: last_of_each(schema.configuration.iter().map(setting)),
        })
    }
}

impl From<&ColumnFamilyDescriptor> for pb::ColumnFamilySchema {
    fn from(family: &ColumnFamilyDescriptor) -> Self {
        let text = |bytes: &Bytes| String::from_utf8_lossy(bytes).into_owned();
        Self {
            name: family.name.clone(),
            attributes: attributes(&family.attributes),
            configuration: family
                .configuration
                .iter()
                .map(|(name, value)| pb::NameStringPair { name: text(name), value: text(value) })
                .collect(),
        }
    }
}

fn attribute(pair: &pb::BytesBytesPair) -> Entry {
    (pair.first.clone(), pair.second.clone())
}

fn setting(pair: &pb::NameStringPair) -> Entry {
    (pair.name.clone().into(), pair.value.clone().into())
}

fn attributes(entries: &[Entry]) -> Vec<pb::BytesBytesPair> {
    entries
        .iter()
        .map(|(first, second)| pb::BytesBytesPair { first: first.clone(), second: second.clone() })
        .collect()
}

/// The entries in their order, where of entries with the same name the last value counts.
fn last_of_each(entries: impl Iterator<Item = Entry>) -> Vec<Entry> {
    let mut places = HashMap::new();
    let mut distinct: Vec<Entry> = Vec::new();
    for (name, value) in entries {
        match places.get(&name) {
            Some(&place) => {
                let entry: &mut Entry = &mut distinct[place];
                entry.1 = value;
            }
            None => {
                places.insert(name.clone(), distinct.len());
                distinct.push((name, value));
            }
        }
    }
    distinct
}

#[cfg(test)]
mod tests;
