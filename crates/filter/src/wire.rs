//! Presence of fields in serialized messages.
//!
//! The protobuf library gives a missing required field its default. HBase refuses the message, and so must we: a filter
//! without its comparator is not one that compares with nothing.
//!
//! ```text
//! ┌──────────────────────┬───────────────────────────────┐
//! │ field number ‖ type  │ varint │ length ‖ bytes │ ...  │  repeated
//! │ varint               │                               │
//! └──────────────────────┴───────────────────────────────┘
//! ```

use crate::FilterError;
use bytes::Bytes;
use finback_proto::ProtoError;
use finback_proto::footprint::{self, Measured};
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

/// Decodes a message of a known name.
pub(crate) fn decode<M: Measured>(message: &'static str, bytes: &Bytes) -> Result<M, FilterError> {
    // `clone` shares the memory: nested filters are slices of the one buffer.
    footprint::decode(bytes.clone()).map_err(|error| match error {
        ProtoError::Decode { source, .. } => malformed(message, &source),
        error => FilterError::Malformed { message, reason: error.to_string().into() },
    })
}

fn malformed(message: &'static str, error: &prost::DecodeError) -> FilterError {
    FilterError::Malformed { message, reason: error.to_string().into() }
}

/// Checks that `bytes`, a message that decoded before, has the field `number`; returns the last payload of it if it
/// is length-delimited, and no bytes otherwise.
pub(crate) fn require(
    message: &'static str,
    bytes: &Bytes,
    number: u32,
    field: &'static str,
) -> Result<Bytes, FilterError> {
    let mut rest = bytes.clone();
    let mut found = None;
    while !rest.is_empty() {
        let (tag, wire_type) = decode_key(&mut rest).map_err(|error| malformed(message, &error))?;
        if tag == number && wire_type == WireType::LengthDelimited {
            let length = decode_varint(&mut rest).map_err(|error| malformed(message, &error))?;
            let length = usize::try_from(length).ok().filter(|length| *length <= rest.len());
            let length = length.ok_or(FilterError::Missing { message, field })?;
            found = Some(rest.split_to(length));
        } else {
            skip_field(wire_type, tag, &mut rest, DecodeContext::default())
                .map_err(|error| malformed(message, &error))?;
            if tag == number {
                found = Some(Bytes::new());
            }
        }
    }
    found.ok_or(FilterError::Missing { message, field })
}
