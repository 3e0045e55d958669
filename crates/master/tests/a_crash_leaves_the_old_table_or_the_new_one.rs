//! The power is cut at every step of an operation, be it on disk or in hbase:meta (before it is written, and after it is
//! written but before anybody knows); then the cluster starts again.

mod cluster;

use std::time::Duration;

use bytes::Bytes;
use cluster::{Cluster, create_request, family_schema, pb_name, store::Store, table, table_name};
use finback_cell::RegionInfo;
use finback_fs::{CrashMode, MemFileSystem};
use finback_proto::{Message, convert, pb};
use pb::table_state::State;

const FILE: &str = "576d886d16ff4d8e996c75d842dfbf8b";
const NOW: u64 = 1_700_000_000_000;
const MODES: [CrashMode; 3] = [CrashMode::Strict, CrashMode::Torn { seed: 1 }, CrashMode::Torn { seed: 2 }];

/// A response with the id of a procedure.
trait HasProcedure: Message + Default {
    fn id(&self) -> Option<u64>;
}

macro_rules! has_procedure {
    ($($Response:ident)*) => { $(impl HasProcedure for pb::$Response {
        fn id(&self) -> Option<u64> {
            self.proc_id
        }
    })* };
}

has_procedure! { CreateTableResponse DeleteTableResponse EnableTableResponse DisableTableResponse TruncateTableResponse
AddColumnResponse DeleteColumnResponse CreateNamespaceResponse SplitTableRegionResponse MergeTableRegionsResponse }

