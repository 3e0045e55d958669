//! RocksDB, with its defaults but for what is set alike.

use super::Engine;
use crate::settings::Settings;
use rocksdb::{BlockBasedOptions, Cache, DB, DBCompressionType, Options, WriteOptions};
use std::path::Path;

/// Bits of Bloom filter per key: about the false positives of HBase's default, 1 %.
const BLOOM_BITS: f64 = 10.0;

/// Buffers of writes in memory: the one that is written to, and those that become files.
const WRITE_BUFFERS: i32 = 4;

struct Rocks {
    db: DB,
    write: WriteOptions,
}

pub(super) fn open(dir: &Path, settings: &Settings) -> Result<Box<dyn Engine>, String> {
    let mut table = BlockBasedOptions::default();
    table.set_block_cache(&Cache::new_lru_cache(settings.cache_bytes));
    table.set_bloom_filter(BLOOM_BITS, false);
    let mut options = Options::default();
    options.create_if_missing(true);
    options.set_block_based_table_factory(&table);
    options.set_write_buffer_size(settings.write_buffer_bytes);
    // As much as Finback has before writers wait; the default is half of it.
    options.set_max_write_buffer_number(WRITE_BUFFERS);
    options.set_compression_type(if settings.compress {
        DBCompressionType::Lz4
    } else {
        DBCompressionType::None
    });
    // The log is written in the background, as that of the other engines is.
    options.set_manual_wal_flush(true);
    options.set_max_background_jobs(2);
    let db = DB::open(&options, dir).map_err(|error| error.to_string())?;
    Ok(Box::new(Rocks { db, write: WriteOptions::default() }))
}

impl Engine for Rocks {
    fn put(&self, key: &[u8], value: &[u8]) {
        self.db.put_opt(key, value, &self.write).expect("put");
    }

    fn get(&self, key: &[u8]) -> Option<usize> {
        Some(self.db.get_pinned(key).expect("get")?.len())
    }

    fn seek(&self, key: &[u8], count: usize) -> usize {
        let mut pairs = self.db.raw_iterator();
        pairs.seek(key);
        let mut found = 0;
        while found < count && pairs.valid() {
            std::hint::black_box((pairs.key(), pairs.value()));
            found += 1;
            pairs.next();
        }
        pairs.status().expect("next");
        found
    }

    fn settle(&self) {
        self.db.flush().expect("flush");
        self.db.wait_for_compact(&rocksdb::WaitForCompactOptions::default()).expect("compact");
    }
}
