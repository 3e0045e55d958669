use std::collections::HashMap;

use finback_hfile::FileId;

use super::*;
use crate::test_blocks::{blocks, reader};

fn key(file: u64) -> BlockKey {
    BlockKey { file: FileId(file), offset: 0 }
}

fn bucket(capacity_bytes: u64) -> Bucket {
    Bucket::new(capacity_bytes, &Arc::default())
}

#[test]
fn a_look_up_does_not_wait_for_who_decides_what_goes() {
    let block = blocks(&reader(1)).swap_remove(0);
    let bucket = bucket(1 << 20);
    bucket.insert(key(1), block);
    let deciding: Vec<_> = bucket.parts.iter().map(|part| part.queues.lock()).collect();
    let (found, answer) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| found.send([1, 2].map(|file| bucket.get(&key(file)).is_some())));
        let found = answer.recv_timeout(std::time::Duration::from_secs(60));
        drop(deciding);
        assert_eq!(found, Ok([true, false]));
    });
}

#[test]
fn what_it_holds_and_says_is_what_came_and_did_not_go() {
    let blocks = blocks(&reader(1));
    let each = weight(&blocks[0]);
    let bucket = bucket(20 * each);
    let mut model = HashMap::new();
    let mut random = 1u64;
    for _ in 0..20_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (what, which) = (random >> 60, random >> 33 & 63);
        match what {
            0 => assert_eq!(bucket.remove(&key(which)), model.remove(&which).is_some()),
            1 => bucket.set_capacity(which * each / 2),
            2..6 => assert_eq!(bucket.get(&key(which)).is_some(), model.contains_key(&which)),
            _ => {
                let block = &blocks[which as usize];
                model.insert(which, weight(block));
                for gone in bucket.insert(key(which), Arc::clone(block)) {
                    assert!(model.remove(&gone.key.file.0).is_some());
                }
            }
        }
        if what == 1 {
            model.retain(|&which, _| bucket.table.look(&key(which), |_| ()).is_some());
        }
        assert_eq!((bucket.len(), bucket.bytes()), (model.len() as u64, model.values().sum()));
        if what == 1 {
            assert!(bucket.bytes() <= which * each / 2);
        }
    }
}

#[test]
fn what_left_with_its_file_or_was_put_in_twice_leaves_no_places() {
    let block = blocks(&reader(1)).swap_remove(0);
    let bucket = bucket(1 << 20);
    bucket.insert(key(0), Arc::clone(&block));
    for file in 1..10_000 {
        bucket.insert(key(file), Arc::clone(&block));
        bucket.insert(key(0), Arc::clone(&block));
        assert!(bucket.remove(&key(file)));
    }
    assert_eq!(bucket.len(), 1);
    let places: usize = bucket.parts.iter().map(|part| part.queues.lock().places()).sum();
    assert!(places < 200, "{places}");
}

#[test]
fn keys_are_remembered_of_no_more_blocks_than_there_are() {
    let block = blocks(&reader(1)).swap_remove(0);
    let bucket = bucket(10 * weight(&block));
    for file in 0..10_000 {
        bucket.insert(key(file % 500), Arc::clone(&block));
    }
    let remembered: usize = bucket.parts.iter().map(|part| part.queues.lock().remembered()).sum();
    assert!(remembered <= 15, "{remembered}");
}

#[test]
fn a_block_that_is_put_in_again_keeps_its_uses() {
    let block = blocks(&reader(1)).swap_remove(0);
    let bucket = bucket(10 * weight(&block));
    let insert = |file| drop(bucket.insert(key(file), Arc::clone(&block)));
    insert(0);
    for other in 1..1000 {
        assert!(bucket.get(&key(0)).is_some(), "{other}");
        insert(other);
        // Another reader that did not find it either.
        insert(0);
    }
}
