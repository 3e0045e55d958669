//! Both info ports tell the same, in HBase's names and in Prometheus'.

use crate::client::Client;
use crate::running_server::Place;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

pub(crate) fn get(address: SocketAddr, target: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {target} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    answer
}

/// The number behind a name.
pub(crate) fn number(text: &str, name: &str) -> u64 {
    let rest = text.split_once(name).unwrap_or_else(|| panic!("no {name} in {text}")).1;
    let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
    number.parse().unwrap()
}

#[tokio::test]
async fn gets_and_puts_are_counted_and_timed() {
    let place = Place::new();
    let server = place.start();
    let client = Client::of(&server).await;
    let table = client.create_table("t").await;
    // The master puts too, into hbase:meta.
    let puts = "finback_operation_duration_seconds_count{operation=\"put\"} ";
    let before = number(&get(server.master_info(), "/metrics"), puts);
    for _ in 0..3 {
        table.put("r", b"v").await.unwrap();
    }
    assert_eq!(table.get("r").await.unwrap().unwrap(), b"v");

    for address in [server.master_info(), server.regionserver_info()] {
        let metrics = get(address, "/metrics?regions=all");
        assert_eq!(number(&metrics, puts), before + 3);
        assert!(number(&metrics, "\nfinback_wal_sync_duration_seconds_count ") >= 3, "{metrics}");
        let of_table =
            |line: &&str| line.starts_with("finback_region_writes_total{namespace=\"default\",table=\"t\"");
        assert!(metrics.lines().find(of_table).unwrap().ends_with("} 3"), "{metrics}");
        let gets = |line: &&str| {
            line.starts_with("finback_region_operations_total{namespace=\"default\",table=\"t\"")
                && line.contains("operation=\"get\"")
        };
        assert!(metrics.lines().find(gets).unwrap().ends_with("} 1"), "{metrics}");
        assert!(
            number(&metrics, "\nfinback_rpc_duration_seconds_count{role=\"regionserver\"} ") >= 4,
            "{metrics}"
        );
        assert!(
            number(&metrics, "\nfinback_rpc_received_bytes_total{role=\"regionserver\"} ") > 100,
            "{metrics}"
        );
        assert!(number(&metrics, "\nfinback_master_procedures_total{kind=\"open\"} ") >= 2, "{metrics}");
        assert!(metrics.contains("finback_master_region_servers{state=\"live\"} 1\n"), "{metrics}");

        let jmx = get(address, "/jmx?qry=Hadoop:service=HBase,name=RegionServer,sub=*");
        assert!(jmx.contains("\"Namespace_default_table_t_metric_writeRequestCount\": 3"), "{jmx}");
        assert_eq!(number(&jmx, "\"Put_num_ops\": "), before + 3);
        assert!(number(&jmx, "\"Get_num_ops\": ") >= 1);
        assert!(number(&jmx, "\"TotalCallTime_num_ops\": ") >= 4);
        assert!(number(&jmx, "\"Namespace_default_table_t_metric_regionCount\": ") == 1);
        assert!(!jmx.contains("name=Master"), "{jmx}");
        assert!(get(address, "/jmx").contains("\"tag.isActiveMaster\": \"true\""));
    }
    server.stop();
}

#[tokio::test]
async fn tables_and_files_are_told_of_under_hbases_names() {
    let place = Place::new();
    let server = place.start();
    let client = Client::of(&server).await;
    let (table, other) = (client.create_table("t").await, client.create_table("other").await);
    for row in ["a", "b"] {
        table.put(row, b"v").await.unwrap();
    }
    other.put("a", b"v").await.unwrap();
    table.flush().await.unwrap();
    assert_eq!(table.get("a").await.unwrap().unwrap(), b"v");

    let jmx = |sub: &str| {
        let query = format!("/jmx?qry=Hadoop:service=HBase,name=RegionServer,sub={sub}");
        get(server.regionserver_info(), &query)
    };
    let latencies = jmx("TableLatencies");
    let of = |table: &str, what: &str| {
        number(&latencies, &format!("\"Namespace_default_table_{table}_metric_{what}_num_ops\": "))
    };
    assert_eq!((of("t", "putTime"), of("t", "getTime"), of("t", "deleteTime")), (2, 1, 0));
    assert_eq!((of("other", "putTime"), of("other", "getTime")), (1, 0));
    let tables = jmx("Tables");
    assert_eq!(number(&tables, "\"Namespace_default_table_t_metric_flushTime_num_ops\": "), 1);
    assert!(number(&tables, "\"Namespace_default_table_t_metric_flushedOutputBytes\": ") > 0);

    // Other tests in this process may count too.
    let (io, whole) = (jmx("IO"), jmx("Server"));
    for name in ["FsPReadTime_num_ops", "FsWriteTime_num_ops"] {
        assert!(number(&io, &format!("\"{name}\": ")) > 0, "{io}");
    }
    assert_eq!(number(&io, "\"fsChecksumFailureCount\": "), 0);
    for name in ["bloomFilterRequestsCount", "flushedCellsCount", "flushedCellsSize"] {
        assert!(number(&whole, &format!("\"{name}\": ")) > 0, "{name}: {whole}");
    }
    let line = "finback_table_operation_duration_seconds_count{namespace=\"default\",table=\"t\",operation=\"put\"} ";
    assert_eq!(number(&get(server.regionserver_info(), "/metrics"), line), 2);
    server.stop();
}

#[test]
fn without_ports_there_is_no_page() {
    let place = Place::new();
    let mut server = place.spawn(&["hbase.master.info.port=-1", "hbase.regionserver.info.port=-1"]);
    let ports = place.data().join("ports");
    while !ports.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
        assert!(server.is_alive(), "{}", server.stderr());
    }
    let ports = std::fs::read_to_string(ports).unwrap();
    assert_eq!((ports.lines().count(), ports.contains("info.port")), (3, false));
    server.stop();
}
