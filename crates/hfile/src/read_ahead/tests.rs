use super::*;

const BLOCK: u32 = 64 << 10;
const SIZE: u64 = 10 << 20;

fn block(number: u64) -> BlockRef {
    BlockRef { offset: number * u64::from(BLOCK), size: BLOCK }
}

/// One that went through the blocks of these numbers.
fn after(numbers: &[u64]) -> ReadAhead {
    let mut ahead = ReadAhead::default();
    numbers.windows(2).for_each(|pair| ahead.moved(block(pair[0]), block(pair[1])));
    ahead
}

#[test]
fn the_third_block_in_a_row_reads_ahead() {
    assert_eq!(after(&[0, 1]).after(block(2), SIZE), 0..0);
    let far = 4 * u64::from(BLOCK);
    assert_eq!(after(&[0, 1, 2]).after(block(3), SIZE), far..far + READ_AHEAD_BYTES);
    // Cells of one block, and index blocks between two.
    assert!(!after(&[0, 0, 1, 1, 4]).after(block(5), SIZE).is_empty());
    // A scan that skips, or goes back.
    assert!(after(&[0, 1, 2, 40]).after(block(41), SIZE).is_empty());
    assert!(after(&[9, 8, 7, 6]).after(block(5), SIZE).is_empty());
}

#[test]
fn what_was_asked_for_is_not_asked_for_again() {
    let ahead = after(&[0, 1, 2]);
    let mut until = ahead.after(block(3), SIZE).end;
    for number in 4..(SIZE / u64::from(BLOCK)) {
        let more = ahead.after(block(number), SIZE);
        assert!(more.is_empty() || more.start == until && more.end <= SIZE, "{more:?}");
        until = until.max(more.end);
    }
    assert_eq!(until, SIZE);
}

#[test]
fn places_that_a_lying_index_gives_are_not_read_ahead() {
    let ahead = after(&[0, 1, 2]);
    let lie = BlockRef { offset: u64::MAX, size: u32::MAX };
    assert!(ahead.after(lie, SIZE).is_empty());
    // What was asked for at the end does not keep a reader from asking at the beginning.
    assert!(!ahead.after(block(3), SIZE).is_empty());
}
