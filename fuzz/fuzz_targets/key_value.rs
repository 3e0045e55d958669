//! A KeyValue, and a block of them, from anyone's bytes: refused, or every part of it can be read and written again.

#![no_main]

use finback_cell::cell::{CellParts, check_key};
use finback_cell::key::Key;
use finback_cell::tag::tags;
use finback_cell::{Bytes, Cell, CellBlock, CellBlockBuilder, CellOrder};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(cell) = Cell::parse(data) {
        check_cell(cell);
    }
    if let Ok(block) = CellBlock::parse(Bytes::copy_from_slice(data)) {
        let mut copy = CellBlockBuilder::with_capacity(0);
        for cell in &block {
            check_cell(cell);
            copy.push(&cell);
        }
        assert_eq!(copy.finish(), block);
        for (left, right) in block.iter().zip(block.iter().skip(1)) {
            check_order(left, right);
        }
    }
    let _ = check_key(data);
});

fn check_cell(cell: Cell<'_>) {
    let parts = CellParts::from(cell);
    let mut written = Vec::new();
    parts.write(&mut written);
    let again = Cell::parse(&written).expect("what was read can be written");
    assert_eq!(CellParts::from(again).to_vec(), written);
    assert_eq!(
        (again.row(), again.family(), again.qualifier()),
        (cell.row(), cell.family(), cell.qualifier())
    );
    assert_eq!((again.timestamp(), again.type_code()), (cell.timestamp(), cell.type_code()));
    assert_eq!((again.value(), again.tags()), (cell.value(), cell.tags()));
    check_key(cell.key()).expect("the key of a cell is a key");
    assert_eq!(Key::from_checked(cell.key()).to_vec(), Key::of(&cell).to_vec());
    assert!(tags(cell.tags()).count() <= cell.tags().len());
}

fn check_order(left: Cell<'_>, right: Cell<'_>) {
    for order in [CellOrder::User, CellOrder::Meta] {
        let compared = order.compare(&left, &right);
        assert_eq!(compared, order.compare(&right, &left).reverse());
        assert_eq!(compared, order.compare_flat_keys(left.key(), right.key()));
    }
}
