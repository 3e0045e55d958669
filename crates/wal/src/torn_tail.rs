//! Tells a torn tail from corruption.
//!
//! An invalid entry at offset X was never durable unless a *later* entry knew that the file was durable beyond X. So
//! the rest of the file is searched for entries whose checksum holds. Entries of HBase carry no such knowledge: after
//! HBase's own rule, the first unreadable entry is the end, unless it has a whole key that is none.

use crate::{
    entry_head::{NoEntry, parse_unchecked},
    integrity::{Integrity, MARK_BYTES, PREFIX, VALUE_BYTES},
    window::FileWindow,
};

/// Bytes searched at a time.
const STEP_BYTES: usize = 256 << 10;
/// The longest key of an entry of ours, its length included; the writer refuses longer ones.
pub(crate) const MAX_GUARDED_KEY_BYTES: usize = 4 << 10;
/// A crafted file could hold many overlapping false entries, each as long as the rest: the bytes put through the
/// checksum are limited to this multiple of the file (an honest file needs one). What is no entry whatever its checksum
/// costs its key alone, and at each offset one key at most is parsed.
const MAX_PASSES: u64 = 8;

/// What may be put through the checksum in searches of a file.
pub(crate) fn search_budget(window: &FileWindow) -> u64 {
    window.file_len().saturating_mul(MAX_PASSES)
}

/// Looks for entries that prove others durable, from the beginning of a file to its end: each byte is searched once, however often
/// it is asked.
#[derive(Debug)]
pub(crate) struct LaterProofs {
    /// Of its own: the reader's stays where the reader is.
    window: FileWindow,
    /// No mark before this offset proves what was not asked for yet, but for the last one found.
    from: u64,
    last: Option<Found>,
    budget: u64,
    /// Why the search has ended.
    gave_up: Option<String>,
}

impl LaterProofs {
    pub(crate) fn new(window: FileWindow) -> Self {
        let budget = search_budget(&window);
        Self { window, from: 0, last: None, budget, gave_up: None }
    }

    /// The offset of the first entry after `torn` that proves `torn` durable, if there is one. `torn` never goes back.
    pub(crate) fn after(&mut self, torn: u64) -> Result<Option<u64>, NoEntry> {
        // Those before it knew of less, and none knows of anything behind itself.
        if let Some(last) = self.last.filter(|last| last.durable_offset > torn) {
            return Ok(Some(last.offset));
        }
        if let Some(reason) = &self.gave_up {
            return Err(NoEntry::Invalid(reason.clone()));
        }
        let from = self.from.max(torn);
        let wanted = |mark: Integrity| mark.durable_offset > torn;
        let found = search(&mut self.window, from, torn, &mut self.budget, wanted);
        if let Err(NoEntry::Invalid(reason)) = &found {
            self.gave_up = Some(reason.clone());
        }
        self.last = found?;
        self.from = self.last.map_or(self.window.file_len(), |found| found.mark + 1);
        Ok(self.last.map(|found| found.offset))
    }
}

/// An entry whose checksum holds.
#[derive(Debug, Clone, Copy)]
struct Found {
    offset: u64,
    /// Where its mark is.
    mark: u64,
    durable_offset: u64,
}

/// The offset of the first entry after `damage` whose checksum holds, if there is one that is `wanted`.
pub(crate) fn next_guarded(
    window: &mut FileWindow,
    damage: u64,
    budget: &mut u64,
    wanted: impl Fn(Integrity) -> bool,
) -> Result<Option<u64>, NoEntry> {
    Ok(search(window, damage, damage, budget, wanted)?.map(|found| found.offset))
}

/// The first such entry whose mark is at `from` or behind it.
fn search(
    window: &mut FileWindow,
    mut from: u64,
    damage: u64,
    budget: &mut u64,
    wanted: impl Fn(Integrity) -> bool,
) -> Result<Option<Found>, NoEntry> {
    let len = window.file_len();
    while from < len {
        // With what the key before a mark takes: looking back at it reads nothing again.
        let start = from.saturating_sub(MAX_GUARDED_KEY_BYTES as u64).max(damage);
        let step = window.slice(start, STEP_BYTES)?;
        let (hit, end) = (find(&step[(from - start) as usize..], PREFIX), start + step.len() as u64);
        let Some(hit) = hit else {
            if end >= len {
                break;
            }
            from = end - (PREFIX.len() - 1) as u64;
            continue;
        };
        let mark = from + hit as u64;
        let value = window.slice(mark + PREFIX.len() as u64, VALUE_BYTES)?.first_chunk();
        let integrity = value.map(Integrity::of_value);
        if let Some(Integrity { durable_offset, .. }) = integrity.filter(|&integrity| wanted(integrity))
            && let Some(offset) = entry_with_mark_at(window, mark, damage, budget)?
        {
            return Ok(Some(Found { offset, mark, durable_offset }));
        }
        from = mark + 1;
    }
    Ok(None)
}

fn find(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes.windows(pattern.len()).position(|w| w[0] == pattern[0] && w == pattern)
}

/// The entry behind `damage` whose key ends with the mark at this offset, if it is valid.
fn entry_with_mark_at(
    window: &mut FileWindow,
    mark: u64,
    damage: u64,
    budget: &mut u64,
) -> Result<Option<u64>, NoEntry> {
    let key_end = mark + MARK_BYTES as u64;
    let first = key_end.saturating_sub(MAX_GUARDED_KEY_BYTES as u64).max(damage + 1);
    for start in candidates(window, first, key_end)? {
        let head = match parse_unchecked(window, start, window.file_len()) {
            Ok(head) => head,
            Err(NoEntry::Invalid(_) | NoEntry::AboveLimit(_)) => continue,
            Err(e) => return Err(e),
        };
        let Some(length) = head.guarded_end else { continue };
        match head.check(window, start) {
            Ok(()) => return Ok(Some(start)),
            Err(NoEntry::Invalid(_)) => {}
            Err(e) => return Err(e),
        }
        *budget = budget
            .checked_sub(length as u64)
            .ok_or_else(|| NoEntry::Invalid("too many things that look like entries follow".to_owned()))?;
    }
    Ok(None)
}

/// Offsets where a key length of one byte or two stands whose key would end at `key_end`.
fn candidates(window: &mut FileWindow, first: u64, key_end: u64) -> Result<Vec<u64>, NoEntry> {
    let bytes = window.slice(first, (key_end - first) as usize)?;
    let fits = |&at: &usize| match bytes[at..] {
        [len @ ..0x80, ref key @ ..] => usize::from(len) == key.len(),
        [low, high @ 1..0x80, ref key @ ..] => usize::from(low & 0x7f) | usize::from(high) << 7 == key.len(),
        _ => false,
    };
    Ok((0..bytes.len()).filter(fits).map(|at| first + at as u64).collect())
}

#[cfg(test)]
mod tests;
