//! Tells a torn tail from corruption.
//!
//! An invalid entry at offset X was never durable unless a *later* entry knew that the file was durable beyond X. So
//! the rest of the file is searched for entries whose checksum holds. Entries of HBase carry no such knowledge: after
//! HBase's own rule, the first unreadable entry is the end.

use crate::{
    entry_head::{NoEntry, parse_head},
    integrity::{Integrity, MARK_BYTES, PREFIX, VALUE_BYTES},
    varint::{get_varint, varint_len},
    window::FileWindow,
};

/// Bytes searched at a time.
const STEP_BYTES: usize = 256 << 10;
/// The longest key of an entry of ours, its length included; the writer refuses longer ones.
pub(crate) const MAX_GUARDED_KEY_BYTES: usize = 4 << 10;
/// A crafted file could hold many overlapping false entries, each as long as the rest: the bytes put through the
/// checksum are limited to this multiple of the file (an honest file needs one).
const MAX_PASSES: u64 = 8;

/// What may be put through the checksum in searches of a file.
pub(crate) fn search_budget(window: &FileWindow) -> u64 {
    window.file_len().saturating_mul(MAX_PASSES)
}

/// The offset of an entry after `torn` that proves `torn` durable, if there is one.
pub(crate) fn later_proof(window: &mut FileWindow, torn: u64) -> Result<Option<u64>, NoEntry> {
    let mut budget = search_budget(window);
    next_guarded(window, torn, &mut budget, |mark| mark.durable_offset > torn)
}

/// The offset of the first entry after `damage` whose checksum holds, if there is one that is `wanted`.
pub(crate) fn next_guarded(
    window: &mut FileWindow,
    damage: u64,
    budget: &mut u64,
    wanted: impl Fn(Integrity) -> bool,
) -> Result<Option<u64>, NoEntry> {
    let len = window.file_len();
    let mut from = damage;
    while from < len {
        let step = window.slice(from, STEP_BYTES)?;
        let (hit, scanned) = (find(step, PREFIX), step.len());
        let Some(hit) = hit else {
            if from + scanned as u64 >= len {
                break;
            }
            from += (scanned - (PREFIX.len() - 1)) as u64;
            continue;
        };
        let mark = from + hit as u64;
        let value = window.slice(mark + PREFIX.len() as u64, VALUE_BYTES)?.first_chunk();
        if let Some(integrity) = value.map(Integrity::of_value).filter(|integrity| wanted(*integrity))
            && let Some(found) = entry_with_mark_at(window, mark, integrity, damage, budget)?
        {
            return Ok(Some(found));
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
    integrity: Integrity,
    damage: u64,
    budget: &mut u64,
) -> Result<Option<u64>, NoEntry> {
    let key_end = mark + MARK_BYTES as u64;
    let first = key_end.saturating_sub(MAX_GUARDED_KEY_BYTES as u64).max(damage + 1);
    for start in candidates(window, first, key_end)? {
        match parse_head(window, start, window.file_len()) {
            Ok(head) if head.guarded_end.is_some() => return Ok(Some(start)),
            Ok(_) | Err(NoEntry::Invalid(_)) => {}
            Err(e) => return Err(e),
        }
        let cost = (key_end - start + u64::from(integrity.cell_bytes)).min(window.file_len() - start);
        *budget = budget
            .checked_sub(cost)
            .ok_or_else(|| NoEntry::Invalid("too many things that look like entries follow".to_owned()))?;
    }
    Ok(None)
}

/// Offsets where a key length stands whose key would end at `key_end`.
fn candidates(window: &mut FileWindow, first: u64, key_end: u64) -> Result<Vec<u64>, NoEntry> {
    let bytes = window.slice(first, (key_end - first) as usize)?;
    let fits = |&at: &usize| match get_varint(&bytes[at..]) {
        Some((len, n)) => {
            n == varint_len(len) && ((at + n) as u64).checked_add(len) == Some(bytes.len() as u64)
        }
        None => false,
    };
    Ok((0..bytes.len()).filter(fits).map(|at| first + at as u64).collect())
}

#[cfg(test)]
mod tests;
