use super::*;
use finback_cell::TableName;
use finback_cell::schema::set_entry;

const MB: u64 = 1 << 20;
const GB: u64 = 1 << 30;
/// Neither more nor less than the setting.
const EVEN: f64 = 0.5;

fn table(attributes: &[(&str, &str)]) -> TableDescriptor {
    let mut table = TableDescriptor::new(TableName::parse(b"t").unwrap());
    attributes.iter().for_each(|(key, value)| set_entry(&mut table.attributes, key, value));
    table
}

fn limit(attributes: &[(&str, &str)], regions: u64) -> Option<u64> {
    SplitConfig::default().limit(&table(attributes), regions, EVEN)
}

fn class(name: &str) -> String {
    format!("{PACKAGE}{name}")
}

#[test]
fn the_only_region_of_a_table_is_split_early_and_others_at_their_full_size() {
    assert_eq!(limit(&[], 1), Some(256 * MB));
    assert_eq!(limit(&[], 2), Some(10 * GB));
    assert_eq!(limit(&[("MAX_FILESIZE", "1073741824")], 2), Some(GB));
    let config = SplitConfig { initial_bytes: Some(7), ..SplitConfig::default() };
    assert_eq!(config.limit(&table(&[]), 1, EVEN), Some(7));
    assert_eq!(limit(&[("MEMSTORE_FLUSHSIZE", "1048576")], 1), Some(2 * MB));
    let varied = |chance| SplitConfig::default().limit(&table(&[]), 2, chance).unwrap();
    assert_eq!((varied(0.0), varied(1.0)), (35 * GB / 4, 45 * GB / 4));
}

#[test]
fn tables_choose_their_policy_by_hbases_class() {
    let increasing = class("IncreasingToUpperBoundRegionSplitPolicy");
    let of_regions = [1, 2, 3, 5, 101].map(|regions| limit(&[("SPLIT_POLICY", &increasing)], regions));
    let sizes = [256 * MB, 8 * 256 * MB, 27 * 256 * MB, 10 * GB, 10 * GB];
    assert_eq!(of_regions, sizes.map(Some));
    assert_eq!(limit(&[("SPLIT_POLICY", &class("ConstantSizeRegionSplitPolicy"))], 1), Some(10 * GB));
    assert_eq!(limit(&[("SPLIT_POLICY", &class("DisabledRegionSplitPolicy"))], 1), None);
    assert_eq!(limit(&[("SPLIT_POLICY", "com.example.Own")], 1), Some(256 * MB), "the server's");
    assert_eq!("KeyPrefixRegionSplitPolicy".parse(), Ok(SplitPolicy::KeyPrefix));
    assert_eq!("com.example.Own".parse::<SplitPolicy>(), Err(()));
}

#[test]
fn prefixes_stay_together() {
    let border = |attributes: &[(&str, &str)], row: &'static str| {
        SplitConfig::default().border(&table(attributes), Bytes::from_static(row.as_bytes()))
    };
    assert_eq!(border(&[], "abc"), "abc");
    let prefix = class("KeyPrefixRegionSplitPolicy");
    let prefix = [("SPLIT_POLICY", &prefix[..]), ("KeyPrefixRegionSplitPolicy.prefix_length", "2")];
    assert_eq!((&border(&prefix, "abc")[..], &border(&prefix, "a")[..]), (&b"ab"[..], &b"a"[..]));
    let none = [prefix[0], ("KeyPrefixRegionSplitPolicy.prefix_length", "0")];
    assert_eq!(border(&none, "abc"), "abc");
    let delimited = class("DelimitedKeyPrefixRegionSplitPolicy");
    let delimited =
        [("SPLIT_POLICY", &delimited[..]), ("DelimitedKeyPrefixRegionSplitPolicy.delimiter", "_")];
    assert_eq!(
        (&border(&delimited, "ab_c_d")[..], &border(&delimited, "abc")[..]),
        (&b"ab"[..], &b"abc"[..])
    );
}
