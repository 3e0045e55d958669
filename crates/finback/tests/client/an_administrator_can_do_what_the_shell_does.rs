use crate::cluster::Cluster;
use finback_client::{
    Cell, ColumnFamilyDescriptor, CompactionState, Get, NamespaceDescriptor, Put, RegionSwitch, Scan,
    SlowLogFilter, SnapshotRequest, StatusOption, TableDescriptor, TableName, TablePattern, TableState,
};

#[tokio::test]
async fn tables_and_namespaces() {
    let cluster = Cluster::start().await;
    let admin = cluster.connection.admin();
    let mut garden = NamespaceDescriptor::new("garden");
    admin.create_namespace(&garden).await.unwrap();
    assert!(admin.create_namespace(&garden).await.unwrap_err().is("NamespaceExistException"));
    garden.configuration.push(("color".into(), "green".into()));
    admin.modify_namespace(&garden).await.unwrap();
    assert_eq!(admin.namespace("garden").await.unwrap(), garden);
    let names: Vec<_> = admin.namespaces().await.unwrap().into_iter().map(|one| one.name).collect();
    assert!(
        ["default", "garden", "hbase"].iter().all(|name| names.contains(&(*name).to_owned())),
        "{names:?}"
    );

    let table = cluster.table("garden:flowers", &["m"]).await;
    table.put(Put::new("rose").column("f", "color", "red")).await.unwrap();
    let name = TableName::parse(b"garden:flowers").unwrap();
    assert!(admin.table_exists(&name).await.unwrap() && admin.is_table_available(&name).await.unwrap());
    assert_eq!(admin.tables_of_namespace("garden").await.unwrap(), std::slice::from_ref(&name));
    assert_eq!(admin.descriptors_of_namespace("garden").await.unwrap().len(), 1);
    let pattern = TablePattern::matching("garden:f.*");
    assert_eq!(admin.table_names(&pattern).await.unwrap(), std::slice::from_ref(&name));
    assert_eq!(admin.descriptors(&pattern).await.unwrap()[0].name, name);
    let all = admin.table_names(&TablePattern::all().with_system_tables()).await.unwrap();
    assert!(all.contains(&TableName::meta()), "{all:?}");
    assert!(admin.create_table(&TableDescriptor::new(name.clone()), [""; 0]).await.is_err());

    admin.add_family(&name, &ColumnFamilyDescriptor::with_defaults(b"h")).await.unwrap();
    let wider = ColumnFamilyDescriptor::with_defaults(b"h").with("VERSIONS", "7");
    admin.modify_family(&name, &wider).await.unwrap();
    assert_eq!(admin.alter_status(&name).await.unwrap().0, 0);
    let descriptor = admin.descriptor(&name).await.unwrap();
    assert_eq!(descriptor.family(b"h").unwrap().max_versions(), 7);
    admin.modify_table(&descriptor.clone().with("READONLY", "true")).await.unwrap();
    assert!(table.put(Put::new("x").column("f", "q", "v")).await.is_err());
    admin.modify_table(&descriptor).await.unwrap();
    admin.delete_family(&name, "h").await.unwrap();
    assert!(admin.descriptor(&name).await.unwrap().family(b"h").is_none());

    assert_eq!(admin.table_state(&name).await.unwrap(), TableState::Enabled);
    assert!(admin.delete_table(&name).await.unwrap_err().is("TableNotDisabledException"));
    admin.disable_table(&name).await.unwrap();
    assert_eq!(admin.table_state(&name).await.unwrap(), TableState::Disabled);
    assert!(!admin.is_table_available(&name).await.unwrap());
    admin.truncate_table(&name, true).await.unwrap();
    assert_eq!(table.get(Get::new("rose")).await.unwrap(), None);
    assert_eq!(table.regions().await.unwrap().len(), 2);
    admin.disable_table(&name).await.unwrap();
    admin.delete_table(&name).await.unwrap();
    assert!(!admin.table_exists(&name).await.unwrap());
    assert!(admin.table_state(&name).await.unwrap_err().is("TableNotFoundException"));
    assert!(admin.descriptor(&name).await.unwrap_err().is("TableNotFoundException"));
    admin.delete_namespace("garden").await.unwrap();
    assert!(admin.namespace("garden").await.unwrap_err().is("NamespaceNotFoundException"));
}

