//! Table and column family descriptors: attributes as HBase stores them, with typed readers for those acted on.
//!
//! Every attribute is kept and given back as it came, known or not.

use crate::table_name::TableName;
use bytes::Bytes;

/// The largest BLOCKSIZE, as in HBase: a table without sanity checks may name a larger one, which would make blocks that no reader
/// takes.
pub const MAX_BLOCK_SIZE_BYTES: u32 = 16 << 20;

/// An attribute or configuration entry.
pub type Entry = (Bytes, Bytes);

/// "No expiry" in seconds, as HBase writes it.
pub const FOREVER_SECONDS: i32 = i32::MAX;

/// MOB_THRESHOLD where a family with MOB files has none.
pub const DEFAULT_MOB_THRESHOLD_BYTES: u64 = 100 << 10;

/// A table's schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableDescriptor {
    /// The table.
    pub name: TableName,
    /// Attributes in the order given.
    pub attributes: Vec<Entry>,
    /// Families, sorted by name.
    pub families: Vec<ColumnFamilyDescriptor>,
}

/// A column family's schema.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ColumnFamilyDescriptor {
    /// Family name.
    pub name: Bytes,
    /// Attributes in the order given.
    pub attributes: Vec<Entry>,
    /// Configuration overrides in the order given.
    pub configuration: Vec<Entry>,
}

/// What happens to cells hidden by a delete marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum KeepDeletedCells {
    /// They are dropped.
    #[default]
    False,
    /// They stay, as far as versions allow.
    True,
    /// They stay until the marker expires.
    Ttl,
}

fn find<'a>(entries: &'a [Entry], key: &str) -> Option<&'a str> {
    let (_, value) = entries.iter().find(|(name, _)| &name[..] == key.as_bytes())?;
    std::str::from_utf8(value).ok()
}

/// Replaces or adds an entry.
pub fn set_entry(entries: &mut Vec<Entry>, key: &str, value: &str) {
    let value = Bytes::copy_from_slice(value.as_bytes());
    match entries.iter_mut().find(|(name, _)| &name[..] == key.as_bytes()) {
        Some(entry) => entry.1 = value,
        None => entries.push((Bytes::copy_from_slice(key.as_bytes()), value)),
    }
}

impl TableDescriptor {
    /// A table without families.
    pub fn new(name: TableName) -> Self {
        Self { name, attributes: Vec::new(), families: Vec::new() }
    }

    /// The text of an attribute.
    pub fn attribute(&self, key: &str) -> Option<&str> {
        find(&self.attributes, key)
    }

    /// An attribute read as `T`; `None` when absent or malformed.
    pub fn parsed<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        self.attribute(key)?.trim().parse().ok()
    }

    /// A boolean attribute, compared without case as Java does.
    pub fn flag(&self, key: &str, default: bool) -> bool {
        self.attribute(key).map_or(default, |value| value.eq_ignore_ascii_case("true"))
    }

    /// The table with one attribute changed.
    #[must_use]
    pub fn with(mut self, key: &str, value: &str) -> Self {
        set_entry(&mut self.attributes, key, value);
        self
    }

    /// The table with another family, or with this one in the place of that of its name.
    #[must_use]
    pub fn with_family(mut self, family: ColumnFamilyDescriptor) -> Self {
        match self.families.binary_search_by(|known| known.name.cmp(&family.name)) {
            Ok(place) => self.families[place] = family,
            Err(place) => self.families.insert(place, family),
        }
        self
    }

    /// The family of that name.
    pub fn family(&self, name: &[u8]) -> Option<&ColumnFamilyDescriptor> {
        self.families.iter().find(|family| &family.name[..] == name)
    }

    /// The most replicas of a region that are told of.
    pub const MAX_REGION_REPLICATION: u32 = 100;

    /// How many replicas a region has, itself counted.
    pub fn region_replication(&self) -> u32 {
        self.parsed("REGION_REPLICATION").unwrap_or(1).clamp(1, Self::MAX_REGION_REPLICATION)
    }

    /// Whether writes are refused.
    pub fn is_read_only(&self) -> bool {
        self.flag("READONLY", false)
    }

    /// Name of the table's durability, if set.
    pub fn durability(&self) -> Option<&str> {
        self.attribute("DURABILITY")
    }

    /// Memstore size in bytes at which a region flushes, if set.
    pub fn memstore_flush_size(&self) -> Option<u64> {
        self.parsed::<i64>("MEMSTORE_FLUSHSIZE")
            .and_then(|size| u64::try_from(size).ok())
            .filter(|&size| size > 0)
    }
}

impl ColumnFamilyDescriptor {
    /// Whether the name can be one: HBase's rule, which its clients check in their builders (`isLegalColumnFamilyName`).
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check_name(&self) -> Result<(), String> {
        let shown = self.name.escape_ascii();
        if self.name.is_empty() {
            return Err("Column Family name can not be empty".to_owned());
        }
        if self.name.starts_with(b".") {
            return Err(format!("Family names cannot start with a period: {shown}"));
        }
        let illegal = |byte: &u8| byte.is_ascii_control() || matches!(byte, b':' | b'/' | b'\\');
        if let Some(&byte) = self.name.iter().find(|byte| illegal(byte)) {
            return Err(format!(
                "Illegal character <{}>. Family names cannot contain control characters or colons: {shown}",
                byte as char
            ));
        }
        if &self.name[..] == b"recovered.edits" {
            return Err(format!("Family name cannot be: {shown}"));
        }
        Ok(())
    }

