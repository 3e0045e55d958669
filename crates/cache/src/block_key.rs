use std::hash::{BuildHasher, Hash, Hasher};

use finback_hfile::FileId;

/// Which block: a file, and the offset in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BlockKey {
    pub(crate) file: FileId,
    pub(crate) offset: u64,
}

impl Hash for BlockKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.file.0);
        state.write_u64(self.offset);
    }
}

/// Hashes numbers that nobody outside chooses: file ids are counted here, and offsets are where blocks happen to begin.
/// A fifth of the cost of the standard hasher, which is made for keys of an adversary.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NumberHash;

impl BuildHasher for NumberHash {
    type Hasher = NumberHasher;

    fn build_hasher(&self) -> NumberHasher {
        NumberHasher(SEED)
    }
}

/// Digits of pi: any odd number with its bits well spread will do.
const SEED: u64 = 0x243f_6a88_85a3_08d3;
const FACTOR: u64 = 0x1319_8a2e_0370_7345;

/// Multiplies to 128 bits and folds both halves, for each number.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        let product = u128::from(self.0 ^ number) * u128::from(FACTOR);
        self.0 = (product as u64 ^ (product >> 64) as u64).wrapping_add(SEED);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

/// Where a block belongs, in all that is kept by key.
#[inline]
pub(crate) fn hash_of(key: &BlockKey) -> u64 {
    NumberHash.hash_one(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_one_file_and_of_many_fall_evenly_on_places() {
        for (files, step) in [(1, 65_600), (1, 64 << 10), (1000, 65_600), (64_000, 0)] {
            let mut places = [0u32; 64];
            let blocks = 64_000 / files;
            for file in 0..files {
                for block in 0..blocks {
                    let key = BlockKey { file: FileId(file), offset: block * step };
                    places[(NumberHash.hash_one(key) >> 58) as usize] += 1;
                }
            }
            assert!(places.iter().all(|&count| (800..1200).contains(&count)), "{files} {step} {places:?}");
        }
    }
}
