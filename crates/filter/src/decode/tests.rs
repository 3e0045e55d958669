use super::*;
use crate::testing::{PACKAGE, scan};
use finback_proto::Message;

/// Random filters, serialized by HBase 2.5.11, with what its own filters made of random cells. Lines are
/// `cells CELL...`, and then `scan CLASS MESSAGE DIRECTION RESULT...` over those cells; values of results are in hex.
const GOLDEN: &str = include_str!("../../../../fixtures/hbase-2.5.11/filter-scans.txt");

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn scans_return_what_hbase_returned() {
    let (mut cells, mut scans, mut wrong) = (Vec::new(), 0, Vec::new());
    for line in GOLDEN.lines() {
        let mut words = line.split(' ');
        if words.next() == Some("cells") {
            cells = words.collect();
            continue;
        }
        let (class, message) = (words.next().unwrap(), words.next().unwrap().trim_matches('-'));
        let reversed = words.next() == Some("reversed");
        let expected: Vec<String> = words
            .map(|word| {
                let (key, value) = word.split_once('=').unwrap();
                format!("{key}={}", unhex(value).escape_ascii())
            })
            .collect();
        let mut filter = decode(&format!("{PACKAGE}{class}"), &unhex(message)).unwrap();
        let returned = scan(filter.as_mut(), &cells, reversed);
        scans += 1;
        if returned != expected {
            wrong.push(format!("{class} {message} {reversed}\n   is {returned:?}\n  not {expected:?}\n"));
        }
    }
    assert!(scans > 1000, "{scans} scans");
    assert!(
        wrong.is_empty(),
        "{} of {scans} scans differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(6)].concat()
    );
}

const CLASSES: [&str; 27] = [
    "ColumnCountGetFilter",
    "ColumnPaginationFilter",
    "ColumnPrefixFilter",
    "ColumnRangeFilter",
    "ColumnValueFilter",
    "DependentColumnFilter",
    "FamilyFilter",
    "FilterAllFilter",
    "FilterList",
    "FilterWrapper",
    "FirstKeyOnlyFilter",
    "FirstKeyValueMatchingQualifiersFilter",
    "FuzzyRowFilter",
    "InclusiveStopFilter",
    "KeyOnlyFilter",
    "MultipleColumnPrefixFilter",
    "MultiRowRangeFilter",
    "PageFilter",
    "PrefixFilter",
    "QualifierFilter",
    "RandomRowFilter",
    "RowFilter",
    "SingleColumnValueExcludeFilter",
    "SingleColumnValueFilter",
    "SkipFilter",
    "TimestampsFilter",
    "ValueFilter",
];
const COMPARATORS: [&str; 9] = [
    "BigDecimalComparator",
    "BinaryComparator",
    "BinaryComponentComparator",
    "BinaryPrefixComparator",
    "BitComparator",
    "LongComparator",
    "NullComparator",
    "RegexStringComparator",
    "SubstringComparator",
];

#[test]
fn malformed_bytes_of_every_class_are_refused() {
    for name in CLASSES.iter().chain(&["WhileMatchFilter"]) {
        for bytes in [&b"\x0a"[..], b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", b"\x07", b"\x00\x00"] {
            assert!(decode(&format!("{PACKAGE}{name}"), bytes).is_err(), "{name} of {bytes:02x?}");
        }
    }
    for name in COMPARATORS {
        for bytes in [&b"\x0a"[..], b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", b"\x07"] {
            assert!(decode_comparator(&format!("{PACKAGE}{name}"), bytes).is_err(), "{name} of {bytes:02x?}");
        }
    }
}

#[test]
fn required_fields_are_required() {
    let lenient = [
        "ColumnRangeFilter",
        "FilterAllFilter",
        "FirstKeyOnlyFilter",
        "FirstKeyValueMatchingQualifiersFilter",
        "MultipleColumnPrefixFilter",
        "PrefixFilter",
        "TimestampsFilter",
    ];
    for name in CLASSES {
        assert_eq!(decode(&format!("{PACKAGE}{name}"), b"").is_ok(), lenient.contains(&name), "{name}");
    }
    for name in COMPARATORS {
        let decoded = decode_comparator(&format!("{PACKAGE}{name}"), b"");
        assert_eq!(decoded.is_ok(), name == "NullComparator", "{name}");
    }
    // A CompareFilter whose comparator lacks its name, two levels down.
    let error = decode(&format!("{PACKAGE}RowFilter"), b"\x0a\x04\x08\x02\x12\x00").err().unwrap();
    assert_eq!(error, FilterError::Missing { message: "Comparator", field: "name" });
}

#[test]
fn unknown_classes_are_named() {
    for name in ["x.MyFilter", "PageFilter", "org.apache.hadoop.hbase.filter.", ""] {
        let error = decode(name, b"").err().unwrap();
        assert_eq!(error, FilterError::UnknownFilter(name.into()));
        assert_eq!(error.exception_class(), "org.apache.hadoop.hbase.DoNotRetryIOException");
        assert_eq!(decode_comparator(name, b"").err().unwrap(), FilterError::UnknownComparator(name.into()));
    }
}

fn nested(class: &str, depth: usize) -> Vec<u8> {
    let page = pb::PageFilter { page_size: 1 }.encode_to_vec();
    let mut filter =
        pb::Filter { name: format!("{PACKAGE}PageFilter"), serialized_filter: Some(page.into()) };
    for _ in 0..depth {
        let bytes = pb::SkipFilter { filter }.encode_to_vec();
        filter = pb::Filter { name: format!("{PACKAGE}{class}"), serialized_filter: Some(bytes.into()) };
    }
    filter.serialized_filter.unwrap().to_vec()
}

