//! The operations of administrators, from their request to what hbase:meta, the disk and the region server say after.

mod cluster;

use bytes::Bytes;
use cluster::{Cluster, create_request, family_schema, pb_name, refusal, table, table_name};
use finback_cell::{RegionInfo, schema::set_entry};
use finback_proto::{Message, pb};
use pb::table_state::State;

const META: &str = "1588230740";
const FILE: &str = "576d886d16ff4d8e996c75d842dfbf8b";
/// As a region server calls a MOB file.
const MOB_FILE: &str = "d41d8cd98f00b204e9800998ecf8427e1970010192e5c125ae884bc68d9955e11bdd9611_f7638a2682b13d19ae8314e04fbc5f33";

#[tokio::test(start_paused = true)]
async fn a_first_start_makes_the_system_tables() {
    let cluster = Cluster::start().await;
    let status = cluster.master.status().borrow().clone();
    assert_eq!(status.meta_location, Some(cluster.server.name.clone()));
    assert_eq!(status.cluster_id, cluster.root().cluster_id().unwrap());
    assert_eq!(cluster.state("hbase:namespace").await, Some(State::Enabled));
    let names: pb::ListNamespacesResponse =
        cluster.call("ListNamespaces", &pb::ListNamespacesRequest {}).await.unwrap();
    assert_eq!(names.namespace_name, ["default", "hbase"]);
    let meta = cluster.descriptor("hbase:meta").await.unwrap();
    assert_eq!(meta.families.len(), 3);
    assert_eq!(cluster.descriptor("hbase:namespace").await.unwrap().families[0].max_versions(), 10);
    // Two tables at most in the way of the first put: few writes.
    assert!(cluster.faults.operations() < 70, "{} operations", cluster.faults.operations());
}

#[tokio::test(start_paused = true)]
async fn a_created_table_stands_in_meta_as_hbase_writes_it() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f", "g"], &["m"]).await.unwrap();
    assert_eq!(cluster.state("t").await, Some(State::Enabled));
    assert_eq!(&cluster.store.value(META, b"t", "table", "state").unwrap()[..], [8, 0]);
    let regions = cluster.root().list_regions(&table_name("t")).unwrap();
    assert_eq!(regions.len(), 2);
    for region in regions {
        let info: RegionInfo = cluster.root().read_region_info(&table_name("t"), &region).unwrap();
        let value = |qualifier| cluster.store.value(META, &info.name(), "info", qualifier).unwrap();
        assert_eq!(&value("state")[..], b"OPEN");
        assert_eq!(&value("server")[..], b"localhost:16020");
        assert_eq!(&value("sn")[..], cluster.server.name.to_string().as_bytes());
        assert_eq!(&value("serverstartcode")[..], cluster.server.name.start_code.to_be_bytes());
        assert_eq!(&value("seqnumDuringOpen")[..], 2u64.to_be_bytes());
        assert!(value("regioninfo").starts_with(b"PBUF"));
        assert!(cluster.server.online.lock().unwrap().contains(&region));
    }
    let stored = cluster.descriptor("t").await.unwrap();
    assert_eq!(stored.attribute("hbase.store.file-tracker.impl"), Some("DEFAULT"));
    assert_eq!(cluster.root().read_table_descriptor(&table_name("t")).unwrap(), stored);
}

