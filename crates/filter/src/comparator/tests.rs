use super::CompareOperator::{self, *};
use crate::comparators::BinaryComparator;
use crate::{Comparator, testing};

#[test]
fn filters_read_value_operator_given() {
    let given = BinaryComparator::new("m".into());
    let table: [(CompareOperator, [bool; 3]); 7] = [
        (Less, [true, false, false]),
        (LessOrEqual, [true, true, false]),
        (Equal, [false, true, false]),
        (NotEqual, [true, false, true]),
        (GreaterOrEqual, [false, true, true]),
        (Greater, [false, false, true]),
        (NoOp, [false, false, false]),
    ];
    for (code, (operator, expected)) in table.into_iter().enumerate() {
        assert_eq!(CompareOperator::from_wire(code as i32), Some(operator));
        let passes =
            ["a", "m", "z"].map(|value| operator.passes(given.compare_to(value.as_bytes()).unwrap()));
        assert_eq!(passes, expected, "{operator:?}");
        let kept = ["a", "m", "z"].map(|row| {
            let mut filter = crate::filters::RowFilter::new(testing::binary(operator, "m"));
            !testing::scan_rows(&mut filter, &[row], false).is_empty()
        });
        assert_eq!(kept, expected, "{operator:?}");
    }
    assert_eq!(CompareOperator::from_wire(7), None);
}
