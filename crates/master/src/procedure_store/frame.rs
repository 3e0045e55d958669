//! Frames, and the end of a file of them.

use std::{io, path::Path};

use crc_fast::{CrcAlgorithm, checksum};
use finback_fs::{FileSystem, RandomAccessFile};
use finback_proto::{Message, pb};

/// What the file is, and in which version of its format.
pub(super) const MAGIC: &[u8; 8] = b"FBPROC\0\x01";
/// Length, checksum of the length, checksum of the payload.
const HEADER_BYTES: usize = 12;
/// Nothing that is written comes near this; a longer frame is not read into memory.
const MAX_PAYLOAD_BYTES: usize = 1 << 30;

/// How a file ends.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    Clean,
    /// An append that a crash cut off.
    Torn {
        offset: u64,
    },
    /// No crash does this.
    Damaged {
        offset: u64,
        reason: &'static str,
    },
}

fn crc(bytes: &[u8]) -> u32 {
    // A 32-bit checksum in a wider type.
    checksum(CrcAlgorithm::Crc32Iscsi, bytes) as u32
}

pub(super) fn encode(change: &pb::StoredProcedures) -> io::Result<Vec<u8>> {
    let length = change.encoded_len();
    if length > MAX_PAYLOAD_BYTES {
        let message = format!("procedures of {length} bytes, more than {MAX_PAYLOAD_BYTES}");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    let length_bytes = (length as u32).to_be_bytes();
    let mut frame = Vec::with_capacity(HEADER_BYTES + length);
    frame.extend(length_bytes);
    frame.extend(crc(&length_bytes).to_be_bytes());
    frame.extend([0; 4]);
    change.encode(&mut frame).map_err(io::Error::other)?;
    let payload_crc = crc(&frame[HEADER_BYTES..]);
    frame[8..HEADER_BYTES].copy_from_slice(&payload_crc.to_be_bytes());
    Ok(frame)
}

/// Hands out the changes in a file, up to its end or to what cannot be read.
pub(super) fn read(
    fs: &dyn FileSystem,
    path: &Path,
    mut each: impl FnMut(pb::StoredProcedures),
) -> io::Result<End> {
    let file = fs.open(path)?;
    let end = file.len()?;
    let mut magic = [0; MAGIC.len()];
    if end < MAGIC.len() as u64 {
        return Ok(End::Damaged { offset: 0, reason: "too short" });
    }
    file.read_exact_at(0, &mut magic)?;
    if magic != *MAGIC {
        return Ok(End::Damaged { offset: 0, reason: "not a file of procedures that this version reads" });
    }
    let mut offset = MAGIC.len() as u64;
    while offset < end {
        match read_frame(&*file, offset, end)? {
            Ok((change, next)) => {
                each(change);
                offset = next;
            }
            Err(end) => return Ok(end),
        }
    }
    Ok(End::Clean)
}

fn read_frame(
    file: &dyn RandomAccessFile,
    offset: u64,
    end: u64,
) -> io::Result<Result<(pb::StoredProcedures, u64), End>> {
    let left = end - offset;
    let torn = Ok(Err(End::Torn { offset }));
    if left < HEADER_BYTES as u64 {
        return torn;
    }
    let mut header = [0; HEADER_BYTES];
    file.read_exact_at(offset, &mut header)?;
    let [length, length_crc, payload_crc] =
        [0, 4, 8].map(|at| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]));
    if crc(&header[..4]) != length_crc {
        // The file has grown, and the bytes did not come.
        if header == [0; HEADER_BYTES] {
            return torn;
        }
        return Ok(Err(End::Damaged { offset, reason: "the length's checksum does not fit" }));
    }
    let next = offset + HEADER_BYTES as u64 + u64::from(length);
    if next > end {
        return torn;
    }
    if length as usize > MAX_PAYLOAD_BYTES {
        return Ok(Err(End::Damaged { offset, reason: "too long" }));
    }
    let mut payload = vec![0; length as usize];
    file.read_exact_at(offset + HEADER_BYTES as u64, &mut payload)?;
    if crc(&payload) != payload_crc {
        if next == end {
            return torn;
        }
        return Ok(Err(End::Damaged { offset, reason: "the payload's checksum does not fit" }));
    }
    match pb::StoredProcedures::decode(bytes::Bytes::from(payload)) {
        Ok(change) => Ok(Ok((change, next))),
        Err(_) => Ok(Err(End::Damaged { offset, reason: "the payload is no StoredProcedures" })),
    }
}
