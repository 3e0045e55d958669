use super::*;

fn append(names: &(Arc<[u8]>, Arc<[u8]>), sequence_id: u64, cells: Vec<u8>) -> WalAppend {
    WalAppend {
        region: names.0.clone(),
        table: names.1.clone(),
        sequence_id,
        write_time_ms: 7,
        nonce_group: 1,
        nonce: 2,
        cells: cells.into(),
        cell_count: 1,
        durability: Durability::AsyncWal,
        after: None,
    }
}

#[test]
fn entries_come_out_as_they_went_in_and_their_room_with_them() {
    let room = Semaphore::new(0);
    let of = |name: &[u8]| (Arc::from(name), Arc::from(&b"t"[..]));
    let (a, b) = (of(b"a"), of(b"b"));
    let sizes = [(&a, 3), (&a, COPIED_CELLS_BYTES), (&b, 0), (&a, COPIED_CELLS_BYTES + 1), (&a, 1)];
    let mut queued = QueuedEntries::default();
    for turn in 1..=2 {
        for (number, (names, size)) in sizes.into_iter().enumerate() {
            let entry = append(names, number as u64, vec![number as u8; size]);
            queued.push((&entry).into(), size + 1);
        }
        assert_eq!(queued.len(), sizes.len());
        let found: Vec<_> = queued
            .iter()
            .map(|entry| (entry.region.clone(), entry.key.sequence_id, entry.cells.bytes().to_vec()))
            .collect();
        let expected: Vec<_> = (sizes.iter().enumerate())
            .map(|(number, (names, size))| (names.0.clone(), number as u64, vec![number as u8; *size]))
            .collect();
        assert_eq!(found, expected);
        queued.clear(&room);
        assert!(queued.is_empty() && queued.iter().next().is_none());
        let permits: usize = sizes.iter().map(|(_, size)| size + 1).sum();
        assert_eq!(room.available_permits(), turn * permits);
    }
}

#[test]
fn what_a_writer_allocated_is_not_kept_but_for_large_cells() {
    let names = (Arc::from(&b"a"[..]), Arc::from(&b"t"[..]));
    let mut queued = QueuedEntries::default();
    for (size, is_kept) in [(COPIED_CELLS_BYTES, false), (COPIED_CELLS_BYTES + 1, true)] {
        let entry = append(&names, 1, vec![0; size]);
        queued.push((&entry).into(), 0);
        assert_eq!(!entry.cells.is_unique(), is_kept);
    }
    assert_eq!(Arc::strong_count(&names.0), 2, "one for the test, one for the run of entries");
}
