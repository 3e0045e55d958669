//! Table and region descriptors as messages.

use bytes::Bytes;
use finback_cell::{ColumnFamilyDescriptor, RegionInfo, TableDescriptor, TableName};
use finback_proto::pb;

pub(crate) fn table_name(message: &pb::TableName) -> Result<TableName, String> {
    TableName::new(&message.namespace, &message.qualifier).map_err(|e| e.to_string())
}

fn table_name_message(name: &TableName) -> pb::TableName {
    pb::TableName {
        namespace: Bytes::copy_from_slice(name.namespace().as_bytes()),
        qualifier: Bytes::copy_from_slice(name.qualifier().as_bytes()),
    }
}

pub(crate) fn table_descriptor(message: pb::TableSchema) -> Result<TableDescriptor, String> {
    let name = table_name(message.table_name.as_ref().ok_or("it has no table name")?)?;
    let mut attributes = pairs(message.attributes);
    // HBase keeps table configuration among the attributes.
    for entry in message.configuration {
        finback_cell::schema::set_entry(&mut attributes, &entry.name, &entry.value);
    }
    let mut families: Vec<_> = message.column_families.into_iter().map(family).collect();
    families.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(TableDescriptor { name, attributes, families })
}

fn family(message: pb::ColumnFamilySchema) -> ColumnFamilyDescriptor {
    let configuration = message.configuration.into_iter().map(|e| (e.name.into(), e.value.into())).collect();
    ColumnFamilyDescriptor { name: message.name, attributes: pairs(message.attributes), configuration }
}

fn pairs(pairs: Vec<pb::BytesBytesPair>) -> Vec<(Bytes, Bytes)> {
    pairs.into_iter().map(|pair| (pair.first, pair.second)).collect()
}

pub(crate) fn table_schema(table: &TableDescriptor) -> pb::TableSchema {
    pb::TableSchema {
        table_name: Some(table_name_message(&table.name)),
        attributes: pair_messages(&table.attributes),
        column_families: table.families.iter().map(family_message).collect(),
        configuration: Vec::new(),
    }
}

fn family_message(family: &ColumnFamilyDescriptor) -> pb::ColumnFamilySchema {
    let text = |bytes: &Bytes| String::from_utf8_lossy(bytes).into_owned();
    let entry = |(name, value): &(Bytes, Bytes)| pb::NameStringPair { name: text(name), value: text(value) };
    pb::ColumnFamilySchema {
        name: family.name.clone(),
        attributes: pair_messages(&family.attributes),
        configuration: family.configuration.iter().map(entry).collect(),
    }
}

fn pair_messages(pairs: &[(Bytes, Bytes)]) -> Vec<pb::BytesBytesPair> {
    let message = |(first, second): &(Bytes, Bytes)| pb::BytesBytesPair {
        first: first.clone(),
        second: second.clone(),
    };
    pairs.iter().map(message).collect()
}

pub(crate) fn region_info(message: pb::RegionInfo) -> Result<RegionInfo, String> {
    let table = if message.table_name.namespace.is_empty() && message.table_name.qualifier.is_empty() {
        return Err("it has no table name".into());
    } else {
        table_name(&message.table_name)?
    };
    let replica_id = message.replica_id.unwrap_or(0);
    Ok(RegionInfo {
        table,
        start_key: message.start_key.unwrap_or_default(),
        end_key: message.end_key.unwrap_or_default(),
        region_id: message.region_id,
        replica_id: u32::try_from(replica_id).map_err(|_| format!("replica id {replica_id}"))?,
        offline: message.offline.unwrap_or(false),
        split: message.split.unwrap_or(false),
    })
}

pub(crate) fn region_info_message(region: &RegionInfo) -> pb::RegionInfo {
    pb::RegionInfo {
        region_id: region.region_id,
        table_name: table_name_message(&region.table),
        start_key: Some(region.start_key.clone()),
        end_key: Some(region.end_key.clone()),
        offline: Some(region.offline),
        split: Some(region.split),
        replica_id: i32::try_from(region.replica_id).ok(),
    }
}
