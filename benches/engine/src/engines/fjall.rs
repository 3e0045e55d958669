//! fjall, with its defaults but for what is set alike.

use super::Engine;
use crate::settings::Settings;
use fjall::{CompressionType, Database, Keyspace, KeyspaceCreateOptions, config::CompressionPolicy};
use std::path::Path;

struct Fjall {
    _db: Database,
    pairs: Keyspace,
}

pub(super) fn open(dir: &Path, settings: &Settings) -> Result<Box<dyn Engine>, String> {
    let db = Database::builder(dir)
        .cache_size(settings.cache_bytes as u64)
        .open()
        .map_err(|error| error.to_string())?;
    let compression = if settings.compress { CompressionType::Lz4 } else { CompressionType::None };
    let options = || {
        KeyspaceCreateOptions::default()
            .max_memtable_size(settings.write_buffer_bytes as u64)
            .data_block_compression_policy(CompressionPolicy::all(compression))
    };
    let pairs = db.keyspace("pairs", options).map_err(|error| error.to_string())?;
    Ok(Box::new(Fjall { _db: db, pairs }))
}

impl Engine for Fjall {
    fn put(&self, key: &[u8], value: &[u8]) {
        self.pairs.insert(key, value).expect("insert");
    }

    fn get(&self, key: &[u8]) -> Option<usize> {
        Some(self.pairs.get(key).expect("get")?.len())
    }

    fn seek(&self, key: &[u8], count: usize) -> usize {
        let pairs = self.pairs.range(key.to_vec()..);
        pairs.take(count).map(|pair| std::hint::black_box(pair.into_inner().expect("next"))).count()
    }

    fn settle(&self) {
        self.pairs.rotate_memtable_and_wait().expect("flush");
    }
}
