use super::*;

fn entry(number: u64) -> Entry {
    let file = FileIdentity { id: FileId(number % 4), check: 0 };
    Entry { file, offset: number << 10, at: 0, length: 1 << 10 }
}

fn room(index: &Index) -> usize {
    index.shards.iter().map(|shard| shard.lock().capacity()).sum()
}

#[test]
fn memory_of_what_was_forgotten_is_given_back() {
    let index = Index::default();
    let fill = || (0..100_000).for_each(|number| index.insert(0, 1, entry(number)));
    fill();
    for number in 1_000..100_000 {
        index.remove(1, &entry(number));
    }
    index.shrink();
    assert!(room(&index) <= 4_000, "{}", room(&index));
    assert_eq!(index.len(), 1_000);
    fill();
    for file in 0..4 {
        assert_eq!(index.remove_file(FileId(file)), 25_000);
    }
    assert!(room(&index) <= 4_000, "{}", room(&index));
}

#[test]
fn what_is_known_already_is_newer_than_what_is_learnt() {
    let index = Index::default();
    let place = BlockRef { offset: entry(1).offset, size: entry(1).length };
    index.learn(7, 3, entry(1));
    index.learn(5, 2, entry(1));
    let location = index.find(entry(1).file, place).unwrap();
    assert_eq!((location.segment, location.generation), (7, 3));
}