#[tokio::test(start_paused = true)]
async fn bad_tables_are_refused_at_once() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &[]).await.unwrap();
    let create = async |table, splits: &[&str]| {
        let answer =
            cluster.call::<_, pb::CreateTableResponse>("CreateTable", &create_request(table, splits)).await;
        refusal(answer)
    };
    let exception = |class: &str, message: &str| (class.to_owned(), message.to_owned());
    assert_eq!(create(table("t", &["f"]), &[]).await, exception("TableExistsException", "t"));
    assert_eq!(create(table("no:t", &["f"]), &[]).await, exception("NamespaceNotFoundException", "no"));
    let (class, message) = create(table("u", &[]), &[]).await;
    assert_eq!(class, "DoNotRetryIOException");
    assert!(message.starts_with("Table should have at least one column family."), "{message}");
    let (_, message) = create(table("u", &["f"]), &["a", ""]).await;
    assert_eq!(message, "Empty split key must not be passed in the split keys.");
    let (_, message) = create(table("u", &["f"]), &["b", "a", "b"]).await;
    assert_eq!(message, "All split keys must be unique, found duplicate: b");
    let long = "x".repeat(32_750);
    let (_, message) = create(table("u", &["f"]), &[&long]).await;
    assert!(message.starts_with("A region of u cannot begin with a key of 32750 bytes"), "{message}");
    let mut tracked = table("u", &["f"]);
    set_entry(&mut tracked.attributes, "hbase.store.file-tracker.impl", "MIGRATION");
    let (_, message) = create(tracked, &[]).await;
    assert_eq!(message, "config hbase.store.file-tracker.migration.src.impl is not set");
    let illegal = pb::CreateTableRequest {
        table_schema: pb::TableSchema {
            table_name: Some(pb::TableName { namespace: "default".into(), qualifier: "../x".into() }),
            ..Default::default()
        },
        ..Default::default()
    };
    let (class, _) = refusal(cluster.call::<_, pb::CreateTableResponse>("CreateTable", &illegal).await);
    assert_eq!(class, "DoNotRetryIOException");
    assert_eq!(cluster.state("u").await, None);
}

#[tokio::test(start_paused = true)]
async fn a_table_is_disabled_enabled_and_dropped() {
    let cluster = Cluster::start().await;
    let exception = |class: &str, message: &str| (class.to_owned(), message.to_owned());
    assert_eq!(refusal(cluster.disable("t").await), exception("TableNotFoundException", "t"));
    assert_eq!(refusal(cluster.enable("t").await), exception("TableNotFoundException", "t"));
    assert_eq!(refusal(cluster.delete("t").await), exception("TableNotFoundException", "t"));
    assert_eq!(
        refusal(cluster.disable("hbase:meta").await),
        exception("ConstraintException", "Cannot disable hbase:meta")
    );
    assert_eq!(
        refusal(cluster.delete("hbase:meta").await),
        exception("DoNotRetryIOException", "Can't modify catalog tables")
    );
    cluster.create("t", &["f"], &["m"]).await.unwrap();
    assert_eq!(refusal(cluster.delete("t").await), exception("TableNotDisabledException", "t"));
    assert_eq!(
        refusal(cluster.enable("t").await),
        exception("TableNotDisabledException", "tableName=t, state=ENABLED")
    );
    cluster.disable("t").await.unwrap();
    assert_eq!(cluster.state("t").await, Some(State::Disabled));
    assert_eq!(
        refusal(cluster.disable("t").await),
        exception("TableNotEnabledException", "tableName=t, state=DISABLED")
    );
    let rows = cluster.store.row_keys(META);
    for row in rows.iter().filter(|row| row.starts_with(b"t,")) {
        assert_eq!(&cluster.store.value(META, row, "info", "state").unwrap()[..], b"CLOSED");
        assert!(cluster.store.value(META, row, "info", "server").is_some(), "the last location stays");
    }
    cluster.enable("t").await.unwrap();
    assert_eq!(cluster.state("t").await, Some(State::Enabled));
    let files = cluster.put_store_files("t", "f", FILE);
    cluster.disable("t").await.unwrap();
    cluster.delete("t").await.unwrap();
    assert_eq!(cluster.state("t").await, None);
    assert!(!cluster.store.row_keys(META).iter().any(|row| row.starts_with(b"t")));
    assert_eq!(cluster.files_below("archive").len(), files);
    assert_eq!(cluster.files_below("data").len(), 0);
    // At once again: no delete marker hides the new rows.
    cluster.create("t", &["f"], &[]).await.unwrap();
    assert_eq!(cluster.state("t").await, Some(State::Enabled));
    assert!(cluster.store.row_keys(META).contains(&Bytes::from("t")));
}

