use std::path::Path;

use super::*;
use crate::{FileSystem, MemFileSystem};

fn file() -> Arc<dyn RandomAccessFile> {
    let fs = MemFileSystem::new();
    fs.create_new(Path::new("/file")).unwrap();
    fs.open(Path::new("/file")).unwrap()
}

fn is_open(slot: &Slot) -> bool {
    slot.state.lock().file.is_some()
}

/// Others use up the descriptors.
fn admit_others(cache: &DescriptorCache, file: &Arc<dyn RandomAccessFile>) -> Vec<Arc<Slot>> {
    let others: Vec<Arc<Slot>> = (0..4).map(|_| Arc::default()).collect();
    for other in &others {
        cache.admit(other, Arc::clone(file));
    }
    others
}

#[test]
fn a_slot_that_was_closed_before_it_was_pinned_is_closed_again_after_it_was_unpinned() {
    let (cache, file) = (DescriptorCache::new(2), file());
    let slot = Arc::default();
    let opened = cache.admit(&slot, Arc::clone(&file));
    let _others = admit_others(&cache, &file);
    assert!(!is_open(&slot));
    slot.pin(opened);
    let _others = admit_others(&cache, &file);
    assert!(is_open(&slot));
    cache.unpin(&slot);
    let others = admit_others(&cache, &file);
    assert!(!is_open(&slot));
    assert_eq!(others.iter().filter(|other| is_open(other)).count(), 2);
}

#[test]
fn a_slot_that_was_pinned_for_two_reasons_stays_open_when_one_is_gone() {
    let (cache, file) = (DescriptorCache::new(2), file());
    let slot = cache.pinned(Arc::clone(&file));
    slot.pin(Arc::clone(&file));
    cache.unpin(&slot);
    let _others = admit_others(&cache, &file);
    assert!(is_open(&slot));
    cache.unpin(&slot);
    let _others = admit_others(&cache, &file);
    assert!(!is_open(&slot));
}
