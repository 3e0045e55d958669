use super::*;
use crate::snapshot::{MasterFigures, ProcedureFigures, ServerFigures, TableFigures};
use crate::{Histogram, Operation, OperationSizes, OperationTimes, Size, TableTimes};
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

pub(crate) fn snapshot() -> Snapshot {
    let times = OperationTimes::default();
    times.record(crate::Operation::Get, Duration::from_millis(3));
    let sync = Histogram::for_one_thread();
    sync.record(Duration::from_millis(7));
    let region = |table: &str, encoded_name: &str, reads| RegionFigures {
        namespace: "default".to_owned(),
        table: table.to_owned(),
        encoded_name: encoded_name.to_owned(),
        reads,
        store_files: 2,
        ..Default::default()
    };
    let mut server = ServerFigures {
        name: "h,16020,1".to_owned(),
        region_count: 3,
        operations: times.snapshot(),
        ..Default::default()
    };
    server.wal.sync = sync.snapshot();
    Snapshot {
        host: "h".to_owned(),
        server: Some(server),
        regions: vec![region("t", "aa", 10), region("t", "bb", 5), region("u", "cc", 1)],
        master: Some(MasterFigures {
            name: "h,16000,1".to_owned(),
            procedures: vec![("Snapshot", ProcedureFigures::default())],
            ..Default::default()
        }),
        ..Default::default()
    }
}

fn beans(snapshot: &Snapshot, parameter: &str, value: &str) -> Vec<Json> {
    let query = Query::parse(&[(parameter.to_owned(), value.to_owned())]).unwrap();
    let json: Json = serde_json::from_str(&render(snapshot, &query)).unwrap();
    json["beans"].as_array().unwrap().clone()
}

#[test]
fn each_bean_has_hbases_name_and_type() {
    let beans = beans(&snapshot(), "qry", "");
    let names: Vec<_> = beans.iter().map(|bean| bean["name"].as_str().unwrap()).collect();
    assert_eq!(names, Bean::ALL.map(Bean::name));
    assert_eq!(beans[0]["modelerType"], "RegionServer,sub=Server");
    assert_eq!(beans[0]["tag.Context"], "regionserver");
    assert_eq!(beans[0]["tag.Hostname"], "h");
    assert_eq!(beans[9]["modelerType"], "Master,sub=Server");
}

#[test]
fn what_was_counted_lately_is_told_and_how_much_since_the_start() {
    let (before, mut now) = (snapshot(), snapshot());
    let times = OperationTimes::default();
    times.record(crate::Operation::Get, Duration::from_millis(3));
    times.record(crate::Operation::Get, Duration::from_millis(40));
    now.server.as_mut().unwrap().operations = times.snapshot();
    now.earlier = Some(std::sync::Arc::new(before));
    let server = &beans(&now, "qry", Bean::RegionServer.name())[0];
    assert_eq!((&server["Get_num_ops"], &server["Put_max"]), (&2.into(), &0.into()));
    let of = |part: &str| server[format!("Get_{part}")].as_u64().unwrap();
    for part in ["min", "median", "99.9th_percentile", "max", "mean"] {
        assert!((35..=45).contains(&of(part)), "{part}: {}", of(part));
    }
}

#[test]
fn histograms_are_told_in_milliseconds() {
    let server = &beans(&snapshot(), "qry", Bean::RegionServer.name())[0];
    assert_eq!(
        (&server["Get_num_ops"], &server["Get_max"], &server["Get_min"]),
        (&1.into(), &3.into(), &3.into())
    );
    assert_eq!(server["Get_99.9th_percentile"], 3);
    assert_eq!(server["Put_num_ops"], 0);
    let wal = &beans(&snapshot(), "qry", Bean::Wal.name())[0];
    assert_eq!((&wal["SyncTime_num_ops"], &wal["SyncTime_median"]), (&1.into(), &7.into()));
}

#[test]
fn regions_and_tables_are_in_the_names() {
    let regions = &beans(&snapshot(), "qry", Bean::Regions.name())[0];
    assert_eq!(regions["Namespace_default_table_t_region_bb_metric_readRequestCount"], 5);
    let tables = &beans(&snapshot(), "qry", Bean::Tables.name())[0];
    assert_eq!(tables["Namespace_default_table_t_metric_readRequestCount"], 15);
    assert_eq!(tables["Namespace_default_table_t_metric_storeFileCount"], 4);
    assert_eq!(tables["Namespace_default_table_u_metric_readRequestCount"], 1);
}

