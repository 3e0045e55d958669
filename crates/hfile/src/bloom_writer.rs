//! Builds a Bloom filter while cells are written.
//!
//! Chunks are all of one size; one that is full is written between data blocks. The last, which may have few keys, is
//! folded: halves are laid over each other as long as it stays as good as was asked for.

use crate::bloom::{BloomFilter, BloomType, KeyHashes, VERSION};
use crate::hash::HashType;
use crate::index_writer::Entries;
use crate::vlong;
use finback_cell::prefetch;

/// Which Bloom filters a file gets, and their measures. Files of the order of `hbase:meta` get none, for HBase searches
/// chunks in the order of plain bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct BloomOptions {
    /// The general filter (BLOOMFILTER of the family).
    pub filter: Option<BloomType>,
    /// Whether rows with markers that delete a family get a filter of their own
    /// (`io.storefile.delete.family.bloom.enabled`). Beside one of [`BloomType::RowColumn`] it is left out: that answers
    /// the question itself.
    pub family_delete: bool,
    /// Size of a chunk, in bytes (`io.storefile.bloom.block.size`).
    pub chunk_size_bytes: usize,
    /// How often the answer may be wrong (`io.storefile.bloom.error.rate`), between 0 and 1.
    pub error_rate: f32,
    /// How many times a chunk must be able to be folded (`io.storefile.bloom.max.fold`).
    pub max_fold: u32,
    /// How keys are hashed (`hbase.hash.type`).
    pub hash_type: HashType,
}

impl Default for BloomOptions {
    fn default() -> Self {
        Self {
            filter: None,
            family_delete: false,
            chunk_size_bytes: 128 << 10,
            error_rate: 0.01,
            max_fold: 7,
            hash_type: HashType::Murmur,
        }
    }
}

/// The largest chunk, in bytes: numbers of bits stay 32-bit numbers.
const MAX_CHUNK_SIZE: usize = 128 << 20;
/// The most that chunks can be asked to fold; even one of a bit a half has no more halves.
const MAX_FOLD: u32 = 20;

/// How many bits of keys are on their way into a chunk at most: those of some eight keys.
const AHEAD: usize = 64;

/// What a chunk can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Measures {
    size: usize,
    max_keys: u64,
    hash_count: u32,
}

impl BloomOptions {
    /// How many bits a key of such a filter has. `None` for options that leave no room for a key.
    pub(crate) fn hash_count(&self, bloom_type: BloomType) -> Option<u32> {
        Some(self.measures(bloom_type)?.hash_count)
    }

    /// HBase's formulas. `None` for options that leave no room for a key.
    fn measures(&self, bloom_type: BloomType) -> Option<Measures> {
        let in_range = self.error_rate > 0.0 && self.error_rate < 1.0 && self.max_fold <= MAX_FOLD;
        if let BloomType::RowPrefix(length) = bloom_type
            && !(1..=i32::MAX as u32).contains(&length)
        {
            return None;
        }
        if !in_range || !(1..=MAX_CHUNK_SIZE).contains(&self.chunk_size_bytes) {
            return None;
        }
        // A read asks for a column twice, once without qualifier.
        let error_rate = match bloom_type {
            BloomType::RowColumn => (1.0 - (1.0 - f64::from(self.error_rate)).sqrt()) as f32,
            _ => self.error_rate,
        };
        let error = f64::from(error_rate).ln();
        let size = self.chunk_size_bytes.next_multiple_of(1 << self.max_fold);
        let bits = (8 * size) as f64;
        let ideal_keys = (bits * (std::f64::consts::LN_2.powi(2) / -error)).floor();
        if ideal_keys < 1.0 {
            return None;
        }
        let hashes = (std::f64::consts::LN_2 * (bits / ideal_keys).floor()).ceil();
        let max_keys = (-bits / hashes * (1.0 - (error / hashes).exp()).ln()).floor();
        ((1.0..=255.0).contains(&hashes) && max_keys >= 1.0).then_some(Measures {
            size,
            max_keys: max_keys as u64,
            hash_count: hashes as u32,
        })
    }
}

/// A filter being built.
#[derive(Debug)]
pub(crate) struct BloomWriter {
    bloom_type: BloomType,
    hash_type: HashType,
    /// Of the next chunk; folded ones are the last.
    measures: Measures,
    chunk: Option<Chunk>,
    ready: Vec<Chunk>,
    pub(crate) index: Entries,
    key: Vec<u8>,
    last_key: Vec<u8>,
    keys: u64,
    max_keys: u64,
    bytes: u64,
}

/// A chunk and its first key.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) first_key: Vec<u8>,
    pub(crate) bits: Vec<u8>,
    /// Bits of the keys added last, to be set when the memory that they are in has come: between two keys all of a file goes
    /// through the processor's caches, in which a chunk does not stay.
    coming: Vec<u32>,
    keys: u64,
}

impl Chunk {
    fn set_coming(&mut self) {
        for bit in self.coming.drain(..) {
            self.bits[bit as usize / 8] |= 1 << (bit % 8);
        }
    }
}

