use super::*;
use finback_cell::TableName;
use finback_cell::schema::set_entry;

fn table(attributes: &[(&str, &str)]) -> TableDescriptor {
    let mut table = TableDescriptor::new(TableName::parse(b"t").unwrap());
    attributes.iter().for_each(|(key, value)| set_entry(&mut table.attributes, key, value));
    table
}

fn of_family(configuration: &[(&str, &str)]) -> CompactionConfig {
    CompactionConfig::default().of_store(&table(&[]), &family(configuration), 7)
}

fn family(configuration: &[(&str, &str)]) -> ColumnFamilyDescriptor {
    let mut family = ColumnFamilyDescriptor::with_defaults(b"f");
    configuration.iter().for_each(|(key, value)| set_entry(&mut family.configuration, key, value));
    family
}

#[test]
fn a_store_without_settings_has_those_of_the_server_and_its_own_flush_size() {
    // 4 files, 4 times, for each of two parts of a stripe.
    let stripe = StripeConfig { split_size_bytes: Some(4 * 4 * 2 * 7), ..StripeConfig::default() };
    let expected = CompactionConfig { stripe, ..CompactionConfig::default() };
    assert_eq!(of_family(&[]), expected);
    let server = CompactionConfig { min_size_bytes: 9, max_files: 4, ..expected };
    assert_eq!(server.of_store(&table(&[]), &family(&[]), 7), server);
}

#[test]
fn the_family_comes_before_the_table_and_the_table_before_the_server() {
    const MAX: &str = "hbase.hstore.compaction.max";
    let max_files = |table: &TableDescriptor, family: &ColumnFamilyDescriptor| {
        CompactionConfig::default().of_store(table, family, 7).max_files
    };
    assert_eq!(max_files(&table(&[(MAX, "11")]), &family(&[])), 11);
    assert_eq!(max_files(&table(&[(MAX, "11")]), &family(&[(MAX, "12")])), 12);
    assert_eq!(max_files(&table(&[(MAX, "11")]), &family(&[(MAX, "12")]).with(MAX, "13")), 13);
}

#[test]
fn every_setting_may_be_the_stores_own() {
    let config = of_family(&[
        ("hbase.hstore.defaultengine.compactionpolicy.class", &format!("{POLICIES}FIFOCompactionPolicy")),
        ("hbase.hstore.compactionThreshold", "5"),
        ("hbase.hstore.compaction.max", "6"),
        ("hbase.hstore.compaction.ratio", "1.5"),
        ("hbase.hstore.compaction.ratio.offpeak", "2.5F"),
        ("hbase.offpeak.start.hour", "3"),
        ("hbase.offpeak.end.hour", " 4 "),
        ("hbase.hstore.compaction.min.size", "100"),
        ("hbase.hstore.compaction.max.size", "1000"),
        ("hbase.hstore.compaction.max.size.offpeak", "2000"),
        ("hbase.hstore.blockingStoreFiles", "50"),
        ("hbase.hregion.majorcompaction", "0"),
        ("hbase.hregion.majorcompaction.jitter", "0.1"),
        ("hbase.store.delete.expired.storefile", "false"),
        ("hbase.hstore.time.to.purge.deletes", "7000"),
        ("hbase.hstore.compaction.keep.seqId.period", "6"),
        ("hbase.enable.historical.compaction.files", "true"),
        ("hbase.server.compactchecker.interval.multiplier", "9"),
    ]);
    let expected = CompactionConfig {
        engine: StoreEngine::Default,
        policy: CompactionPolicy::Fifo,
        min_files: 5,
        max_files: 6,
        ratio: 1.5,
        off_peak_ratio: 2.5,
        off_peak_start_hour: 3,
        off_peak_end_hour: 4,
        min_size_bytes: 100,
        max_size_bytes: 1000,
        off_peak_max_size_bytes: Some(2000),
        blocking_files: 50,
        major_period_ms: 0,
        major_jitter: 0.1,
        deletes_expired_files: false,
        keep_sequence_ids_ms: 6 * DAY_MS,
        keeps_history_apart: true,
        purge_deletes_ms: 7000,
        check_multiplier: 9,
        date_tiered: DateTieredConfig::default(),
        stripe: of_family(&[]).stripe,
    };
    assert_eq!(config, expected);
    let is_off_peak = |hour: i64| config.off_peak_hours().unwrap().contains(hour * 3_600_000, 0);
    assert!(is_off_peak(3) && !is_off_peak(4));
    assert_eq!(of_family(&[("hbase.hstore.compaction.keep.seqId.period", "1")]).keep_sequence_ids_ms, DAY_MS);
    let both = [("hbase.hstore.compactionThreshold", "5"), ("hbase.hstore.compaction.min", "4")];
    assert_eq!(of_family(&both).min_files, 4);
}

