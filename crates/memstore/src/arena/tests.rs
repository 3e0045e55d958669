//! Small enough for Miri.

use super::{Arena, FIRST_CHUNK_BYTES, MAX_CHUNK_BYTES, MAX_SHARED_BYTES};
use std::thread;

const PIECES: usize = if cfg!(miri) { 100 } else { 20_000 };

#[test]
fn an_arena_takes_nothing_before_it_is_asked_and_counts_what_it_takes() {
    let arena = Arena::new(0);
    assert!(arena.chunks().is_empty());
    let sizes = [8, FIRST_CHUNK_BYTES, MAX_SHARED_BYTES, MAX_SHARED_BYTES + 1, MAX_CHUNK_BYTES + 1, 1];
    let grown: usize = sizes.iter().map(|&size| arena.allocate(size).grown).sum();
    let chunks = arena.chunks();
    let held: usize = chunks.iter().map(|chunk| chunk.heap_bytes()).sum();
    assert!(grown >= held && grown <= held + 100, "{grown} of {held}");
    assert!(held >= sizes.iter().sum());
}

#[test]
fn chunks_grow_and_begin_as_large_as_was_expected() {
    for (expected, first) in [(0, FIRST_CHUNK_BYTES), (100_000, 25_000), (usize::MAX / 4, MAX_CHUNK_BYTES)] {
        let arena = Arena::new(expected);
        arena.allocate(1);
        assert_eq!(arena.chunks()[0].memory.size(), first);
    }
    let arena = Arena::new(0);
    for _ in 0..3 * MAX_CHUNK_BYTES / MAX_SHARED_BYTES {
        arena.allocate(MAX_SHARED_BYTES);
    }
    assert!(arena.chunks().iter().all(|chunk| chunk.memory.size() <= MAX_CHUNK_BYTES));
    assert!(arena.chunks().len() < 40);
}

#[test]
fn pieces_of_several_threads_do_not_overlap() {
    let arena = Arena::new(0);
    let take = |byte: u8| {
        let pieces = (0..PIECES).map(|number| {
            let size = 1 + (number * 7) % 61;
            let place = arena.allocate(size).place;
            // SAFETY: a fresh piece of that size.
            unsafe { place.as_ptr().write_bytes(byte, size) };
            (place.as_ptr() as usize, size)
        });
        pieces.collect::<Vec<_>>()
    };
    let mut pieces = thread::scope(|scope| {
        let other = scope.spawn(|| take(2));
        let mut pieces = take(1);
        pieces.extend(other.join().unwrap());
        pieces
    });
    pieces.sort_unstable();
    assert!(pieces.windows(2).all(|pair| pair[0].0 + pair[0].1 <= pair[1].0));
}