#[tokio::test(start_paused = true)]
async fn a_truncated_table_is_empty_with_or_without_its_splits() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &["h", "p"]).await.unwrap();
    let truncate = async |preserve| {
        let request = pb::TruncateTableRequest {
            table_name: pb_name("t"),
            preserve_splits: Some(preserve),
            ..Default::default()
        };
        cluster.call::<_, pb::TruncateTableResponse>("truncateTable", &request).await
    };
    assert_eq!(refusal(truncate(true).await), ("TableNotDisabledException".into(), "t".into()));
    for (preserve, regions) in [(true, 3), (false, 1)] {
        let before = cluster.root().list_regions(&table_name("t")).unwrap();
        let archived = cluster.files_below("archive").len();
        let files = cluster.put_store_files("t", "f", FILE);
        cluster.disable("t").await.unwrap();
        cluster.wait(truncate(preserve).await.unwrap().proc_id).await.unwrap();
        assert_eq!(cluster.state("t").await, Some(State::Enabled));
        let after = cluster.root().list_regions(&table_name("t")).unwrap();
        assert_eq!(after.len(), regions);
        assert!(after.iter().all(|region| !before.contains(region)), "new region ids");
        assert_eq!(cluster.files_below("archive").len(), archived + files);
        assert_eq!(cluster.files_below("data").len(), 0);
        let rows = cluster.store.row_keys(META);
        assert_eq!(rows.iter().filter(|row| row.starts_with(b"t,")).count(), regions);
    }
}

#[tokio::test(start_paused = true)]
async fn mob_files_go_to_the_archive_with_their_family_or_the_contents_of_their_table() {
    let cluster = Cluster::start().await;
    let request = create_request(cluster::mob_table("t", &["f", "g"]), &["m"]);
    let created: pb::CreateTableResponse = cluster.call("CreateTable", &request).await.unwrap();
    cluster.wait(created.proc_id).await.unwrap();
    ["f", "g"].iter().for_each(|family| cluster.put_mob_file("t", family, MOB_FILE));
    let remove =
        pb::DeleteColumnRequest { table_name: pb_name("t"), column_name: "g".into(), ..Default::default() };
    let removed: pb::DeleteColumnResponse = cluster.call("DeleteColumn", &remove).await.unwrap();
    cluster.wait(removed.proc_id).await.unwrap();
    assert!(cluster.mob_files("t", "g").is_empty() && cluster.has_archived_mob_file("t", "g", MOB_FILE));
    assert_eq!(cluster.mob_files("t", "f"), [MOB_FILE]);
    // One of that name has none of it.
    cluster.put_mob_file("t", "g", &MOB_FILE.replace("92e5c125", "12e5c125"));
    let add = pb::AddColumnRequest {
        table_name: pb_name("t"),
        column_families: family_schema("g"),
        ..Default::default()
    };
    let added: pb::AddColumnResponse = cluster.call("AddColumn", &add).await.unwrap();
    cluster.wait(added.proc_id).await.unwrap();
    assert!(cluster.mob_files("t", "g").is_empty());
    for preserve in [true, false] {
        cluster.put_mob_file("t", "f", MOB_FILE);
        cluster.disable("t").await.unwrap();
        let truncate = pb::TruncateTableRequest {
            table_name: pb_name("t"),
            preserve_splits: Some(preserve),
            ..Default::default()
        };
        let truncated: pb::TruncateTableResponse = cluster.call("truncateTable", &truncate).await.unwrap();
        cluster.wait(truncated.proc_id).await.unwrap();
        assert!(cluster.mob_files("t", "f").is_empty() && cluster.has_archived_mob_file("t", "f", MOB_FILE));
    }
}

