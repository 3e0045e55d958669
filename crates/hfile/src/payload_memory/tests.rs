use super::*;

fn taken(bytes: &[u8]) -> *const u8 {
    bytes.as_ptr()
}

#[test]
fn the_memory_of_the_last_one_is_taken_by_the_next_that_is_about_as_long() {
    let first = PayloadMemory::from(vec![7; 4200]);
    let at = taken(&first);
    drop(first);
    let longer = PayloadMemory::of_length(4201);
    let much_shorter = PayloadMemory::of_length(3000);
    assert!(taken(&longer) != at && taken(&much_shorter) != at);
    assert!(longer.iter().chain(&*much_shorter).all(|&byte| byte == 0));
    let next = PayloadMemory::of_length(4100);
    assert!(taken(&next) == at && next.len() == 4100 && next.memory_bytes() == 4200);
    // There was one, and it is taken.
    assert!(taken(&PayloadMemory::of_length(4100)) != at);
}

#[test]
fn what_was_cut_off_is_there_again() {
    let mut first = PayloadMemory::from(vec![7; 4200]);
    first.truncate(10);
    let at = taken(&first);
    drop(first);
    let next = PayloadMemory::of_length(4000);
    assert!(taken(&next) == at && next.len() == 4000 && next[10..].iter().all(|&byte| byte == 0));
}

#[test]
fn nothing_much_is_kept() {
    let large = PayloadMemory::from(vec![7; MOST_SPARE + 1]);
    drop(large);
    assert!(PayloadMemory::of_length(MOST_SPARE + 1).iter().all(|&byte| byte == 0));
    drop(PayloadMemory::from(vec![7; MOST_SPARE]));
    drop(PayloadMemory::from(Vec::new()));
    let kept = SPARE.take();
    assert!(kept.capacity() == MOST_SPARE, "that of none takes nothing away");
}

#[test]
fn a_copy_has_memory_of_its_own() {
    let first = PayloadMemory::from(vec![7; 50]);
    let copy = first.clone();
    assert!(*copy == *first && taken(&copy) != taken(&first));
}
