use super::*;

const MIB: usize = 1 << 20;

#[test]
fn one_row_with_most_of_the_bytes_is_found_among_others() {
    let large = LargeRow::default();
    for number in 0..30 {
        large.wrote(7, 2 * MIB);
        large.wrote(number, MIB);
    }
    assert!(large.is_there());
}

#[test]
fn many_rows_are_no_large_one_however_much_is_written() {
    let large = LargeRow::default();
    for number in 0..10_000 {
        large.wrote(number % 100, MIB);
        assert!(!large.is_there());
    }
}

#[test]
fn a_row_below_the_bound_is_not_large() {
    let large = LargeRow::default();
    large.wrote(1, AHEAD_BYTES as usize - 1);
    assert!(!large.is_there());
    large.wrote(1, 1);
    assert!(large.is_there());
}

#[test]
fn a_large_row_is_forgotten_after_a_while_of_others_however_large_it_was() {
    let large = LargeRow::default();
    (0..1000).for_each(|_| large.wrote(1, MIB));
    let others = (2..).take_while(|&row| {
        large.wrote(row, MIB);
        large.is_there()
    });
    assert!(others.count() <= 8);
}

#[test]
fn one_cell_may_be_a_large_row() {
    let large = LargeRow::default();
    large.wrote(1, 3);
    large.wrote(2, usize::MAX);
    assert!(large.is_there());
    large.wrote(3, usize::MAX);
    assert!(large.is_there());
}

#[test]
fn a_large_row_does_not_fill_what_is_full_of_others() {
    let large = LargeRow::default();
    large.wrote(1, 9 * MIB);
    assert!(large.is_there());
    assert!(large.fills(10 * MIB as u64));
    assert!(!large.fills(100 * MIB as u64));
}
