use super::*;
use crate::cells::{Storage, values::Shape};

fn outcome(form: Form, disk: [f64; 3]) -> Outcome {
    let shape = Shape { columns: 64, values: Values::Both, form };
    let rounds = disk.map(|disk| Measured {
        puts: 1000.0,
        put_cpu: 10.0,
        gets: 2000.0,
        get_cpu: 5.0,
        get_time: 50.0,
        disk,
    });
    let case = Case { shape, storage: Storage::parse("DIFF:128").unwrap() };
    Outcome { product: Product::Finback, case, rounds: rounds.to_vec() }
}

#[test]
fn ratios_are_taken_round_by_round() {
    let outcomes = [outcome(Form::Packed, [100.0, 10.0, 1.0]), outcome(Form::Separate, [120.0, 13.0, 9.0])];
    let tables = measured(&outcomes, &Load { rows: 10, gets: 20 }, 3);
    assert!(
        tables.contains("| 64 doubles and booleans | DIFF, 128 KiB | 1.30 | 1.00 | 1.00 | 1.00 |"),
        "{tables}"
    );
    assert!(
        tables.contains("| packed | DIFF, 128 KiB | Finback | 10.0 | 1000 | 10.0 | 2000 | 5.0 | 50 |"),
        "{tables}"
    );
    let svg = picture(&outcomes, &FIGURES[0]).unwrap();
    assert!(
        svg.contains("64 doubles and booleans, DIFF, 128 KiB") && svg.contains("goal for 64 columns"),
        "{svg}"
    );
}

#[test]
fn what_is_written_by_hand_stays() {
    let page = format!("before\n{BEGIN}old\n{END}after\n");
    let replaced = replaced(&page, "new").unwrap();
    assert_eq!(replaced, format!("before\n{BEGIN}\nnew\n{END}after\n"));
    assert_eq!(super::replaced("without a place", "new"), None);
}
