//! Snappy streams that are about as small as the format allows.
//!
//! ```text
//! ┌──────────────────┬──────────┬─────   literal  ┌───────────────────────┬───────┐
//! │ payload's length │ elements │ …              │ (length - 1) << 2 | 0 │ bytes │   60 to 63: the length - 1 follows,
//! │ varint           │          │                └───────────────────────┴───────┘   in 1 to 4 bytes, little-endian
//! └──────────────────┴──────────┴─────   copy    ┌─────────────────────────────────────────┬─────────┐
//!                                        near    │ offset >> 8 << 5 | (length - 4) << 2 | 1│ offset  │
//!                                                └─────────────────────────────────────────┴─────────┘
//!                                        copy    ┌───────────────────────┬────────────────────────────┐
//!                                        far     │ (length - 1) << 2 | 2 │ offset u16, little-endian  │
//!                                                └───────────────────────┴────────────────────────────┘
//! ```
//! The usual encoders take the first match that they come upon, of one place for each hash. Blocks of cells have many: the
//! same column of each row before. This one finds the longest (in sorted bytes the longest of many), and chooses among literals and
//! copies what takes the fewest bytes, from the end of the payload backwards. That takes ten to seventy times as long.

mod match_tree;

use match_tree::MatchTree;

/// A shorter match is as long as a copy of it, or hardly longer.
const MIN_MATCH: usize = 4;
/// Longest near copy, and where offsets become too large for one.
const MAX_NEAR: usize = 11;
const NEAR_OFFSETS: usize = 1 << 11;
/// Longest far copy, and where offsets become too large for one.
const MAX_FAR: usize = 64;
const FAR_OFFSETS: usize = 1 << 16;

/// The longest matches that end before a byte's place, as copies. A length of 0: none.
#[derive(Clone, Copy, Debug, Default)]
struct Matches {
    near_offset: u16,
    far_offset: u16,
    near_length: u8,
    far_length: u8,
    /// What is better here than a literal; set when all that follows is known.
    choice: Choice,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Choice {
    #[default]
    Literal,
    /// A copy, unless a literal is under way.
    CopyBetweenLiterals,
    Copy,
}

/// Compresses one payload after the other.
#[derive(Debug, Default)]
pub(crate) struct SnappyEncoder {
    tree: MatchTree,
    matches: Vec<Matches>,
}

impl SnappyEncoder {
    /// Appends the stream of `payload`.
    pub(crate) fn compress(&mut self, payload: &[u8], out: &mut Vec<u8>) {
        write_varint(out, payload.len());
        self.find_matches(payload);
        self.choose();
        self.write(payload, out);
    }

    fn find_matches(&mut self, payload: &[u8]) {
        self.tree.begin(payload.len());
        self.matches.clear();
        self.matches.resize(payload.len(), Matches::default());
        let mut found = Matches::default();
        for at in 0..payload.len().saturating_sub(MIN_MATCH - 1) {
            self.tree.insert(payload, at, &mut found);
            self.matches[at] = found;
            found = found.of_next();
        }
    }

    /// Chooses at each byte what makes the rest of the stream shortest.
    fn choose(&mut self) {
        // Bytes of the rest from a place on, of those up to the longest copy away.
        const RING: usize = 2 * MAX_FAR;
        let mut rest = [0u32; RING];
        // The same, if a literal is under way that only has to grow.
        let mut rest_in_literal = 0;
        for at in (0..self.matches.len()).rev() {
            let matches = &mut self.matches[at];
            let cost = |copy: u32, length: u8| match length {
                0 => u32::MAX,
                _ => copy + rest[(at + usize::from(length)) % RING],
            };
            let (near, far) = (cost(2, matches.near_length), cost(3, matches.far_length));
            if near <= far {
                matches.far_length = 0;
            }
            let copy = near.min(far);
            let literal = 1 + rest_in_literal;
            matches.choice = if copy <= literal {
                Choice::Copy
            } else if copy <= literal + 1 {
                Choice::CopyBetweenLiterals
            } else {
                Choice::Literal
            };
            rest[at % RING] = copy.min(literal + 1);
            rest_in_literal = copy.min(literal);
        }
    }

    fn write(&self, payload: &[u8], out: &mut Vec<u8>) {
        let (mut at, mut literal_from) = (0, 0);
        while let Some(matches) = self.matches.get(at) {
            let in_literal = literal_from < at;
            let copies = match matches.choice {
                Choice::Literal => false,
                Choice::CopyBetweenLiterals => !in_literal,
                Choice::Copy => true,
            };
            if !copies {
                at += 1;
                continue;
            }
            write_literal(out, &payload[literal_from..at]);
            at += matches.write(out);
            literal_from = at;
        }
        write_literal(out, &payload[literal_from..]);
    }
}

impl Matches {
    /// What is left of them at the next byte.
    fn of_next(self) -> Self {
        let shorter = |length: u8| if usize::from(length) > MIN_MATCH { length - 1 } else { 0 };
        Self { near_length: shorter(self.near_length), far_length: shorter(self.far_length), ..self }
    }

    /// Appends the copy that was chosen; gives its length.
    fn write(&self, out: &mut Vec<u8>) -> usize {
        if self.far_length == 0 {
            let [high, low] = self.near_offset.to_be_bytes();
            out.extend_from_slice(&[high << 5 | (self.near_length - MIN_MATCH as u8) << 2 | 1, low]);
            return usize::from(self.near_length);
        }
        let [low, high] = self.far_offset.to_le_bytes();
        out.extend_from_slice(&[(self.far_length - 1) << 2 | 2, low, high]);
        usize::from(self.far_length)
    }
}

fn write_literal(out: &mut Vec<u8>, bytes: &[u8]) {
    let Some(last) = bytes.len().checked_sub(1) else { return };
    if last < 60 {
        out.push((last as u8) << 2);
    } else {
        let number = (last as u32).to_le_bytes();
        let length = number.iter().rposition(|&byte| byte != 0).unwrap_or(0) + 1;
        out.push((59 + length as u8) << 2);
        out.extend_from_slice(&number[..length]);
    }
    out.extend_from_slice(bytes);
}

fn write_varint(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests;