#[tokio::test]
async fn regions_are_split_merged_flushed_and_compacted_under_a_running_client() {
    let cluster = Cluster::start().await;
    let admin = cluster.connection.admin();
    let table = cluster.table("t", &[]).await;
    let put = |number: usize| Put::new(format!("{number:03}")).column("f", "q", "v");
    table.put_all((0..100).map(put)).await.unwrap();

    // The scan has begun when its region goes, in the midst of it.
    let mut scan = table.scan(Scan::new().caching(1)).unwrap();
    let mut seen = vec![scan.next().await.unwrap().unwrap()];
    admin.split_table_at("t", "050").await.unwrap();
    while let Some(row) = scan.next().await.unwrap() {
        seen.push(row);
    }
    let keys: Vec<_> = seen.iter().map(|row| String::from_utf8(row.key().to_vec()).unwrap()).collect();
    assert_eq!(keys, (0..100).map(|number| format!("{number:03}")).collect::<Vec<_>>());

    let regions = admin.regions_of_table("t").await.unwrap();
    assert_eq!(
        regions.iter().map(|region| &region.region.start_key[..]).collect::<Vec<_>>(),
        [&b""[..], b"050"]
    );
    let name = regions[1].region.encoded_name();
    assert_eq!(admin.region(&name).await.unwrap().region, regions[1].region);
    assert_eq!(admin.region(regions[1].region.name()).await.unwrap().region, regions[1].region);
    assert!(admin.region("nothing").await.unwrap_err().is("UnknownRegionException"));
    assert_eq!(table.region_of("070", false).await.unwrap().region(), &regions[1].region);

    admin.flush_table("t", None).await.unwrap();
    admin.flush_region(&regions[0], Some(b"f")).await.unwrap();
    admin.compact_table("t", None, true).await.unwrap();
    while admin.compaction_state_of_table("t").await.unwrap() != CompactionState::None {
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    let server = regions[0].server().unwrap().clone();
    assert_eq!(admin.region_servers().await.unwrap(), std::slice::from_ref(&server));
    assert!(admin.regions_of_server(&server).await.unwrap().contains(&regions[0].region));
    assert_eq!(admin.region_loads(&server, Some(table.name())).await.unwrap().len(), 2);
    admin.move_region(&name, Some(&server)).await.unwrap();

    // A table of its own: what a split has left leans on files of the region that was split, and does not merge for a while.
    let table = cluster.table("merged", &["050"]).await;
    table.put_all((0..100).map(put)).await.unwrap();
    let both: Vec<_> = table.regions().await.unwrap().into_iter().map(|region| region.region).collect();
    admin.merge_regions(&both, false).await.unwrap();
    assert_eq!(admin.regions_of_table("merged").await.unwrap().len(), 1);
    assert_eq!(table.scan(Scan::new()).unwrap().collect(1000).await.unwrap().len(), 100);
    table.put_all((0..100).map(put)).await.unwrap();
}

#[tokio::test]
async fn snapshots_are_taken_cloned_and_restored() {
    let cluster = Cluster::start().await;
    let admin = cluster.connection.admin();
    let table = cluster.table("t", &["m"]).await;
    table.put(Put::new("r").column("f", "q", "before")).await.unwrap();
    admin.snapshot(&SnapshotRequest::new("s", "t").unwrap()).await.unwrap();
    let twice = admin.snapshot(&SnapshotRequest::new("s", "t").unwrap()).await.unwrap_err();
    assert!(twice.is("SnapshotExistsException"), "{twice}");
    let snapshots = admin.snapshots().await.unwrap();
    assert_eq!((snapshots[0].name.as_str(), snapshots[0].table()), ("s", "t"));

    table.put(Put::new("r").column("f", "q", "after")).await.unwrap();
    admin.clone_snapshot("s", "copy").await.unwrap();
    let value = |table: &str| {
        let table = cluster.connection.table(table).unwrap();
        async move {
            let row = table.get(Get::new("r")).await.unwrap().unwrap();
            row.value("f", "q").map(|value| String::from_utf8_lossy(value).into_owned())
        }
    };
    assert_eq!(value("copy").await.as_deref(), Some("before"));
    assert!(admin.clone_snapshot("s", "copy").await.unwrap_err().is("TableExistsException"));
    assert!(admin.restore_snapshot("nothing", true).await.unwrap_err().is("SnapshotDoesNotExistException"));
    for failsafe in [true, false] {
        let enabled = admin.restore_snapshot("s", failsafe).await.unwrap_err();
        assert!(enabled.is("TableNotDisabledException"), "{enabled}");
    }
    for name in ["", "a b", "-a", "n:s"] {
        assert!(SnapshotRequest::new(name, "t").is_err(), "{name}");
    }
    admin.disable_table("t").await.unwrap();
    admin.restore_snapshot("s", true).await.unwrap();
    admin.enable_table("t").await.unwrap();
    assert_eq!(value("t").await.as_deref(), Some("before"));
    assert_eq!(admin.snapshots().await.unwrap().len(), 1);
    admin.delete_snapshot("s").await.unwrap();
    assert!(admin.snapshots().await.unwrap().is_empty());
}

#[tokio::test]
async fn the_cluster_its_switches_and_its_servers() {
    let cluster = Cluster::start().await;
    let admin = cluster.connection.admin();
    let status = admin.cluster_status(&[]).await.unwrap();
    assert_eq!(status.live_servers.len(), 1);
    let part = admin.cluster_status(&[StatusOption::HbaseVersion]).await.unwrap();
    assert!(part.hbase_version.is_some() && part.live_servers.is_empty());
    assert_eq!(admin.master().await.unwrap().address(), master_of(&status));

    for switch in [RegionSwitch::Split, RegionSwitch::Merge] {
        let before = admin.is_region_switch_on(switch).await.unwrap();
        assert_eq!(admin.set_region_switch(switch, !before).await.unwrap(), before);
        assert_eq!(admin.is_region_switch_on(switch).await.unwrap(), !before);
        assert_eq!(admin.set_region_switch(switch, before).await.unwrap(), !before);
    }
    assert!(admin.set_balancer(false).await.unwrap());
    assert!(!admin.is_balancer_enabled().await.unwrap());
    let before = admin.set_normalizer(true).await.unwrap();
    assert!(admin.set_normalizer(before).await.unwrap());
    assert!(
        admin.is_cleaner_chore_enabled().await.unwrap() && admin.is_catalog_janitor_enabled().await.unwrap()
    );
    admin.run_catalog_janitor().await.unwrap();
    admin.run_cleaner_chore().await.unwrap();
    admin.balance(true, false).await.unwrap();
    assert!(!admin.set_balancer(true).await.unwrap());
    assert!(!admin.is_in_maintenance_mode().await.unwrap());

    cluster.table("t", &[]).await;
    assert!(!admin.procedures().await.unwrap().is_empty());
    assert!(admin.locks().await.unwrap().is_empty());
    let server = admin.region_servers().await.unwrap().remove(0);
    admin.update_configuration(&server).await.unwrap();
    admin.roll_wal(&server).await.unwrap();
    assert!(admin.set_compactions(&server, true).await.unwrap());
    assert!(admin.slow_log(&server, &SlowLogFilter::default()).await.unwrap().is_empty());
    admin.clear_slow_log(&server).await.unwrap();
    admin.clear_block_cache("t").await.unwrap();
}

fn master_of(status: &finback_client::messages::ClusterStatus) -> String {
    let master = status.master.as_ref().unwrap();
    format!("{}:{}", master.host_name, master.port())
}

#[tokio::test]
async fn services_of_coprocessors_are_called() {
    use finback_client::{ServiceMethod, messages as pb};
    let cluster = Cluster::start().await;
    let mut descriptor = TableDescriptor::new(TableName::parse(b"t").unwrap());
    descriptor.families.push(ColumnFamilyDescriptor::with_defaults(b"f"));
    let descriptor =
        descriptor.with("coprocessor$1", "|org.apache.hadoop.hbase.coprocessor.AggregateImplementation|1|");
    cluster.connection.admin().create_table(&descriptor, ["m"]).await.unwrap();
    let table = cluster.connection.table("t").unwrap();
    table
        .put_all(["a", "b", "z"].map(|row| Put::new(row).column("f", "n", 5i64.to_be_bytes())))
        .await
        .unwrap();
    let request = pb::AggregateRequest {
        interpreter_class_name: "org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter".into(),
        scan: pb::Scan {
            column: vec![pb::Column { family: "f".into(), qualifier: vec!["n".into()] }],
            ..Default::default()
        },
        interpreter_specific_bytes: None,
    };
    let count = ServiceMethod { service: "AggregateService", method: "GetRowNum" };
    let answers: Vec<pb::AggregateResponse> = table.call_service_of_all(count, &request).await.unwrap();
    let counts =
        answers.iter().map(|answer| i64::from_be_bytes(answer.first_part[0][..].try_into().unwrap()));
    assert_eq!(counts.collect::<Vec<_>>(), [2, 1]);
    let nothing = ServiceMethod { service: "NoService", method: "Nothing" };
    let refused = table.call_service::<_, pb::AggregateResponse>("a", nothing, &request).await.unwrap_err();
    assert!(refused.is("UnknownProtocolException"), "{refused}");
    let admin = cluster.connection.admin();
    let server = admin.region_servers().await.unwrap().remove(0);
    let of_server = admin.call_server_service::<_, pb::AggregateResponse>(&server, nothing, &request).await;
    assert!(of_server.unwrap_err().exception().is_some_and(|refused| refused.do_not_retry));
    let of_master = admin.call_master_service::<_, pb::AggregateResponse>(nothing, &request).await;
    assert!(of_master.unwrap_err().exception().is_some_and(|refused| refused.do_not_retry));
    let cells =
        |row: &finback_client::Row| row.cells().map(|cell: Cell<'_>| cell.value_length()).sum::<usize>();
    assert_eq!(cells(&table.get(Get::new("a")).await.unwrap().unwrap()), 8);
}
