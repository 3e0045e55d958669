//! Bloom filters of HBase's files, asked what HBase's reader was asked.

mod files;
mod golden;

use finback_hfile::{BloomProbe, BloomType};
use golden::unhex;

#[test]
fn every_recorded_answer() {
    let mut filters = 0;
    for name in golden::READABLE {
        let meta = golden::meta(name);
        let reader = golden::open(name).unwrap();
        let has_filter = reader.bloom_type().map_or("NONE", BloomType::name);
        assert_eq!(meta["bloomType"], has_filter, "{name}");
        for question in meta["bloom"].as_array().unwrap() {
            let (row, qualifier) = (unhex(&question["row"]), unhex(&question["qual"]));
            let column = BloomProbe::column(reader.clone(), None, &row, &qualifier);
            assert_eq!(files::ask(column), question["pass"].as_bool().unwrap(), "{name}: {question}");
            let deleted = BloomProbe::family_delete(reader.clone(), None, &row);
            assert_eq!(
                files::ask(deleted),
                question["deleteFamilyPass"].as_bool().unwrap(),
                "{name}: {question}"
            );
            filters += 1;
        }
    }
    assert!(filters > 3000, "{filters}");
}

#[test]
fn every_cell_may_be_there() {
    for name in golden::READABLE {
        let reader = golden::open(name).unwrap();
        for stored in golden::cells(&golden::meta(name)) {
            let cell = stored.cell();
            files::assert_may_be_there(&reader, &cell);
        }
    }
}

#[test]
fn an_empty_file_has_nothing_and_one_without_filters_may_have_all() {
    let empty = golden::open("empty").unwrap();
    assert!(!files::ask(BloomProbe::row(empty.clone(), None, b"r")));
    assert!(!files::ask(BloomProbe::row_prefix(empty.clone(), None, b"r")));
    assert!(!files::ask(BloomProbe::family_delete(empty, None, b"r")));
    let without = golden::open("metablocks").unwrap();
    assert!(files::ask(BloomProbe::row(without.clone(), None, b"no such row")));
    assert!(files::ask(BloomProbe::family_delete(without, None, b"no such row")));
}

#[test]
fn a_prefix_is_asked_for_only_if_it_is_long_enough() {
    let reader = golden::open("bloom-rowprefix-murmur").unwrap();
    let Some(BloomType::RowPrefix(length)) = reader.bloom_type() else { panic!("{:?}", reader.bloom_type()) };
    let length = length as usize;
    let absent = |prefix: &[u8]| !files::ask(BloomProbe::row_prefix(reader.clone(), None, prefix));
    assert!(absent(&vec![0xff; length]) && absent(&vec![0xff; length + 1]));
    assert!(!absent(&vec![0xff; length - 1]));
    let rows = golden::open("bloom-row-murmur").unwrap();
    assert!(files::ask(BloomProbe::row_prefix(rows, None, &[0xff; 9])), "rows say nothing of prefixes");
}