#[test]
fn a_store_is_looked_at_every_so_many_times() {
    const MULTIPLIER: &str = "hbase.server.compactchecker.interval.multiplier";
    let looks = |config: CompactionConfig| -> Vec<u64> {
        (1..=2000).filter(|look| config.is_due_at_look(*look)).take(3).collect()
    };
    assert_eq!(looks(of_family(&[])), [1000, 2000]);
    assert_eq!(looks(of_family(&[(MULTIPLIER, "1")])), [1, 2, 3]);
    assert_eq!(looks(of_family(&[(MULTIPLIER, "7")])), [7, 14, 21]);
    // As in HBase, what makes no sense is as the default.
    assert_eq!(looks(of_family(&[(MULTIPLIER, "0")])), [1000, 2000]);
    assert_eq!(looks(of_family(&[(MULTIPLIER, "-3")])), [1000, 2000]);
}

#[test]
fn every_setting_of_the_date_tiered_engine_may_be_the_stores_own() {
    let key = |name: &str| format!("hbase.hstore.compaction.date.tiered.{name}");
    let settings = [
        ("hbase.hstore.engine.class".to_owned(), format!("{ENGINES}DateTieredStoreEngine")),
        (key("base.window.millis"), "10".to_owned()),
        (key("windows.per.tier"), "5".to_owned()),
        (key("max.storefile.age.millis"), "1000".to_owned()),
        (key("max.tier.age.millis"), "900".to_owned()),
        (key("incoming.window.min"), "2".to_owned()),
        (key("window.policy.class"), format!("{POLICIES}RatioBasedCompactionPolicy")),
        (key("single.output.for.minor.compaction"), "false".to_owned()),
    ];
    let settings: Vec<(&str, &str)> = settings.iter().map(|(key, value)| (&key[..], &value[..])).collect();
    let expected = DateTieredConfig {
        base_window_ms: 10,
        windows_per_tier: 5,
        max_age_ms: 1000,
        max_tier_age_ms: Some(900),
        incoming_window_min_files: 2,
        window_policy: CompactionPolicy::RatioBased,
        single_output_for_minor: false,
    };
    let config = of_family(&settings);
    assert_eq!((config.engine, config.date_tiered), (StoreEngine::DateTiered, expected));
}

