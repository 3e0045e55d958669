use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use finback_fs::FileSystem;

use crate::{
    EntryCells, MAX_ENTRY_BYTES, META_FAMILY, WalError, WalKey,
    entry_cells::{CellParts, LENGTH_BYTES, cell_len},
    header::Header,
    integrity::{self, Integrity},
    torn_tail, trailer,
    varint::get_varint,
    wal_key::KeyLayout,
    window::FileWindow,
};

/// Keys hold names, scopes and attributes; HBase's have at most some hundred bytes.
pub(crate) const MAX_KEY_BYTES: u64 = 1 << 20;
/// Enough for the length of any key within the limit.
const KEY_LENGTH_BYTES: usize = 10;

/// One entry, borrowed from the reader until the next is read.
#[derive(Debug, Clone)]
pub struct WalEntry<'a> {
    /// Offset of the entry in the file.
    pub offset: u64,
    /// Whose edit, when, under which sequence id.
    pub key: WalKey<'a>,
    /// The cell block: `u32 length | KeyValue`, [`WalKey::cell_count`] times.
    pub cell_block: &'a [u8],
}

impl<'a> WalEntry<'a> {
    /// The cells in order.
    pub fn cells(&self) -> EntryCells<'a> {
        EntryCells::new(self.cell_block)
    }

    /// A marker about the region (flush, compaction, open, …), not an edit of its data.
    pub fn is_meta_edit(&self) -> bool {
        self.cells().any(|(_, cell)| cell.family == META_FAMILY)
    }
}

/// What a crash left behind the last good entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornTail {
    /// Where the unfinished part begins.
    pub offset: u64,
    /// Its length, to the end of the file.
    pub dropped_bytes: u64,
    /// Why it is not an entry.
    pub reason: String,
}

/// An entry found in the window, as offsets from its first byte.
#[derive(Debug)]
pub(crate) struct ParsedEntry {
    pub(crate) key: Range<usize>,
    pub(crate) layout: KeyLayout,
    pub(crate) cells: Range<usize>,
    pub(crate) integrity: Option<Integrity>,
}

/// Why there is no entry at an offset.
#[derive(Debug)]
pub(crate) enum NoEntry {
    Io(std::io::Error),
    Invalid(String),
}

impl From<std::io::Error> for NoEntry {
    fn from(e: std::io::Error) -> Self {
        NoEntry::Io(e)
    }
}

fn invalid(reason: impl Into<String>) -> NoEntry {
    NoEntry::Invalid(reason.into())
}

/// Parses and checks the entry at `offset`, which must end at or before `end`.
pub(crate) fn parse_entry(window: &mut FileWindow, offset: u64, end: u64) -> Result<ParsedEntry, NoEntry> {
    let room = usize::try_from(end.saturating_sub(offset)).unwrap_or(usize::MAX);
    let prefix = window.slice(offset, KEY_LENGTH_BYTES.min(room))?;
    let (key_len, prefix_len) = get_varint(prefix).ok_or_else(|| invalid("no key length"))?;
    if key_len > MAX_KEY_BYTES {
        return Err(invalid(format!("a key of {key_len} bytes is above the limit of {MAX_KEY_BYTES}")));
    }
    let key = prefix_len..prefix_len + key_len as usize;
    if key.end > room {
        return Err(invalid(format!("a key of {key_len} bytes where {room} are left")));
    }
    let layout = KeyLayout::parse(&window.slice(offset, key.end)?[key.clone()]).map_err(invalid)?;
    let integrity = Integrity::of_key(&window.slice(offset, key.end)?[key.clone()]);

    let mut at = key.end;
    for _ in 0..layout.cell_count {
        if room - at < LENGTH_BYTES {
            return Err(invalid(format!("{} cells announced, the file ends before", layout.cell_count)));
        }
        let length = &window.slice(offset, at + LENGTH_BYTES)?[at..];
        let next = cell_len(length).and_then(|len| at.checked_add(len));
        let next = next.ok_or_else(|| invalid("a cell of negative length"))?;
        if next > room || next > MAX_ENTRY_BYTES {
            return Err(invalid(format!("a cell of {} bytes where {} are left", next - at, room - at)));
        }
        let key_value = &window.slice(offset, next)?[at + LENGTH_BYTES..next];
        CellParts::parse(key_value).ok_or_else(|| invalid("a cell whose lengths disagree"))?;
        at = next;
    }
    let cells = key.end..at;
    if let Some(found) = integrity {
        let bytes = window.slice(offset, at)?;
        let expected = integrity::checksum(&bytes[key.clone()], &bytes[cells.clone()], offset);
        if found.crc != expected {
            return Err(invalid(format!("checksum {:08x} expected, {expected:08x} found", found.crc)));
        }
        if found.durable_offset > offset {
            return Err(invalid("an entry that claims to be durable before it was written"));
        }
    }
    Ok(ParsedEntry { key, layout, cells, integrity })
}

