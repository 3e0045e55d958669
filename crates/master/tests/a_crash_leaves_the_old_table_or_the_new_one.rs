//! The power is cut at every step of an operation, be it on disk or in hbase:meta (before it is written, and after it is
//! written but before anybody knows); then the cluster starts again.

mod cluster;

use std::time::Duration;

use bytes::Bytes;
use cluster::{Cluster, create_request, family_schema, pb_name, store::Store, table, table_name};
use finback_cell::RegionInfo;
use finback_fs::{CrashMode, MemFileSystem};
use finback_proto::{Message, convert, pb, pbuf};
use pb::table_state::State;

const FILE: &str = "576d886d16ff4d8e996c75d842dfbf8b";
/// As a region server calls a MOB file.
const MOB_FILE: &str = "d41d8cd98f00b204e9800998ecf8427e1970010192e5c125ae884bc68d9955e11bdd9611_f7638a2682b13d19ae8314e04fbc5f33";
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
AddColumnResponse DeleteColumnResponse ModifyTableResponse ModifyColumnResponse CreateNamespaceResponse
ModifyNamespaceResponse DeleteNamespaceResponse SplitTableRegionResponse MergeTableRegionsResponse FlushTableResponse
TruncateRegionResponse }

/// What a client knows of its operation when the power is cut.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// The procedure's id, if it was told.
    id: Option<u64>,
    /// Whether it was reported as done.
    done: bool,
    /// Whether the power was cut at all.
    cut: bool,
}