#[tokio::test(start_paused = true)]
async fn families_are_added_modified_and_removed() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &["m"]).await.unwrap();
    let add = async |name| {
        let request = pb::AddColumnRequest {
            table_name: pb_name("t"),
            column_families: family_schema(name),
            ..Default::default()
        };
        cluster.call::<_, pb::AddColumnResponse>("AddColumn", &request).await
    };
    let remove = async |name: &'static str| {
        let request = pb::DeleteColumnRequest {
            table_name: pb_name("t"),
            column_name: name.into(),
            ..Default::default()
        };
        cluster.call::<_, pb::DeleteColumnResponse>("DeleteColumn", &request).await
    };
    let exception = |message: &str| ("InvalidFamilyOperationException".to_owned(), message.to_owned());
    assert_eq!(
        refusal(add("f").await),
        exception("Column family 'f' in table 't' already exists so cannot be added")
    );
    assert_eq!(
        refusal(remove("f").await),
        exception("Family 'f' is the only column family in the table, so it cannot be deleted")
    );
    assert_eq!(refusal(remove("x").await), exception("Family 'x' does not exist, so it cannot be deleted"));

    let opens = cluster.server.opens.lock().unwrap().len();
    cluster.wait(add("g").await.unwrap().proc_id).await.unwrap();
    assert_eq!(cluster.server.opens.lock().unwrap().len(), opens + 2, "each region is opened again");
    assert_eq!(cluster.descriptor("t").await.unwrap().families.len(), 2);

    let mut changed = finback_cell::ColumnFamilyDescriptor::with_defaults(b"g").with("VERSIONS", "7");
    let modify = pb::ModifyColumnRequest {
        table_name: pb_name("t"),
        column_families: (&changed).into(),
        ..Default::default()
    };
    let response: pb::ModifyColumnResponse = cluster.call("ModifyColumn", &modify).await.unwrap();
    cluster.wait(response.proc_id).await.unwrap();
    assert_eq!(cluster.descriptor("t").await.unwrap().family(b"g").unwrap().max_versions(), 7);
    changed.name = "x".into();
    let modify = pb::ModifyColumnRequest { column_families: (&changed).into(), ..modify };
    let answer = cluster.call::<_, pb::ModifyColumnResponse>("ModifyColumn", &modify).await;
    assert_eq!(refusal(answer), exception("Family 'x' does not exist, so it cannot be modified"));

    let files = cluster.put_store_files("t", "g", FILE);
    cluster.wait(remove("g").await.unwrap().proc_id).await.unwrap();
    assert_eq!((cluster.files_below("archive").len(), cluster.files_below("data").len()), (files, 0));
    let status: pb::GetSchemaAlterStatusResponse = cluster
        .call("GetSchemaAlterStatus", &pb::GetSchemaAlterStatusRequest { table_name: pb_name("t") })
        .await
        .unwrap();
    assert_eq!((status.yet_to_update_regions, status.total_regions), (Some(0), Some(2)));
}

