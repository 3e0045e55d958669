//! What is compared, behind one face.

mod finback;
#[cfg(feature = "fjall")]
mod fjall;
#[cfg(feature = "rocksdb")]
mod rocks;

use crate::settings::Settings;
use std::path::Path;

/// A sorted map of byte strings on disk. Reads count what they find, so that nothing is optimised away.
pub(crate) trait Engine: Send + Sync {
    /// Writes one pair; it may be lost in a crash of the machine, as all engines here are set.
    fn put(&self, key: &[u8], value: &[u8]);

    /// Length of the value of `key`, or `None`.
    fn get(&self, key: &[u8]) -> Option<usize>;

    /// Reads up to `count` pairs from the first key at or after `key`; gives back how many there were.
    fn seek(&self, key: &[u8], count: usize) -> usize;

    /// Writes out what is in memory and waits until background work has come to rest.
    fn settle(&self);
}

/// Opens the engine of this name on an empty directory.
pub(crate) fn open(name: &str, dir: &Path, settings: &Settings) -> Result<Box<dyn Engine>, String> {
    match name {
        "finback" => finback::open(dir, settings),
        #[cfg(feature = "rocksdb")]
        "rocksdb" => rocks::open(dir, settings),
        #[cfg(feature = "fjall")]
        "fjall" => fjall::open(dir, settings),
        _ => Err(format!("there is no engine {name}; there are finback, rocksdb, fjall")),
    }
}
