use super::*;
use finback_cell::CellType;
use finback_cell::cell::CellParts;
use finback_proto::Message;

fn cell(qualifier: &[u8], value: &[u8]) -> Vec<u8> {
    let type_code = CellType::Put.code();
    CellParts { row: b"r", family: b"f", qualifier, timestamp: 1, type_code, value, tags: b"" }.to_vec()
}

fn tally(interpreter: Interpreter, weights: Option<&'static [u8]>, rows: &[&[(&[u8], [u8; 8])]]) -> Tally {
    let mut tally = Tally::new(interpreter, weights.map(Bytes::from_static));
    for row in rows {
        let cells: Vec<Vec<u8>> = row.iter().map(|(qualifier, value)| cell(qualifier, value)).collect();
        let cells: Vec<Cell<'_>> = cells.iter().map(|bytes| Cell::parse(bytes).unwrap()).collect();
        tally.row(&cells);
    }
    tally
}

fn longs(answer: &pb::AggregateResponse) -> Vec<i64> {
    answer.first_part.iter().map(|part| pb::LongMsg::decode(part.clone()).unwrap().long_msg).collect()
}

fn doubles(answer: &pb::AggregateResponse) -> Vec<f64> {
    answer.first_part.iter().map(|part| pb::DoubleMsg::decode(part.clone()).unwrap().double_msg).collect()
}

fn second(answer: &pb::AggregateResponse) -> Option<u64> {
    answer.second_part.as_ref().map(|part| u64::from_be_bytes(part[..].try_into().unwrap()))
}

#[test]
fn integers_of_rows_with_several_columns() {
    let long = |number: i64| number.to_be_bytes();
    let rows: [&[(&[u8], [u8; 8])]; 2] = [&[(b"a", long(3)), (b"b", long(-5))], &[(b"a", long(10))]];
    let all = tally(Interpreter::Long, None, &rows);
    assert_eq!((longs(&all.max()), longs(&all.min()), longs(&all.sum())), (vec![10], vec![-5], vec![8]));
    assert_eq!((longs(&all.mean()), second(&all.mean())), (vec![8], Some(2)));
    // The squares of what each row comes to: -2 and 10.
    assert_eq!((longs(&all.deviation()), second(&all.deviation())), (vec![8, 104], Some(2)));
    assert_eq!(all.row_count().first_part, [Bytes::copy_from_slice(&2u64.to_be_bytes())]);
    assert_eq!(longs(&all.median()), [8, i64::MIN]);
    let weighted = tally(Interpreter::Long, Some(b"b"), &rows);
    assert_eq!(longs(&weighted.median()), [13, -5]);
    let overflown = tally(Interpreter::Long, None, &[&[(b"a", long(i64::MAX)), (b"b", long(1))]]);
    assert_eq!(longs(&overflown.sum()), [i64::MIN]);
}

#[test]
fn floating_point_numbers_and_what_is_none() {
    let double = |number: f64| number.to_be_bytes();
    let rows: [&[(&[u8], [u8; 8])]; 3] =
        [&[(b"a", double(0.5))], &[(b"a", double(-2.0))], &[(b"a", double(f64::INFINITY))]];
    let all = tally(Interpreter::Double, None, &rows);
    assert_eq!((doubles(&all.max()), doubles(&all.min())), (vec![f64::INFINITY], vec![-2.0]));
    assert_eq!(doubles(&all.deviation()), [f64::INFINITY, f64::INFINITY]);
    let none = tally(Interpreter::Double, None, &[&[(b"a", double(1.0)), (b"b", double(-f64::NAN))]]);
    assert!(doubles(&none.max())[0].is_nan() && doubles(&none.min()) == [1.0]);
}

#[test]
fn without_a_value_there_is_no_answer() {
    let mut nothing = Tally::new(Interpreter::Long, None);
    nothing.row(&[Cell::parse(&cell(b"a", b"seven")).unwrap()]);
    for answer in [nothing.max(), nothing.min(), nothing.sum(), nothing.mean(), nothing.deviation()] {
        assert_eq!(answer, pb::AggregateResponse::default());
    }
    assert_eq!(nothing.row_count().first_part, [Bytes::copy_from_slice(&1u64.to_be_bytes())]);
    assert_eq!(longs(&nothing.median()), [0, i64::MIN]);
}

#[test]
fn decimal_numbers_are_summed_in_cents() {
    let decimal = |unscaled: u8, scale: u8| vec![0, 0, 0, scale, unscaled];
    // 1.5, 0.255, -0.05 and what is no number.
    let values = [decimal(15, 1), [0, 0, 0, 3, 0, 255].to_vec(), decimal(0xfb, 2), b"none".to_vec()];
    let mut all = Tally::new(Interpreter::BigDecimal, None);
    for value in &values {
        let cell = cell(b"q", value);
        all.row(&[Cell::parse(&cell).unwrap()]);
    }
    let cents = |answer: &pb::AggregateResponse| -> Vec<Vec<u8>> {
        let message = |part: &Bytes| pb::BigDecimalMsg::decode(part.clone()).unwrap().bigdecimal_msg;
        answer.first_part.iter().map(|part| message(part).to_vec()).collect()
    };
    assert_eq!(cents(&all.max()), [[0, 0, 0, 2, 0, 150]]);
    assert_eq!(cents(&all.min()), [[0, 0, 0, 2, 0xfb]]);
    assert_eq!(cents(&all.sum()), [[0, 0, 0, 2, 0, 171]], "1.50 + 0.26 - 0.05");
    assert_eq!(cents(&all.deviation())[1], [0, 0, 0, 2, 0, 232], "2.25 + 0.07 + 0.00");
    assert_eq!(second(&all.mean()), Some(4));
}
