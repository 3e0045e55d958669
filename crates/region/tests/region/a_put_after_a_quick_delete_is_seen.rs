//! What a client does one after the other counts in that order, also where the clock stands still meanwhile.

use crate::world::{World, family, increment, mutation, mutation_of, number, put, run, value};
use finback_cell::{CellType, LATEST_TIMESTAMP, Mutation, MutationKind};
use finback_fs::MemFileSystem;
use finback_region::Region;
use std::sync::Arc;

const COLUMN: (&str, &str, &str) = ("r", "f", "q");
const COUNTER: (&str, &str, &str) = ("r", "f", "counter");

fn write(region: &Region, mutation: Mutation) {
    run(region.mutate(&mutation)).unwrap();
}

fn delete(cell_type: CellType) -> Mutation {
    mutation(MutationKind::Delete, cell_type, COLUMN, LATEST_TIMESTAMP, b"")
}

#[test]
fn and_the_delete_after_it_hides_it() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("f", 1)]);
    let region = world.start().unwrap();
    let of_row = || mutation_of(MutationKind::Delete, b"r", []);
    let of_column = || delete(CellType::DeleteColumn);
    let of_family =
        || mutation(MutationKind::Delete, CellType::DeleteFamily, ("r", "f", ""), LATEST_TIMESTAMP, b"");
    let of_version = || delete(CellType::Delete);
    for delete in [&of_row as &dyn Fn() -> Mutation, &of_column, &of_family, &of_version] {
        for turn in 0..3u8 {
            write(&region, put(COLUMN, &[turn]));
            assert_eq!(value(&region, COLUMN), Some(vec![turn]));
            write(&region, delete());
            assert_eq!(value(&region, COLUMN), None);
        }
    }
}

#[test]
fn so_are_atomic_writes() {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("f", 1)]);
    let region = world.start().unwrap();
    let atomically = |mutations| run(region.mutate_atomically(Vec::new(), mutations)).unwrap();
    for turn in 0..3u8 {
        atomically(vec![put(COLUMN, &[turn])]);
        assert_eq!(value(&region, COLUMN), Some(vec![turn]));
        atomically(vec![increment(COUNTER, 1)]);
        assert_eq!(number(&region, COUNTER), 1);
        atomically(vec![mutation_of(MutationKind::Delete, b"r", [])]);
        assert_eq!((value(&region, COLUMN), value(&region, COUNTER)), (None, None));
    }
}

/// Updates of a counter within one millisecond get ahead of the clock.
#[test]
fn so_is_what_follows_a_counter_that_got_ahead_of_the_clock() {
    for versions in [1, 3] {
        let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("f", versions)]);
        let region = world.start().unwrap();
        let add = || drop(run(region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)])).unwrap());
        let delete = |cell_type| mutation(MutationKind::Delete, cell_type, COUNTER, LATEST_TIMESTAMP, b"");
        for turn in 1..4u8 {
            (0..200).for_each(|_| add());
            assert_eq!(number(&region, COUNTER), 200);
            write(&region, put(COUNTER, &7i64.to_be_bytes()));
            assert_eq!(number(&region, COUNTER), 7, "turn {turn}: the put is hidden");
            add();
            assert_eq!(number(&region, COUNTER), 8);
            match turn {
                1 => write(&region, mutation_of(MutationKind::Delete, b"r", [])),
                2 => write(&region, delete(CellType::DeleteColumn)),
                _ => drop(run(region.mutate_atomically(Vec::new(), vec![delete(CellType::DeleteColumn)]))),
            }
            assert_eq!(value(&region, COUNTER), None, "turn {turn}: the delete misses it");
        }
    }
}

#[test]
fn nothing_that_is_added_behind_a_deleted_version_is_lost() {
    for versions in [1, 3] {
        let mut world = World::new(Arc::new(MemFileSystem::new()), vec![family("f", versions)]);
        let region = world.start().unwrap();
        let add = || drop(run(region.mutate_atomically(Vec::new(), vec![increment(COUNTER, 1)])).unwrap());
        for updates in [3, 200] {
            (0..updates).for_each(|_| add());
            write(&region, mutation(MutationKind::Delete, CellType::Delete, COUNTER, LATEST_TIMESTAMP, b""));
            let left = number(&region, COUNTER);
            (0..5).for_each(|_| add());
            assert_eq!(number(&region, COUNTER), left + 5, "{versions} versions, {updates} updates");
        }
    }
}