/// Whether the entries of a file guard themselves: all of them do, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Unknown,
    /// Written by HBase.
    Plain,
    /// Written by Finback.
    Guarded,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trailer {
    Missing,
    /// HBase's, or bytes that look like it.
    Plain,
    /// Proven to be one.
    Marked {
        entries: u64,
    },
}

/// Reads a log from its beginning, in memory bounded by its largest entry.
#[derive(Debug)]
pub struct WalReader {
    path: PathBuf,
    window: FileWindow,
    position: u64,
    /// Where the entries end.
    end: u64,
    trailer: Trailer,
    style: Style,
    entries: u64,
    torn: Option<TornTail>,
}

impl WalReader {
    /// Opens a log. A file that ends inside its header is a log without entries.
    pub fn open(fs: &dyn FileSystem, path: &Path) -> Result<Self, WalError> {
        let io = |e| WalError::io(path, "read", e);
        let file = fs.open(path).map_err(io)?;
        let len = file.len().map_err(io)?;
        let mut window = FileWindow::new(file, len);
        let start = match Header::parse(window.slice(0, Header::READ_BYTES).map_err(io)?) {
            Header::Readable { end } => end,
            Header::Unfinished => len,
            Header::Unsupported { feature } => {
                return Err(WalError::Unsupported { path: path.to_owned(), feature });
            }
            Header::Invalid { reason } => return Err(WalError::corrupt(path, 0, reason)),
        };
        let (end, trailer) = find_trailer(&mut window, start).map_err(io)?;
        Ok(Self {
            path: path.to_owned(),
            window,
            position: start,
            end,
            trailer,
            style: Style::Unknown,
            entries: 0,
            torn: None,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Offset of the next entry.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The writer closed the file. Trust it after the last entry was read.
    pub fn has_trailer(&self) -> bool {
        self.trailer != Trailer::Missing
    }

    /// What was dropped at the end, once the end is reached.
    pub fn torn_tail(&self) -> Option<&TornTail> {
        self.torn.as_ref()
    }

    /// The next entry; `None` at the end. A torn tail is the end (and said in the log); corruption is an error.
    pub fn next_entry(&mut self) -> Result<Option<WalEntry<'_>>, WalError> {
        let Some(entry) = self.parse_next()? else { return Ok(None) };
        let offset = self.position;
        self.position += entry.cells.end as u64;
        self.entries += 1;
        let bytes =
            self.window.slice(offset, entry.cells.end).map_err(|e| WalError::io(&self.path, "read", e))?;
        let key = WalKey::new(&bytes[entry.key], entry.layout);
        Ok(Some(WalEntry { offset, key, cell_block: &bytes[entry.cells] }))
    }

    fn parse_next(&mut self) -> Result<Option<ParsedEntry>, WalError> {
        if self.torn.is_some() {
            return Ok(None);
        }
        if self.position >= self.end {
            return self.check_count().map(|()| None);
        }
        match parse_entry(&mut self.window, self.position, self.end) {
            Ok(entry) if self.style == Style::Guarded && entry.integrity.is_none() => {
                self.judge("an entry without its checksum".to_owned())
            }
            Ok(entry) => self.check_style(&entry).map(|()| Some(entry)),
            Err(NoEntry::Io(e)) => Err(WalError::io(&self.path, "read", e)),
            Err(NoEntry::Invalid(reason)) => self.judge(reason),
        }
    }

    fn corrupt(&self, offset: u64, reason: impl Into<String>) -> WalError {
        WalError::corrupt(&self.path, offset, reason)
    }

    fn check_count(&self) -> Result<(), WalError> {
        match self.trailer {
            Trailer::Marked { entries } if entries != self.entries => Err(self.corrupt(
                self.end,
                format!("the trailer counts {entries} entries, {} were found", self.entries),
            )),
            _ => Ok(()),
        }
    }

    fn check_style(&mut self, entry: &ParsedEntry) -> Result<(), WalError> {
        let style = if entry.integrity.is_some() { Style::Guarded } else { Style::Plain };
        match (self.style, style) {
            (Style::Guarded, Style::Plain) => {
                Err(self.corrupt(self.position, "an entry without its checksum"))
            }
            (Style::Plain, Style::Guarded) => {
                Err(self.corrupt(self.position, "an entry with a checksum after entries without one"))
            }
            _ => {
                self.style = style;
                Ok(())
            }
        }
    }

    /// There is no entry at the position, and the entries should not end here.
    fn judge(&mut self, reason: String) -> Result<Option<ParsedEntry>, WalError> {
        let len = self.window.file_len();
        if let Trailer::Marked { .. } = self.trailer {
            return Err(self.corrupt(self.position, reason));
        }
        if self.trailer == Trailer::Plain {
            // Perhaps the last bytes of an entry only look like a trailer.
            let entry = parse_entry(&mut self.window, self.position, len);
            if let Ok(entry) = entry
                && (self.style != Style::Guarded || entry.integrity.is_some())
            {
                (self.trailer, self.end) = (Trailer::Missing, len);
                return self.check_style(&entry).map(|()| Some(entry));
            }
            if self.style != Style::Guarded {
                return Err(self.corrupt(self.position, reason));
            }
        }
        match torn_tail::later_proof(&mut self.window, self.position) {
            Ok(None) => {}
            Ok(Some(proof)) => {
                let reason = format!("{reason}; but the entry at offset {proof} shows that it was durable");
                return Err(self.corrupt(self.position, reason));
            }
            Err(NoEntry::Io(e)) => return Err(WalError::io(&self.path, "read", e)),
            Err(NoEntry::Invalid(why)) => return Err(self.corrupt(self.position, format!("{reason}; {why}"))),
        }
        self.drop_tail(reason);
        Ok(None)
    }

    fn drop_tail(&mut self, reason: String) {
        let dropped_bytes = self.window.file_len() - self.position;
        tracing::warn!(
            file = %self.path.display(),
            offset = self.position,
            dropped_bytes,
            reason,
            "torn tail of a write-ahead log dropped"
        );
        self.trailer = Trailer::Missing;
        self.torn = Some(TornTail { offset: self.position, dropped_bytes, reason });
    }
}

/// Where the entries end, and whether a trailer says so.
fn find_trailer(window: &mut FileWindow, start: u64) -> std::io::Result<(u64, Trailer)> {
    let len = window.file_len();
    let Some(fixed) = len.checked_sub(trailer::FIXED_BYTES) else { return Ok((len, Trailer::Missing)) };
    let Some(last) = window.slice(fixed, trailer::FIXED_BYTES as usize)?.first_chunk().copied() else {
        return Ok((len, Trailer::Missing));
    };
    let Some(message_len) = trailer::message_len(last) else { return Ok((len, Trailer::Missing)) };
    match fixed.checked_sub(u64::from(message_len)) {
        Some(end) if end >= start => {
            let message = window.slice(end, message_len as usize)?;
            let trailer = match trailer::marked_entries(message, end) {
                Some(entries) => Trailer::Marked { entries },
                None => Trailer::Plain,
            };
            Ok((end, trailer))
        }
        _ => Ok((len, Trailer::Missing)),
    }
}
