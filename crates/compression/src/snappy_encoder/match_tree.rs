//! The longest matches of what begins at a byte, among all that began before it.
//!
//! What begins at each byte is in a search tree of its hash, sorted by the bytes that follow. The byte that comes next becomes the
//! root, and what it is compared with on its way down is at most as many places as the tree is deep, of which the last ones have most
//! in common with it:
//!
//! ```text
//!                 7 "row3"                       9 "row2"
//!                 /      \        insert        /        \
//!          3 "row1"      5 "row5"   →     3 "row1"      7 "row3"
//!                                                            \
//!                                                          5 "row5"
//! ```
//! A root is newer than all below it, so that places too far back are cut off with all that is below them.

use super::{FAR_OFFSETS, MAX_FAR, MAX_NEAR, MIN_MATCH, Matches, NEAR_OFFSETS};

const HASH_BITS: u32 = 15;
/// Places that are compared with each byte. A tree of what is in order, as counters are, is a list: then what is below is cut off.
pub(super) const MAX_DEPTH: usize = 48;
/// No place.
const NOWHERE: u32 = u32::MAX;

/// What sorts before a place, and what sorts behind it.
#[derive(Clone, Copy, Debug)]
struct Children([u32; 2]);

const BEFORE: usize = 0;
const BEHIND: usize = 1;

/// Where a child is still to be hung.
#[derive(Clone, Copy)]
struct Gap {
    place: usize,
    side: usize,
    /// Bytes that all that can come there has in common with what is inserted, at least.
    common: usize,
}

/// Trees of the places of one payload.
#[derive(Debug, Default)]
pub(super) struct MatchTree {
    roots: Vec<u32>,
    children: Vec<Children>,
}

impl MatchTree {
    /// Forgets the payload before, for one of so many bytes.
    pub(super) fn begin(&mut self, length: usize) {
        self.roots.clear();
        self.roots.resize(1 << HASH_BITS, NOWHERE);
        self.children.clear();
        self.children.resize(length, Children([NOWHERE; 2]));
    }

    /// Enters the place `at`, behind which there are [`MIN_MATCH`] bytes at least, and makes `found` longer where it can.
    pub(super) fn insert(&mut self, payload: &[u8], at: usize, found: &mut Matches) {
        let bytes = &payload[at..];
        let bytes = &bytes[..bytes.len().min(MAX_FAR)];
        let mut next = std::mem::replace(&mut self.roots[hash(bytes)], at as u32);
        // The gaps next to what is inserted: where what sorts before it goes, and what sorts behind it.
        let mut gaps = [BEFORE, BEHIND].map(|side| Gap { place: at, side, common: 0 });
        for _ in 0..MAX_DEPTH {
            let place = next as usize;
            if next == NOWHERE || at - place >= FAR_OFFSETS {
                break;
            }
            let known = gaps[BEFORE].common.min(gaps[BEHIND].common);
            let length = known + common(&payload[place + known..], &bytes[known..]);
            found.note(at - place, length);
            let Children(below) = self.children[place];
            let Some(byte) = bytes.get(length) else {
                // As far as a copy can reach they are the same: the newer one takes the older one's place.
                for (gap, below) in gaps.into_iter().zip(below) {
                    self.hang(gap, below);
                }
                return;
            };
            let side = if payload[place + length] < *byte { BEFORE } else { BEHIND };
            self.hang(gaps[side], next);
            let other = 1 - side;
            gaps[side] = Gap { place, side: other, common: length };
            next = below[other];
        }
        for gap in gaps {
            self.hang(gap, NOWHERE);
        }
    }

    fn hang(&mut self, gap: Gap, child: u32) {
        self.children[gap.place].0[gap.side] = child;
    }
}

impl Matches {
    /// Notes so many bytes that are the same so far back, if that is more than is known.
    fn note(&mut self, offset: usize, length: usize) {
        if length < MIN_MATCH {
            return;
        }
        if offset < NEAR_OFFSETS && length.min(MAX_NEAR) > usize::from(self.near_length) {
            (self.near_length, self.near_offset) = (length.min(MAX_NEAR) as u8, offset as u16);
        }
        if length > usize::from(self.far_length) {
            (self.far_length, self.far_offset) = (length as u8, offset as u16);
        }
    }
}

/// Of the first four bytes, of which there must be so many.
#[inline]
fn hash(bytes: &[u8]) -> usize {
    let word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    (word.wrapping_mul(0x9e37_79b1) >> (32 - HASH_BITS)) as usize
}

/// Number of leading bytes that are the same.
#[inline]
fn common(left: &[u8], right: &[u8]) -> usize {
    let (left_words, right_words) = (left.chunks_exact(8), right.chunks_exact(8));
    let mut length = 0;
    for (left, right) in left_words.zip(right_words) {
        let word = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_le_bytes);
        let different = word(left) ^ word(right);
        if different != 0 {
            return length + different.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    let rest = left[length..].iter().zip(&right[length..]);
    length + rest.take_while(|(left, right)| left == right).count()
}
