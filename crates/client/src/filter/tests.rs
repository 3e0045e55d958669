use super::*;
use finback_cell::cell::CellParts;
use finback_cell::{Cell, CellType};

fn parsed(text: &str) -> Filter {
    let filter = Filter::parse(text).unwrap();
    // A server reads it.
    finback_filter::decode(filter.class(), filter.message()).unwrap();
    filter
}

fn refused(text: &str) -> String {
    Filter::parse(text).unwrap_err().to_string()
}

#[test]
fn every_filter_of_the_language_is_one_that_servers_read() {
    for text in [
        "ColumnCountGetFilter(4)",
        "ColumnPaginationFilter(3, 5)",
        "ColumnPrefixFilter('Col')",
        "ColumnRangeFilter('abc', true, 'xyz', false)",
        "ColumnValueFilter('f', 'q', >=, 'binary:5')",
        "DependentColumnFilter('conf', 'blacklist', false, >=, 'binary:zebra')",
        "DependentColumnFilter('conf', 'blacklist', true)",
        "DependentColumnFilter('conf', 'blacklist')",
        "FamilyFilter(>=, 'binary:FamilyB')",
        "FirstKeyOnlyFilter()",
        "InclusiveStopFilter('Row2')",
        "KeyOnlyFilter()",
        "KeyOnlyFilter(true)",
        "MultipleColumnPrefixFilter('Col1', 'Col2')",
        "PageFilter(2)",
        "PrefixFilter('Row')",
        "QualifierFilter(=, 'substring:Column1')",
        "RowFilter(<=, 'binary:abc')",
        "SingleColumnValueExcludeFilter('f', 'q', !=, 'regexstring:a.*b', true, false)",
        "SingleColumnValueFilter('f', 'q', =, 'binaryprefix:a')",
        "TimestampsFilter(5985489, 48895495, 7)",
        "ValueFilter(!=, 'regexstringnocase:zeb.a')",
    ] {
        let filter = parsed(text);
        let name = text.split('(').next().unwrap();
        assert!(filter.class().ends_with(&format!(".{name}")), "{text}: {}", filter.class());
        assert!(Filter::names().any(|known| known == name), "{name}");
    }
}

#[test]
fn a_fuzzy_row_of_fixed_bytes_alone_is_no_other_row() {
    let kept = |mask: [u8; 3]| {
        let filter = Filter::fuzzy_row([("abc", mask)]);
        let mut filter = finback_filter::decode(filter.class(), filter.message()).unwrap();
        ["abc", "abd", "xyz"].map(|row| {
            let parts = CellParts {
                row: row.as_bytes(),
                family: b"f",
                qualifier: b"q",
                timestamp: 1,
                type_code: CellType::Put.code(),
                value: b"",
                tags: b"",
            };
            filter.filter_cell(&Cell::from_checked(&parts.to_vec())).unwrap().is_include()
        })
    };
    assert_eq!(kept([0, 0, 0]), [true, false, false]);
    assert_eq!(kept([0, 0, 1]), [true, true, false]);
    assert_eq!(kept([1, 1, 1]), [true, true, true]);
}

#[test]
fn and_binds_tighter_than_or_and_skip_tighter_than_and() {
    let (a, b, c) = (Filter::prefix("a"), Filter::prefix("b"), Filter::prefix("c"));
    let expected = Filter::any([a.clone(), Filter::all([b.clone(), c.clone()])]);
    assert_eq!(parsed("PrefixFilter('a') OR PrefixFilter('b') AND PrefixFilter('c')"), expected);
    let expected = Filter::all([Filter::any([a.clone(), b.clone()]), c.clone()]);
    assert_eq!(parsed("(PrefixFilter('a') OR PrefixFilter('b'))AND PrefixFilter('c')"), expected);
    let expected = Filter::all([Filter::skip(a.clone()), Filter::while_match(b.clone())]);
    assert_eq!(parsed("SKIP PrefixFilter('a') AND WHILE PrefixFilter('b')"), expected);
    let three = parsed("PrefixFilter('a') AND PrefixFilter('b') AND PrefixFilter('c')");
    assert_eq!(three, Filter::all([a, b, c]));
}

#[test]
fn quotes_inside_quotes_are_doubled() {
    assert_eq!(parsed("PrefixFilter('it''s')"), Filter::prefix("it's"));
    assert_eq!(parsed("PrefixFilter('a,b) AND (c')"), Filter::prefix("a,b) AND (c"));
    assert_eq!(parsed(" PrefixFilter ( '' ) "), Filter::prefix(""));
}

#[test]
fn what_cannot_be_read_is_told_with_its_place() {
    assert!(refused("NoSuchFilter('a')").contains("NoSuchFilter: not supported"));
    assert!(refused("PrefixFilter('a'").contains("no end"), "{}", refused("PrefixFilter('a'"));
    assert!(refused("PrefixFilter('a").contains("quote has no end"));
    assert!(refused("PrefixFilter('a', 'b')").contains("expected 1 arguments but got 2"));
    assert!(refused("(PrefixFilter('a')").contains("closing parenthesis"));
    assert!(refused("PrefixFilter('a') PrefixFilter('b')").contains("at byte 18"));
    assert!(refused("ValueFilter(<, 'substring:a')").contains("only be used with = and !="));
    assert!(refused("PageFilter('1')").contains("must not be in quotes"));
    assert!(refused("PageFilter(99999999999999999999)").contains("no number"));
    assert!(refused("").contains("name of a filter"));
    assert!(refused(&"(".repeat(1000)).contains("too deeply"));
    assert!(refused(&"SKIP ".repeat(1000)).contains("too deeply"));
}
