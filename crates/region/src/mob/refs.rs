//! Which MOB files a store file refers to, as its file info says: `table/file,file//ns:table/file`, or a byte of 0 for none.

use super::reference::Reference;
use std::collections::{BTreeMap, BTreeSet};

/// The MOB files that the references of a file lead to, by table.
#[derive(Debug, Default)]
pub(crate) struct MobFileRefs {
    tables: BTreeMap<Vec<u8>, BTreeSet<String>>,
    /// How many references there are.
    references: u64,
}

impl MobFileRefs {
    /// Notes a reference of the file.
    pub(crate) fn add(&mut self, reference: &Reference<'_>) {
        self.references += 1;
        if let Some(files) = self.tables.get_mut(reference.table) {
            if !files.contains(reference.file) {
                files.insert(reference.file.to_owned());
            }
        } else {
            self.tables.insert(reference.table.to_vec(), BTreeSet::from([reference.file.to_owned()]));
        }
    }

    /// How many references were noted.
    pub(crate) fn references(&self) -> u64 {
        self.references
    }

    /// What the file info says.
    pub(crate) fn encode(&self) -> Vec<u8> {
        if self.tables.is_empty() {
            return vec![0];
        }
        let mut encoded = Vec::new();
        for (table, files) in &self.tables {
            if !encoded.is_empty() {
                encoded.extend_from_slice(b"//");
            }
            encoded.extend_from_slice(table);
            encoded.push(b'/');
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            encoded.extend_from_slice(files.join(",").as_bytes());
        }
        encoded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_layout::mob_file_refs;

    #[test]
    fn what_is_noted_is_what_is_read_again() {
        let mut refs = MobFileRefs::default();
        assert_eq!(mob_file_refs(&refs.encode()), Some(Vec::new()));
        for (table, file) in [("t", "b"), ("ns:t", "c"), ("t", "a"), ("t", "b")] {
            refs.add(&Reference { table: table.as_bytes(), file });
        }
        assert_eq!(refs.references(), 4);
        assert_eq!(refs.encode(), b"ns:t/c//t/a,b");
        let read = mob_file_refs(&refs.encode()).unwrap();
        let read: Vec<(String, Vec<String>)> =
            read.into_iter().map(|(table, files)| (table.to_string(), files)).collect();
        let files = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(read, [("ns:t".to_owned(), files(&["c"])), ("t".to_owned(), files(&["a", "b"]))]);
    }
}
