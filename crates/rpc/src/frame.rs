//! Frames out of a stream of bytes.
//!
//! ```text
//! +------------+----------------+
//! | u32 length | frame (length) |
//! +------------+----------------+
//! ```
//! The buffer grows with the bytes that arrive, never with the length that a peer claims, unless it has sent a frame as long
//! before: then what one says is believed, of a client up to some megabytes, and not before the frame has begun to arrive.

use bytes::{Buf, Bytes, BytesMut};

/// Bytes of the length in front of a frame.
pub(crate) const LENGTH_BYTES: usize = 4;
/// What a connection reads at once, and keeps while idle.
pub(crate) const READ_CHUNK: usize = 16 << 10;
/// Memory beyond this is given up when there is nothing left in it: a connection may do nothing for long after a large frame.
const KEPT_BYTES: usize = 2 * READ_CHUNK;
/// Room below which the buffer is made larger before a read.
const MIN_ROOM: usize = 2 << 10;
/// A frame beyond this takes its buffer with it, so that a connection does not keep the memory of its largest frame.
const LARGE_FRAME: usize = 256 << 10;

/// Of clients no longer frames are believed than those in which they put together what they write.
const MOST_BELIEVED: usize = 4 << 20;

/// What the bytes so far amount to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// A whole frame.
    Frame(Bytes),
    /// The start of a frame: this many bytes are missing (four, if not even the length is there).
    Partial { missing: usize },
    /// The start of a frame that is longer than it may be.
    TooBig { length: usize },
    /// A length that is negative in Java: no HBase client sends it.
    Negative,
}

/// Bytes read and not yet taken.
#[derive(Debug)]
pub(crate) struct FrameBuffer {
    bytes: BytesMut,
    /// How much may be missing of a frame so that there is room for all of it at once: as much as the longest frame had.
    believed: usize,
    most_believed: usize,
    /// So much of the frame has to be there before.
    believed_from: usize,
    /// Bytes that the memory has, frames included that were taken out of it.
    memory: usize,
}

impl FrameBuffer {
    /// For a peer that was chosen: frames as long as one that came whole before are not moved to larger memory.
    pub(crate) fn of_server() -> Self {
        Self { bytes: BytesMut::new(), believed: 0, most_believed: usize::MAX, believed_from: 0, memory: 0 }
    }

    /// For a peer that anybody may be: such frames are moved once, with the chunk that every connection may have.
    pub(crate) fn of_client() -> Self {
        Self { most_believed: MOST_BELIEVED, believed_from: READ_CHUNK, ..Self::of_server() }
    }

    /// Where to read to.
    pub(crate) fn bytes_mut(&mut self) -> &mut BytesMut {
        &mut self.bytes
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// How many whole frames there are, at most `limit`.
    pub(crate) fn whole_frames(&self, limit: usize) -> usize {
        let (mut rest, mut count) = (&self.bytes[..], 0);
        while count < limit
            && let Some((length, after)) = rest.split_first_chunk::<LENGTH_BYTES>()
            && let Ok(length) = usize::try_from(i32::from_be_bytes(*length))
            && let Some(after) = after.get(length..)
        {
            (rest, count) = (after, count + 1);
        }
        count
    }

    /// Takes the next frame, if it is whole and not longer than `limit`.
    pub(crate) fn next(&mut self, limit: usize) -> Next {
        let Some(length) = self.bytes.first_chunk::<LENGTH_BYTES>() else {
            if self.bytes.is_empty() && self.memory > KEPT_BYTES {
                // The last of the frames that were in it takes it along.
                self.bytes = BytesMut::new();
                self.memory = 0;
            }
            return Next::Partial { missing: LENGTH_BYTES };
        };
        let length = i32::from_be_bytes(*length);
        let Ok(length) = usize::try_from(length) else { return Next::Negative };
        if length > limit {
            return Next::TooBig { length };
        }
        let missing = (LENGTH_BYTES + length).saturating_sub(self.bytes.len());
        if missing > 0 {
            return Next::Partial { missing };
        }
        self.believed = self.believed.max(length.min(self.most_believed));
        self.bytes.advance(LENGTH_BYTES);
        let frame = self.bytes.split_to(length).freeze();
        if length > LARGE_FRAME {
            self.bytes = BytesMut::from(&self.bytes[..]);
            self.memory = self.bytes.capacity();
        }
        Next::Frame(frame)
    }

    /// A copy of the front of an unfinished frame, as far as it is there and up to `most` bytes, without its length.
    pub(crate) fn front(&self, most: usize) -> Bytes {
        let there = self.bytes.get(LENGTH_BYTES..).unwrap_or_default();
        Bytes::copy_from_slice(&there[..there.len().min(most)])
    }

    /// Room to make before the next read, given what is missing of the frame: at most three times what is there already. A
    /// large frame is then never in memory twice, as it would be when what is nearly the whole of it moves to larger memory.
    pub(crate) fn room_wanted(&self, missing: usize) -> usize {
        let room = self.bytes.capacity() - self.bytes.len();
        if room >= missing.min(MIN_ROOM) && room > 0 {
            0
        } else if missing <= self.believed && self.bytes.len() >= self.believed_from {
            missing.max(READ_CHUNK)
        } else {
            missing.min(self.bytes.len().saturating_mul(3)).max(READ_CHUNK)
        }
    }

    /// Makes room.
    pub(crate) fn make_room(&mut self, room: usize) {
        if room > 0 {
            self.bytes.reserve(room);
            self.memory = self.memory.max(self.bytes.capacity());
        }
    }

    /// Drops up to `count` bytes from the front; gives back how many there were. Many that were all there is take their memory with them:
    /// a refused request counts no more.
    pub(crate) fn skip(&mut self, count: usize) -> usize {
        let skipped = count.min(self.bytes.len());
        self.bytes.advance(skipped);
        if self.bytes.is_empty() && skipped > READ_CHUNK {
            self.bytes = BytesMut::new();
            self.memory = 0;
        }
        skipped
    }
}

#[cfg(test)]
mod tests;
