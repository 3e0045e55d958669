//! Jute, ZooKeeper's serialisation: big-endian primitives without tags or padding.
//!
//! ```text
//! int      i32                      boolean  u8
//! long     i64                      buffer   i32 length (-1: null) | bytes
//! ustring  as buffer, in UTF-8      vector   i32 count | elements
//! ```

use bytes::{BufMut, BytesMut};

use crate::Error;

/// Reads fields from the payload of one frame. No length is trusted before it was compared with what is there.
pub(crate) struct JuteReader<'a> {
    frame: &'a [u8],
    offset: usize,
}

impl<'a> JuteReader<'a> {
    pub(crate) fn new(frame: &'a [u8]) -> Self {
        Self { frame, offset: 0 }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.offset == self.frame.len()
    }

    pub(crate) fn int(&mut self, field: &'static str) -> Result<i32, Error> {
        self.array(field).map(i32::from_be_bytes)
    }

    pub(crate) fn long(&mut self, field: &'static str) -> Result<i64, Error> {
        self.array(field).map(i64::from_be_bytes)
    }

    pub(crate) fn boolean(&mut self, field: &'static str) -> Result<bool, Error> {
        self.array::<1>(field).map(|[byte]| byte != 0)
    }

    /// A buffer; `None` when it is null.
    pub(crate) fn buffer(&mut self, field: &'static str) -> Result<Option<&'a [u8]>, Error> {
        let length = self.int(field)?;
        match usize::try_from(length) {
            Ok(length) => self.take(field, length).map(Some),
            Err(_) if length == -1 => Ok(None),
            Err(_) => Err(self.truncated(field, i64::from(length))),
        }
    }

    /// A string that must be there.
    pub(crate) fn ustring(&mut self, field: &'static str) -> Result<&'a str, Error> {
        let offset = self.offset;
        let bytes = self.buffer(field)?.ok_or(Error::NotAString { field, offset })?;
        std::str::from_utf8(bytes).map_err(|_| Error::NotAString { field, offset })
    }

    /// A vector of strings; a null one is empty.
    pub(crate) fn ustrings(&mut self, field: &'static str) -> Result<Vec<&'a str>, Error> {
        let count = self.int(field)?;
        // The count is not trusted: each string takes bytes of the frame.
        (0..count.max(0)).map(|_| self.ustring(field)).collect()
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], Error> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(field, N)?);
        Ok(array)
    }

    fn take(&mut self, field: &'static str, length: usize) -> Result<&'a [u8], Error> {
        let end = self.offset.checked_add(length).filter(|end| *end <= self.frame.len());
        let Some(taken) = end.and_then(|end| self.frame.get(self.offset..end)) else {
            return Err(self.truncated(field, i64::try_from(length).unwrap_or(i64::MAX)));
        };
        self.offset += length;
        Ok(taken)
    }

    fn truncated(&self, field: &'static str, wanted: i64) -> Error {
        Error::Truncated { field, offset: self.offset, wanted, available: self.frame.len() - self.offset }
    }
}

/// Appends a buffer.
pub(crate) fn put_buffer(out: &mut BytesMut, bytes: &[u8]) {
    put_count(out, bytes.len());
    out.put_slice(bytes);
}

/// Appends the count of a vector, or the length of a buffer.
pub(crate) fn put_count(out: &mut BytesMut, count: usize) {
    out.put_i32(i32::try_from(count).expect("a tree holds less than 2 GiB and 2^31 nodes"));
}

#[cfg(test)]
mod tests;
