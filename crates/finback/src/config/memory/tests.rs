use super::*;
use crate::config::{ConfigError, Sources};

fn budget(settings: &[(&str, &str)]) -> Result<MemoryBudget, ConfigError> {
    let overrides = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ServerConfig::load(&Sources { overrides, ..Sources::default() })?.config.memory()
}

/// The most that is counted at any time.
fn counted(budget: &MemoryBudget) -> u64 {
    let MemoryBudget { memstores, block_cache, requests, master_requests, replies, .. } = *budget;
    let in_flight = 2 * (requests + master_requests + replies);
    memstores
        + block_cache
        + in_flight
        + budget.log_queue
        + budget.nonces
        + budget.reads
        + budget.scanners
        + budget.connections * CONNECTION_BYTES
}

#[test]
fn all_parts_fit_into_the_limit() {
    for limit in ["64m", "128m", "1g", "100g"] {
        for (memstores, cache) in [("0.4", "0.4"), ("0.1", "0.1"), ("0.7", "0.1"), ("16m", "1m")] {
            let budget = budget(&[
                ("finback.memory.limit", limit),
                ("hbase.regionserver.global.memstore.size", memstores),
                ("hfile.block.cache.size", cache),
            ]);
            let budget = budget.unwrap();
            let (all, least) =
                (counted(&budget), LEAST_CONNECTIONS * CONNECTION_BYTES + 2 * LEAST_MASTER_REQUESTS);
            assert!(all <= budget.limit + least, "{budget:?}: {all}");
            assert!(budget.requests > 0 && budget.replies > 0 && budget.flush <= budget.memstores / 4);
        }
    }
}

#[test]
fn settings_of_hbase_are_obeyed_within_the_limit() {
    let parts = budget(&[
        ("finback.memory.limit", "10g"),
        ("hbase.regionserver.global.memstore.size", "1g"),
        ("hfile.block.cache.size", "0.25"),
        ("hbase.hregion.memstore.flush.size", "1m"),
    ]);
    let parts = parts.unwrap();
    assert_eq!((parts.memstores, parts.block_cache), (1 << 30, 10 << 28));
    assert_eq!(parts.flush, 1 << 20);
}

#[test]
fn parts_that_are_more_than_the_whole_are_refused() {
    for (memstores, cache) in [("0.5", "0.4"), ("200m", "0.1"), ("9999999g", "0.4"), ("1m", "128m")] {
        let refused = budget(&[
            ("finback.memory.limit", "128m"),
            ("hbase.regionserver.global.memstore.size", memstores),
            ("hfile.block.cache.size", cache),
        ]);
        assert!(matches!(refused, Err(ConfigError::TooMuchMemory { .. })), "{memstores} and {cache}");
    }
}

#[test]
fn without_settings_a_quarter_of_the_machine_is_divided() {
    let parts = budget(&[]).unwrap();
    assert_eq!(parts.limit, (available_memory_bytes() as f64 * 0.25) as u64);
    assert!(parts.memstores > 0 && parts.block_cache == parts.memstores);
}

#[test]
fn total_memory_is_read_in_bytes() {
    assert_eq!(total_memory_bytes("MemTotal:        2048 kB\nMemFree: 1 kB\n"), Some(2 << 20));
    assert_eq!(total_memory_bytes("MemFree: 1 kB\n"), None);
    assert_eq!(total_memory_bytes("MemTotal: 99999999999999999 kB"), None);
    assert!(available_memory_bytes() > 0);
}

#[test]
fn the_least_of_the_control_groups_around_the_process_counts() {
    let root = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let limit = |groups: &str| group_memory_bytes(root.path(), groups);
    write("system.slice/memory.max", "4096\n");
    write("system.slice/finback.service/memory.max", "max\n");
    assert_eq!(limit("0::/system.slice/finback.service\n"), Some(4096));
    assert_eq!(limit("0::/user.slice\n"), None);
    write("memory.max", "8192\n");
    // As in a container, which sees its own group as the root.
    assert_eq!((limit("0::/\n"), limit("0::/somewhere/else\n")), (Some(8192), Some(8192)));
    write("memory/docker/abc/memory.limit_in_bytes", "1024\n");
    write("memory/memory.limit_in_bytes", "9223372036854771712\n");
    assert_eq!(limit("12:cpu,cpuacct:/docker/abc\n9:memory:/docker/abc\n"), Some(1024));
    assert_eq!(limit("garbage"), None);
}

#[test]
fn what_is_too_little_is_refused() {
    for (limit, memstores) in [("4096", "0.4"), ("4", "0.4"), ("1g", "1")] {
        let refused = budget(&[
            ("finback.memory.limit", limit),
            ("hbase.regionserver.global.memstore.size", memstores),
        ]);
        assert!(matches!(refused, Err(ConfigError::TooLittleMemory { .. })), "{limit}, {memstores}");
    }
    assert!(budget(&[("finback.memory.limit", "8m")]).is_ok());
}
