use super::*;

#[test]
fn classes_are_understood_by_their_full_names() {
    const PACKAGE: &str = "org.apache.hadoop.hbase.regionserver";
    assert_eq!(Engine::parse(&format!("{PACKAGE}.DateTieredStoreEngine")), Some(StoreEngine::DateTiered));
    assert_eq!(Engine::parse("DateTieredStoreEngine"), None);
    let ratio = format!("{PACKAGE}.compactions.RatioBasedCompactionPolicy");
    assert_eq!(Policy::parse(&ratio), Some(CompactionPolicy::RatioBased));
    assert_eq!(Policy::parse("RatioBasedCompactionPolicy"), None);
    assert_eq!(
        (Engine::parse(""), Policy::parse("")),
        (Some(StoreEngine::Default), Some(CompactionPolicy::Exploring))
    );
}

#[test]
fn numbers_have_their_limits() {
    assert_eq!([Hour::parse("-1"), Hour::parse("23")], [Some(-1), Some(23)]);
    assert_eq!([Hour::parse("-2"), Hour::parse("24"), Hour::parse("x")], [None; 3]);
    assert_eq!([Ratio::parse("5"), Ratio::parse("0.5")], [Some(5.0), Some(0.5)]);
    // As in HBase's own hbase-default.xml.
    assert_eq!(
        [Ratio::parse("1.2F"), Ratio::parse("5.f"), Ratio::parse("2d")],
        [Some(1.2), Some(5.0), Some(2.0)]
    );
    assert_eq!([Ratio::parse("f"), Ratio::parse("1ff"), Ratio::parse("infd"), Ratio::parse("")], [None; 4]);
    assert_eq!([Ratio::parse("0"), Ratio::parse("NaN"), Ratio::parse("inf")], [None; 3]);
    assert_eq!([Share::parse("0"), Share::parse("1")], [Some(0.0), Some(1.0)]);
    assert_eq!([Share::parse("-0.1"), Share::parse("1.1"), Share::parse("NaN")], [None; 3]);
}