#[tokio::test(start_paused = true)]
async fn a_schema_is_replaced_as_a_whole() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &[]).await.unwrap();
    let modify = async |table: &finback_cell::TableDescriptor, reopen| {
        let request = pb::ModifyTableRequest {
            table_name: pb_name("t"),
            table_schema: table.into(),
            reopen_regions: Some(reopen),
            ..Default::default()
        };
        cluster.call::<_, pb::ModifyTableResponse>("ModifyTable", &request).await
    };
    let mut new = cluster.descriptor("t").await.unwrap();
    set_entry(&mut new.attributes, "anything", "at all");
    cluster.wait(modify(&new, true).await.unwrap().proc_id).await.unwrap();
    assert_eq!(cluster.descriptor("t").await.unwrap(), new);
    let opens = cluster.server.opens.lock().unwrap().len();
    set_entry(&mut new.attributes, "lazy", "true");
    cluster.wait(modify(&new, false).await.unwrap().proc_id).await.unwrap();
    assert_eq!(cluster.server.opens.lock().unwrap().len(), opens);
    let mut migrates = new.clone();
    for (key, value) in
        [("impl", "MIGRATION"), ("migration.src.impl", "DEFAULT"), ("migration.dst.impl", "FILE")]
    {
        set_entry(&mut migrates.attributes, &format!("hbase.store.file-tracker.{key}"), value);
    }
    let (_, message) = refusal(modify(&migrates, false).await);
    assert!(message.contains("store file tracker") && message.contains("won't reopen"), "{message}");
    let (class, message) = refusal(modify(&table("t", &[]), true).await);
    assert!(class == "DoNotRetryIOException" && message.contains("at least one column family"), "{message}");
    let (_, message) = refusal(modify(&table("u", &["f"]), true).await);
    assert_eq!(message, "the schema for t is that of u");
}

#[tokio::test(start_paused = true)]
async fn replicas_of_regions_are_where_the_region_is() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &["m"]).await.unwrap();
    let modify = async |name: &str, replication: &str| {
        let mut table = cluster.descriptor(name).await.unwrap();
        set_entry(&mut table.attributes, "REGION_REPLICATION", replication);
        let request = pb::ModifyTableRequest {
            table_name: pb_name(name),
            table_schema: (&table).into(),
            ..Default::default()
        };
        let response: pb::ModifyTableResponse = cluster.call("ModifyTable", &request).await.unwrap();
        cluster.wait(response.proc_id).await.unwrap();
    };
    let servers = |qualifier: &str| -> usize {
        let rows = cluster.store.row_keys(META);
        let named = |row: &&Bytes| cluster.store.value(META, row, "info", qualifier).is_some();
        rows.iter().filter(|row| row.starts_with(b"t,")).filter(named).count()
    };
    modify("t", "3").await;
    assert_eq!(["server", "server_0001", "sn_0002", "server_0003"].map(servers), [2, 2, 2, 0]);
    modify("t", "2").await;
    assert_eq!(["server", "server_0001", "sn_0002", "server_0002"].map(servers), [2, 2, 0, 0]);

    modify("hbase:meta", "2").await;
    let locations: pb::GetMetaRegionLocationsResponse = cluster
        .call_service("ClientMetaService", "GetMetaRegionLocations", &pb::GetMetaRegionLocationsRequest {})
        .await
        .unwrap();
    let replicas: Vec<_> =
        locations.meta_locations.iter().map(|location| location.region_info.replica_id()).collect();
    assert_eq!(replicas, [0, 1]);
    assert_eq!(cluster.master.status().borrow().meta_replicas, 2);
}

