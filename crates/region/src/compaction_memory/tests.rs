use super::*;
use finback_hfile::{Block, BlockPriority, FileId};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

/// Half of it is for compactions.
const CACHE: u64 = 2 * 100;

/// Turns with what is left beside them.
#[derive(Default)]
struct Model {
    turns: Turns,
    /// What else is counted.
    others: u64,
}

impl Model {
    fn room(&self) -> u64 {
        CACHE.saturating_sub(self.others).saturating_sub(sum(&self.turns.under_way))
    }

    /// Begins whatever may begin; their tickets.
    fn settle(&mut self) -> Vec<u64> {
        let mut begun = Vec::new();
        while let Some(ticket) = (self.turns.waiting.iter().map(|turn| turn.ticket))
            .find(|ticket| self.turns.may_begin(*ticket, self.room()))
        {
            self.turns.begin(ticket);
            begun.push(ticket);
        }
        begun
    }

    fn come(&mut self, bytes: u64) -> (u64, Vec<u64>) {
        (self.turns.come(bytes), self.settle())
    }

    fn end(&mut self, ticket: u64) -> Vec<u64> {
        self.turns.end(ticket);
        self.settle()
    }
}

#[test]
fn those_that_fit_run_side_by_side_and_others_wait_their_turn() {
    let mut model = Model::default();
    let (first, begun) = model.come(60);
    assert_eq!(begun, [first]);
    let (second, begun) = model.come(40);
    assert_eq!(begun, [second]);
    let (third, begun) = model.come(1);
    assert!(begun.is_empty());
    assert_eq!(model.end(second), [third]);
    assert!(model.end(first).is_empty());
}

#[test]
fn one_may_always_run_whatever_it_needs_and_whatever_is_left() {
    let mut model = Model { others: CACHE, ..Model::default() };
    let (first, begun) = model.come(u64::MAX);
    assert_eq!(begun, [first]);
    let (second, begun) = model.come(1);
    assert!(begun.is_empty());
    assert_eq!(model.end(first), [second]);
}

#[test]
fn what_is_open_beside_the_cache_leaves_less() {
    let mut model = Model::default();
    let (first, _) = model.come(30);
    model.others = CACHE / 2;
    // Half of half is left for compactions, most of it taken.
    let (second, begun) = model.come(30);
    assert!(begun.is_empty());
    model.others = 0;
    assert_eq!(model.settle(), [second]);
    assert!(model.end(first).is_empty());
}

#[test]
fn a_small_one_passes_a_large_one_only_if_both_fit() {
    let mut model = Model::default();
    let (first, _) = model.come(60);
    let (large, begun) = model.come(80);
    assert!(begun.is_empty());
    let (passes, begun) = model.come(20);
    assert_eq!(begun, [passes]);
    // It would fit now, but not beside the large one and the other small one.
    let (waits, begun) = model.come(5);
    assert!(begun.is_empty());
    assert_eq!(model.end(first), [large]);
    assert_eq!(model.end(large), [waits]);
}

#[test]
fn a_stream_of_small_ones_does_not_keep_a_large_one_from_running() {
    let mut model = Model::default();
    let (small, _) = model.come(30);
    let (large, _) = model.come(100);
    let mut under_way = VecDeque::from([small]);
    for _ in 0..10 {
        let (_, begun) = model.come(30);
        under_way.extend(begun);
    }
    let begun = under_way.pop_front().map(|ticket| model.end(ticket)).unwrap();
    assert_eq!((begun, under_way.len()), (vec![large], 0));
}

#[test]
fn one_that_gives_up_leaves_its_place() {
    let mut model = Model::default();
    let (_, _) = model.come(60);
    let (large, _) = model.come(100);
    let (small, begun) = model.come(40);
    assert!(begun.is_empty());
    model.turns.leave(large);
    assert_eq!(model.settle(), [small]);
}

/// Keeps account of what is counted outside.
#[derive(Default)]
struct Account(AtomicI64);

impl BlockCache for Account {
    fn get(&self, _: FileId, _: u64, _: BlockPriority) -> Option<Arc<Block>> {
        None
    }

    fn insert(&self, _: FileId, _: &Arc<Block>, _: BlockPriority) {}

    fn evict_file(&self, _: FileId) -> usize {
        0
    }

    fn room_outside(&self) -> u64 {
        CACHE.saturating_add_signed(-self.0.load(Ordering::SeqCst))
    }

    fn outside_changed(&self, bytes: isize) {
        self.0.fetch_add(bytes as i64, Ordering::SeqCst);
    }
}

#[test]
fn a_turn_counts_in_the_cache_what_was_estimated_or_more() {
    let (memory, account) = (CompactionMemory::default(), Arc::new(Account::default()));
    let cache: Arc<dyn BlockCache> = account.clone();
    let counted = || account.0.load(Ordering::SeqCst);
    let mut turn = memory.wait(&cache, 70, || false).unwrap();
    assert_eq!(counted(), 70);
    turn.holds(10);
    assert_eq!(counted(), 70);
    turn.holds(90);
    assert_eq!(counted(), 90);
    drop(turn);
    assert_eq!(counted(), 0);
    // An estimate made of a lie stays a number.
    drop(memory.wait(&cache, u64::MAX, || false).unwrap());
    assert_eq!(counted(), 0);
}

#[test]
fn who_waits_is_woken_or_gives_up() {
    let (memory, account) = (CompactionMemory::default(), Arc::new(Account::default()));
    let cache: Arc<dyn BlockCache> = account.clone();
    let first = memory.wait(&cache, 80, || false).unwrap();
    assert!(memory.wait(&cache, 80, || true).is_none());
    let has_begun = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            let turn = memory.wait(&cache, 80, || false);
            has_begun.store(true, Ordering::SeqCst);
            turn.is_some()
        });
        while memory.turns.lock().waiting.is_empty() {
            std::thread::yield_now();
        }
        assert!(!has_begun.load(Ordering::SeqCst));
        drop(first);
        assert!(second.join().unwrap());
    });
    assert_eq!(account.0.load(Ordering::SeqCst), 0);
}