/// Cuts the power at step `n` of an operation.
async fn run_until_step<Req: Message, Resp: HasProcedure>(
    cluster: &Cluster,
    n: u64,
    method: &'static str,
    request: &Req,
) -> Known {
    let last = cluster.faults.operations() + n;
    cluster.faults.fail_from(last);
    let is_cut = || cluster.faults.operations() > last;
    let submitted = cluster.call::<_, Resp>(method, request);
    let cut = async {
        while !is_cut() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // What is in flight may still land, or not.
        tokio::time::sleep(Duration::from_millis(n % 7)).await;
    };
    let id = tokio::select! {
        response = submitted => match response {
            Ok(response) => response.id().unwrap(),
            Err(e) => {
                assert!(is_cut() && !e.do_not_retry, "{method}: {e}");
                return Known { id: None, done: false, cut: true };
            }
        },
        () = cut => return Known { id: None, done: false, cut: true },
    };
    let known = |done| Known { id: Some(id), done, cut: is_cut() };
    loop {
        let ask = pb::GetProcedureResultRequest { proc_id: id };
        let result: pb::GetProcedureResultResponse = cluster.call("getProcedureResult", &ask).await.unwrap();
        if result.state() == pb::get_procedure_result_response::State::Finished {
            return known(result.exception.is_none());
        }
        if is_cut() {
            tokio::time::sleep(Duration::from_millis(n % 7)).await;
            return known(false);
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Waits until no procedure is at work.
async fn idle(cluster: &Cluster) {
    for _ in 0..100_000 {
        let list: pb::GetProceduresResponse =
            cluster.call("GetProcedures", &pb::GetProceduresRequest {}).await.unwrap();
        let is_over = |p: &pb::Procedure| {
            matches!(p.state(), pb::ProcedureState::Success | pb::ProcedureState::Rolledback)
        };
        if list.procedure.iter().all(is_over) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("a procedure does not end");
}

/// Nothing is on disk that hbase:meta does not know.
fn nothing_is_left_over(cluster: &Cluster) {
    let root = cluster.root();
    let meta = cluster::meta_region().encoded_name();
    let rows = cluster.store.row_keys(&meta);
    let parents = rows.iter().flat_map(|row| ["merge0000", "merge0001"].map(|parent| (row, parent)));
    let parents = parents.filter_map(|(row, parent)| cluster.store.value(&meta, row, "info", parent));
    let name = |value: Bytes| {
        let info: pb::RegionInfo = pbuf::decode(&value, "RegionInfo").unwrap();
        RegionInfo::try_from(&info).unwrap().name()
    };
    let referred_to: Vec<_> = parents.map(name).collect();
    for table in root.list_tables().unwrap().iter().filter(|table| !table.is_meta()) {
        assert!(rows.contains(&table.to_bytes()), "{table} has a directory and no state");
        for region in root.list_regions(table).unwrap() {
            let name = root.read_region_info(table, &region).unwrap().name();
            let is_known = rows.contains(&name) || referred_to.contains(&name);
            assert!(is_known, "{} has a directory and no row", name.escape_ascii());
        }
    }
    let mut staged = vec![root.temp_dir()];
    while let Some(dir) = staged.pop() {
        for entry in root.fs().list(&dir).unwrap() {
            assert!(entry.is_dir, "{}/{}", dir.display(), entry.name);
            staged.push(dir.join(entry.name));
        }
    }
}

/// Cuts the power at every step of one operation. The check is told whether the operation must be done. It must if its
/// client knows its id: the client is told the end when the cluster is back. A client that knows no id sends the same
/// request again, which its nonce makes the same operation: then it must be done as well, once.
async fn at_every_step<Req: Message, Resp: HasProcedure>(
    prepare: impl AsyncFn(&Cluster),
    method: &'static str,
    request: Req,
    check: impl AsyncFn(&Cluster, bool),
) {
    let (mut outcomes, mut without_id) = ([0, 0], 0);
    for n in 0.. {
        for mode in MODES {
            let cluster = Cluster::start().await;
            prepare(&cluster).await;
            let known = run_until_step::<Req, Resp>(&cluster, n, method, &request).await;
            outcomes[usize::from(known.done)] += 1;
            without_id += usize::from(known.id.is_none());
            let next = cluster.crash_and_restart(mode).await;
            let cut = format!("{method} cut at {n}");
            is_carried_out::<Req, Resp>(&next, known.id, method, &request, &cut, &check).await;
            if !known.cut {
                assert!(known.done && outcomes[0] > 0 && without_id > 0, "{method}: {outcomes:?}");
                return;
            }
        }
    }
}

async fn is_carried_out<Req: Message, Resp: HasProcedure>(
    cluster: &Cluster,
    mut id: Option<u64>,
    method: &'static str,
    request: &Req,
    cut: &str,
    check: &impl AsyncFn(&Cluster, bool),
) {
    idle(cluster).await;
    nothing_is_left_over(cluster);
    if id.is_none() {
        check(cluster, false).await;
        id = cluster.call::<_, Resp>(method, request).await.unwrap().id();
    }
    cluster.wait(id).await.unwrap_or_else(|e| panic!("{cut}: {e:?}"));
    check(cluster, true).await;
    nothing_is_left_over(cluster);
    let again = cluster.call::<_, Resp>(method, request).await.unwrap().id();
    assert_eq!(again, id, "{cut}: the nonce is known");
}

/// How far apart the steps are at which the power is cut in an operation and again in the start after it.
const STRIDES: (usize, usize) = (3, 4);
/// Longer than a start has to do with an operation.
const SETTLED_MS: u64 = 500;

/// As [`at_every_step`], where the power is cut again while the next start goes on with the operation.
async fn twice<Req: Message, Resp: HasProcedure>(
    prepare: impl AsyncFn(&Cluster),
    method: &'static str,
    request: Req,
    check: impl AsyncFn(&Cluster, bool),
) {
    let (mut first, mut again) = (0, 0);
    for n in (0..).step_by(STRIDES.0) {
        for m in (n % 4..).step_by(STRIDES.1) {
            let cluster = Cluster::start().await;
            prepare(&cluster).await;
            let known = run_until_step::<Req, Resp>(&cluster, n, method, &request).await;
            if !known.cut {
                assert!(first > 3 && again > 3 * first, "{method}: {first} {again}");
                return;
            }
            let (memory, store) = (cluster.memory.crash(CrashMode::Strict), cluster.store.copy());
            cluster.master.stop();
            let second =
                Cluster::failing(memory.clone(), store.clone(), NOW + 1000, Default::default(), Some(m));
            let mut is_cut = true;
            if let Ok(second) = second.await {
                second.server.register().await.unwrap();
                for _ in 0..SETTLED_MS {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    is_cut = second.faults.operations() > m;
                    if is_cut {
                        break;
                    }
                }
                second.master.stop();
            }
            let third = Cluster::on(memory.crash(CrashMode::Strict), store.copy(), NOW + 2000).await;
            third.server.register().await.unwrap();
            third.initialized().await;
            let cut = format!("{method} cut at {n}, then at {m}");
            is_carried_out::<Req, Resp>(&third, known.id, method, &request, &cut, &check).await;
            again += 1;
            if !is_cut {
                break;
            }
        }
        first += 1;
    }
}

#[tokio::test(start_paused = true)]
async fn a_start_that_goes_on_with_an_operation_may_be_cut_off_as_well() {
    twice::<_, pb::CreateTableResponse>(
        async |_| {},
        "CreateTable",
        pb::CreateTableRequest {
            nonce_group: Some(7),
            nonce: Some(11),
            ..create_request(table("t", &["f"]), &["m"])
        },
        async |cluster, done| {
            let on_disk = cluster.root().list_regions(&table_name("t")).unwrap().len();
            match cluster.state("t").await {
                None => assert!(!done && on_disk == 0),
                state => assert_eq!((state, on_disk), (Some(State::Enabled), 2)),
            }
        },
    )
    .await;
    twice::<_, pb::TruncateTableResponse>(
        async |cluster| {
            cluster.create("t", &["f"], &["m"]).await.unwrap();
            cluster.put_store_files("t", "f", FILE);
            cluster.disable("t").await.unwrap();
        },
        "truncateTable",
        pb::TruncateTableRequest {
            table_name: pb_name("t"),
            preserve_splits: Some(true),
            nonce_group: Some(7),
            nonce: Some(11),
        },
        async |cluster, done| {
            let files = (cluster.files_below("data").len(), cluster.files_below("archive").len());
            match cluster.state("t").await {
                Some(State::Disabled) => assert!(!done && files == (2, 0)),
                state => assert_eq!((state, files), (Some(State::Enabled), (0, 2))),
            }
        },
    )
    .await;
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
        pb::CreateTableRequest {
            nonce_group: Some(7),
            nonce: Some(11),
            ..create_request(table("t", &["f"]), &["m"])
        },
        async |cluster, done| {
            if cluster.state("t").await.is_none() {
                assert!(!done);
                assert_eq!(cluster.root().list_regions(&table_name("t")).unwrap().len(), 0, "swept");
                return;
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
            cluster.put_mob_file("t", "f", MOB_FILE);
            cluster.disable("t").await.unwrap();
        },
        "DeleteTable",
        name_request(|table_name| pb::DeleteTableRequest {
            table_name,
            nonce_group: Some(7),
            nonce: Some(11),
        }),
        async |cluster, done| {
            let state = cluster.state("t").await;
            let files = (cluster.files_below("data").len(), cluster.files_below("archive").len());
            match state {
                Some(State::Disabled) => assert!(!done && files == (2, 0), "{files:?}"),
                None => assert_eq!(files, (0, 2)),
                other => panic!("{other:?}"),
            }
            assert_eq!(mob_file_is_archived(cluster, "f"), state.is_none());
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
                cluster.put_mob_file("t", "f", MOB_FILE);
                cluster.disable("t").await.unwrap();
            },
            "truncateTable",
            name_request(|table_name| pb::TruncateTableRequest {
                table_name,
                preserve_splits: Some(preserve),
                nonce_group: Some(7),
                nonce: Some(11),
            }),
            async |cluster, done| {
                let files = (cluster.files_below("data").len(), cluster.files_below("archive").len());
                let regions = cluster.root().list_regions(&table_name("t")).unwrap().len();
                match cluster.state("t").await {
                    Some(State::Disabled) => {
                        assert!(!done && files == (2, 0) && regions == 2, "{files:?} {regions}");
                        assert!(!mob_file_is_archived(cluster, "f"));
                    }
                    Some(State::Enabled) => {
                        assert_eq!((files, regions), ((0, 2), if preserve { 2 } else { 1 }));
                        assert!(mob_file_is_archived(cluster, "f"));
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
        name_request(|table_name| pb::DisableTableRequest {
            table_name,
            nonce_group: Some(7),
            nonce: Some(11),
        }),
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
        name_request(|table_name| pb::EnableTableRequest {
            table_name,
            nonce_group: Some(7),
            nonce: Some(11),
        }),
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
            nonce_group: Some(7),
            nonce: Some(11),
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
            cluster.put_mob_file("t", "g", MOB_FILE);
        },
        "DeleteColumn",
        name_request(|table_name| pb::DeleteColumnRequest {
            table_name,
            column_name: "g".into(),
            nonce_group: Some(7),
            nonce: Some(11),
        }),
        async |cluster, done| {
            let files = (cluster.files_below("data").len(), cluster.files_below("archive").len());
            let families = cluster.descriptor("t").await.unwrap().families.len();
            match families {
                2 => assert!(!done && files == (2, 0), "{files:?}"),
                families => assert_eq!((families, files), (1, (0, 2))),
            }
            assert_eq!(mob_file_is_archived(cluster, "g"), families == 1);
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn modify_a_table_and_a_family() {
    let mut changed = table("t", &["f", "g"]);
    finback_cell::schema::set_entry(&mut changed.attributes, "MAX_FILESIZE", "4294967296");
    at_every_step::<_, pb::ModifyTableResponse>(
        async |cluster| cluster.create("t", &["f", "h"], &["m"]).await.unwrap(),
        "ModifyTable",
        name_request(|table_name| pb::ModifyTableRequest {
            table_name,
            table_schema: (&changed).into(),
            nonce_group: Some(7),
            nonce: Some(11),
            ..Default::default()
        }),
        async |cluster, done| {
            let descriptor = cluster.descriptor("t").await.unwrap();
            let families: Vec<_> = descriptor.families.iter().map(|family| family.name.clone()).collect();
            match descriptor.attribute("MAX_FILESIZE") {
                Some(_) => assert_eq!(families, ["f", "g"]),
                None => assert!(!done && families == ["f", "h"]),
            }
            assert_eq!(cluster.server.online.lock().unwrap().len(), 4);
        },
    )
    .await;
    at_every_step::<_, pb::ModifyColumnResponse>(
        async |cluster| {
            cluster.create("t", &["f"], &["m"]).await.unwrap();
            cluster.disable("t").await.unwrap();
        },
        "ModifyColumn",
        name_request(|table_name| pb::ModifyColumnRequest {
            table_name,
            column_families: (&finback_cell::ColumnFamilyDescriptor::with_defaults(b"f")
                .with("VERSIONS", "9"))
                .into(),
            nonce_group: Some(7),
            nonce: Some(11),
        }),
        async |cluster, done| {
            let descriptor = cluster.descriptor("t").await.unwrap();
            let versions = descriptor.families[0].attribute("VERSIONS");
            assert!(versions == Some("9") || !done);
            assert_eq!(cluster.state("t").await, Some(State::Disabled));
            assert_eq!(cluster.server.online.lock().unwrap().len(), 2);
        },
    )
    .await;
}

async fn namespace(cluster: &Cluster, name: &str) -> Option<Vec<(String, String)>> {
    let ask = pb::GetNamespaceDescriptorRequest { namespace_name: name.into() };
    let answer: Result<pb::GetNamespaceDescriptorResponse, _> =
        cluster.call("GetNamespaceDescriptor", &ask).await;
    let descriptor = answer.ok()?.namespace_descriptor;
    Some(convert::decode_namespace(&descriptor).unwrap().1)
}

#[tokio::test(start_paused = true)]
async fn modify_and_delete_a_namespace() {
    let entries = |value: &str| vec![("key".to_owned(), value.to_owned())];
    let prepare = async |cluster: &Cluster| {
        let namespace_descriptor = convert::namespace_descriptor("ns", &entries("old"));
        let request = pb::CreateNamespaceRequest { namespace_descriptor, ..Default::default() };
        let response: pb::CreateNamespaceResponse = cluster.call("CreateNamespace", &request).await.unwrap();
        cluster.wait(response.proc_id).await.unwrap();
    };
    at_every_step::<_, pb::ModifyNamespaceResponse>(
        prepare,
        "ModifyNamespace",
        pb::ModifyNamespaceRequest {
            namespace_descriptor: convert::namespace_descriptor("ns", &entries("new")),
            nonce_group: Some(7),
            nonce: Some(11),
        },
        async |cluster, done| {
            let found = namespace(cluster, "ns").await;
            assert!(found == Some(entries("new")) || (!done && found == Some(entries("old"))), "{found:?}");
        },
    )
    .await;
    at_every_step::<_, pb::DeleteNamespaceResponse>(
        prepare,
        "DeleteNamespace",
        pb::DeleteNamespaceRequest { namespace_name: "ns".into(), nonce_group: Some(7), nonce: Some(11) },
        async |cluster, done| {
            let on_disk = cluster.root().list_namespace_dirs().unwrap().contains(&"ns".to_owned());
            match namespace(cluster, "ns").await {
                Some(_) => assert!(!done && on_disk),
                None => assert!(!on_disk),
            }
        },
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn create_a_namespace() {
    let namespace_descriptor = convert::namespace_descriptor("ns", &[]);
    let request = pb::CreateNamespaceRequest { namespace_descriptor, nonce_group: Some(7), nonce: Some(11) };
    at_every_step::<_, pb::CreateNamespaceResponse>(
        async |_| {},
        "CreateNamespace",
        request.clone(),
        async |cluster, done| {
            let list = pb::ListNamespacesRequest {};
            let names: pb::ListNamespacesResponse = cluster.call("ListNamespaces", &list).await.unwrap();
            match names.namespace_name.contains(&"ns".to_owned()) {
                true => cluster.create(&format!("ns:t{done}"), &["f"], &[]).await.unwrap(),
                false => assert!(!done),
            }
        },
    )
    .await;
}

/// Regions of the table on disk, and those that are open, of all tables.
fn regions(cluster: &Cluster) -> (usize, usize) {
    let on_disk = cluster.root().list_regions(&table_name("t")).unwrap().len();
    (on_disk, cluster.server.online.lock().unwrap().len())
}

#[tokio::test(start_paused = true)]
async fn a_region_on_the_move_is_open_in_the_end() {
    for n in 0..24 {
        let cluster = Cluster::start().await;
        cluster.create("t", &["f"], &[]).await.unwrap();
        let region = RegionInfo::new(table_name("t"), Bytes::new(), Bytes::new(), NOW);
        let specifier = convert::specifier_by_encoded_name(&region);
        let elsewhere = pb::ServerName { host_name: "elsewhere".into(), port: Some(1), start_code: Some(1) };
        let request = pb::MoveRegionRequest { region: specifier, dest_server_name: Some(elsewhere) };
        cluster.faults.fail_from(cluster.faults.operations() + n);
        let moving = cluster.call::<_, pb::MoveRegionResponse>("MoveRegion", &request);
        // It may never come to an end.
        let _ = tokio::time::timeout(Duration::from_millis(50), moving).await;
        let next = cluster.crash_and_restart(CrashMode::Strict).await;
        idle(&next).await;
        assert_eq!(regions(&next), (1, 3), "cut at {n}");
    }
}

/// A start opens the regions of tables that are enabled, whatever was done to them one by one.
#[tokio::test(start_paused = true)]
async fn a_region_that_was_on_its_way_is_open_after_a_start_or_closed_if_that_goes_on() {
    let region = RegionInfo::new(table_name("t"), Bytes::new(), Bytes::new(), NOW);
    let specifier = convert::specifier_by_encoded_name(&region);
    let unassign = pb::UnassignRegionRequest { region: specifier.clone(), ..Default::default() };
    let assign = pb::AssignRegionRequest { region: specifier, ..Default::default() };
    let close = async |cluster: &Cluster| -> Result<pb::UnassignRegionResponse, finback_rpc::RpcException> {
        cluster.call("UnassignRegion", &unassign).await
    };
    let open = async |cluster: &Cluster| -> Result<pb::AssignRegionResponse, finback_rpc::RpcException> {
        cluster.call("AssignRegion", &assign).await
    };
    for (n, closes) in (0..20).flat_map(|n| [(n, true), (n, false)]) {
        let cluster = Cluster::start().await;
        cluster.create("t", &["f"], &[]).await.unwrap();
        if !closes {
            close(&cluster).await.unwrap();
            assert_eq!(regions(&cluster), (1, 2));
        }
        cluster.faults.fail_from(cluster.faults.operations() + n);
        // It may never come to an end.
        let change =
            async { if closes { close(&cluster).await.map(drop) } else { open(&cluster).await.map(drop) } };
        let _ = tokio::time::timeout(Duration::from_millis(50), change).await;
        let next = cluster.crash_and_restart(CrashMode::Strict).await;
        idle(&next).await;
        // An unassignment that had begun goes on.
        let is_open = regions(&next) == (1, 3);
        assert!(is_open || closes && regions(&next) == (1, 2), "cut at {n}");
        if is_open {
            close(&next).await.unwrap();
        }
        assert_eq!(regions(&next), (1, 2));
        open(&next).await.unwrap();
        assert_eq!(regions(&next), (1, 3));
    }
}

#[tokio::test(start_paused = true)]
async fn flush() {
    at_every_step::<_, pb::FlushTableResponse>(
        async |cluster| {
            cluster.create("t", &["f"], &["m"]).await.unwrap();
        },
        "FlushTable",
        pb::FlushTableRequest {
            table_name: (&table_name("t")).into(),
            nonce_group: Some(7),
            nonce: Some(11),
            ..Default::default()
        },
        async |cluster, _| assert_eq!(regions(cluster), (2, 4)),
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn truncate_region() {
    let old = RegionInfo::new(table_name("t"), Bytes::new(), "m".into(), NOW);
    at_every_step::<_, pb::TruncateRegionResponse>(
        async |cluster| {
            cluster.create("t", &["f"], &["m"]).await.unwrap();
            assert_eq!(cluster.put_store_files("t", "f", FILE), 2);
        },
        "TruncateRegion",
        pb::TruncateRegionRequest { region_info: (&old).into(), nonce_group: Some(7), nonce: Some(11) },
        async |cluster, done| {
            assert_eq!(regions(cluster), (2, 4), "as many as before");
            let files = cluster.files_below("data").len();
            assert!(if done { files == 1 } else { files == 1 || files == 2 }, "{files}");
            assert_eq!(files + cluster.files_below("archive").len(), 2, "what was there is in the archive");
        },
    )
    .await;
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
        pb::SplitTableRegionRequest {
            region_info: (&parent).into(),
            nonce_group: Some(7),
            nonce: Some(11),
            ..Default::default()
        },
        async |cluster, done| {
            let references = references(cluster);
            assert_eq!(cluster.files_below("data").len(), 1);
            if references.is_empty() {
                assert!(!done);
                assert_eq!(regions(cluster), (1, 3), "the parent, hbase:meta, hbase:namespace");
            } else {
                assert_eq!((references.len(), regions(cluster)), (2, (3, 4)));
                if done {
                    collect(cluster, &references, 1, 4).await;
                }
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
        pb::MergeTableRegionsRequest {
            region: region.collect(),
            nonce_group: Some(7),
            nonce: Some(11),
            ..Default::default()
        },
        async |cluster, done| {
            let references = references(cluster);
            assert_eq!(cluster.files_below("data").len(), 2);
            if references.is_empty() {
                assert!(!done);
                assert_eq!(regions(cluster), (2, 4), "the parents, hbase:meta, hbase:namespace");
            } else {
                assert_eq!((references.len(), regions(cluster)), (2, (3, 3)));
                if done {
                    collect(cluster, &references, 2, 3).await;
                }
            }
        },
    )
    .await;
}

impl HasProcedure for pb::SnapshotResponse {
    fn id(&self) -> Option<u64> {
        self.proc_id.and_then(|id| u64::try_from(id).ok())
    }
}

impl HasProcedure for pb::RestoreSnapshotResponse {
    fn id(&self) -> Option<u64> {
        Some(self.proc_id)
    }
}

fn description(table: &str) -> pb::SnapshotDescription {
    pb::SnapshotDescription { name: "s".into(), table: Some(table.into()), ..Default::default() }
}

/// A table with a snapshot.
async fn with_snapshot(cluster: &Cluster) {
    cluster.create("t", &["f"], &["m"]).await.unwrap();
    cluster.put_store_files("t", "f", FILE);
    cluster.put_mob_file("t", "f", MOB_FILE);
    let request = pb::SnapshotRequest { snapshot: description("t"), nonce_group: Some(1), nonce: Some(2) };
    let response: pb::SnapshotResponse = cluster.call("Snapshot", &request).await.unwrap();
    cluster.wait(response.id()).await.unwrap();
}

fn restore_request(table: &str) -> pb::RestoreSnapshotRequest {
    pb::RestoreSnapshotRequest {
        snapshot: description(table),
        nonce_group: Some(7),
        nonce: Some(11),
        ..Default::default()
    }
}

/// How many files of a table are elsewhere, and how many are its own.
fn links(cluster: &Cluster, table: &str) -> (usize, usize) {
    let (root, table) = (cluster.root(), table_name(table));
    let regions = root.list_regions(&table).unwrap();
    let families = [&b"f"[..], b"g"].into_iter();
    let files = families.flat_map(|family| regions.iter().map(move |region| (region, family)));
    let files = files.flat_map(|(region, family)| root.list_store_files(&table, region, family).unwrap());
    let (elsewhere, own): (Vec<_>, Vec<_>) = files.partition(|file| file.elsewhere.is_some());
    (elsewhere.len(), own.len())
}

/// Whether the archive has a table's MOB file; else it is in its place.
fn mob_file_is_archived(cluster: &Cluster, family: &str) -> bool {
    let is_archived = cluster.has_archived_mob_file("t", family, MOB_FILE);
    assert_eq!(cluster.mob_files("t", family).len(), usize::from(!is_archived));
    is_archived
}

fn link_to_mob_file() -> String {
    format!("t={}-{MOB_FILE}", finback_layout::mob_region(&table_name("t")))
}

/// What nothing needs goes, and nothing else.
async fn clean(cluster: &Cluster) {
    let answer: pb::RunCleanerChoreResponse =
        cluster.call("RunCleanerChore", &pb::RunCleanerChoreRequest {}).await.unwrap();
    assert!(answer.cleaner_chore_ran);
}

#[tokio::test(start_paused = true)]
async fn snapshot() {
    for enabled in [true, false] {
        at_every_step::<_, pb::SnapshotResponse>(
            async |cluster| {
                cluster.create("t", &["f"], &["m"]).await.unwrap();
                cluster.put_store_files("t", "f", FILE);
                if !enabled {
                    cluster.disable("t").await.unwrap();
                }
            },
            "Snapshot",
            pb::SnapshotRequest { snapshot: description("t"), nonce_group: Some(7), nonce: Some(11) },
            async |cluster, done| {
                let root = cluster.root();
                let snapshots = root.list_snapshots().unwrap();
                assert_eq!(
                    snapshots.len(),
                    root.fs()
                        .list(&root.snapshots_dir())
                        .map_or(0, |entries| { entries.iter().filter(|entry| entry.name != ".tmp").count() })
                );
                let working = root.fs().list(&root.snapshots_dir().join(".tmp"));
                assert!(working.is_err() || working.is_ok_and(|left| left.is_empty()));
                assert!(snapshots.len() == 1 || (!done && snapshots.is_empty()), "{snapshots:?}");
                if !snapshots.is_empty() {
                    let manifest = root.read_snapshot_manifest("s").unwrap();
                    assert_eq!(manifest.regions.len(), 2);
                    root.verify_snapshot("s", &table_name("t"), &manifest).unwrap();
                }
                let state = if enabled { State::Enabled } else { State::Disabled };
                assert_eq!(cluster.state("t").await, Some(state));
                assert_eq!(links(cluster, "t"), (0, 2));
            },
        )
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn clone_snapshot() {
    at_every_step::<_, pb::RestoreSnapshotResponse>(
        with_snapshot,
        "RestoreSnapshot",
        restore_request("c"),
        async |cluster, done| {
            clean(cluster).await;
            match cluster.state("c").await {
                None => {
                    assert!(!done);
                    assert_eq!(cluster.root().list_regions(&table_name("c")).unwrap().len(), 0, "swept");
                    assert!(cluster.mob_files("c", "f").is_empty(), "swept");
                }
                state => {
                    assert_eq!(state, Some(State::Enabled));
                    assert_eq!(links(cluster, "c"), (2, 0));
                    assert_eq!(cluster.mob_files("c", "f"), [link_to_mob_file()]);
                }
            }
            assert_eq!((cluster.state("t").await, links(cluster, "t")), (Some(State::Enabled), (0, 2)));
        },
    )
    .await;
}

/// A restore of a table that has another schema than it had, and other files.
async fn changed_since_its_snapshot(cluster: &Cluster) {
    with_snapshot(cluster).await;
    let request = pb::AddColumnRequest {
        table_name: pb_name("t"),
        column_families: family_schema("g"),
        ..Default::default()
    };
    let response: pb::AddColumnResponse = cluster.call("AddColumn", &request).await.unwrap();
    cluster.wait(response.proc_id).await.unwrap();
    cluster.disable("t").await.unwrap();
    cluster.put_store_files("t", "f", "9bad886d16ff4d8e996c75d842dfbf8b");
    cluster.put_store_files("t", "g", FILE);
    // Its values were written anew.
    cluster.root().archive_mob_file(&table_name("t"), b"f", MOB_FILE).unwrap();
    cluster.put_mob_file("t", "f", &late_mob_file());
}

fn late_mob_file() -> String {
    MOB_FILE.replace("92e5c125", "12e5c125")
}

async fn is_old_or_restored(cluster: &Cluster, done: bool) {
    clean(cluster).await;
    assert_eq!(cluster.state("t").await, Some(State::Disabled));
    let families = cluster.descriptor("t").await.unwrap().families.len();
    assert_eq!(cluster.root().read_table_descriptor(&table_name("t")).unwrap().families.len(), families);
    match links(cluster, "t") {
        (0, 6) => {
            assert!(!done && families == 2, "{families} families");
            assert!(cluster.mob_files("t", "f").contains(&late_mob_file()));
        }
        restored => {
            assert_eq!((restored, families), ((2, 0), 1));
            // Of a snapshot that is gone nobody knows what it did not have.
            let mut mob_files = cluster.mob_files("t", "f");
            mob_files.retain(|name| done || *name != late_mob_file());
            assert_eq!(mob_files, [link_to_mob_file()]);
        }
    }
    assert_eq!(cluster.root().list_regions(&table_name("t")).unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn restore_snapshot() {
    at_every_step::<_, pb::RestoreSnapshotResponse>(
        changed_since_its_snapshot,
        "RestoreSnapshot",
        restore_request("t"),
        is_old_or_restored,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_restore_that_goes_on_may_be_cut_off_as_well() {
    twice::<_, pb::RestoreSnapshotResponse>(
        changed_since_its_snapshot,
        "RestoreSnapshot",
        restore_request("t"),
        is_old_or_restored,
    )
    .await;
}

/// The power is cut, and when the restore would go on, much later, its snapshot is gone: a table that is not restored has the
/// schema that it had.
#[tokio::test(start_paused = true)]
async fn a_restore_that_cannot_go_on_leaves_the_old_schema() {
    let (mut old, mut restored) = (0, 0);
    for n in 0.. {
        let cluster = Cluster::start().await;
        changed_since_its_snapshot(&cluster).await;
        let request = restore_request("t");
        let known =
            run_until_step::<_, pb::RestoreSnapshotResponse>(&cluster, n, "RestoreSnapshot", &request).await;
        let (memory, store) = (cluster.memory.crash(CrashMode::Strict), cluster.store.copy());
        cluster.master.stop();
        let root = finback_layout::RootDir::new(std::sync::Arc::new(memory.clone()), cluster::ROOT);
        root.delete_snapshot("s").unwrap();
        let next = Cluster::on(memory, store, NOW + 20 * 60_000).await;
        next.server.register().await.unwrap();
        next.initialized().await;
        idle(&next).await;
        nothing_is_left_over(&next);
        is_old_or_restored(&next, false).await;
        match links(&next, "t") {
            (0, 6) => old += 1,
            _ => restored += 1,
        }
        if !known.cut {
            assert!(old > 3 && restored > 1, "{old} {restored}");
            return;
        }
    }
}
