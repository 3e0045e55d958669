use super::*;

fn regions(ranges: &[(&'static str, &'static str)]) -> Vec<RegionInfo> {
    let key = |text: &'static str| Bytes::from_static(text.as_bytes());
    let table = TableName::parse(b"t").unwrap();
    ranges.iter().map(|(start, end)| RegionInfo::new(table.clone(), key(start), key(end), 5)).collect()
}

/// Borders of what fills a hole: of regions that are known, and of new ones.
fn filled(
    hole: (&str, &str),
    meta: &[(&'static str, &'static str)],
    orphans: &[(&'static str, &'static str)],
) -> Option<(Vec<String>, Vec<String>)> {
    let in_meta = |info| MetaRegion { info, state: RegionState::Split, merged_from: Vec::new() };
    let meta: Vec<MetaRegion> = regions(meta).into_iter().map(in_meta).collect();
    let table = TableName::parse(b"t").unwrap();
    let filling = filling(&table, (hole.0.as_bytes(), hole.1.as_bytes()), &meta, &regions(orphans))?;
    let text = |key: &[u8]| String::from_utf8(key.to_vec()).unwrap();
    let borders = |regions: &[RegionInfo]| {
        regions.iter().map(|info| format!("{}-{}", text(&info.start_key), text(&info.end_key))).collect()
    };
    assert!(filling.empty.iter().all(|info| info.region_id > 5 || (meta.is_empty() && orphans.is_empty())));
    Some((borders(&filling.known), borders(&filling.empty)))
}

fn of(known: &[&str], empty: &[&str]) -> Option<(Vec<String>, Vec<String>)> {
    let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    Some((owned(known), owned(empty)))
}

#[test]
fn with_what_there_is_and_new_regions_for_the_rest() {
    assert_eq!(filled(("b", "m"), &[], &[]), of(&[], &["b-m"]));
    assert_eq!(filled(("b", "m"), &[], &[("b", "m")]), of(&["b-m"], &[]));
    assert_eq!(
        filled(("b", "m"), &[("", "b"), ("m", "")], &[("f", "k"), ("c", "d")]),
        of(&["c-d", "f-k"], &["b-c", "d-f", "k-m"])
    );
    assert_eq!(filled(("", "m"), &[], &[("", "c")]), of(&["-c"], &["c-m"]));
    assert_eq!(filled(("b", ""), &[], &[("c", "")]), of(&["c-"], &["b-c"]));
    assert_eq!(filled(("b", ""), &[], &[("c", "d")]), of(&["c-d"], &["b-c", "d-"]));
    assert_eq!(filled(("", ""), &[], &[("", "")]), of(&["-"], &[]));
    // One that lies elsewhere has nothing to do with it.
    assert_eq!(filled(("b", "m"), &[], &[("m", "n"), ("a", "b")]), of(&[], &["b-m"]));
}

#[test]
fn but_not_where_somebody_has_to_decide() {
    // They reach out of the hole, or have rows of each other.
    assert_eq!(filled(("b", "m"), &[], &[("a", "c")]), None);
    assert_eq!(filled(("b", "m"), &[], &[("k", "n")]), None);
    assert_eq!(filled(("b", "m"), &[], &[("k", "")]), None);
    assert_eq!(filled(("b", "m"), &[], &[("b", "d"), ("c", "m")]), None);
    assert_eq!(filled(("b", ""), &[], &[("b", ""), ("c", "")]), None);
    // A parent that was split has the rows.
    assert_eq!(filled(("b", "m"), &[("b", "z")], &[]), None);
}
