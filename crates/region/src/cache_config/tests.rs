use super::*;
use finback_cell::TableName;

fn of(attributes: &[(&str, &str)], configuration: &[(&str, &str)], server: CacheConfig) -> CacheConfig {
    let mut family = ColumnFamilyDescriptor::with_defaults(b"f");
    let pair =
        |(name, value): &(&str, &str)| (name.as_bytes().to_vec().into(), value.as_bytes().to_vec().into());
    family.attributes.extend(attributes.iter().map(pair));
    family.configuration.extend(configuration.iter().map(pair));
    server.of_store(&TableDescriptor::new(TableName::parse(b"t").unwrap()), &family)
}

#[test]
fn nothing_is_cached_on_write_unless_somebody_says_so() {
    let config = of(&[], &[], CacheConfig::default());
    assert_eq!(config, CacheConfig::default());
    assert!(config.of_flush(BlockPriority::Normal).is_nothing());
    assert!(config.of_compaction(BlockPriority::Normal, 0).is_nothing());
}

#[test]
fn families_and_their_configurations_switch_it_on() {
    let everything = CacheConfig {
        data_on_write: true,
        indexes_on_write: true,
        blooms_on_write: true,
        evict_on_close: true,
        prefetch_on_open: true,
        ..CacheConfig::default()
    };
    let attributes = [
        ("CACHE_DATA_ON_WRITE", "true"),
        ("CACHE_INDEX_ON_WRITE", "TRUE"),
        ("CACHE_BLOOMS_ON_WRITE", "true"),
        ("EVICT_BLOCKS_ON_CLOSE", "true"),
        ("PREFETCH_BLOCKS_ON_OPEN", "true"),
    ];
    let configuration = [
        ("hbase.rs.cacheblocksonwrite", "true"),
        ("hfile.block.index.cacheonwrite", "true"),
        ("hfile.block.bloom.cacheonwrite", "true"),
        ("hbase.rs.evictblocksonclose", "true"),
        ("hbase.rs.prefetchblocksonopen", "true"),
    ];
    assert_eq!(of(&attributes, &[], CacheConfig::default()), everything);
    assert_eq!(of(&[], &configuration, CacheConfig::default()), everything);
    // The attribute alone does not switch off what the server has on; the configuration does.
    let off = [("CACHE_DATA_ON_WRITE", "false")];
    assert_eq!(of(&off, &[], everything), everything);
    assert!(!of(&off, &[("hbase.rs.cacheblocksonwrite", "false")], everything).data_on_write);
}

#[test]
fn data_blocks_of_compactions_have_a_setting_of_their_own() {
    let data = BlockPriority::InMemory;
    let on_flush = CacheConfig { data_on_write: true, indexes_on_write: true, ..CacheConfig::default() };
    assert_eq!(on_flush.of_flush(data), Prefetch::all(data));
    let indexes = Prefetch { indexes: true, ..Prefetch::default() };
    assert_eq!(on_flush.of_compaction(data, 1), indexes);
    let settings = [
        ("hbase.rs.cachecompactedblocksonwrite", "true"),
        ("hbase.rs.cachecompactedblocksonwrite.threshold", "1000"),
    ];
    let compacted = of(&[], &settings, CacheConfig::default());
    assert_eq!(compacted.of_compaction(data, 1000), Prefetch::all(data));
    assert!(compacted.of_compaction(data, 1001).is_nothing());
    assert!(compacted.of_flush(data).is_nothing());
}