#[test]
fn a_get_tells_what_it_names() {
    let get = format!("{}::regionCount,tag.serverName", Bean::RegionServer.name());
    let beans = beans(&snapshot(), "get", &get);
    let there: BTreeSet<_> = beans[0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(there, BTreeSet::from(["modelerType", "name", "regionCount", "tag.serverName"]));
    assert_eq!(beans.len(), 1);
}

#[test]
fn an_attribute_that_is_not_there_is_told_in_its_bean_and_ends_the_answer_as_hbases_does() {
    let beans = beans(&snapshot(), "get", "Hadoop:service=HBase,name=RegionServer,sub=*::regionCount");
    assert_eq!((beans.len(), &beans[0]["regionCount"]), (2, &3.into()));
    assert_eq!(beans[1]["message"], "No attribute with name regionCount was found.");
}

#[test]
fn both_rpc_servers_are_told_of() {
    let mut snapshot = snapshot();
    snapshot.server.as_mut().unwrap().ipc.connections = 7;
    snapshot.master.as_mut().unwrap().ipc.connections = 2;
    let of = |bean: Bean| beans(&snapshot, "qry", bean.name())[0]["numOpenConnections"].clone();
    assert_eq!((of(Bean::Ipc), of(Bean::MasterIpc)), (7.into(), 2.into()));
    let text = crate::prometheus::render(&snapshot, 0);
    for line in ["{role=\"regionserver\"} 7\n", "{role=\"master\"} 2\n"] {
        assert!(text.contains(&format!("finback_rpc_connections{line}")), "{line}");
    }
}

fn with_tables(times: [&TableTimes; 2]) -> Snapshot {
    let tables = ["t", "u"].into_iter().zip(times).map(|(table, times)| TableFigures {
        namespace: "default".to_owned(),
        table: table.to_owned(),
        operations: times.snapshot(),
        ..Default::default()
    });
    Snapshot { tables: tables.collect(), ..snapshot() }
}

#[test]
fn tables_have_how_long_what_they_are_asked_for_takes_and_what_was_lately_is_theirs() {
    let [t, u] = [TableTimes::default(), TableTimes::default()];
    t.record(Operation::Get, Duration::from_millis(500));
    let before = with_tables([&t, &u]);
    (0..3).for_each(|_| t.record(Operation::Get, Duration::from_millis(20)));
    u.record(Operation::Flush, Duration::from_millis(70));
    OperationSizes::default().record(Some(&u), Size::FlushOutput, 4096);
    let now = Snapshot { earlier: Some(Arc::new(before)), ..with_tables([&t, &u]) };
    let of = |bean: Bean| beans(&now, "qry", bean.name())[0].clone();
    let latencies = of(Bean::TableLatencies);
    assert_eq!(latencies["Namespace_default_table_t_metric_getTime_num_ops"], 4);
    let most = latencies["Namespace_default_table_t_metric_getTime_max"].as_u64().unwrap();
    assert!((20..25).contains(&most), "{most}");
    // What never happened is told as such.
    assert_eq!(latencies["Namespace_default_table_u_metric_getTime_num_ops"], 0);
    assert_eq!(latencies["Namespace_default_table_u_metric_tableReadQueryPerSecond_count"], 1);
    let tables = of(Bean::Tables);
    assert_eq!(tables["Namespace_default_table_u_metric_flushTime_num_ops"], 1);
    assert_eq!(tables["Namespace_default_table_u_metric_flushedOutputBytes"], 4096);
}

#[test]
fn an_attribute_that_is_not_there_is_told_in_its_bean_as_hbase_does() {
    let bean = &beans(&snapshot(), "get", &format!("{}::nope", Bean::Ipc.name()))[0];
    assert_eq!((&bean["result"], bean["name"].as_str()), (&"ERROR".into(), Some(Bean::Ipc.name())));
    assert_eq!(bean["message"], "No attribute with name nope was found.");
}

#[test]
fn a_server_that_is_not_there_has_no_beans() {
    let beans = beans(&Snapshot::default(), "qry", "Hadoop:*");
    assert!(beans.is_empty(), "{beans:?}");
}

/// The names that Apache HBase 2.5.11 has, recorded: `bean TAB attribute`.
fn recorded() -> BTreeSet<(&'static str, &'static str)> {
    let recording = include_str!("../../../../fixtures/hbase-2.5.11/jmx/names.tsv");
    recording.lines().map(|line| line.split_once('\t').expect("two columns")).collect()
}

#[test]
fn every_name_is_one_of_hbases() {
    let recorded = recorded();
    // HBase has this bean only where users are counted.
    let known = |bean: &str, name: &str| bean == Bean::Users.name() || recorded.contains(&(bean, name));
    let unknown: Vec<_> = names().into_iter().filter(|(bean, name)| !known(bean, name)).collect();
    assert!(unknown.is_empty(), "not in HBase: {unknown:#?}");
}

#[test]
fn what_is_told_are_the_names_of_the_table() {
    let snapshot = snapshot();
    let query = Query::default();
    let json: Json = serde_json::from_str(&render(&snapshot, &query)).unwrap();
    let names: BTreeSet<(&str, String)> = names().into_iter().collect();
    let frame = ["name", "modelerType", "tag.Context", "tag.Hostname"];
    for bean in json["beans"].as_array().unwrap() {
        let of = bean["name"].as_str().unwrap();
        if of == Bean::Process.name() {
            continue;
        }
        for name in bean.as_object().unwrap().keys().filter(|name| !frame.contains(&name.as_str())) {
            let mut generic = name.replace("Namespace_default_", "Namespace_<namespace>_");
            for (table, region) in [("t", "aa"), ("t", "bb"), ("u", "cc")] {
                generic = generic.replace(&format!("_table_{table}_"), "_table_<table>_");
                generic = generic.replace(&format!("_region_{region}_"), "_region_<region>_");
            }
            assert!(names.contains(&(of, generic.clone())), "{of} {generic}");
        }
    }
}
