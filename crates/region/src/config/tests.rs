use super::*;
use finback_cell::TableName;
use finback_cell::schema::set_entry;

fn of_table(attributes: &[(&str, &str)]) -> Arc<RegionConfig> {
    let mut table = TableDescriptor::new(TableName::parse(b"t").unwrap());
    attributes.iter().for_each(|(key, value)| set_entry(&mut table.attributes, key, value));
    RegionConfig::of_table(&Arc::default(), &table)
}

#[test]
fn a_table_without_settings_shares_those_of_the_server() {
    let (server, table) = (Arc::default(), TableDescriptor::new(TableName::parse(b"t").unwrap()));
    assert!(Arc::ptr_eq(&server, &RegionConfig::of_table(&server, &table)));
}

#[test]
fn a_table_may_have_settings_of_its_own() {
    let config = of_table(&[
        ("hbase.hregion.memstore.flush.size", "1000"),
        ("hbase.hregion.memstore.block.multiplier", "2"),
        ("hbase.server.keyvalue.maxsize", "3"),
        ("hbase.hstore.bulkload.verify", "true"),
        ("hbase.memstore.inmemoryflush.threshold.factor", "0.25"),
        ("hbase.hregion.compacting.pipeline.segments.limit", "4"),
        ("hbase.hregion.percolumnfamilyflush.size.lower.bound.min", "5"),
        ("hbase.regionserver.flush.per.changes", "6"),
        ("hbase.rowlock.wait.duration", " 7 "),
        ("hbase.regionserver.optionalcacheflushinterval", "8"),
        ("hbase.hregion.keyvalue.timestamp.slop.millisecs", "9"),
        ("hbase.hregion.scan.loadColumnFamiliesOnDemand", "false"),
    ]);
    assert_eq!((config.flush_size_bytes, config.block_multiplier, config.max_cell_size_bytes), (1000, 2, 3));
    assert!(config.verify_bulk_loads);
    assert_eq!((config.in_memory_flush_factor, config.pipeline_segments_limit), (0.25, 4));
    assert_eq!((config.flush_lower_bound_bytes, config.flush_per_changes), (5, 6));
    assert_eq!(config.row_lock_wait, Duration::from_millis(7));
    assert_eq!(config.periodic_flush_interval, Some(Duration::from_millis(8)));
    assert_eq!(config.timestamp_slop_ms, Some(9));
    assert!(!config.loads_families_on_demand);
}

#[test]
fn what_makes_no_sense_is_left_as_it_was_and_nothing_may_stand_for_never() {
    let config = of_table(&[
        ("hbase.hregion.memstore.flush.size", "much"),
        ("hbase.regionserver.optionalcacheflushinterval", "-1"),
        ("hbase.hregion.keyvalue.timestamp.slop.millisecs", "9223372036854775807"),
    ]);
    assert_eq!(config.flush_size_bytes, RegionConfig::default().flush_size_bytes);
    assert_eq!(config.periodic_flush_interval, None);
    assert_eq!(config.timestamp_slop_ms, None);
}
