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
