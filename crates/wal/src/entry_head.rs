//! Entries as they stand in the file: where they begin and end, and whether they are whole.

use std::ops::Range;

use finback_cell::block;

use crate::{
    MAX_ENTRY_BYTES,
    integrity::{self, Integrity},
    varint::get_varint,
    wal_key::KeyLayout,
    window::FileWindow,
};

/// Keys hold names, scopes and attributes; HBase's have at most some hundred bytes.
pub(crate) const MAX_KEY_BYTES: u64 = 1 << 20;
/// Enough for the length of any key within the limit.
const KEY_LENGTH_BYTES: usize = 10;

/// The length before each cell of an uncompressed entry.
const LENGTH_BYTES: usize = 4;

/// The beginning of an entry in the window, as offsets from its first byte.
#[derive(Debug)]
pub(crate) struct EntryHead {
    pub(crate) key: Range<usize>,
    pub(crate) layout: KeyLayout,
    /// Where the entry ends, if it has a mark that says so.
    pub(crate) guarded_end: Option<usize>,
}

impl EntryHead {
    /// Checks the checksum of the entry at `offset`, if it has a mark.
    pub(crate) fn check(&self, window: &mut FileWindow, offset: u64) -> Result<(), NoEntry> {
        let Some(end) = self.guarded_end else { return Ok(()) };
        let (head, cells) = window.slice(offset, end)?.split_at(self.key.end);
        let key = &head[self.key.clone()];
        let found = integrity::checksum(key, cells, offset);
        match Integrity::of_key(key) {
            Some(mark) if mark.crc != found => {
                Err(invalid(format!("checksum {:08x} expected, {found:08x} found", mark.crc)))
            }
            _ => Ok(()),
        }
    }
}

/// Why there is no entry at an offset.
#[derive(Debug)]
pub(crate) enum NoEntry {
    Io(std::io::Error),
    /// What a torn write may have left.
    Invalid(String),
    /// An entry that may be whole, of more than is read here: no torn write, unless all entries of the file are Finback's.
    AboveLimit(String),
    /// The checksum is right, but what it covers is not an entry: no torn write.
    Contradiction(String),
}

impl From<std::io::Error> for NoEntry {
    fn from(e: std::io::Error) -> Self {
        NoEntry::Io(e)
    }
}

pub(crate) fn invalid(reason: impl Into<String>) -> NoEntry {
    NoEntry::Invalid(reason.into())
}

/// Parses the key of the entry at `offset`, which must end at or before `end`, and checks the checksum if there is one.
pub(crate) fn parse_head(window: &mut FileWindow, offset: u64, end: u64) -> Result<EntryHead, NoEntry> {
    let head = parse_unchecked(window, offset, end)?;
    head.check(window, offset)?;
    Ok(head)
}

/// Does what [`parse_head`] does, but for the checksum: reads no cells.
pub(crate) fn parse_unchecked(window: &mut FileWindow, offset: u64, end: u64) -> Result<EntryHead, NoEntry> {
    let room = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX);
    let prefix = window.slice(offset, KEY_LENGTH_BYTES.min(room))?;
    let (key_len, prefix_len) = get_varint(prefix).ok_or_else(|| invalid("no key length"))?;
    if key_len > MAX_KEY_BYTES {
        let reason = format!("a key of {key_len} bytes is above the limit of {MAX_KEY_BYTES}");
        let fits = key_len.saturating_add(prefix_len as u64) <= room as u64;
        return Err(if fits { NoEntry::AboveLimit(reason) } else { invalid(reason) });
    }
    let key = prefix_len..prefix_len + key_len as usize;
    if key.end > room {
        return Err(invalid(format!("a key of {key_len} bytes where {room} are left")));
    }
    let bytes = &window.slice(offset, key.end)?[key.clone()];
    let layout = KeyLayout::parse(bytes).map_err(invalid)?;
    let guarded_end = match Integrity::of_key(bytes) {
        Some(mark) => Some(end_by_mark(offset, key.end, mark, room)?),
        None => None,
    };
    Ok(EntryHead { key, layout, guarded_end })
}

/// Whether the bytes of the key at `offset` are all in the file, and are none.
pub(crate) fn is_no_key(window: &mut FileWindow, offset: u64) -> std::io::Result<bool> {
    let length = get_varint(window.slice(offset, KEY_LENGTH_BYTES)?);
    let Some((key_len, prefix_len)) = length.filter(|(key_len, _)| *key_len <= MAX_KEY_BYTES) else {
        return Ok(false);
    };
    let end = prefix_len + key_len as usize;
    let bytes = window.slice(offset, end)?;
    Ok(bytes.len() == end && KeyLayout::parse(&bytes[prefix_len..]).is_err())
}

/// Where an entry with this mark ends.
fn end_by_mark(offset: u64, key_end: usize, mark: Integrity, room: usize) -> Result<usize, NoEntry> {
    let end = key_end.saturating_add(mark.cell_bytes as usize);
    if end > room || end > MAX_ENTRY_BYTES {
        return Err(invalid(format!("cells of {} bytes where {} are left", mark.cell_bytes, room - key_end)));
    }
    if mark.durable_offset > offset {
        return Err(invalid("an entry that claims to be durable before it was written"));
    }
    Ok(end)
}

/// Walks over the cells of an uncompressed entry and gives its end.
pub(crate) fn skip_cells(
    window: &mut FileWindow,
    offset: u64,
    head: &EntryHead,
    end: u64,
) -> Result<usize, NoEntry> {
    let room = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX);
    let mut at = head.key.end;
    for _ in 0..head.layout.cell_count {
        if room - at < LENGTH_BYTES {
            let count = head.layout.cell_count;
            return Err(invalid(format!("{count} cells announced, the file ends before")));
        }
        let length =
            window.slice(offset, at + LENGTH_BYTES)?[at..].first_chunk().copied().unwrap_or_default();
        // Java's lengths are signed; a negative one is above every limit.
        let next = at + LENGTH_BYTES + u32::from_be_bytes(length) as usize;
        if next > room {
            return Err(invalid(format!("a cell of {} bytes where {} are left", next - at, room - at)));
        }
        if next > MAX_ENTRY_BYTES {
            let reason = format!("an entry of {next} bytes or more is above the limit of {MAX_ENTRY_BYTES}");
            return Err(NoEntry::AboveLimit(reason));
        }
        block::split_first(&window.slice(offset, next)?[at..]).map_err(|why| invalid(why.to_string()))?;
        at = next;
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_fs::{FileSystem, MemFileSystem};
    use std::path::Path;

    #[test]
    fn cells_above_the_limit_are_torn_only_where_the_file_ends_before() {
        let (fs, path) = (MemFileSystem::new(), Path::new("/log"));
        fs.create_new(path).unwrap().append(&(600u32 << 20).to_be_bytes()).unwrap();
        let mut window = FileWindow::new(fs.open(path).unwrap(), 4);
        let mut layout = KeyLayout::default();
        layout.cell_count = 1;
        let head = EntryHead { key: 0..0, layout, guarded_end: None };
        assert!(matches!(skip_cells(&mut window, 0, &head, 700 << 20), Err(NoEntry::AboveLimit(_))));
        assert!(matches!(skip_cells(&mut window, 0, &head, 599 << 20), Err(NoEntry::Invalid(_))));
    }
}
