//! MOB files: they have the large values of a family, and belong to its table, not to a region. A store file has a reference to
//! each value, which names the file.
//!
//! ```text
//! mobdir/.tmp/<file>                                           being written
//! mobdir/data/<ns>/<table>/<MOB region>/<family>/<file>        a MOB file, or in a cloned or restored table a link to one
//! <md5 of a start key><yyyyMMdd><32 hex>[_<encoded region>]    its name
//! ```
//!
//! The MOB region stands in no catalogue: it is where the files of a table are filed under, there and in the archive.

use std::path::PathBuf;

use finback_cell::{RegionInfo, TableName, region_info::hex_md5};
use finback_fs::DirEntry;

use crate::{
    Result, RootDir, initialize::random_bytes, region_dir::is_encoded_name, root_dir::family_component,
    small_file,
};

/// File info of a store file: the MOB files that its references lead to ([`mob_file_refs`]). HBase before 2.5 does not say.
pub const MOB_FILE_REFS: &[u8] = b"MOB_FILE_REFS";

/// File info: how many cells of a MOB file there are, and in a store file, how many references.
pub const MOB_CELLS_COUNT: &[u8] = b"MOB_CELLS_COUNT";

/// What a store file says of the MOB files that it refers to ([`MOB_FILE_REFS`]), by table: `table/file,file//ns:table/file`, or a
/// byte of 0 for none. `None` for what makes no sense.
pub fn mob_file_refs(value: &[u8]) -> Option<Vec<(TableName, Vec<String>)>> {
    if matches!(value, [] | [0]) {
        return Some(Vec::new());
    }
    let of_table = |part: &str| {
        let (table, files) = part.split_once('/')?;
        let table = TableName::parse(table.as_bytes()).ok()?;
        Some((table, files.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()))
    };
    std::str::from_utf8(value).ok()?.split("//").map(of_table).collect()
}

/// What the name of a MOB file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MobFileName<'a> {
    /// MD5 of the first row of the region that wrote it, in hexadecimal.
    pub start_key_md5: &'a str,
    /// The day of its newest cell where its server stood, as `yyyyMMdd`.
    pub date: &'a str,
    /// The region that wrote it, by its encoded name; HBase before 2.5 did not tell.
    pub region: Option<&'a str>,
}

impl<'a> MobFileName<'a> {
    /// Reads a name; `None` if it is not that of a MOB file.
    pub fn parse(name: &'a str) -> Option<Self> {
        let (head, region) = match name.split_once('_') {
            Some((head, region)) => (head, Some(region)),
            None => (name, None),
        };
        let (start_key_md5, rest) = head.split_at_checked(32)?;
        let (date, uuid) = rest.split_at_checked(8)?;
        let is_hex = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        let is_name = is_hex(start_key_md5)
            && date.bytes().all(|b| b.is_ascii_digit())
            && uuid.len() == 32
            && is_hex(uuid)
            && region.is_none_or(is_encoded_name);
        is_name.then_some(Self { start_key_md5, date, region })
    }
}

/// A new name for a MOB file of a region that begins with `start_key`; `date` is the day of its newest cell, as `yyyyMMdd`.
///
/// # Errors
/// [`crate::LayoutError::Random`].
pub fn new_mob_file_name(start_key: &[u8], date: &str, encoded_region: &str) -> Result<String> {
    let uuid = u128::from_be_bytes(random_bytes()?);
    Ok(format!("{}{date}{uuid:032x}_{encoded_region}", hex_md5(start_key)))
}

impl RootDir {
    /// `mobdir/.tmp`: MOB files being written.
    pub fn mob_temp_dir(&self) -> PathBuf {
        self.mob_dir().join(".tmp")
    }

    /// `mobdir/data/<ns>/<table>`.
    pub fn mob_table_dir(&self, table: &TableName) -> PathBuf {
        self.mob_dir().join("data").join(table.namespace()).join(table.qualifier())
    }

    /// `mobdir/data/<ns>/<table>/<MOB region>/<family>`.
    pub fn mob_family_dir(&self, table: &TableName, family: &[u8]) -> PathBuf {
        self.mob_table_dir(table).join(mob_region(table)).join(family_component(family).as_ref())
    }

    /// `archive/data/<ns>/<table>/<MOB region>/<family>`.
    pub fn archived_mob_family_dir(&self, table: &TableName, family: &[u8]) -> PathBuf {
        self.archived_family_dir(table, &mob_region(table), family)
    }

    /// Where a MOB file may be, in the order in which it is looked for there.
    pub fn mob_file_places(&self, table: &TableName, family: &[u8], name: &str) -> [PathBuf; 2] {
        [
            self.mob_family_dir(table, family).join(name),
            self.archived_mob_family_dir(table, family).join(name),
        ]
    }

