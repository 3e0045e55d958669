//! Regions: their descriptions, and how requests name them.

use crate::{ProtoError, pb};
use finback_cell::{
    RegionInfo, TableName,
    region_info::{META_ENCODED_NAME, hex_md5},
};
use pb::region_specifier::RegionSpecifierType;

/// Digits of an MD5 in hex, which is what an encoded name is.
const MD5_HEX_LENGTH: usize = 32;
/// `_0001`
const REPLICA_SUFFIX_LENGTH: usize = 5;
const META_NAME: &[u8] = b"hbase:meta,,1";

impl TryFrom<&pb::RegionInfo> for RegionInfo {
    type Error = ProtoError;

    fn try_from(info: &pb::RegionInfo) -> Result<Self, ProtoError> {
        let replica_id = info.replica_id();
        Ok(Self {
            table: TableName::try_from(&info.table_name)?,
            start_key: info.start_key.clone().unwrap_or_default(),
            end_key: info.end_key.clone().unwrap_or_default(),
            region_id: info.region_id,
            replica_id: u32::try_from(replica_id).map_err(|_| {
                ProtoError::invalid("RegionInfo", "replica_id", format!("{replica_id} is negative"))
            })?,
            offline: info.offline(),
            split: info.split(),
        })
    }
}

impl From<&RegionInfo> for pb::RegionInfo {
    /// All seven fields are set, as HBase does it.
    fn from(info: &RegionInfo) -> Self {
        Self {
            region_id: info.region_id,
            table_name: (&info.table).into(),
            start_key: Some(info.start_key.clone()),
            end_key: Some(info.end_key.clone()),
            offline: Some(info.offline),
            split: Some(info.split),
            replica_id: Some(i32::try_from(info.replica_id).unwrap_or(i32::MAX)),
        }
    }
}

/// Names a region by its full name.
pub fn specifier_by_name(info: &RegionInfo) -> pb::RegionSpecifier {
    pb::RegionSpecifier { r#type: RegionSpecifierType::RegionName.into(), value: info.name() }
}

/// Names a region by its encoded name.
pub fn specifier_by_encoded_name(info: &RegionInfo) -> pb::RegionSpecifier {
    pb::RegionSpecifier {
        r#type: RegionSpecifierType::EncodedRegionName.into(),
        value: info.encoded_name().into(),
    }
}

/// The encoded name of the region that a request names, by either kind of name; without allocating, and without
/// a look whether there is such a region. A full name that does not end with an encoded name is given back whole.
///
/// # Errors
/// [`ProtoError::Missing`] without a name, [`ProtoError::Invalid`] for an unknown kind of name.
pub fn encoded_name(specifier: &pb::RegionSpecifier) -> Result<&[u8], ProtoError> {
    if specifier.value.is_empty() {
        return Err(ProtoError::missing("RegionSpecifier", "value"));
    }
    match RegionSpecifierType::try_from(specifier.r#type) {
        Ok(RegionSpecifierType::RegionName) => Ok(encoded_part(&specifier.value)),
        Ok(RegionSpecifierType::EncodedRegionName) => Ok(&specifier.value),
        Err(e) => Err(ProtoError::invalid("RegionSpecifier", "type", e)),
    }
}

/// The `<md5>` of `<table>,<start key>,<id>.<md5>.`
fn encoded_part(name: &[u8]) -> &[u8] {
    if name == META_NAME {
        return META_ENCODED_NAME.as_bytes();
    }
    let encoded = name.strip_suffix(b".").and_then(|name| {
        let (rest, encoded) = name.split_at_checked(name.len().checked_sub(MD5_HEX_LENGTH)?)?;
        rest.ends_with(b".").then_some(encoded)
    });
    encoded.unwrap_or(name)
}

/// The encoded name of the region of which `<table>,<start key>,<id>_<replica>.<md5>.` is a replica, and the replica's number.
/// `None` for names of other regions.
pub fn primary_of_replica(name: &[u8]) -> Option<(String, u32)> {
    let encoded = encoded_part(name);
    let name = match encoded.len() == name.len() {
        true => name, // hbase:meta's has none.
        false => name.strip_suffix(b".")?.strip_suffix(encoded)?.strip_suffix(b".")?,
    };
    let (primary, suffix) = name.split_at_checked(name.len().checked_sub(REPLICA_SUFFIX_LENGTH)?)?;
    let digits = std::str::from_utf8(suffix.strip_prefix(b"_")?).ok()?;
    let replica_id = u32::from_str_radix(digits, 16).ok().filter(|id| *id > 0)?;
    let encoded = match primary == META_NAME {
        true => META_ENCODED_NAME.to_owned(),
        false => hex_md5(primary),
    };
    Some((encoded, replica_id))
}

#[cfg(test)]
mod tests;