#[test]
fn deep_nesting_is_refused_and_less_is_not() {
    for class in ["SkipFilter", "WhileMatchFilter", "FilterWrapper"] {
        let name = format!("{PACKAGE}{class}");
        assert!(decode(&name, &nested(class, MAX_NESTING_DEPTH - 1)).is_ok());
        for depth in [MAX_NESTING_DEPTH, 5_000] {
            let error = decode(&name, &nested(class, depth)).err().unwrap();
            assert_eq!(error, FilterError::TooDeep { limit: MAX_NESTING_DEPTH });
        }
    }
}

#[test]
fn a_tree_has_so_many_filters_and_regular_expressions() {
    let name = format!("{PACKAGE}FirstKeyOnlyFilter");
    let filters = vec![pb::Filter { name, serialized_filter: None }; MAX_FILTERS];
    let list = pb::FilterList { operator: 1, filters }.encode_to_vec();
    let error = decode(&format!("{PACKAGE}FilterList"), &list).err().unwrap();
    assert_eq!(error, FilterError::TooMany { what: "filters", limit: MAX_FILTERS });

    let regexes = |pattern: &str, count: usize| {
        let filter = value_matching(pattern);
        let list = pb::FilterList { operator: 1, filters: vec![filter; count] }.encode_to_vec();
        decode(&format!("{PACKAGE}FilterList"), &list).err()
    };
    let too_many = FilterError::TooMany { what: "regular expressions", limit: MAX_REGEXES };
    assert_eq!(regexes("a", MAX_REGEXES + 1), Some(too_many));
    for pattern in ["(a{1000}){40}$", "(?!x)[ab]{9000}$"] {
        let too_large =
            FilterError::TooMany { what: "bytes of compiled regular expressions", limit: MAX_REGEX_BYTES };
        assert_eq!(regexes(pattern, 1), None);
        assert_eq!(regexes(pattern, MAX_REGEXES), Some(too_large));
    }
}

/// A filter of values in which `pattern` is found.
fn value_matching(pattern: &str) -> pb::Filter {
    let regex =
        pb::RegexStringComparator { pattern: pattern.into(), charset: "UTF-8".into(), ..Default::default() };
    let comparator = pb::Comparator {
        name: format!("{PACKAGE}RegexStringComparator"),
        serialized_comparator: Some(regex.encode_to_vec().into()),
    };
    let compare_filter = pb::CompareFilter { compare_op: 2, comparator: Some(comparator) };
    let value = pb::ValueFilter { compare_filter }.encode_to_vec();
    pb::Filter { name: format!("{PACKAGE}ValueFilter"), serialized_filter: Some(value.into()) }
}

#[test]
fn negative_numbers_are_refused() {
    let refused = |name: &str, bytes: Vec<u8>| decode(&format!("{PACKAGE}{name}"), &bytes).is_err();
    assert!(refused("PageFilter", pb::PageFilter { page_size: -1 }.encode_to_vec()));
    assert!(refused("ColumnCountGetFilter", pb::ColumnCountGetFilter { limit: -1 }.encode_to_vec()));
    let page =
        |limit, offset| pb::ColumnPaginationFilter { limit, offset: Some(offset), column_offset: None };
    assert!(refused("ColumnPaginationFilter", page(-1, 0).encode_to_vec()));
    assert!(refused("ColumnPaginationFilter", page(0, -1).encode_to_vec()));
    let timestamps = pb::TimestampsFilter { timestamps: vec![1, -1], can_hint: None };
    assert!(refused("TimestampsFilter", timestamps.encode_to_vec()));
}

#[test]
fn what_is_compiled_and_learned_counts_as_memory_of_the_tree() {
    let list = |pattern: &str, operator| {
        let list = pb::FilterList { operator, filters: vec![value_matching(pattern); 8] }.encode_to_vec();
        decode(&format!("{PACKAGE}FilterList"), &list).unwrap()
    };
    for operator in [1, 2] {
        for (pattern, least) in [("(a{1000}){20}$", 4 << 20), ("(?!x)[ab]{5000}$", 2 << 20)] {
            let bytes = list(pattern, operator).memory_bytes();
            assert!((least..MAX_REGEX_BYTES).contains(&bytes), "{pattern}: {bytes}");
        }
        let mut filter = list("[a-y]{2,10}z", operator);
        let before = filter.memory_bytes();
        scan(filter.as_mut(), &["r/f:q/1/Put=abcdefghijklmnopqrstuvwxy"], false);
        let learned = filter.memory_bytes() - before;
        assert!(learned > 1000, "{learned} over {before}");
        assert!(learned < 8 << 20, "no more than there is: {learned}");
    }
}

#[test]
fn parts_that_are_much_larger_than_in_their_message_count_as_memory() {
    const PARTS: usize = 1000;
    let ranges = (0..PARTS as u32).map(|row| {
        let start = Some(Bytes::copy_from_slice(&row.to_be_bytes()));
        pb::RowRange {
            stop_row: start.clone(),
            start_row: start,
            stop_row_inclusive: Some(true),
            ..Default::default()
        }
    });
    let ranges = pb::MultiRowRangeFilter { row_range_list: ranges.collect() }.encode_to_vec();
    let times =
        pb::TimestampsFilter { timestamps: (0..PARTS as i64).collect(), can_hint: None }.encode_to_vec();
    for (name, message, bytes_each) in [("MultiRowRangeFilter", ranges, 64), ("TimestampsFilter", times, 8)] {
        let filter = decode(&format!("{PACKAGE}{name}"), &message).unwrap();
        assert!(filter.memory_bytes() > PARTS * bytes_each, "{name}: {}", filter.memory_bytes());
    }
}
