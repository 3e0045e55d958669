use crate::cluster::Cluster;
use finback_client::{
    Append, CheckAndMutate, ClientConfig, Comparator, CompareOperator, Connection, Delete, Error, Filter,
    Get, Increment, Put, RowMutations,
};

#[tokio::test]
async fn every_operation_on_a_row() {
    let cluster = Cluster::start().await;
    let table = cluster.table("t", &[]).await;

    assert_eq!(table.get(Get::new("r")).await.unwrap(), None);
    assert!(!table.exists(Get::new("r")).await.unwrap());
    table.put(Put::new("r").column_at("f", "q", 1000, "one").column("g", "q", "other")).await.unwrap();
    table.put(Put::new("r").column("f", "q", "two")).await.unwrap();
    assert!(table.exists(Get::new("r").column("g", "q")).await.unwrap());
    let row = table.get(Get::new("r").family("f").all_versions()).await.unwrap().unwrap();
    let values: Vec<_> = row.versions("f", "q").map(|cell| cell.value().to_vec()).collect();
    assert_eq!(values, [b"two".to_vec(), b"one".to_vec()]);
    let filtered = Get::new("r").filter(Filter::parse("FamilyFilter(=, 'binary:g')").unwrap());
    assert_eq!(table.get(filtered).await.unwrap().unwrap().value("g", "q"), Some(&b"other"[..]));

    table.delete(Delete::new("r").column("f", "q")).await.unwrap();
    assert_eq!(table.get(Get::new("r")).await.unwrap().unwrap().value("f", "q"), Some(&b"one"[..]));
    table.delete(Delete::new("r")).await.unwrap();
    assert_eq!(table.get(Get::new("r")).await.unwrap(), None);

    assert_eq!(table.increment_column("n", "f", "c", 5).await.unwrap(), 5);
    let sums = table.increment(Increment::new("n").column("f", "c", 2).column("f", "d", -1)).await.unwrap();
    assert_eq!((sums.counter("f", "c"), sums.counter("f", "d")), (Some(7), Some(-1)));
    let none = table.increment(Increment::new("n").column("f", "c", 1).return_results(false)).await.unwrap();
    assert!(none.is_empty());
    table.append(Append::new("n").column("f", "log", "ab")).await.unwrap();
    let log = table.append(Append::new("n").column("f", "log", "cd")).await.unwrap();
    assert_eq!(log.value("f", "log"), Some(&b"abcd"[..]));
}

#[tokio::test]
async fn conditions_and_atomic_changes() {
    let cluster = Cluster::start().await;
    let table = cluster.table("t", &[]).await;
    let put = |value: &str| Put::new("r").column("f", "q", value);

    let check = |check| async { table.check_and_mutate(check).await.unwrap() };
    assert!(check(CheckAndMutate::if_not_exists("r", "f", "q").then(put("1"))).await.success);
    assert!(!check(CheckAndMutate::if_not_exists("r", "f", "q").then(put("2"))).await.success);
    assert!(check(CheckAndMutate::if_equals("r", "f", "q", "1").then(put("3"))).await.success);
    let greater = CheckAndMutate::if_matches("r", "f", "q", CompareOperator::Greater, "2");
    assert!(!check(greater.then(put("4"))).await.success);
    let filter = Filter::value(CompareOperator::Equal, Comparator::binary("3"));
    let both = RowMutations::new([
        Increment::new("r").column("f", "n", 4).into(),
        Delete::new("r").columns("f", "q").into(),
    ]);
    let done = check(CheckAndMutate::if_filter("r", filter.clone()).then_all(both.clone().unwrap())).await;
    assert!(done.success);
    assert_eq!(done.row.unwrap().counter("f", "n"), Some(4));
    assert!(!check(CheckAndMutate::if_filter("r", filter).then_all(both.clone().unwrap())).await.success);

    let done = table.mutate_row(both.unwrap()).await.unwrap().unwrap();
    assert_eq!(done.counter("f", "n"), Some(8));
    let row = table.get(Get::new("r")).await.unwrap().unwrap();
    assert_eq!((row.len(), row.counter("f", "n")), (1, Some(8)));
}

#[tokio::test]
async fn what_is_refused_says_where_and_why() {
    let cluster = Cluster::start().await;
    let table = cluster.table("t", &[]).await;
    let refused = table.put(Put::new("r").column("nope", "q", "v")).await.unwrap_err();
    assert!(refused.is("NoSuchColumnFamilyException"), "{refused}");
    let Error::Refused(attempt) = &refused else { panic!("{refused}") };
    let server = table.region_of("r", false).await.unwrap().server().address();
    assert_eq!(attempt.server, Some(server));
    assert!(attempt.region.as_deref().unwrap().starts_with("t,,"), "{refused}");

    let nothing = cluster.connection.table("nothing").unwrap();
    assert!(nothing.get(Get::new("r")).await.unwrap_err().is("TableNotFoundException"));
    let mut scan = nothing.scan(finback_client::Scan::new()).unwrap();
    assert!(scan.next().await.unwrap_err().is("TableNotFoundException"));
    assert_eq!(scan.next().await.unwrap(), None);

    cluster.connection.admin().disable_table("t").await.unwrap();
    let disabled = table.get(Get::new("r")).await.unwrap_err();
    assert!(disabled.is("TableNotEnabledException"), "{disabled}");
    cluster.connection.admin().enable_table("t").await.unwrap();
    assert_eq!(table.get(Get::new("r")).await.unwrap(), None);
}

#[tokio::test]
async fn a_cluster_is_found_through_any_of_its_registries() {
    let cluster = Cluster::start().await;
    let table = cluster.table("t", &[]).await;
    table.put(Put::new("r").column("f", "q", "v")).await.unwrap();
    let id = cluster.connection.cluster_id().await.unwrap().unwrap();
    let admin = cluster.connection.admin();
    let master = admin.master().await.unwrap().address();
    let regionserver = admin.region_servers().await.unwrap()[0].address();
    for config in [
        ClientConfig::masters(&master),
        ClientConfig::bootstrap(&regionserver),
        // The first ones are not there.
        ClientConfig::bootstrap(&format!("127.0.0.1:1,{regionserver}")),
        ClientConfig::zookeeper(&format!("127.0.0.1:1,{}", cluster.quorum)),
    ] {
        let connection = Connection::open(config).await.unwrap();
        assert_eq!(connection.cluster_id().await.unwrap().as_ref(), Some(&id));
        assert!(connection.admin().table_exists("t").await.unwrap());
        let row = connection.table("t").unwrap().get(Get::new("r")).await.unwrap().unwrap();
        assert_eq!(row.value("f", "q"), Some(&b"v"[..]));
    }
}
