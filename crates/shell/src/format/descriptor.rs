//! Tables, families and regions, as HBase's `describe` and others write them.

use super::pretty;
use finback_client::{Bytes, ColumnFamilyDescriptor, RegionInfo, StringBinary, TableDescriptor};

/// What HBase writes as an attribute; all others are METADATA to it, SPLIT_ENABLED and NORMALIZATION_ENABLED too.
const TABLE_WORDS: [&str; 7] = [
    "DURABILITY",
    "IS_META",
    "MAX_FILESIZE",
    "MEMSTORE_FLUSHSIZE",
    "PRIORITY",
    "READONLY",
    "REGION_REPLICATION",
];
const TABLE_DEFAULTS: [(&str, &str); 6] = [
    ("MAX_FILESIZE", "10737418240"),
    ("READONLY", "false"),
    ("MEMSTORE_FLUSHSIZE", "134217728"),
    ("DURABILITY", "USE_DEFAULT"),
    ("REGION_REPLICATION", "1"),
    ("PRIORITY", "0"),
];
const FAMILY_WORDS: [&str; 17] = [
    "BLOOMFILTER",
    "REPLICATION_SCOPE",
    "VERSIONS",
    "MIN_VERSIONS",
    "COMPRESSION",
    "TTL",
    "BLOCKSIZE",
    "IN_MEMORY",
    "BLOCKCACHE",
    "KEEP_DELETED_CELLS",
    "DATA_BLOCK_ENCODING",
    "INDEX_BLOCK_ENCODING",
    "ENCRYPTION",
    "ENCRYPTION_KEY",
    "IS_MOB",
    "MOB_THRESHOLD",
    "MOB_COMPACT_PARTITION_POLICY",
];

/// `{NAME => 'f', VERSIONS => '1', …}`
pub(crate) fn family(family: &ColumnFamilyDescriptor) -> String {
    let name = String::from_utf8_lossy(&family.name);
    let (words, others): (Vec<_>, Vec<_>) =
        in_order_of_java(&family.attributes).into_iter().partition(|(key, _)| is_one_of(key, &FAMILY_WORDS));
    let mut shown = format!("{{NAME => '{name}'");
    for (key, value) in words {
        shown += &format!(", {} => '{}'", StringBinary(key), with_unit(key, value));
    }
    if !others.is_empty() {
        shown += &format!(", METADATA => {{{}}}", pairs(&others));
    }
    if !family.configuration.is_empty() {
        shown +=
            &format!(", CONFIGURATION => {{{}}}", pairs(&family.configuration.iter().collect::<Vec<_>>()));
    }
    shown + "}"
}

/// `, {TABLE_ATTRIBUTES => {…}}`; nothing if there is nothing to tell.
pub(crate) fn table_attributes(table: &TableDescriptor) -> String {
    let mut entries: Vec<&(Bytes, Bytes)> = table.attributes.iter().collect();
    entries.sort();
    let is_default = |key: &[u8], value: &[u8]| {
        let same = |(name, default): &(&str, &str)| {
            name.as_bytes() == key && default.as_bytes().eq_ignore_ascii_case(value)
        };
        TABLE_DEFAULTS.iter().any(same) || (key == b"IS_META" && !value.eq_ignore_ascii_case(b"true"))
    };
    entries.retain(|(key, value)| !is_default(key, value));
    let is_word = |key: &[u8]| is_one_of(key, &TABLE_WORDS) || key.starts_with(b"coprocessor$");
    let (words, others): (Vec<_>, Vec<_>) = entries.into_iter().partition(|(key, _)| is_word(key));
    let mut shown: Vec<String> = words
        .iter()
        .map(|(key, value)| format!("{} => '{}'", StringBinary(key), with_unit(key, value)))
        .collect();
    if !others.is_empty() {
        shown.push(format!("METADATA => {{{}}}", pairs(&others)));
    }
    if shown.is_empty() {
        String::new()
    } else {
        format!(", {{TABLE_ATTRIBUTES => {{{}}}}}", shown.join(", "))
    }
}

/// `{ENCODED => …, NAME => '…', STARTKEY => '…', ENDKEY => '…'}`
pub(crate) fn region(region: &RegionInfo) -> String {
    let replica = match region.replica_id {
        0 => String::new(),
        id => format!(", REPLICA_ID => {id}"),
    };
    let flag = |is_set: bool, name: &str| if is_set { format!(", {name} => true") } else { String::new() };
    format!(
        "{{ENCODED => {}, NAME => '{}', STARTKEY => '{}', ENDKEY => '{}'{}{}{replica}}}",
        region.encoded_name(),
        StringBinary(&region.name()),
        StringBinary(&region.start_key),
        StringBinary(&region.end_key),
        flag(region.offline, "OFFLINE"),
        flag(region.split, "SPLIT"),
    )
}

/// As they come out of the `HashMap` that HBase's client keeps them in, whatever server they are from. It has 32 places, more
/// when three quarters of them are taken.
fn in_order_of_java(attributes: &[(Bytes, Bytes)]) -> Vec<&(Bytes, Bytes)> {
    let mut places = 32;
    while attributes.len() > places / 4 * 3 {
        places *= 2;
    }
    let hash = |key: &Bytes| {
        key.iter().fold(1_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add_signed(i32::from(*byte as i8)))
    };
    let mut ordered: Vec<_> = attributes.iter().collect();
    ordered.sort_by_key(|(key, _)| (hash(key) ^ hash(key) >> 16) as usize & (places - 1));
    ordered
}

fn is_one_of(key: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| word.as_bytes() == key)
}

fn pairs(entries: &[&(Bytes, Bytes)]) -> String {
    let pair = |(key, value): &&(Bytes, Bytes)| {
        format!("'{}' => '{}'", String::from_utf8_lossy(key), with_unit(key, value))
    };
    entries.iter().map(pair).collect::<Vec<_>>().join(", ")
}

fn with_unit(key: &[u8], value: &[u8]) -> String {
    let shown = StringBinary(value).to_string();
    match key {
        b"TTL" => pretty::ttl(&shown),
        b"BLOCKSIZE" | b"MAX_FILESIZE" | b"MEMSTORE_FLUSHSIZE" => pretty::bytes(&shown),
        _ => shown,
    }
}
