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
//! same column of each row before. This one looks at several, and chooses among literals and copies what takes the fewest bytes,
//! from the end of the payload backwards. That takes ten to twenty times as long.

/// A shorter match is as long as a copy of it, or hardly longer.
const MIN_MATCH: usize = 4;
/// Longest near copy, and where offsets become too large for one.
const MAX_NEAR: usize = 11;
const NEAR_OFFSETS: usize = 1 << 11;
/// Longest far copy, and where offsets become too large for one.
const MAX_FAR: usize = 64;
const FAR_OFFSETS: usize = 1 << 16;
/// Places that are looked at for each byte. Twice as many make streams of bits smaller by a fiftieth, others not at all.
const MAX_CANDIDATES: usize = 6;
/// From this length on a match is good enough: at the bytes inside it nothing is looked for.
const LONG_MATCH: usize = 24;
const HASH_BITS: u32 = 15;
/// No place.
const NOWHERE: u32 = u32::MAX;

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
    /// The last place of each hash.
    last: Vec<u32>,
    /// For each place the one before it of the same hash.
    before: Vec<u32>,
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
        self.last.clear();
        self.last.resize(1 << HASH_BITS, NOWHERE);
        self.before.clear();
        self.before.resize(payload.len(), NOWHERE);
        self.matches.clear();
        self.matches.resize(payload.len(), Matches::default());
        let mut inherited = Matches::default();
        for at in 0..payload.len().saturating_sub(MIN_MATCH - 1) {
            let found = self.matches_at(payload, at, inherited);
            self.matches[at] = found;
            inherited = found.of_next();
        }
    }

    /// The longest matches of what begins at `at`, which is entered for those that follow.
    fn matches_at(&mut self, payload: &[u8], at: usize, inherited: Matches) -> Matches {
        let bytes = &payload[at..];
        let slot = &mut self.last[hash(bytes)];
        let mut candidate = std::mem::replace(slot, at as u32);
        self.before[at] = candidate;
        let mut found = inherited;
        if usize::from(found.far_length) >= LONG_MATCH {
            return found;
        }
        let longest = bytes.len().min(MAX_FAR);
        let mut far = usize::from(found.far_length);
        for _ in 0..MAX_CANDIDATES {
            if candidate == NOWHERE {
                break;
            }
            let place = candidate as usize;
            let offset = at - place;
            if offset >= FAR_OFFSETS {
                break;
            }
            candidate = self.before[place];
            // Most candidates are no better than what was found, and the byte behind that tells.
            let is_no_longer = far >= longest || payload[place + far] != bytes[far];
            let is_no_nearer = offset >= NEAR_OFFSETS || usize::from(found.near_length) >= MAX_NEAR.min(far);
            if is_no_longer && is_no_nearer {
                continue;
            }
            let length = common(&payload[place..], &bytes[..longest]);
            if length < MIN_MATCH {
                continue;
            }
            if offset < NEAR_OFFSETS && length.min(MAX_NEAR) > usize::from(found.near_length) {
                (found.near_length, found.near_offset) = (length.min(MAX_NEAR) as u8, offset as u16);
            }
            if length > far {
                far = length;
                (found.far_length, found.far_offset) = (length as u8, offset as u16);
                if far >= longest {
                    break;
                }
            }
        }
        found
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

#[cfg(test)]
mod tests;
