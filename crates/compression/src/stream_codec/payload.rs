//! What a stream decompresses to, while it grows.

use crate::BadStream;
use std::io::Read;
use std::iter::successors;

/// What is wrong where there is no room for a payload.
pub const NO_ROOM: BadStream = "a payload that there is no room for";

/// The bytes so far.
pub(super) struct Payload<'a> {
    bytes: Vec<u8>,
    limit: usize,
    /// Asked before memory for so many more bytes is taken.
    room: &'a mut dyn FnMut(usize) -> bool,
}

impl<'a> Payload<'a> {
    /// One of at most `limit` bytes, with room for as many as are expected, if that is there.
    pub(super) fn new(expected: usize, limit: usize, room: &'a mut dyn FnMut(usize) -> bool) -> Self {
        let mut payload = Self { bytes: Vec::new(), limit, room };
        payload.reserve(expected.min(limit));
        payload
    }

    /// Appends all that `decoder` gives.
    pub(super) fn read_all(&mut self, mut decoder: impl Read) -> Result<(), BadStream> {
        let broken = |_| "not a stream of this codec, or a torn one";
        loop {
            let room = self.bytes.capacity() - self.bytes.len();
            decoder.by_ref().take(room as u64).read_to_end(&mut self.bytes).map_err(broken)?;
            // Whether there is more, before memory is taken for it.
            let mut next = [0; 1];
            if decoder.read(&mut next).map_err(broken)? == 0 {
                return Ok(());
            }
            self.grow(next.len())?;
            self.bytes.extend_from_slice(&next);
        }
    }

    /// Appends zeros; gives back where they are.
    pub(super) fn append(&mut self, bytes: usize) -> Result<&mut [u8], BadStream> {
        self.grow(bytes)?;
        let at = self.bytes.len();
        self.bytes.resize(at + bytes, 0);
        Ok(&mut self.bytes[at..])
    }

    /// How many more bytes there may be.
    pub(super) fn left(&self) -> usize {
        self.limit - self.bytes.len()
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Makes room for more bytes, and for as many as there are already: few steps lead to a large payload. Where there is no room for
    /// that, for half as many, and so on: few steps lead to the end of the room.
    fn grow(&mut self, more: usize) -> Result<(), BadStream> {
        if more > self.left() {
            return Err("a longer payload");
        }
        if self.bytes.capacity() - self.bytes.len() < more {
            let left = self.left();
            let mut steps = successors(Some(self.bytes.len()), |step| (*step > more).then_some(step / 2));
            let has_room = steps.any(|step| self.reserve(step.max(more).min(left)));
            return if has_room { Ok(()) } else { Err(NO_ROOM) };
        }
        Ok(())
    }

    fn reserve(&mut self, more: usize) -> bool {
        let wanted = (self.bytes.len() + more).saturating_sub(self.bytes.capacity());
        let has_room = (self.room)(wanted);
        if has_room {
            self.bytes.reserve_exact(more);
        }
        has_room
    }
}
