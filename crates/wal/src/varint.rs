//! Protobuf's base-128 varint and field tags.

/// The longest encoding of a u64.
pub(crate) const MAX_VARINT_BYTES: usize = 10;

pub(crate) const VARINT: u64 = 0;
pub(crate) const FIXED64: u64 = 1;
pub(crate) const LENGTH_DELIMITED: u64 = 2;
pub(crate) const FIXED32: u64 = 5;

pub(crate) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Bytes that [`put_varint`] writes.
pub(crate) fn varint_len(value: u64) -> usize {
    (64 - (value | 1).leading_zeros() as usize).div_ceil(7)
}

/// The value and the bytes it took; `None` if it does not end in time or does not fit a u64.
pub(crate) fn get_varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0u64;
    for (i, &byte) in bytes.iter().take(MAX_VARINT_BYTES).enumerate() {
        if i == MAX_VARINT_BYTES - 1 && byte > 1 {
            return None;
        }
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte < 0x80 {
            return Some((value, i + 1));
        }
    }
    None
}

/// One field of a message: its number, its bytes with tag, and its payload.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'a> {
    pub(crate) number: u64,
    /// Offset of the tag in the message.
    pub(crate) start: usize,
    /// Offset after the field.
    pub(crate) end: usize,
    pub(crate) value: FieldValue<'a>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum FieldValue<'a> {
    Varint(u64),
    /// The payload without its length.
    Bytes(&'a [u8]),
    /// A fixed-width number: no field of a WAL has this type, so it can only be an unknown one.
    Fixed,
}

/// The fields of a message in order; `None` as an item means that the bytes are no message.
pub(crate) struct Fields<'a> {
    message: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    pub(crate) fn of(message: &'a [u8]) -> Self {
        Self { message, at: 0 }
    }

    fn field(&mut self) -> Option<Field<'a>> {
        let start = self.at;
        let (tag, n) = get_varint(self.message.get(start..)?)?;
        let at = start + n;
        let (value, end) = match tag & 7 {
            VARINT => {
                let (value, n) = get_varint(self.message.get(at..)?)?;
                (FieldValue::Varint(value), at + n)
            }
            LENGTH_DELIMITED => {
                let (len, n) = get_varint(self.message.get(at..)?)?;
                let from = at + n;
                let end = from.checked_add(usize::try_from(len).ok()?)?;
                (FieldValue::Bytes(self.message.get(from..end)?), end)
            }
            FIXED64 => (FieldValue::Fixed, at + 8),
            FIXED32 => (FieldValue::Fixed, at + 4),
            _ => return None,
        };
        if end > self.message.len() || tag >> 3 == 0 {
            return None;
        }
        self.at = end;
        Some(Field { number: tag >> 3, start, end, value })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Option<Field<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.message.len() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.at = self.message.len();
        }
        Some(field)
    }
}

pub(crate) fn put_tag(out: &mut Vec<u8>, number: u64, wire_type: u64) {
    put_varint(out, number << 3 | wire_type);
}

pub(crate) fn put_bytes(out: &mut Vec<u8>, number: u64, bytes: &[u8]) {
    put_tag(out, number, LENGTH_DELIMITED);
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

pub(crate) fn put_uint(out: &mut Vec<u8>, number: u64, value: u64) {
    put_tag(out, number, VARINT);
    put_varint(out, value);
}

#[cfg(test)]
mod tests;