/// Whether the operation was reported as done before the power was cut at step `n`, and whether it was cut at all.
async fn run_until_step<Req: Message, Resp: HasProcedure>(
    cluster: &Cluster,
    n: u64,
    method: &'static str,
    request: &Req,
) -> (bool, bool) {
    let last = cluster.faults.operations() + n;
    cluster.faults.fail_from(last);
    let id = cluster.call::<_, Resp>(method, request).await.unwrap().id().unwrap();
    loop {
        let ask = pb::GetProcedureResultRequest { proc_id: id };
        let result: pb::GetProcedureResultResponse = cluster.call("getProcedureResult", &ask).await.unwrap();
        let cut = cluster.faults.operations() > last;
        if result.state() == pb::get_procedure_result_response::State::Finished {
            return (result.exception.is_none(), cut);
        }
        if cut {
            // What is in flight may still land, or not.
            tokio::time::sleep(Duration::from_millis(n % 7)).await;
            return (false, true);
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Cuts the power at every step of one operation.
async fn at_every_step<Req: Message, Resp: HasProcedure>(
    prepare: impl AsyncFn(&Cluster),
    method: &'static str,
    request: Req,
    check: impl AsyncFn(&Cluster, bool),
) {
    let mut outcomes = [0, 0];
    for n in 0.. {
        for mode in MODES {
            let cluster = Cluster::start().await;
            prepare(&cluster).await;
            let (done, cut) = run_until_step::<Req, Resp>(&cluster, n, method, &request).await;
            outcomes[usize::from(done)] += 1;
            let next = cluster.crash_and_restart(mode).await;
            check(&next, done).await;
            if !cut {
                assert!(done && outcomes[0] > 0, "{method}: {outcomes:?}");
                return;
            }
        }
    }
}

fn name_request<T>(make: impl FnOnce(pb::TableName) -> T) -> T {
    make(pb_name("t"))
}

#[tokio::test(start_paused = true)]
async fn a_first_start_is_repeated() {
    for n in 0.. {
        let (memory, store) = (MemFileSystem::new(), Store::default());
        let first = Cluster::failing(memory.clone(), store.clone(), NOW, Default::default(), Some(n)).await;
        let mut cut = true;
        if let Ok(first) = &first {
            first.server.register().await.unwrap();
            while first.faults.operations() <= n && !first.master.status().borrow().initialized {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            cut = first.faults.operations() > n;
            tokio::time::sleep(Duration::from_millis(n % 5)).await;
            first.master.stop();
        }
        drop(first);
        for mode in MODES {
            let next = Cluster::on(memory.crash(mode), store.copy(), NOW + 1000).await;
            next.server.register().await.unwrap();
            next.initialized().await;
            assert_eq!(next.state("hbase:namespace").await, Some(State::Enabled));
            next.create("t", &["f"], &[]).await.unwrap();
        }
        if !cut {
            return;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn create() {
    at_every_step::<_, pb::CreateTableResponse>(
        async |_| {},
        "CreateTable",
        create_request(table("t", &["f"]), &["m"]),
        async |cluster, done| {
            if cluster.state("t").await.is_none() {
                assert!(!done);
                assert_eq!(cluster.root().list_regions(&table_name("t")).unwrap().len(), 0, "swept");
                cluster.create("t", &["f"], &["m"]).await.unwrap();
            }
            assert_eq!(cluster.state("t").await, Some(State::Enabled));
            assert_eq!(cluster.root().list_regions(&table_name("t")).unwrap().len(), 2);
            assert!(cluster.descriptor("t").await.is_some());
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn delete() {
    at_every_step::<_, pb::DeleteTableResponse>(
        async |cluster| {
            cluster.create("t", &["f"], &["m"]).await.unwrap();
            assert_eq!(cluster.put_store_files("t", "f", FILE), 2);
            cluster.disable("t").await.unwrap();
        },
        "DeleteTable",
        name_request(|table_name| pb::DeleteTableRequest { table_name, ..Default::default() }),
        async |cluster, done| {
            let state = cluster.state("t").await;
            let files = (cluster.files_below("data").len(), cluster.files_below("archive").len());
            match state {
                Some(State::Disabled) => assert!(!done && files == (2, 0), "{files:?}"),
                None => assert_eq!(files, (0, 2)),
                other => panic!("{other:?}"),
            }
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn truncate() {
    for preserve in [true, false] {
        at_every_step::<_, pb::TruncateTableResponse>(
            async |cluster| {
                cluster.create("t", &["f"], &["m"]).await.unwrap();
                cluster.put_store_files("t", "f", FILE);
                cluster.disable("t").await.unwrap();
            },
            "truncateTable",
            name_request(|table_name| pb::TruncateTableRequest {
                table_name,
                preserve_splits: Some(preserve),
                ..Default::default()
            }),
            async |cluster, done| {
                let files = (cluster.files_below("data").len(), cluster.files_below("archive").len());
                let regions = cluster.root().list_regions(&table_name("t")).unwrap().len();
                match cluster.state("t").await {
                    Some(State::Disabled) => {
                        assert!(!done && files == (2, 0) && regions == 2, "{files:?} {regions}");
                    }
                    Some(State::Enabled) => {
                        assert_eq!((files, regions), ((0, 2), if preserve { 2 } else { 1 }));
                    }
                    other => panic!("{other:?}"),
                }
            },
        )
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn disable_and_enable() {
    at_every_step::<_, pb::DisableTableResponse>(
        async |cluster| cluster.create("t", &["f"], &["m"]).await.unwrap(),
        "DisableTable",
        name_request(|table_name| pb::DisableTableRequest { table_name, ..Default::default() }),
        async |cluster, done| {
            let state = cluster.state("t").await.unwrap();
            assert!(state == State::Disabled || (!done && state == State::Enabled), "{state:?}");
            let open = cluster.server.online.lock().unwrap().len();
            assert_eq!(open, if state == State::Enabled { 4 } else { 2 });
        },
    )
    .await;
    at_every_step::<_, pb::EnableTableResponse>(
        async |cluster| {
            cluster.create("t", &["f"], &["m"]).await.unwrap();
            cluster.disable("t").await.unwrap();
        },
        "EnableTable",
        name_request(|table_name| pb::EnableTableRequest { table_name, ..Default::default() }),
        async |cluster, done| {
            let state = cluster.state("t").await.unwrap();
            assert!(state == State::Enabled || (!done && state == State::Disabled), "{state:?}");
            let open = cluster.server.online.lock().unwrap().len();
            assert_eq!(open, if state == State::Enabled { 4 } else { 2 });
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn add_and_remove_a_family() {
    at_every_step::<_, pb::AddColumnResponse>(
        async |cluster| cluster.create("t", &["f"], &["m"]).await.unwrap(),
        "AddColumn",
        name_request(|table_name| pb::AddColumnRequest {
            table_name,
            column_families: family_schema("g"),
            ..Default::default()
        }),
        async |cluster, done| {
            let families = cluster.descriptor("t").await.unwrap().families.len();
            assert!(families == 2 || (!done && families == 1));
            assert_eq!(cluster.server.online.lock().unwrap().len(), 4);
        },
    )
    .await;
    at_every_step::<_, pb::DeleteColumnResponse>(
        async |cluster| {
            cluster.create("t", &["f", "g"], &["m"]).await.unwrap();
            cluster.put_store_files("t", "g", FILE);
        },
        "DeleteColumn",
        name_request(|table_name| pb::DeleteColumnRequest {
            table_name,
            column_name: "g".into(),
            ..Default::default()
        }),
        async |cluster, done| {
            let files = (cluster.files_below("data").len(), cluster.files_below("archive").len());
            match cluster.descriptor("t").await.unwrap().families.len() {
                2 => assert!(!done && files == (2, 0), "{files:?}"),
                families => assert_eq!((families, files), (1, (0, 2))),
            }
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn create_a_namespace() {
    let namespace_descriptor = convert::namespace_descriptor("ns", &[]);
    let request = pb::CreateNamespaceRequest { namespace_descriptor, ..Default::default() };
    at_every_step::<_, pb::CreateNamespaceResponse>(
        async |_| {},
        "CreateNamespace",
        request.clone(),
        async |cluster, done| {
            let list = pb::ListNamespacesRequest {};
            let names: pb::ListNamespacesResponse = cluster.call("ListNamespaces", &list).await.unwrap();
            if !names.namespace_name.contains(&"ns".to_owned()) {
                assert!(!done);
                let response: pb::CreateNamespaceResponse =
                    cluster.call("CreateNamespace", &request).await.unwrap();
                cluster.wait(response.proc_id).await.unwrap();
            }
            cluster.create("ns:t", &["f"], &[]).await.unwrap();
        },
    )
    .await;
}

/// Regions of the table on disk, and those that are open, of all tables.
fn regions(cluster: &Cluster) -> (usize, usize) {
    let on_disk = cluster.root().list_regions(&table_name("t")).unwrap().len();
    (on_disk, cluster.server.online.lock().unwrap().len())
}

/// Names of files that lead to others.
fn references(cluster: &Cluster) -> Vec<std::path::PathBuf> {
    let (root, table) = (cluster.root(), table_name("t"));
    let regions = root.list_regions(&table).unwrap();
    let files = regions.iter().flat_map(|region| root.list_store_files(&table, region, b"f").unwrap());
    files.filter(|file| file.elsewhere.is_some()).map(|file| file.path).collect()
}

/// When nothing refers to them any more the parents go, and nothing else.
async fn collect(cluster: &Cluster, references: &[std::path::PathBuf], parents: usize, open: usize) {
    let scan = async || -> Option<i32> {
        let answer: pb::RunCatalogScanResponse =
            cluster.call("RunCatalogScan", &pb::RunCatalogScanRequest {}).await.unwrap();
        answer.scan_result
    };
    assert_eq!(scan().await, Some(0), "they are referred to");
    assert_eq!(cluster.files_below("archive").len(), 0);
    references.iter().for_each(|path| cluster.root().fs().remove_file(path).unwrap());
    assert_eq!(scan().await, Some(1));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(cluster.files_below("archive").len(), parents);
    assert_eq!(regions(cluster), (open - 2, open));
    assert_eq!(scan().await, Some(0));
}

#[tokio::test(start_paused = true)]
async fn split() {
    let parent = RegionInfo::new(table_name("t"), Bytes::new(), Bytes::new(), NOW);
    at_every_step::<_, pb::SplitTableRegionResponse>(
        async |cluster| {
            cluster.create("t", &["f"], &[]).await.unwrap();
            assert_eq!(cluster.put_store_files("t", "f", FILE), 1);
        },
        "SplitRegion",
        pb::SplitTableRegionRequest { region_info: (&parent).into(), ..Default::default() },
        async |cluster, done| {
            let references = references(cluster);
            assert_eq!(cluster.files_below("data").len(), 1);
            if references.is_empty() {
                assert!(!done);
                assert_eq!(regions(cluster), (1, 3), "the parent, hbase:meta, hbase:namespace");
            } else {
                assert_eq!((references.len(), regions(cluster)), (2, (3, 4)));
                collect(cluster, &references, 1, 4).await;
            }
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn merge() {
    let parents = [("", "m"), ("m", "")].map(|(start, end)| {
        RegionInfo::new(table_name("t"), start.as_bytes().into(), end.as_bytes().into(), NOW)
    });
    let region = parents.iter().map(|parent| pb::RegionSpecifier {
        r#type: pb::region_specifier::RegionSpecifierType::EncodedRegionName.into(),
        value: parent.encoded_name().into_bytes().into(),
    });
    at_every_step::<_, pb::MergeTableRegionsResponse>(
        async |cluster| {
            cluster.create("t", &["f"], &["m"]).await.unwrap();
            assert_eq!(cluster.put_store_files("t", "f", FILE), 2);
        },
        "MergeTableRegions",
        pb::MergeTableRegionsRequest { region: region.collect(), ..Default::default() },
        async |cluster, done| {
            let references = references(cluster);
            assert_eq!(cluster.files_below("data").len(), 2);
            if references.is_empty() {
                assert!(!done);
                assert_eq!(regions(cluster), (2, 4), "the parents, hbase:meta, hbase:namespace");
            } else {
                assert_eq!((references.len(), regions(cluster)), (2, (3, 3)));
                collect(cluster, &references, 2, 3).await;
            }
        },
    )
    .await;
}