impl BloomWriter {
    /// `None` if `options` cannot be met.
    pub(crate) fn new(bloom_type: BloomType, options: &BloomOptions) -> Option<Self> {
        Some(Self {
            bloom_type,
            hash_type: options.hash_type,
            measures: options.measures(bloom_type)?,
            chunk: None,
            ready: Vec::new(),
            index: Entries::default(),
            key: Vec::new(),
            last_key: Vec::new(),
            keys: 0,
            max_keys: 0,
            bytes: 0,
        })
    }

    pub(crate) fn bloom_type(&self) -> BloomType {
        self.bloom_type
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys == 0
    }

    /// Bytes of memory beside the writer itself.
    pub(crate) fn memory_bytes(&self) -> usize {
        let chunks = self.chunk.iter().chain(&self.ready);
        chunks.map(|chunk| chunk.bits.capacity()).sum::<usize>() + self.index.memory_bytes()
    }

    /// The key added last.
    pub(crate) fn last_key(&self) -> &[u8] {
        &self.last_key
    }

    /// Whether there are keys in chunks that were not written yet.
    pub(crate) fn has_open_chunk(&self) -> bool {
        self.chunk.is_some() || !self.ready.is_empty()
    }

    /// Counts the keys of a file's filter, up to `last_key`, which are behind those that there are. Its chunks are written as they
    /// are stored, and then come into the index.
    pub(crate) fn join(&mut self, filter: &BloomFilter, last_key: &[u8]) {
        let figures = filter.figures();
        self.keys = self.keys.saturating_add(figures.keys);
        self.max_keys = self.max_keys.saturating_add(figures.most_keys);
        self.bytes = self.bytes.saturating_add(figures.byte_size);
        self.last_key.clear();
        self.last_key.extend_from_slice(last_key);
    }

    /// Adds the key of a cell, unless it is the same as before.
    pub(crate) fn add(&mut self, row: &[u8], qualifier: &[u8]) {
        self.bloom_type.write_key(row, qualifier, &mut self.key);
        if self.keys > 0 && self.key == self.last_key {
            return;
        }
        std::mem::swap(&mut self.key, &mut self.last_key);
        self.end_full_chunk();
        let measures = self.measures;
        let chunk = self.chunk.get_or_insert_with(|| Chunk {
            first_key: self.last_key.clone(),
            bits: vec![0; measures.size],
            coming: Vec::with_capacity(AHEAD),
            keys: 0,
        });
        for bit in KeyHashes::of(self.hash_type, &self.last_key).bits(measures.hash_count, measures.size) {
            if chunk.coming.len() == AHEAD {
                chunk.set_coming();
            }
            prefetch(&raw const chunk.bits[bit / 8]);
            // numbers of bits are numbers of 32 bits: see MAX_CHUNK_SIZE
            chunk.coming.push(bit as u32);
        }
        chunk.keys += 1;
        self.keys += 1;
    }

    fn end_full_chunk(&mut self) {
        if self.chunk.as_ref().is_some_and(|chunk| chunk.keys >= self.measures.max_keys) {
            self.end_chunk();
        }
    }

    fn end_chunk(&mut self) {
        let Some(mut chunk) = self.chunk.take() else { return };
        chunk.set_coming();
        let measures = &mut self.measures;
        while measures.size.is_multiple_of(2) && measures.max_keys > 2 * chunk.keys {
            measures.size /= 2;
            measures.max_keys /= 2;
            let (low, high) = chunk.bits.split_at_mut(measures.size);
            fold(low, high);
            chunk.bits.truncate(measures.size);
        }
        self.max_keys += measures.max_keys;
        self.bytes += measures.size as u64;
        self.ready.push(chunk);
    }

    /// The chunks to be written now; at the end also one that is not full.
    pub(crate) fn take_ready(&mut self, at_end: bool) -> Vec<Chunk> {
        if at_end {
            self.end_chunk();
        } else {
            self.end_full_chunk();
        }
        std::mem::take(&mut self.ready)
    }

    /// Appends the meta block's payload.
    pub(crate) fn write_meta(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&VERSION.to_be_bytes());
        out.extend_from_slice(&self.bytes.to_be_bytes());
        out.extend_from_slice(&self.measures.hash_count.to_be_bytes());
        out.extend_from_slice(&(self.hash_type as u32).to_be_bytes());
        out.extend_from_slice(&self.keys.to_be_bytes());
        out.extend_from_slice(&self.max_keys.to_be_bytes());
        out.extend_from_slice(&(self.index.len() as u32).to_be_bytes());
        let comparator: &[u8] = match self.bloom_type {
            BloomType::RowColumn => b"org.apache.hadoop.hbase.CellComparatorImpl",
            _ => b"",
        };
        vlong::write(out, comparator.len() as i64);
        out.extend_from_slice(comparator);
        self.index.write_root(out);
    }
}

/// Adds the bits of `high` to those of `low`, of the same length: eight bytes at a time.
fn fold(low: &mut [u8], high: &[u8]) {
    let ((low, low_rest), (high, high_rest)) = (low.as_chunks_mut::<8>(), high.as_chunks::<8>());
    for (low, high) in low.iter_mut().zip(high) {
        *low = (u64::from_ne_bytes(*low) | u64::from_ne_bytes(*high)).to_ne_bytes();
    }
    low_rest.iter_mut().zip(high_rest).for_each(|(low, high)| *low |= *high);
}