    /// Removes MOB files that a region has begun, and that are complete nowhere. While it writes one it must not be done.
    ///
    /// # Errors
    /// The storage's.
    pub fn remove_temporary_mob_files(&self, encoded_region: &str) -> Result<()> {
        let dir = self.mob_temp_dir();
        let is_of_region =
            |name: &str| MobFileName::parse(name).is_some_and(|parsed| parsed.region == Some(encoded_region));
        for entry in self.list_if_exists(&dir)?.iter().filter(|entry| is_of_region(&entry.name)) {
            small_file::remove_if_exists(&**self.fs(), &dir.join(&entry.name))?;
        }
        Ok(())
    }

    /// Removes all MOB files that were begun. While anybody writes one it must not be done.
    ///
    /// # Errors
    /// The storage's.
    pub(crate) fn remove_all_temporary_mob_files(&self) -> Result<()> {
        small_file::remove_dir_if_exists(&**self.fs(), &self.mob_temp_dir())
    }

    /// The MOB files of a family of a table, and the links that it has to those of others.
    ///
    /// # Errors
    /// The storage's.
    pub fn list_mob_files(&self, table: &TableName, family: &[u8]) -> Result<Vec<DirEntry>> {
        let mut entries = self.list_if_exists(&self.mob_family_dir(table, family))?;
        entries.retain(|entry| !entry.is_dir);
        Ok(entries)
    }

    /// Moves a MOB file, or a link to one, to the archive.
    ///
    /// # Errors
    /// As [`archive_store_file`](Self::archive_store_file).
    pub fn archive_mob_file(&self, table: &TableName, family: &[u8], name: &str) -> Result<()> {
        let from = self.mob_family_dir(table, family).join(name);
        self.archive_file(&from, &self.archived_mob_family_dir(table, family), name)
    }

    /// Moves all MOB files of a family to the archive, and removes its directory.
    ///
    /// # Errors
    /// As [`archive_store_file`](Self::archive_store_file); what was not moved stays.
    pub fn archive_mob_family(&self, table: &TableName, family: &[u8]) -> Result<()> {
        let from = self.mob_family_dir(table, family);
        self.archive_family_dir(&from, &self.archived_mob_family_dir(table, family))
    }
}

/// The encoded name of the region that a table's MOB files are filed under.
pub fn mob_region(table: &TableName) -> String {
    RegionInfo::of_mob_files(table.clone()).encoded_name()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "d41d8cd98f00b204e9800998ecf8427e1970010192e5c125ae884bc68d9955e11bdd9611_f7638a2682b13d19ae8314e04fbc5f33";

    #[test]
    fn names_are_those_of_hbase() {
        let parsed = MobFileName::parse(NAME).unwrap();
        assert_eq!(parsed.start_key_md5, hex_md5(b""));
        assert_eq!((parsed.date, parsed.region), ("19700101", Some("f7638a2682b13d19ae8314e04fbc5f33")));
        let old = MobFileName::parse(&NAME[..72]).unwrap();
        assert_eq!(old.region, None);
        for other in ["", &NAME[..71], &NAME[..100], "d41d8cd98f00b204e9800998ecf8427e"] {
            assert_eq!(MobFileName::parse(other), None, "{other}");
        }
        let made = new_mob_file_name(b"row", "20260229", "f7638a2682b13d19ae8314e04fbc5f33").unwrap();
        let parsed = MobFileName::parse(&made).unwrap();
        assert_eq!((parsed.start_key_md5, parsed.date), (hex_md5(b"row").as_str(), "20260229"));
    }

    #[test]
    fn references_are_read_as_hbase_writes_them() {
        assert_eq!(mob_file_refs(b"\0"), Some(Vec::new()));
        assert_eq!(mob_file_refs(b""), Some(Vec::new()));
        let refs = mob_file_refs(b"t/a,b//ns:t/c").unwrap();
        let shown: Vec<_> =
            refs.iter().map(|(table, names)| format!("{table} {}", names.join(" "))).collect();
        assert_eq!(shown, ["t a b", "ns:t c"]);
        for senseless in [&b"t"[..], b"t/a//", b"\xff/a", b"a:b:c/d"] {
            assert_eq!(mob_file_refs(senseless), None, "{}", senseless.escape_ascii());
        }
        // Frozen: files on disks have these keys.
        assert_eq!((MOB_FILE_REFS, MOB_CELLS_COUNT), (&b"MOB_FILE_REFS"[..], &b"MOB_CELLS_COUNT"[..]));
    }

    #[test]
    fn files_are_where_hbase_has_them() {
        // Of a root directory that HBase made.
        let table = TableName::parse(b"ns1:t1").unwrap();
        assert_eq!(mob_region(&table), "60ea381f210429261a1d34d391c94955");
    }
}
