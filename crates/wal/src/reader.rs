use std::path::{Path, PathBuf};

use finback_cell::block::CellIter;
use finback_compression::ZstdForm;
use finback_fs::FileSystem;

use crate::{
    END_MARK, META_FAMILY, WalCompression, WalError, WalKey,
    decompressor::Decompressor,
    entry_head::{EntryHead, NoEntry, is_no_key, parse_head, skip_cells},
    header::Header,
    torn_tail, trailer,
    window::FileWindow,
};

/// Bytes looked at at a time for zeros.
const ZEROS_STEP_BYTES: usize = 64 << 10;

/// One entry, borrowed from the reader until the next is read.
#[derive(Debug, Clone)]
pub struct WalEntry<'a> {
    /// Offset of the entry in the file.
    pub offset: u64,
    /// Whose edit, when, under which sequence id.
    pub key: WalKey<'a>,
    /// The cell block, uncompressed: `u32 length | KeyValue`, [`WalKey::cell_count`] times.
    pub cell_block: &'a [u8],
    /// How ZSTD has compressed values of the log up to here, if it has any.
    pub(crate) zstd_form: ZstdForm,
}

impl<'a> WalEntry<'a> {
    /// The cells in order.
    pub fn cells(&self) -> CellIter<'a> {
        CellIter::over_checked(self.cell_block)
    }

    /// A marker about the region (flush, compaction, open, …), without any edit of its data (HBase's `WALEdit.isMetaEdit`).
    pub fn is_meta_edit(&self) -> bool {
        let mut cells = self.cells().peekable();
        cells.peek().is_some() && cells.all(|cell| cell.family() == META_FAMILY)
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

/// A whole entry, as offsets from its first byte.
#[derive(Debug)]
struct ParsedEntry {
    head: EntryHead,
    end: usize,
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
    decompressor: Option<Decompressor>,
    /// Offset of the first entry.
    start: u64,
    position: u64,
    /// Where the entries end.
    end: u64,
    trailer: Trailer,
    style: Style,
    entries: u64,
    /// Whether all entries were read, and may be counted.
    counts: bool,
    torn: Option<TornTail>,
    /// What searches for entries behind damage may yet read.
    search_budget: u64,
    /// From the first damage on.
    later_proofs: Option<torn_tail::LaterProofs>,
}

impl WalReader {
    /// Opens a log. A file that ends inside its header is a log without entries.
    pub fn open(fs: &dyn FileSystem, path: &Path) -> Result<Self, WalError> {
        let io = |e| WalError::io(path, "read", e);
        let file = fs.open(path).map_err(io)?;
        let len = file.len().map_err(io)?;
        let mut window = FileWindow::new(file, len);
        let header = Header::parse(window.slice(0, Header::READ_BYTES).map_err(io)?);
        let (start, compression, style) = match header {
            Header::Readable { end, compression, is_guarded: true } => (end, compression, Style::Guarded),
            Header::Readable { end, compression, is_guarded: false } => (end, compression, Style::Unknown),
            Header::Unfinished => (len, None, Style::Unknown),
            Header::Unsupported { feature } => {
                return Err(WalError::Unsupported { path: path.to_owned(), feature });
            }
            Header::Invalid { reason } => return Err(WalError::corrupt(path, 0, reason)),
        };
        let mut reader = Self::from_parts(path, window, start, compression).map_err(io)?;
        reader.style = style;
        if start == len && len > Header::READ_BYTES as u64 {
            // The first bytes say that nothing was written; but there are more.
            reader.refuse_entries()?;
        }
        Ok(reader)
    }

    /// Opens a log whose header is damaged, as one without compression, to look for entries that guard themselves.
    pub(crate) fn open_headless(fs: &dyn FileSystem, path: &Path) -> Result<Self, WalError> {
        let io = |e| WalError::io(path, "read", e);
        let file = fs.open(path).map_err(io)?;
        let len = file.len().map_err(io)?;
        Self::from_parts(path, FileWindow::new(file, len), 0, None).map_err(io)
    }

    fn from_parts(
        path: &Path,
        mut window: FileWindow,
        start: u64,
        compression: Option<WalCompression>,
    ) -> std::io::Result<Self> {
        let (end, trailer) = find_trailer(&mut window, start)?;
        let search_budget = torn_tail::search_budget(&window);
        Ok(Self {
            path: path.to_owned(),
            window,
            decompressor: compression.map(|compression| Decompressor::new(path, compression)),
            start,
            position: start,
            end,
            trailer,
            style: Style::Unknown,
            entries: 0,
            counts: true,
            torn: None,
            search_budget,
            later_proofs: None,
        })
    }

    /// Fails if there is any entry whose checksum holds: the header, which is not there, came before it.
    fn refuse_entries(&mut self) -> Result<(), WalError> {
        match torn_tail::next_guarded(&mut self.window, 0, &mut self.search_budget, |_| true) {
            Ok(None) => Ok(()),
            Ok(Some(entry)) => {
                Err(self
                    .corrupt(0, format!("the header is missing, but there is an entry at offset {entry}")))
            }
            Err(NoEntry::Io(e)) => Err(WalError::io(&self.path, "read", e)),
            Err(NoEntry::Invalid(why) | NoEntry::AboveLimit(why) | NoEntry::Contradiction(why)) => {
                Err(self.corrupt(0, format!("the header is missing; {why}")))
            }
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How the file is compressed; its entries are handed out uncompressed.
    pub fn compression(&self) -> Option<WalCompression> {
        self.decompressor.as_ref().map(|decompressor| decompressor.compression)
    }

    /// Offset of the next entry.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Goes on at an offset, where an entry has to begin: forward only, and from the beginning. A compressed file is read up to
    /// there, for its dictionaries; of another one nothing before it is looked at, so that an entry behind damage can be reached.
    ///
    /// # Errors
    /// [`WalError::NoEntryAt`] if a compressed file has no entry that begins there; what reading fails with.
    pub fn seek(&mut self, offset: u64) -> Result<(), WalError> {
        if self.decompressor.is_none() {
            self.position = self.position.max(offset);
            // What the trailer counts cannot be compared any more.
            if let Trailer::Marked { .. } = self.trailer {
                self.counts = false;
            }
            return Ok(());
        }
        while self.position < offset {
            if self.next_entry()?.is_none() {
                break;
            }
        }
        if self.position == offset {
            return Ok(());
        }
        Err(WalError::NoEntryAt { path: self.path.clone(), offset })
    }

    /// After damage: goes to the next entry whose checksum holds, and says where it begins. None where nothing tells: entries
    /// of HBase have no checksums, and those of a compressed log need all that come before.
    ///
    /// # Errors
    /// The storage's.
    pub fn skip_damage(&mut self) -> Result<Option<u64>, WalError> {
        if self.decompressor.is_some() {
            return Ok(None);
        }
        let next = self.next_sound(self.position)?;
        if let Some(offset) = next {
            (self.position, self.counts, self.torn) = (offset, false, None);
        }
        Ok(next)
    }

    /// Where the next entry behind an offset begins whose checksum holds, if it can be found.
    fn next_sound(&mut self, offset: u64) -> Result<Option<u64>, WalError> {
        match torn_tail::next_guarded(&mut self.window, offset, &mut self.search_budget, |_| true) {
            Ok(next) => Ok(next),
            Err(NoEntry::Io(e)) => Err(WalError::io(&self.path, "read", e)),
            Err(NoEntry::Invalid(_) | NoEntry::AboveLimit(_) | NoEntry::Contradiction(_)) => Ok(None),
        }
    }

    /// If any entry carries a checksum, all have to: one that does not is damaged, then, and not one of HBase's.
    ///
    /// # Errors
    /// The storage's.
    pub(crate) fn expect_checksums_if_any(&mut self) -> Result<(), WalError> {
        if self.next_sound(self.start.saturating_sub(1))?.is_some() {
            self.style = Style::Guarded;
        }
        Ok(())
    }

    /// The writer closed the file. Trust it after the last entry was read.
    pub fn has_trailer(&self) -> bool {
        self.trailer != Trailer::Missing
    }

    /// Once all was read: whether the end is missing of a file that had its trailer before it got its name. One of HBase, whose
    /// entries carry no checksums, may be without, and HBase passes over a file of no bytes.
    pub(crate) fn lacks_its_end(&self) -> bool {
        !self.has_trailer() && self.style != Style::Plain && self.window.file_len() > 0
    }

    /// What was dropped at the end, once the end is reached.
    pub fn torn_tail(&self) -> Option<&TornTail> {
        self.torn.as_ref()
    }

    /// The next entry; `None` at the end. A torn tail is the end (and said in the log); corruption is an error.
    pub fn next_entry(&mut self) -> Result<Option<WalEntry<'_>>, WalError> {
        let Some(ParsedEntry { head, end }) = self.parse_next()? else { return Ok(None) };
        let offset = self.position;
        self.position += end as u64;
        self.entries += 1;
        if let Some(decompressor) = &self.decompressor {
            let key = WalKey::new(&decompressor.key, decompressor.layout.clone());
            let (cell_block, zstd_form) = (&decompressor.cell_block[..], decompressor.zstd_form());
            return Ok(Some(WalEntry { offset, key, cell_block, zstd_form }));
        }
        let bytes = self.window.slice(offset, end).map_err(|e| WalError::io(&self.path, "read", e))?;
        let key = WalKey::new(&bytes[head.key.clone()], head.layout);
        let (cell_block, zstd_form) = (&bytes[head.key.end..], ZstdForm::default());
        Ok(Some(WalEntry { offset, key, cell_block, zstd_form }))
    }

    fn parse_next(&mut self) -> Result<Option<ParsedEntry>, WalError> {
        if self.torn.is_some() {
            return Ok(None);
        }
        if self.position >= self.end {
            return self.check_count().map(|()| None);
        }
        match self.parse_entry(self.position, self.end) {
            Ok(entry) => self.check_style(&entry).map(|()| Some(entry)),
            Err(NoEntry::Invalid(reason)) => self.judge(reason),
            // Finback writes none such.
            Err(NoEntry::AboveLimit(reason)) if self.style == Style::Guarded => self.judge(reason),
            Err(other) => Err(self.error(other)),
        }
    }

    /// Parses the entry at `offset`, which must end at or before `end`; a compressed one is in the decompressor then.
    fn parse_entry(&mut self, offset: u64, end: u64) -> Result<ParsedEntry, NoEntry> {
        let head = parse_head(&mut self.window, offset, end)?;
        if self.style == Style::Guarded && head.guarded_end.is_none() {
            return Err(NoEntry::Invalid("an entry without its checksum".to_owned()));
        }
        let end = head.guarded_end.map_or(end, |length| offset + length as u64);
        let found = match &mut self.decompressor {
            Some(decompressor) => decompressor.take(&mut self.window, offset, &head, end),
            None => skip_cells(&mut self.window, offset, &head, end),
        };
        match (found, head.guarded_end) {
            (Ok(found), Some(length)) if found != length => {
                Err(NoEntry::Contradiction(format!("cells of an entry of {length} bytes end at {found}")))
            }
            (Ok(end), _) => Ok(ParsedEntry { head, end }),
            (Err(NoEntry::Invalid(reason) | NoEntry::AboveLimit(reason)), Some(_)) => {
                Err(NoEntry::Contradiction(reason))
            }
            (Err(error), _) => Err(error),
        }
    }

    fn error(&self, no_entry: NoEntry) -> WalError {
        match no_entry {
            NoEntry::Io(e) => WalError::io(&self.path, "read", e),
            NoEntry::Invalid(reason) | NoEntry::AboveLimit(reason) | NoEntry::Contradiction(reason) => {
                self.corrupt(self.position, reason)
            }
        }
    }

    /// Puts the decompressor where it was before the entry at the position, after that could not be decompressed.
    fn decompress_again(&mut self) -> Result<(), NoEntry> {
        let Some(used) = &self.decompressor else { return Ok(()) };
        self.decompressor = Some(Decompressor::new(&self.path, used.compression));
        let mut offset = self.start;
        while offset < self.position {
            offset += self.parse_entry(offset, self.position)?.end as u64;
        }
        Ok(())
    }

    fn corrupt(&self, offset: u64, reason: impl Into<String>) -> WalError {
        WalError::corrupt(&self.path, offset, reason)
    }

    fn check_count(&self) -> Result<(), WalError> {
        match self.trailer {
            Trailer::Marked { entries } if self.counts && entries != self.entries => Err(self.corrupt(
                self.end,
                format!("the trailer counts {entries} entries, {} were found", self.entries),
            )),
            _ => Ok(()),
        }
    }

    fn check_style(&mut self, entry: &ParsedEntry) -> Result<(), WalError> {
        let style = if entry.head.guarded_end.is_some() { Style::Guarded } else { Style::Plain };
        match (self.style, style) {
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
        if self.trailer == Trailer::Missing && self.nothing_from(self.position)? {
            // Not torn: a log that is written, or whose writer died, ends so.
            self.end = self.position;
            return Ok(None);
        }
        if let Trailer::Marked { .. } = self.trailer {
            return Err(self.corrupt(self.position, reason));
        }
        if self.trailer == Trailer::Plain {
            // Perhaps the last bytes of an entry only look like a trailer.
            let entry = self.decompress_again().and_then(|()| self.parse_entry(self.position, len));
            if let Ok(entry) = entry {
                (self.trailer, self.end) = (Trailer::Missing, len);
                return self.check_style(&entry).map(|()| Some(entry));
            }
            if self.style != Style::Guarded {
                return Err(self.corrupt(self.position, reason));
            }
        }
        if self.style == Style::Plain
            && self.is_damage_to_hbase().map_err(|e| WalError::io(&self.path, "read", e))?
        {
            return Err(self.corrupt(self.position, reason));
        }
        let window = &self.window;
        let proofs = self.later_proofs.get_or_insert_with(|| torn_tail::LaterProofs::new(window.again()));
        match proofs.after(self.position) {
            Ok(None) => {}
            Ok(Some(proof)) => {
                let reason = format!("{reason}; but the entry at offset {proof} shows that it was durable");
                return Err(self.corrupt(self.position, reason));
            }
            Err(NoEntry::Io(e)) => return Err(WalError::io(&self.path, "read", e)),
            Err(NoEntry::Invalid(why) | NoEntry::AboveLimit(why) | NoEntry::Contradiction(why)) => {
                return Err(self.corrupt(self.position, format!("{reason}; {why}")));
            }
        }
        let reason = match self.next_sound(self.position)? {
            Some(next) => format!(
                "{reason}; the entry at offset {next} is sound, and does not tell that this was on disk"
            ),
            None => reason,
        };
        self.drop_tail(reason);
        Ok(None)
    }

    /// For HBase a log ends in what the file's end has cut off, or in cells that cannot be read. A key that is all there, and none, is
    /// an error: what follows it was written later, and perhaps confirmed.
    fn is_damage_to_hbase(&mut self) -> std::io::Result<bool> {
        let rest = self.window.slice(self.position, trailer::FIXED_BYTES as usize)?;
        Ok(!trailer::is_cut_off(rest) && is_no_key(&mut self.window, self.position)?)
    }

    /// Whether from an offset on there is only what is put ahead of entries: the mark and zeros.
    fn nothing_from(&mut self, offset: u64) -> Result<bool, WalError> {
        let io = |e| WalError::io(&self.path, "read", e);
        let marked = self.window.slice(offset, END_MARK.len()).map_err(io)? == END_MARK;
        let (mut at, len) = (offset, self.window.file_len());
        if marked {
            at += END_MARK.len() as u64;
        }
        while at < len {
            let step = self.window.slice(at, ZEROS_STEP_BYTES).map_err(io)?;
            if step.is_empty() || step.iter().any(|&byte| byte != 0) {
                return Ok(false);
            }
            at += step.len() as u64;
        }
        Ok(true)
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
        // What looked like a trailer is none, and may be in an entry behind the damage.
        (self.trailer, self.end) = (Trailer::Missing, self.window.file_len());
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
