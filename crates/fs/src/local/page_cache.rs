//! What tests ask of the page cache.

use crate::RandomAccessFile;

const PLACES: u64 = 8;

/// Whether bytes in all parts of a file can be read without waiting for a device. To look at one may have the device fetch it and what
/// follows, and where this thread does not run for long that has come before the answer: so from the end on, and not one place.
pub(super) fn has_all_of(file: &dyn RandomAccessFile) -> bool {
    let length = file.len().unwrap();
    let is_there = |part| file.read_at_nowait(length * part / PLACES, &mut [0]).unwrap().is_some();
    (0..PLACES).rev().all(is_there)
}