    /// A family with HBase's default attributes, as its Java client writes them.
    pub fn with_defaults(name: &[u8]) -> Self {
        const DEFAULTS: [(&str, &str); 12] = [
            ("BLOOMFILTER", "ROW"),
            ("IN_MEMORY", "false"),
            ("VERSIONS", "1"),
            ("KEEP_DELETED_CELLS", "FALSE"),
            ("DATA_BLOCK_ENCODING", "NONE"),
            ("COMPRESSION", "NONE"),
            ("TTL", "2147483647"),
            ("MIN_VERSIONS", "0"),
            ("BLOCKCACHE", "true"),
            ("BLOCKSIZE", "65536"),
            ("REPLICATION_SCOPE", "0"),
            ("INDEX_BLOCK_ENCODING", "NONE"),
        ];
        let entry = |&(key, value): &(&'static str, &'static str)| {
            (Bytes::from_static(key.as_bytes()), Bytes::from_static(value.as_bytes()))
        };
        Self {
            name: Bytes::copy_from_slice(name),
            attributes: DEFAULTS.iter().map(entry).collect(),
            configuration: Vec::new(),
        }
    }

    /// The family with one attribute changed.
    #[must_use]
    pub fn with(mut self, key: &str, value: &str) -> Self {
        set_entry(&mut self.attributes, key, value);
        self
    }

    /// The text of an attribute.
    pub fn attribute(&self, key: &str) -> Option<&str> {
        find(&self.attributes, key)
    }

    /// An attribute read as `T`; `None` when absent or malformed.
    pub fn parsed<T: std::str::FromStr>(&self, key: &str) -> Option<T> {
        self.attribute(key)?.trim().parse().ok()
    }

    /// A boolean attribute, compared without case as Java does.
    pub fn flag(&self, key: &str, default: bool) -> bool {
        self.attribute(key).map_or(default, |value| value.eq_ignore_ascii_case("true"))
    }

    /// The text of a setting: of the configuration, or else of an attribute, where older clients put it.
    pub fn setting(&self, key: &str) -> Option<&str> {
        find(&self.configuration, key).or_else(|| self.attribute(key))
    }

    /// IS_MOB and MOB_THRESHOLD: values of more bytes than this are kept in MOB files; `None` if no values are.
    pub fn mob_threshold_bytes(&self) -> Option<u64> {
        self.flag("IS_MOB", false)
            .then(|| self.parsed("MOB_THRESHOLD").unwrap_or(DEFAULT_MOB_THRESHOLD_BYTES))
    }

    /// VERSIONS: how many versions of a column are kept. Default 1.
    pub fn max_versions(&self) -> u32 {
        self.parsed("VERSIONS").unwrap_or(1)
    }

    /// MIN_VERSIONS: how many versions survive their expiry. Default 0.
    pub fn min_versions(&self) -> u32 {
        self.parsed("MIN_VERSIONS").unwrap_or(0)
    }

    /// Time to live in seconds; `None` is forever.
    pub fn ttl_seconds(&self) -> Option<i32> {
        match self.attribute("TTL") {
            None | Some("FOREVER") => None,
            Some(text) => {
                text.trim().parse().ok().filter(|&seconds| seconds > 0 && seconds != FOREVER_SECONDS)
            }
        }
    }

    /// KEEP_DELETED_CELLS.
    pub fn keep_deleted_cells(&self) -> KeepDeletedCells {
        match self.attribute("KEEP_DELETED_CELLS") {
            Some(value) if value.eq_ignore_ascii_case("true") => KeepDeletedCells::True,
            Some(value) if value.eq_ignore_ascii_case("ttl") => KeepDeletedCells::Ttl,
            _ => KeepDeletedCells::False,
        }
    }

    /// BLOCKSIZE in bytes, at most [`MAX_BLOCK_SIZE_BYTES`]. Default 65536.
    pub fn block_size_bytes(&self) -> u32 {
        self.parsed("BLOCKSIZE").filter(|&size| size > 0).unwrap_or(65536).min(MAX_BLOCK_SIZE_BYTES)
    }

    /// BLOCKCACHE: whether reads keep data blocks in the cache. Default true.
    pub fn block_cache_enabled(&self) -> bool {
        self.flag("BLOCKCACHE", true)
    }

    /// IN_MEMORY: whether the family's blocks are kept before others. Default false.
    pub fn is_in_memory(&self) -> bool {
        self.flag("IN_MEMORY", false)
    }

    /// NEW_VERSION_BEHAVIOR: whether deletes follow the order of writing. Default false.
    pub fn new_version_behavior(&self) -> bool {
        self.flag("NEW_VERSION_BEHAVIOR", false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_no_larger_than_they_may_be() {
        let size =
            |text| ColumnFamilyDescriptor::with_defaults(b"f").with("BLOCKSIZE", text).block_size_bytes();
        assert_eq!(["1024", "0", "134217728"].map(size), [1024, 65536, 16 << 20]);
    }

    #[test]
    fn names_of_families_are_those_that_hbase_takes() {
        for name in ["f", "a family", "f.", "\u{e9}", "recovered", "recovered.hfiles"] {
            assert_eq!(
                ColumnFamilyDescriptor::with_defaults(name.as_bytes()).check_name(),
                Ok(()),
                "{name:?}"
            );
        }
        for name in ["", ".f", "f:", "a/b", "a\\b", "a\tb", "recovered.edits"] {
            assert!(ColumnFamilyDescriptor::with_defaults(name.as_bytes()).check_name().is_err(), "{name:?}");
        }
    }
}
