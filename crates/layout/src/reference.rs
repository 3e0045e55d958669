//! ```text
//! <store file>.<encoded region>:   "PBUF" | Reference { splitkey, range }
//! splitkey:                        u16 row length | row | u8 0 | i64 2^63-1 | u8 255
//! ```
//! A region that was split leaves its files where they are; its daughters have references to halves of them, until a
//! compaction has written what is theirs. A merged region has references to all files of what it was merged from.

use std::path::Path;

use finback_cell::{cell::check_key, key::Key};
use finback_fs::FileSystem;
use finback_proto::{pb, pbuf};

use crate::{LayoutError, Result, small_file};

/// Which cells of a file a reference shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Those from the split row on.
    Top,
    /// Those before the split row.
    Bottom,
}

/// What a reference says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The first row of the top half.
    pub split_row: Vec<u8>,
    /// Which half.
    pub half: Half,
}

impl Reference {
    /// The content of the file.
    pub fn encode(&self) -> Vec<u8> {
        pbuf::encode(&self.to_message())
    }

    pub(crate) fn to_message(&self) -> pb::Reference {
        let key = Key::first_on_row(&self.split_row);
        let mut splitkey = Vec::with_capacity(12 + key.row.len());
        splitkey.extend((key.row.len() as u16).to_be_bytes());
        splitkey.extend(key.row);
        splitkey.push(0);
        splitkey.extend(key.timestamp.to_be_bytes());
        splitkey.push(key.type_code);
        let range = match self.half {
            Half::Top => pb::reference::Range::Top,
            Half::Bottom => pb::reference::Range::Bottom,
        };
        pb::Reference { splitkey: splitkey.into(), range: range.into() }
    }

    /// Reads the file at `path`.
    ///
    /// # Errors
    /// [`LayoutError::Corrupt`]; the storage's.
    pub(crate) fn read(fs: &dyn FileSystem, path: &Path) -> Result<Self> {
        Self::decode(&small_file::read(fs, path)?)
            .map_err(|reason| LayoutError::Corrupt { path: path.to_owned(), reason })
    }

    fn decode(bytes: &[u8]) -> std::result::Result<Self, String> {
        let message: pb::Reference = pbuf::decode(bytes, "Reference").map_err(|error| error.to_string())?;
        let reference = Self::of(&message)?;
        // A file without its end would otherwise be taken for a top half.
        if reference.encode() != bytes {
            return Err("not a split key and a range, and nothing else".to_owned());
        }
        Ok(reference)
    }

    /// What a message says; else, what is wrong with it.
    pub(crate) fn of(message: &pb::Reference) -> std::result::Result<Self, String> {
        check_key(&message.splitkey).map_err(|error| format!("the split key: {error}"))?;
        let key = Key::from_checked(&message.splitkey);
        if key != Key::first_on_row(key.row) {
            return Err(format!("a split key within a row: {}", message.splitkey.escape_ascii()));
        }
        let half = match message.range() {
            pb::reference::Range::Top => Half::Top,
            pb::reference::Range::Bottom => Half::Bottom,
        };
        Ok(Self { split_row: key.row.to_vec(), half })
    }
}

#[cfg(test)]
mod tests;
