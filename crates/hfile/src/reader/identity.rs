//! What a file is known by in caches.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Identity of a file in caches: given by whoever opens it, or made from the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u64);

impl FileId {
    /// One that was never given out before.
    pub fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// What tells a file from all others, in this process and the next: its name, its size, and what it says of itself
/// (trailer, root index, file info with creation time and last key). Store files have random names and never change, so
/// that two files of one identity have the same blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    /// Serves as [`FileId`].
    pub id: FileId,
    /// Another hash of the same.
    pub check: u64,
}

impl FileIdentity {
    pub(super) fn of(path: &Path, size_bytes: u64, parts: &[&[u8]]) -> Self {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let size = size_bytes.to_be_bytes();
        let digest_of = |algorithm| {
            let mut digest = crc_fast::Digest::new(algorithm);
            for part in [name, &size].iter().chain(parts) {
                digest.update(&(part.len() as u64).to_be_bytes());
                digest.update(part);
            }
            digest.finalize()
        };
        let id = FileId(digest_of(crc_fast::CrcAlgorithm::Crc64Nvme));
        Self { id, check: digest_of(crc_fast::CrcAlgorithm::Crc64Ecma182) }
    }
}
