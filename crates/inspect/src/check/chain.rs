//! Whether the regions of a table have every row once.

use finback_cell::RegionInfo;

/// What is wrong with a table's regions.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Break<'a> {
    /// No region has the rows from the first to before the second; empty: from the beginning, to the end.
    Hole(&'a [u8], &'a [u8]),
    /// Both regions have rows of the other one.
    Overlap(&'a RegionInfo, &'a RegionInfo),
}

/// The breaks among regions that are in order of their start keys.
pub(super) fn breaks<'a>(regions: &[&'a RegionInfo]) -> Vec<Break<'a>> {
    let mut found = Vec::new();
    // The region that reaches furthest yet.
    let mut furthest: Option<&RegionInfo> = None;
    for region in regions {
        match furthest {
            None if !region.start_key.is_empty() => found.push(Break::Hole(&[], &region.start_key)),
            None => {}
            Some(before) if before.end_key.is_empty() || before.end_key > region.start_key => {
                found.push(Break::Overlap(before, region));
            }
            Some(before) if before.end_key < region.start_key => {
                found.push(Break::Hole(&before.end_key, &region.start_key));
            }
            Some(_) => {}
        }
        let reaches_further = |before: &RegionInfo| {
            !before.end_key.is_empty() && (region.end_key.is_empty() || region.end_key > before.end_key)
        };
        if furthest.is_none_or(reaches_further) {
            furthest = Some(region);
        }
    }
    match furthest {
        Some(last) if !last.end_key.is_empty() => found.push(Break::Hole(&last.end_key, &[])),
        _ => {}
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_cell::{Bytes, TableName};

    fn regions(ranges: &[(&'static str, &'static str)]) -> Vec<RegionInfo> {
        let key = |text: &'static str| Bytes::from_static(text.as_bytes());
        let table = TableName::parse(b"t").unwrap();
        ranges.iter().map(|(start, end)| RegionInfo::new(table.clone(), key(start), key(end), 1)).collect()
    }

    fn described(ranges: &[(&'static str, &'static str)]) -> Vec<String> {
        let regions = regions(ranges);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let describe = |found: &Break<'_>| match found {
            Break::Hole(from, to) => format!("hole {}-{}", text(from), text(to)),
            Break::Overlap(a, b) => format!("overlap {} {}", text(&a.start_key), text(&b.start_key)),
        };
        breaks(&regions.iter().collect::<Vec<_>>()).iter().map(describe).collect()
    }

    #[test]
    fn every_row_is_to_be_in_one_region() {
        assert!(described(&[("", "")]).is_empty());
        assert!(described(&[("", "b"), ("b", "k"), ("k", "")]).is_empty());
        assert_eq!(described(&[("b", "c"), ("d", "e")]), ["hole -b", "hole c-d", "hole e-"]);
        assert_eq!(described(&[("", "d"), ("c", "")]), ["overlap  c"]);
        // One within another, and behind it one that begins where the larger ends.
        assert_eq!(described(&[("", "k"), ("b", "c"), ("k", "")]), ["overlap  b"]);
        assert_eq!(described(&[("", ""), ("b", "")]), ["overlap  b"]);
        assert_eq!(described(&[("", "b"), ("", "b"), ("b", "")]), ["overlap  "]);
        assert!(breaks(&[]).is_empty());
    }
}
