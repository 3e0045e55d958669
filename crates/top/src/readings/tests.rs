use super::*;
use finback_client::messages::{
    self, ClientMetrics, ClusterId, HBaseVersionFileContent, RegionSpecifier, ServerLoad, ServerName,
};
use finback_client::{Bytes, RegionInfo, TableName};

/// A server that reports at a time, in milliseconds.
pub(crate) fn server(host: &str, reported_ms: u64, regions: Vec<RegionLoad>) -> LiveServerInfo {
    LiveServerInfo {
        server: ServerName { host_name: host.to_owned(), port: Some(16020), start_code: Some(5) },
        server_load: ServerLoad {
            number_of_requests: Some(7),
            used_heap_mb: Some(512),
            max_heap_mb: Some(2048),
            region_loads: regions,
            report_end_time: Some(reported_ms),
            ..ServerLoad::default()
        },
    }
}

/// A region that begins at a row, with its reads; it has a fifth as many writes.
pub(crate) fn region(table: &str, start_key: &'static str, reads: u64) -> RegionLoad {
    let table = TableName::parse(table.as_bytes()).unwrap();
    let info =
        RegionInfo::new(table, Bytes::from_static(start_key.as_bytes()), Bytes::new(), 1_700_000_000_000);
    let kind = messages::region_specifier::RegionSpecifierType::RegionName;
    RegionLoad {
        region_specifier: RegionSpecifier { r#type: kind.into(), value: info.name() },
        storefiles: Some(2),
        storefile_size_mb: Some(10),
        store_uncompressed_size_mb: Some(30),
        mem_store_size_mb: Some(1),
        read_requests_count: Some(reads),
        filtered_read_requests_count: Some(reads / 10),
        write_requests_count: Some(reads / 5),
        data_locality: Some(1.0),
        total_compacting_k_vs: Some(400),
        current_compacted_k_vs: Some(100),
        ..RegionLoad::default()
    }
}

/// What a user asks for from clients.
pub(crate) fn user(name: &str, clients: &[(&str, u64, u64)]) -> UserLoad {
    let client = |&(host, reads, writes): &(&str, u64, u64)| ClientMetrics {
        host_name: host.to_owned(),
        read_requests_count: Some(reads),
        write_requests_count: Some(writes),
        filtered_requests_count: Some(0),
    };
    UserLoad { user_name: name.to_owned(), client_metrics: clients.iter().map(client).collect() }
}

pub(crate) fn cluster(servers: Vec<LiveServerInfo>) -> ClusterStatus {
    ClusterStatus {
        hbase_version: Some(HBaseVersionFileContent { version: "2.5.11".to_owned() }),
        cluster_id: Some(ClusterId { cluster_id: "3f2c".to_owned() }),
        live_servers: servers,
        ..ClusterStatus::default()
    }
}

/// Two servers with two tables and three users; between two answers, three seconds apart, everything is read.
pub(crate) fn two_servers(second: u64) -> ClusterStatus {
    let reported = 1_000_000 + second * 1000;
    let regions = vec![region("flowers", "", 100 * second), region("hbase:meta", "", second)];
    let mut one = server("one", reported, regions);
    let mut two =
        server("two", reported, vec![region("flowers", "m", 50 * second), region("garden:beds", "", 0)]);
    one.server_load.user_loads = vec![
        user("ann", &[("10.0.0.1", 60 * second, 0), ("10.0.0.2", 10 * second, 5 * second)]),
        user("bob", &[("10.0.0.1", 0, 20 * second)]),
    ];
    two.server_load.user_loads = vec![user("ann", &[("10.0.0.1", 40 * second, 0)])];
    cluster(vec![one, two])
}

fn reads(records: &[Record]) -> Vec<f64> {
    records.iter().map(|record| record.figures.rates.reads).collect()
}

#[test]
fn regions_and_users_have_rates_from_the_second_answer_on() {
    let mut readings = Readings::default();
    readings.read(&two_servers(0));
    assert_eq!(reads(&readings.regions), [0.0; 4]);
    readings.read(&two_servers(3));
    assert_eq!(reads(&readings.regions), [100.0, 1.0, 50.0, 0.0]);
    assert_eq!(reads(&readings.clients), [60.0, 10.0, 0.0, 40.0]);
    assert_eq!(readings.servers.len(), 2);
    assert_eq!(readings.servers[0].max_heap_bytes, 2 << 30);
}

#[test]
fn an_answer_without_a_newer_report_is_no_news() {
    let mut readings = Readings::default();
    readings.read(&two_servers(0));
    assert!(readings.has_news);
    readings.read(&two_servers(0));
    assert!(!readings.has_news);
    readings.read(&two_servers(3));
    assert!(readings.has_news);
}

#[test]
fn nothing_is_kept_of_regions_that_are_gone() {
    let mut readings = Readings::default();
    readings.read(&two_servers(0));
    let before = Arc::clone(&readings.known_regions.values().next().unwrap().name);
    readings.read(&two_servers(3));
    let names: Vec<_> = readings.known_regions.values().map(|known| Arc::clone(&known.name)).collect();
    assert!(names.iter().any(|name| Arc::ptr_eq(name, &before)), "names are read once");
    readings.read(&cluster(Vec::new()));
    assert!(readings.known_regions.is_empty() && readings.regions.is_empty() && readings.servers.is_empty());
}
