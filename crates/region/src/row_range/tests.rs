use super::*;

#[test]
fn nothing_lies_between_a_row_and_its_successor() {
    let rows: [&[u8]; 12] =
        [b"t", b"t,", b"t,,", b"t,,\0", b"t,,1", b"t,a", b"t,a,", b"t,a,1", b"t,a\0", b"t\0", b"t\0,", b"u"];
    for order in [CellOrder::User, CellOrder::Meta] {
        for row in rows {
            let next = successor(order, row);
            assert!(order.compare_rows(row, &next).is_lt());
            for other in rows {
                let between =
                    order.compare_rows(row, other).is_lt() && order.compare_rows(other, &next).is_lt();
                assert!(
                    !between,
                    "{} between {} and {}",
                    other.escape_ascii(),
                    row.escape_ascii(),
                    next.escape_ascii()
                );
            }
        }
    }
}