#[test]
fn every_setting_of_the_stripe_engine_may_be_the_stores_own() {
    let engine = format!("{ENGINES}StripeStoreEngine");
    let config = of_family(&[
        ("hbase.hstore.engine.class", &engine),
        ("hbase.store.stripe.compaction.minFilesL0", "5"),
        ("hbase.store.stripe.compaction.flushToL0", "true"),
        ("hbase.store.stripe.compaction.minFiles", "6"),
        ("hbase.store.stripe.compaction.maxFiles", "7"),
        ("hbase.store.stripe.initialStripeCount", "8"),
        ("hbase.store.stripe.sizeToSplit", "9"),
        ("hbase.store.stripe.splitPartCount", "2.5"),
        ("hbase.store.stripe.region.split.max.imbalance", "3.5"),
    ]);
    let expected = StripeConfig {
        level0_min_files: 5,
        flush_to_level0: true,
        min_files: Some(6),
        max_files: Some(7),
        initial_stripes: 8,
        split_size_bytes: Some(9),
        split_parts: 2.5,
        max_split_imbalance: 3.5,
    };
    assert_eq!((config.engine, config.stripe), (StoreEngine::Stripe, expected));
    for (split_parts, expected) in
        [(2.5, 2.5), (0.5, 2.0), (0.25, 4.0), (1.0, 2.0), (0.0, 2.0), (-1.0, 2.0), (f64::NAN, 2.0)]
    {
        assert_eq!(StripeConfig { split_parts, ..StripeConfig::default() }.split_parts(), expected);
    }
    for (max_split_imbalance, expected) in
        [(2.5, 2.5), (0.5, 2.0), (1.0, 1.0), (0.0, 1.5), (-1.0, 1.5), (f64::NAN, 1.5)]
    {
        let config = StripeConfig { max_split_imbalance, ..StripeConfig::default() };
        assert_eq!(config.max_split_imbalance(), expected);
    }
}

#[test]
fn a_stripe_is_not_cut_at_no_size_at_all() {
    let split_size = |server: Option<u64>, own: &[(&str, &str)]| {
        let stripe = StripeConfig { split_size_bytes: server, ..StripeConfig::default() };
        let server = CompactionConfig { stripe, ..CompactionConfig::default() };
        server.of_store(&table(&[]), &family(own), 7).stripe.split_size_bytes
    };
    let default = split_size(None, &[]);
    assert_eq!(default, Some(4 * 4 * 2 * 7));
    for nothing in ["0", "-1", "-9223372036854775808"] {
        let own = [("hbase.store.stripe.sizeToSplit", nothing)];
        assert_eq!((split_size(None, &own), split_size(Some(9), &own)), (default, Some(9)));
    }
    assert_eq!(split_size(Some(0), &[]), default);
    // Nor when nothing is what the default would come to.
    let no_files = [("hbase.store.stripe.compaction.minFilesL0", "0")];
    assert_eq!(split_size(None, &no_files), Some(4 * 2 * 7));
}

#[test]
fn what_makes_no_sense_is_as_if_it_were_not_there() {
    let config = of_family(&[
        ("hbase.hstore.engine.class", "com.example.MyEngine"),
        ("hbase.hstore.defaultengine.compactionpolicy.class", "ExploringCompactionPolicy"),
        ("hbase.hstore.compaction.max", "-1"),
        ("hbase.hstore.compaction.ratio", "much"),
        ("hbase.hstore.compaction.min.size", ""),
    ]);
    assert_eq!(config, of_family(&[]));
}

#[test]
fn counts_are_no_larger_than_hbases_ints() {
    let most = usize::MAX.to_string();
    let names = [
        "hbase.hstore.compaction.min",
        "hbase.hstore.compaction.max",
        "hbase.hstore.blockingStoreFiles",
        "hbase.hstore.compaction.date.tiered.incoming.window.min",
        "hbase.store.stripe.compaction.minFilesL0",
        "hbase.store.stripe.compaction.minFiles",
        "hbase.store.stripe.compaction.maxFiles",
        "hbase.store.stripe.initialStripeCount",
    ];
    let config = of_family(&names.map(|name| (name, &most[..])));
    let stripe = &config.stripe;
    let counts = [
        config.min_files,
        config.max_files,
        config.blocking_files,
        config.date_tiered.incoming_window_min_files,
        stripe.level0_min_files,
        stripe.min_files.unwrap(),
        stripe.max_files.unwrap(),
        stripe.initial_stripes,
    ];
    assert_eq!(counts, [i32::MAX as usize; 8]);
}