#[tokio::test(start_paused = true)]
async fn namespaces_come_and_go() {
    let cluster = Cluster::start().await;
    let descriptor = |name: &str, value: &str| {
        finback_proto::convert::namespace_descriptor(name, &[("k".to_owned(), value.to_owned())])
    };
    let create = async |name: &str| {
        let request =
            pb::CreateNamespaceRequest { namespace_descriptor: descriptor(name, "1"), ..Default::default() };
        cluster.call::<_, pb::CreateNamespaceResponse>("CreateNamespace", &request).await
    };
    let delete = async |name: &str| {
        let request = pb::DeleteNamespaceRequest { namespace_name: name.to_owned(), ..Default::default() };
        cluster.call::<_, pb::DeleteNamespaceResponse>("DeleteNamespace", &request).await
    };
    cluster.wait(create("ns").await.unwrap().proc_id).await.unwrap();
    assert_eq!(refusal(create("ns").await), ("NamespaceExistException".into(), "ns".into()));
    assert_eq!(refusal(create("a/b").await).0, "DoNotRetryIOException");
    for (limit, class, message) in [
        ("0", "ConstraintException", "The max tables quota for q is less than or equal to zero."),
        ("many", "DoNotRetryIOException", "NumberFormatException while getting max tables."),
    ] {
        let setting =
            pb::NameStringPair { name: "hbase.namespace.quota.maxtables".into(), value: limit.into() };
        let descriptor = pb::NamespaceDescriptor { name: "q".into(), configuration: vec![setting] };
        let request = pb::CreateNamespaceRequest { namespace_descriptor: descriptor, ..Default::default() };
        let answer = cluster.call::<_, pb::CreateNamespaceResponse>("CreateNamespace", &request).await;
        assert_eq!(refusal(answer), (class.into(), message.into()));
    }
    let modify =
        pb::ModifyNamespaceRequest { namespace_descriptor: descriptor("ns", "2"), ..Default::default() };
    let response: pb::ModifyNamespaceResponse = cluster.call("ModifyNamespace", &modify).await.unwrap();
    cluster.wait(response.proc_id).await.unwrap();
    let get = pb::GetNamespaceDescriptorRequest { namespace_name: "ns".into() };
    let found: pb::GetNamespaceDescriptorResponse =
        cluster.call("GetNamespaceDescriptor", &get).await.unwrap();
    assert_eq!(found.namespace_descriptor.configuration[0].value, "2");

    cluster.create("ns:t", &["f"], &[]).await.unwrap();
    let (class, message) = refusal(delete("ns").await);
    assert_eq!(class, "ConstraintException");
    assert_eq!(message, "Only empty namespaces can be removed. Namespace ns has 1 tables");
    assert_eq!(refusal(delete("default").await).1, "Reserved namespace default cannot be removed.");
    assert_eq!(refusal(delete("no").await), ("NamespaceNotFoundException".into(), "no".into()));
    let cluster = cluster.crash_and_restart(finback_fs::CrashMode::Strict).await;
    let found: pb::GetNamespaceDescriptorResponse =
        cluster.call("GetNamespaceDescriptor", &get).await.unwrap();
    assert_eq!(found.namespace_descriptor.configuration[0].value, "2");
    cluster.disable("ns:t").await.unwrap();
    cluster.delete("ns:t").await.unwrap();
    let request = pb::DeleteNamespaceRequest { namespace_name: "ns".into(), ..Default::default() };
    let response: pb::DeleteNamespaceResponse = cluster.call("DeleteNamespace", &request).await.unwrap();
    cluster.wait(response.proc_id).await.unwrap();
    let answer = cluster.call::<_, pb::GetNamespaceDescriptorResponse>("GetNamespaceDescriptor", &get).await;
    assert_eq!(refusal(answer), ("NamespaceNotFoundException".into(), "ns".into()));
    assert!(!cluster.root().list_namespace_dirs().unwrap().contains(&"ns".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn tables_are_flushed_in_both_ways() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f", "g"], &["m"]).await.unwrap();
    let flush = async |families: &[&str]| {
        let request = pb::FlushTableRequest {
            table_name: pb_name("t"),
            column_family: families.iter().map(|f| Bytes::copy_from_slice(f.as_bytes())).collect(),
            ..Default::default()
        };
        cluster.call::<_, pb::FlushTableResponse>("FlushTable", &request).await
    };
    cluster.wait(flush(&[]).await.unwrap().proc_id).await.unwrap();
    assert_eq!(cluster.server.flushes.lock().unwrap().len(), 2);
    cluster.wait(flush(&["g"]).await.unwrap().proc_id).await.unwrap();
    assert_eq!(cluster.server.flushes.lock().unwrap()[3].1.as_deref(), Some(&b"g"[..]));
    assert_eq!(refusal(flush(&["x"]).await).0, "NoSuchColumnFamilyException");

    let procedure = pb::ProcedureDescription {
        signature: "flush-table-proc".into(),
        instance: Some("t".into()),
        ..Default::default()
    };
    let exec = pb::ExecProcedureRequest { procedure: procedure.clone() };
    let response: pb::ExecProcedureResponse = cluster.call("ExecProcedure", &exec).await.unwrap();
    assert!(response.expected_timeout() > 0);
    let ask = pb::IsProcedureDoneRequest { procedure: Some(procedure) };
    loop {
        let response: pb::IsProcedureDoneResponse = cluster.call("IsProcedureDone", &ask).await.unwrap();
        if response.done() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(cluster.server.flushes.lock().unwrap().len(), 6);
    *cluster.server.refuse_flush.lock().unwrap() = Some(finback_rpc::exceptions::region_too_busy("busy"));
    let (class, message) = cluster.wait(flush(&[]).await.unwrap().proc_id).await.unwrap_err();
    assert_eq!((&*class, &*message), ("org.apache.hadoop.hbase.RegionTooBusyException", "busy"));
    cluster.disable("t").await.unwrap();
    assert_eq!(refusal(flush(&[]).await), ("TableNotEnabledException".into(), "t".into()));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_repeated_is_done_once() {
    let cluster = Cluster::start().await;
    let request = pb::CreateTableRequest {
        nonce_group: Some(7),
        nonce: Some(8),
        ..create_request(table("t", &["f"]), &[])
    };
    let first: pb::CreateTableResponse = cluster.call("CreateTable", &request).await.unwrap();
    let again: pb::CreateTableResponse = cluster.call("CreateTable", &request).await.unwrap();
    assert_eq!(first.proc_id, again.proc_id);
    cluster.wait(first.proc_id).await.unwrap();
    let later: pb::CreateTableResponse = cluster.call("CreateTable", &request).await.unwrap();
    assert_eq!(first.proc_id, later.proc_id);
    let other = pb::CreateTableRequest { nonce: Some(9), ..request };
    assert_eq!(
        refusal(cluster.call::<_, pb::CreateTableResponse>("CreateTable", &other).await).0,
        "TableExistsException"
    );
}

#[tokio::test(start_paused = true)]
async fn operations_on_one_table_run_one_after_the_other() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &[]).await.unwrap();
    let add = async |name: &str| {
        let request = pb::AddColumnRequest {
            table_name: pb_name("t"),
            column_families: family_schema(name),
            ..Default::default()
        };
        cluster.call::<_, pb::AddColumnResponse>("AddColumn", &request).await
    };
    let (a, b, c, again) = tokio::join!(add("a"), add("b"), add("c"), add("a"));
    // Another table does not wait.
    cluster.create("u", &["f"], &[]).await.unwrap();
    for id in [a, b, c] {
        cluster.wait(id.unwrap().proc_id).await.unwrap();
    }
    // True no more when its turn came; the call itself says so.
    assert_eq!(refusal(again).0, "InvalidFamilyOperationException");
    assert_eq!(cluster.descriptor("t").await.unwrap().families.len(), 4);
    let unknown = pb::GetProcedureResultRequest { proc_id: 5 };
    let result: pb::GetProcedureResultResponse = cluster.call("getProcedureResult", &unknown).await.unwrap();
    assert_eq!(result.state(), pb::get_procedure_result_response::State::NotFound);
}

#[tokio::test(start_paused = true)]
async fn a_region_that_does_not_open_is_tried_again_then_given_up() {
    let cluster = Cluster::start().await;
    cluster.server.refuse_to_open.lock().unwrap().insert("t".into(), 3);
    cluster.create("t", &["f"], &[]).await.unwrap();
    assert_eq!(cluster.state("t").await, Some(State::Enabled));
    cluster.server.refuse_to_open.lock().unwrap().insert("u".into(), 10);
    let request = create_request(table("u", &["f"]), &[]);
    let response: pb::CreateTableResponse = cluster.call("CreateTable", &request).await.unwrap();
    let (class, message) = cluster.wait(response.proc_id).await.unwrap_err();
    assert_eq!(class, "java.io.IOException");
    assert!(message.contains("failed to open"), "{message}");
    let row = cluster.store.row_keys(META).into_iter().find(|row| row.starts_with(b"u,")).unwrap();
    assert_eq!(&cluster.store.value(META, &row, "info", "state").unwrap()[..], b"FAILED_OPEN");
    let region = pb::RegionSpecifier { r#type: 1, value: row.clone() };
    let assign = pb::AssignRegionRequest { region, ..Default::default() };
    let _: pb::AssignRegionResponse = cluster.call("AssignRegion", &assign).await.unwrap();
    while &cluster.store.value(META, &row, "info", "state").unwrap()[..] != b"OPEN" {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert!(pb::TableState::decode(&[8u8, 0][..]).is_ok());
}

#[tokio::test(start_paused = true)]
async fn an_operation_is_judged_when_its_turn_comes() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &["m"]).await.unwrap();
    // While it is being disabled it is not yet disabled; when the deletion's turn comes it is.
    let (disabled, deleted) = tokio::join!(cluster.disable("t"), cluster.delete("t"));
    disabled.unwrap();
    deleted.unwrap();
    assert_eq!(cluster.state("t").await, None);
}

#[tokio::test(start_paused = true)]
async fn the_tracker_of_store_files_is_changed_by_way_of_a_migration() {
    let cluster = Cluster::start().await;
    cluster.create("t", &["f"], &[]).await.unwrap();
    let opens = || cluster.server.opens.lock().unwrap().len();
    let change = async |table: &str, dst_sft: &str| -> Result<(), finback_rpc::RpcException> {
        let request = pb::ModifyTableStoreFileTrackerRequest {
            table_name: pb_name(table),
            dst_sft: dst_sft.into(),
            ..Default::default()
        };
        let answer: pb::ModifyTableStoreFileTrackerResponse =
            cluster.call("ModifyTableStoreFileTracker", &request).await?;
        cluster.wait(answer.proc_id).await.unwrap();
        Ok(())
    };
    let tracker = async || {
        let table = cluster.descriptor("t").await.unwrap();
        assert_eq!(table.attribute("hbase.store.file-tracker.migration.src.impl"), None);
        table.attribute("hbase.store.file-tracker.impl").map(str::to_owned)
    };
    let before = opens();
    change("t", "FILE").await.unwrap();
    assert_eq!(tracker().await.as_deref(), Some("FILE"));
    assert_eq!(opens(), before + 2, "opened under the migration, and then under the list alone");
    change("t", "DEFAULT").await.unwrap();
    assert_eq!(tracker().await.as_deref(), Some("DEFAULT"));

    assert_eq!(refusal(change("no", "FILE").await).0, "TableNotFoundException");
    assert_eq!(refusal(change("t", "MIGRATION").await).1, "Do not need to transfer to MIGRATION");
    let family = async |family: &str| {
        let request = pb::ModifyColumnStoreFileTrackerRequest {
            table_name: pb_name("t"),
            family: Bytes::copy_from_slice(family.as_bytes()),
            dst_sft: "FILE".into(),
            ..Default::default()
        };
        cluster
            .call::<_, pb::ModifyColumnStoreFileTrackerResponse>("ModifyColumnStoreFileTracker", &request)
            .await
    };
    assert_eq!(refusal(family("g").await).0, "NoSuchColumnFamilyException");
    cluster.wait(family("f").await.unwrap().proc_id).await.unwrap();
    let table = cluster.descriptor("t").await.unwrap();
    assert_eq!(table.families[0].setting("hbase.store.file-tracker.impl"), Some("FILE"));
    assert_eq!(tracker().await.as_deref(), Some("DEFAULT"));
    cluster.disable("t").await.unwrap();
    assert_eq!(refusal(change("t", "FILE").await).0, "TableNotEnabledException");
}
