//! `finback pe`, as a user calls it.

use crate::cluster::Cluster;
use finback_client::{Get, Scan, Table};
use std::process::{Command, Output};

/// Runs the load generator against this ZooKeeper.
fn pe(quorum: &str, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_finback"))
        .args(["pe", "--quiet", "-D", &format!("hbase.zookeeper.quorum={quorum}")])
        .args(arguments.split(' '))
        .output()
        .unwrap()
}

/// What it has told, as JSON; it must have succeeded.
fn told(quorum: &str, arguments: &str) -> String {
    let output = pe(quorum, &format!("--json=- {arguments}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments}: {err}");
    out.into_owned()
}

fn failure(quorum: &str, arguments: &str) -> (Option<i32>, String) {
    let output = pe(quorum, arguments);
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

async fn count(table: &Table) -> usize {
    table.scan(Scan::new()).unwrap().collect(usize::MAX).await.unwrap().len()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn rows_are_those_of_performance_evaluation() {
    let cluster = Cluster::start().await;
    let zk = &cluster.quorum;
    // An option line of HBase's tool.
    let shape = "--nomapred --rows=50 --families=2 --columns=2 --valueSize=20";
    let written = told(zk, &format!("{shape} --presplit=3 --writeToWAL=false sequentialWrite 2"));
    assert!(written.contains("\"rows\": 100,") && written.contains("\"error\": null"), "{written}");

    let table = cluster.connection.table("TestTable").unwrap();
    let regions = table.regions().await.unwrap();
    let starts: Vec<_> = regions.iter().map(|region| region.region.start_key.clone()).collect();
    assert_eq!(starts, ["", "00000000000000000000000033", "00000000000000000000000066"]);
    assert_eq!(count(&table).await, 100);
    let row = table.get(Get::new("00000000000000000000000099")).await.unwrap().unwrap();
    let columns: Vec<_> =
        row.cells().map(|cell| [cell.family().to_vec(), cell.qualifier().to_vec()]).collect();
    let wanted = [["info0", "0"], ["info0", "1"], ["info1", "0"], ["info1", "1"]];
    assert_eq!(columns, wanted.map(|column| column.map(|name| name.as_bytes().to_vec())));
    for cell in row.cells() {
        let groups: Vec<&[u8]> = cell.value().chunks(8).collect();
        assert_eq!(groups.iter().map(|group| group.len()).collect::<Vec<_>>(), [8, 8, 4]);
        assert!(
            groups.iter().all(|group| group[0].is_ascii_uppercase() && group.iter().all(|b| *b == group[0]))
        );
    }

    for command in
        ["sequentialRead", "randomRead", "scan", "scanRange10", "asyncRandomRead --distribution=latest"]
    {
        let read = told(zk, &format!("{shape} {command} 2"));
        assert!(read.contains("\"rows_missing\": 0,"), "{command}: {read}");
    }
    let nothing = told(zk, &format!("{shape} --filterAll sequentialRead 2"));
    assert!(nothing.contains("\"rows_missing\": 100,"), "{nothing}");
    told(zk, &format!("{shape} --autoFlush=true sequentialDelete 2"));
    assert_eq!(count(&table).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn lists_count_to_their_last_row() {
    let cluster = Cluster::start().await;
    let zk = &cluster.quorum;
    // The same values, of different lengths, written in lists and one at a time.
    let write = "--rows=1000 --seed=5 --valueSize=100 --valueRandom --autoFlush=true";
    let lists = told(zk, &format!("{write} --multiPut=300 sequentialWrite 1"));
    assert!(lists.contains("\"operations\": 4,") && lists.contains("\"rows\": 1000,"), "{lists}");
    let each = told(zk, &format!("{write} sequentialWrite 1"));
    let bytes = |told: &str| {
        told.lines().find(|line| line.trim_start().starts_with("\"bytes\":")).unwrap().to_owned()
    };
    assert_eq!(bytes(&lists), bytes(&each));

    let read = told(zk, "--rows=5 --multiGet=10 randomRead 1");
    for wanted in ["\"operations\": 1,", "\"rows\": 5,", "\"rows_missing\": 0,"] {
        assert!(read.contains(wanted), "{wanted}: {read}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn clients_increment_the_same_rows() {
    let cluster = Cluster::start().await;
    told(&cluster.quorum, "--rows=10 increment 3");
    told(&cluster.quorum, "--rows=10 --rate=500 increment 2");
    let table = cluster.connection.table("TestTable").unwrap();
    let row = table.get(Get::new("00000000000000000000000009")).await.unwrap().unwrap();
    assert_eq!(row.counter("info0", "IncrementTest"), Some(5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn records_of_ycsb_are_verified() {
    let cluster = Cluster::start().await;
    let zk = &cluster.quorum;
    let records = "-p recordcount=100 -p operationcount=300 -p fieldcount=2 -p dataintegrity=true";
    told(zk, &format!("ycsbLoad 2 {records}"));
    let table = cluster.connection.table("usertable").unwrap();
    // The key of YCSB's first record.
    let first = table.get(Get::new("user6284781860667377211")).await.unwrap().unwrap();
    assert_eq!(first.value("family", "field1").map(<[u8]>::len), Some(100));
    for workload in ["workloadA", "workloadB", "workloadC", "workloadD", "workloadE", "workloadF"] {
        let run = told(zk, &format!("{workload} 3 {records}"));
        assert!(run.contains("\"operations\": 300,") && run.contains("\"rows_missing\": 0,"), "{run}");
    }
    assert!(count(&table).await > 100, "workloads D and E insert");

    let spoilt = finback_client::Put::new("user6284781860667377211").column("family", "field1", "spoilt");
    table.put(spoilt).await.unwrap();
    let (code, error) = failure(zk, &format!("workloadC 1 {records} -p requestdistribution=sequential"));
    assert_eq!(code, Some(1));
    assert!(
        error.contains("row user6284781860667377211: field1 has a value that was not written"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_cannot_be_done_is_told() {
    let cluster = Cluster::start().await;
    let zk = &cluster.quorum;
    let (code, error) = failure(zk, "--rows=10 randomRead 1");
    assert_eq!(code, Some(1));
    assert!(
        error.contains("there is no table TestTable") && error.contains("run sequentialWrite before"),
        "{error}"
    );

    // A table of somebody's own is not dropped, as HBase's tool would.
    let own = cluster.table("own", &[]).await;
    own.put(finback_client::Put::new("r").column("f", "q", "v")).await.unwrap();
    let (code, error) = failure(zk, "--table=own --rows=10 sequentialWrite 1");
    assert_eq!(code, Some(1));
    assert!(error.contains("table own does not suit") && error.contains("--recreate"), "{error}");
    assert_eq!(count(&own).await, 1);

    for (arguments, wanted) in [
        ("randomReed 1", "did you mean randomRead?"),
        ("randomRead many", "CLIENTS is a number, not many"),
        ("--rows=some randomRead 1", "--rows=\"some\" is not a whole number"),
        ("--multiPut=5 randomWrite 1", "--multiPut needs --autoFlush=true"),
        ("org.example.MyTest 1", "classes of Java cannot run here"),
    ] {
        let (code, error) = failure(zk, arguments);
        assert_eq!(code, Some(2), "{arguments}: {error}");
        assert!(error.contains(wanted), "{arguments}: {error}");
    }
}
