use super::*;

#[test]
fn a_range_has_the_first_row_at_or_after_the_one_sought() {
    let sets: [&[&[u8]]; 7] = [
        &[b"a"],
        &[b"", b"\0", b"\0\0", b"\0\0\0\0", b"\0\0\0\0\0"],
        &[b"row", b"row", b"row"],
        &[b"row1", b"row10", b"row10000", b"row10001", b"row2"],
        &[b"k\0", b"k\0\xff", b"k\x01", b"k\xff\xff\xff\xff", b"k\xff\xff\xff\xff\xff"],
        &[b"user0001", b"user0001", b"user0002", b"user0002", b"user0009"],
        &[b"\x00", b"\x7f", b"\x80", b"\xff"],
    ];
    let sought: Vec<&[u8]> = sets.iter().flat_map(|rows| rows.iter().copied()).chain([&b"zzz"[..]]).collect();
    for rows in sets {
        let hints = RowHints::of(rows.iter().copied());
        for &row in &sought {
            let expected = rows.partition_point(|&other| other < row);
            for near in 0..rows.len() {
                let Some(range) = hints.range(row, |_| Some(rows[near])) else {
                    assert!(!row.starts_with(&rows[0][..hints.common]));
                    continue;
                };
                let found = range.start + rows[range.clone()].partition_point(|&other| other < row);
                assert_eq!(found, expected, "{row:?} in {rows:?}: {range:?}");
            }
        }
    }
}

#[test]
fn no_rows_have_no_hints() {
    let hints = RowHints::of(std::iter::empty());
    assert_eq!((hints.range(b"a", |_| Some(b"")), hints.memory_bytes()), (None, 0));
}
