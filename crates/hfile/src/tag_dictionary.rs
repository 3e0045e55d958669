//! The dictionary of compressed tags: what was seen in the block gets a number, and the number stands for it.
//!
//! ```text
//! ┌────┬────────────────┬──────────────────┐        ┌───────────┐
//! │ FF │ length  varint │ tag type, value  │   or   │ number u16│
//! └────┴────────────────┴──────────────────┘        └───────────┘
//! ```
//! When all numbers are given out, a new tag gets that of the one which was not used for longest. One without a byte gets
//! none, as in HBase's LRUDictionary.

use crate::varint;
use std::collections::HashMap;

/// Numbers of a dictionary, HBase's figure.
const CAPACITY: usize = 127;
/// The byte before a tag that is spelled out. No number begins with it.
const SPELLED_OUT: u8 = 0xff;
/// Bytes of a tag's length in the tags of a cell.
const TAG_LENGTH_SIZE: usize = 2;

/// Numbers and what they stand for.
#[derive(Debug)]
struct TagDictionary<T> {
    tags: Vec<T>,
    /// Numbers, the least recently used first.
    recency: Vec<u8>,
}

impl<T> TagDictionary<T> {
    fn new() -> Self {
        Self { tags: Vec::new(), recency: Vec::new() }
    }

    /// Gives a tag a number; also what had the number before.
    fn add(&mut self, tag: T) -> (u8, Option<T>) {
        if self.tags.len() < CAPACITY {
            let number = self.tags.len() as u8;
            self.tags.push(tag);
            self.recency.push(number);
            return (number, None);
        }
        let number = self.recency.remove(0);
        self.recency.push(number);
        (number, Some(std::mem::replace(&mut self.tags[usize::from(number)], tag)))
    }

    fn touch(&mut self, number: u8) {
        if let Some(at) = self.recency.iter().rposition(|&other| other == number) {
            self.recency[at..].rotate_left(1);
        }
    }
}

/// Expands the tags of one block.
#[derive(Debug)]
pub(crate) struct TagDecoder<'a> {
    dictionary: TagDictionary<&'a [u8]>,
}

impl<'a> TagDecoder<'a> {
    pub(crate) fn new() -> Self {
        Self { dictionary: TagDictionary::new() }
    }

    /// Takes tags off the front of `bytes` and appends them to `out`, `length` bytes in all. `None` if they are not there,
    /// or do not end there.
    pub(crate) fn take(&mut self, bytes: &mut &'a [u8], length: usize, out: &mut Vec<u8>) -> Option<()> {
        let mut left = length;
        while left > 0 {
            let tag = self.take_tag(bytes)?;
            left = left.checked_sub(TAG_LENGTH_SIZE + tag.len())?;
            out.extend_from_slice(&u16::try_from(tag.len()).ok()?.to_be_bytes());
            out.extend_from_slice(tag);
        }
        Some(())
    }

    fn take_tag(&mut self, bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
        let (&status, rest) = bytes.split_first()?;
        if status == SPELLED_OUT {
            let mut rest = rest;
            let length = varint::take(&mut rest)?;
            let (tag, rest) = rest.split_at_checked(length)?;
            *bytes = rest;
            if !tag.is_empty() {
                self.dictionary.add(tag);
            }
            return Some(tag);
        }
        let (&low, rest) = rest.split_first()?;
        let number = u8::try_from(u16::from_be_bytes([status, low])).ok()?;
        let tag = *self.dictionary.tags.get(usize::from(number))?;
        self.dictionary.touch(number);
        *bytes = rest;
        Some(tag)
    }
}

/// Whether the tags of a cell end where their lengths say.
pub(crate) fn are_well_formed(mut tags: &[u8]) -> bool {
    while let Some((length, rest)) = tags.split_first_chunk::<TAG_LENGTH_SIZE>() {
        let Some(rest) = rest.get(usize::from(u16::from_be_bytes(*length))..) else { return false };
        tags = rest;
    }
    tags.is_empty()
}

/// Shortens the tags of one block.
#[derive(Debug)]
pub(crate) struct TagEncoder {
    dictionary: TagDictionary<Vec<u8>>,
    numbers: HashMap<Vec<u8>, u8>,
}

impl TagEncoder {
    pub(crate) fn new() -> Self {
        Self { dictionary: TagDictionary::new(), numbers: HashMap::new() }
    }

    /// Forgets all: a block ends.
    pub(crate) fn clear(&mut self) {
        self.dictionary = TagDictionary::new();
        self.numbers.clear();
    }

    /// Appends a cell's tags. `None`, with a part appended, if they are not well formed.
    pub(crate) fn write(&mut self, mut tags: &[u8], out: &mut Vec<u8>) -> Option<()> {
        while !tags.is_empty() {
            let (length, rest) = tags.split_first_chunk::<TAG_LENGTH_SIZE>()?;
            let (tag, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
            tags = rest;
            if let Some(&number) = self.numbers.get(tag) {
                self.dictionary.touch(number);
                out.extend_from_slice(&u16::from(number).to_be_bytes());
                continue;
            }
            out.push(SPELLED_OUT);
            varint::write(out, tag.len() as u32);
            out.extend_from_slice(tag);
            if tag.is_empty() {
                continue;
            }
            let (number, displaced) = self.dictionary.add(tag.to_vec());
            if let Some(displaced) = displaced {
                self.numbers.remove(&displaced);
            }
            self.numbers.insert(tag.to_vec(), number);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests;
