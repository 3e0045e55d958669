//! The one error type of this crate.

use finback_cell::CellError;

/// What is wrong with a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProtoError {
    /// The bytes are no message of this type.
    #[error("malformed {message}: {source}")]
    Decode {
        /// Name of the message.
        message: &'static str,
        /// What the decoder says.
        source: prost::DecodeError,
    },
    /// Decoded, the message would take too much memory.
    #[error(
        "a {message} of {length} bytes has so many parts that it would take more than {budget} bytes of memory"
    )]
    TooMuchMemory {
        /// Name of the message.
        message: &'static str,
        /// Its length in bytes.
        length: usize,
        /// What it may take, in bytes.
        budget: u64,
    },
    /// The magic in front of a message is missing.
    #[error("expected the magic PBUF at offset {offset}, found {found:02x?}")]
    NoMagic {
        /// Where the magic should be.
        offset: usize,
        /// Up to four bytes found there.
        found: Vec<u8>,
    },
    /// The metadata that ZooKeeper values begin with is longer than the value.
    #[error("ZooKeeper metadata of {declared} bytes in a value of {available}")]
    Metadata {
        /// Length that the value declares.
        declared: u32,
        /// Bytes behind the length.
        available: usize,
    },
    /// A varint that does not end within its five or ten bytes, or in the middle of which the data ends.
    #[error("malformed varint at offset {offset}")]
    Varint {
        /// Where the varint begins.
        offset: usize,
    },
    /// A length that points beyond the data.
    #[error("a length of {declared} at offset {offset}, but only {available} bytes follow")]
    Length {
        /// Where the length begins.
        offset: usize,
        /// Length that is declared.
        declared: u64,
        /// Bytes that follow.
        available: usize,
    },
    /// A field that must be there is not.
    #[error("{message} without {field}")]
    Missing {
        /// Name of the message.
        message: &'static str,
        /// Name of the field.
        field: &'static str,
    },
    /// A field has a value that it must not have.
    #[error("{message}.{field}: {reason}")]
    Invalid {
        /// Name of the message.
        message: &'static str,
        /// Name of the field.
        field: &'static str,
        /// What is wrong with it, and what was found.
        reason: String,
    },
    /// A message counts cells that its cell block does not have, or has only in part: what follows in the block
    /// cannot be matched to messages any more.
    #[error(
        "Cell count of {count} but at index {index} no cell returned: {message} with the rest of the cell block, \
         {available} bytes: {source}"
    )]
    CellBlock {
        /// Name of the message.
        message: &'static str,
        /// Cells it counts.
        count: usize,
        /// How many of them are there.
        index: usize,
        /// Bytes left in the cell block.
        available: usize,
        /// What is wrong with it.
        source: CellError,
    },
}

impl ProtoError {
    /// Whether the messages that follow have lost their cells.
    pub fn loses_cells(&self) -> bool {
        matches!(self, Self::CellBlock { .. })
    }

    pub(crate) fn missing(message: &'static str, field: &'static str) -> Self {
        Self::Missing { message, field }
    }

    pub(crate) fn invalid(message: &'static str, field: &'static str, reason: impl ToString) -> Self {
        Self::Invalid { message, field, reason: reason.to_string() }
    }
}
