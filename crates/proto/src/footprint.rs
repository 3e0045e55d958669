//! How much memory a message takes when it is decoded, told from its bytes before it is.
//!
//! Two bytes are an empty sub-message, and some hundred bytes of memory. Whoever decodes what a stranger has sent asks
//! first. The measure counts what the decoder allocates: vectors with the capacity that they grow to, texts, and what is
//! kept out of line. Byte strings share the memory of the buffer and cost what points to them.

use crate::ProtoError;
use bytes::{Buf, Bytes};
use prost::Message;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

mod layouts;

/// Shorter messages are decoded without measuring: what they can take, a MiB and a half, is bounded by their length. To measure a put of
/// many columns takes an eighth of the instructions that it takes besides the log.
pub const UNMEASURED_BYTES: usize = 8 << 10;
/// Memory that a message may take beyond a multiple of its length.
pub const ALLOWANCE_BYTES: u64 = 64 << 20;
/// Memory that a message may take for each of its bytes.
pub const MEMORY_PER_BYTE: u64 = 4;

/// Deepest nesting that is measured. The decoder refuses more than 100.
const MAX_DEPTH: usize = 128;
/// Most fields of one message that take memory.
const MAX_FIELDS: usize = 32;
/// What an allocation costs besides its bytes.
const ALLOCATION_BYTES: u64 = 16;

/// A message whose memory can be told from its bytes: every message of this crate.
pub trait Measured: Message + Default {
    /// Name of the message.
    const NAME: &'static str;
    /// The fields that take memory.
    const LAYOUT: &'static Layout;
}

/// The fields of a message that take memory besides the message's own.
#[derive(Debug)]
pub struct Layout {
    /// By number.
    fields: &'static [Field],
}

#[derive(Debug)]
struct Field {
    number: u32,
    kind: Kind,
    /// Bytes of an element in the vector; 0 for a field that is not repeated.
    element: usize,
    /// Bytes of what is kept out of line; 0 for a field that is not.
    boxed: usize,
}

#[derive(Debug)]
enum Kind {
    Message(&'static Layout),
    /// A message of which nothing more is known.
    Opaque,
    Text,
    /// A byte string in the buffer.
    Shared,
    /// A number, or several packed.
    Number,
}

/// The memory that a message may take that came with so many bytes: itself and its cells.
pub fn budget(received_bytes: usize) -> u64 {
    ALLOWANCE_BYTES.saturating_add(MEMORY_PER_BYTE.saturating_mul(received_bytes as u64))
}

/// The memory that `data` takes, decoded as an `M`, in bytes; for malformed data, what it takes up to there.
///
/// # Errors
/// [`ProtoError::TooMuchMemory`] as soon as it is seen to be more than `budget`.
pub fn measure<M: Measured>(data: &[u8], budget: u64) -> Result<u64, ProtoError> {
    let mut measure = Measure { bytes: size_of::<M>() as u64, budget };
    match measure.message(data, M::LAYOUT, 0) {
        Err(Stop::OverBudget) => {
            Err(ProtoError::TooMuchMemory { message: M::NAME, length: data.len(), budget })
        }
        Ok(()) | Err(Stop::Malformed) => Ok(measure.bytes),
    }
}

/// Decodes `data`, unless it would take more than the [`budget`] of its length.
///
/// # Errors
/// [`ProtoError::TooMuchMemory`], [`ProtoError::Decode`].
pub fn decode<M: Measured>(data: Bytes) -> Result<M, ProtoError> {
    if data.len() > UNMEASURED_BYTES {
        measure::<M>(&data, budget(data.len()))?;
    }
    M::decode(data).map_err(|source| ProtoError::Decode { message: M::NAME, source })
}

enum Stop {
    OverBudget,
    /// The decoder will find the same, and say what.
    Malformed,
}

impl From<prost::DecodeError> for Stop {
    fn from(_: prost::DecodeError) -> Self {
        Self::Malformed
    }
}

struct Measure {
    bytes: u64,
    budget: u64,
}

impl Measure {
    /// Walks over the fields of a message, in the decoder's own steps, so that both always see the same.
    fn message(&mut self, mut data: &[u8], layout: &Layout, depth: usize) -> Result<(), Stop> {
        if depth == MAX_DEPTH {
            return Err(Stop::Malformed);
        }
        let mut counts = [0; MAX_FIELDS];
        while data.has_remaining() {
            let (number, wire) = decode_key(&mut data)?;
            let slot = layout.fields.iter().position(|field| field.number == number);
            let Some(slot) = slot else {
                skip_field(wire, number, &mut data, DecodeContext::default())?;
                continue;
            };
            let field = &layout.fields[slot];
            if wire != WireType::LengthDelimited {
                skip_field(wire, number, &mut data, DecodeContext::default())?;
                self.grow(&mut counts[slot], 1, field.element)?;
                continue;
            }
            let length = usize::try_from(decode_varint(&mut data)?).map_err(|_| Stop::Malformed)?;
            let (body, rest) = data.split_at_checked(length).ok_or(Stop::Malformed)?;
            data = rest;
            self.field(field, body, &mut counts[slot], depth)?;
        }
        Ok(())
    }

    fn field(&mut self, field: &Field, body: &[u8], count: &mut u64, depth: usize) -> Result<(), Stop> {
        // Packed numbers have at least a byte each.
        let elements = if matches!(field.kind, Kind::Number) { body.len() as u64 } else { 1 };
        self.grow(count, elements, field.element)?;
        if field.boxed > 0 {
            self.add(field.boxed as u64 + ALLOCATION_BYTES)?;
        }
        match field.kind {
            Kind::Message(layout) => self.message(body, layout, depth + 1),
            Kind::Text | Kind::Opaque if !body.is_empty() => self.add(body.len() as u64 + ALLOCATION_BYTES),
            _ => Ok(()),
        }
    }

    /// Counts `more` elements of a vector, as far as they make it grow.
    fn grow(&mut self, count: &mut u64, more: u64, element: usize) -> Result<(), Stop> {
        let before = capacity(*count, element);
        *count = count.saturating_add(more);
        let grown = capacity(*count, element) - before;
        if grown == 0 { Ok(()) } else { self.add(grown.saturating_mul(element as u64)) }
    }

    fn add(&mut self, bytes: u64) -> Result<(), Stop> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.budget { Err(Stop::OverBudget) } else { Ok(()) }
    }
}

/// Elements that a vector of `count` has room for: it doubles, from 4 on, or from 1 for large elements.
fn capacity(count: u64, element: usize) -> u64 {
    match count {
        0 => 0,
        _ => count.checked_next_power_of_two().unwrap_or(u64::MAX).max(if element > 1024 { 1 } else { 4 }),
    }
}

#[cfg(test)]
mod tests;
