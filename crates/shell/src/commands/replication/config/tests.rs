use super::*;

fn hash(tables: &[(&str, &[&str])]) -> Families {
    let pair = |(table, families): &(&str, &[&str])| {
        (Value::text(table), Value::Array(families.iter().map(Value::text).collect()))
    };
    Families::of(Value::Hash(tables.iter().map(pair).collect())).unwrap()
}

#[test]
fn families_are_added_and_taken_away() {
    let mut families = hash(&[("t", &["f"]), ("all", &[])]);
    families.add(hash(&[("t", &["g", "f"]), ("all", &["f"]), ("ns:more", &["h"])]));
    assert_eq!(shown_tables(&families.messages()), "default.t:f,g;default.all;ns.more:h");
    families.remove(&hash(&[("t", &["f"]), ("ns:more", &["h"])]), "1").unwrap();
    assert_eq!(shown_tables(&families.messages()), "default.t:g;default.all");
    for (wrong, told) in [
        (hash(&[("none", &[])]), "No table: none in table-cfs config of peer: 2"),
        (
            hash(&[("all", &["f"])]),
            "Cannot remove cf of table: all which doesn't specify cfs from table-cfs config in peer: 2",
        ),
        (
            hash(&[("t", &[])]),
            "Cannot remove table: t which has specified cfs from table-cfs config in peer: 2",
        ),
    ] {
        assert_eq!(families.remove(&wrong, "2").unwrap_err().to_string(), told);
    }
    families.remove(&hash(&[("all", &[])]), "1").unwrap();
    assert_eq!(Families::of_messages(&families.messages()).unwrap(), families);
    Families::of(Value::text("t")).unwrap_err();
}

#[test]
fn what_goes_to_a_peer_is_what_it_names_or_what_it_does_not_exclude() {
    let peer = |pairs: Vec<(&str, Value)>| {
        let pairs = pairs.into_iter().map(|(key, value)| (Value::text(key), value)).collect();
        new(&mut Options::of(Value::Hash(pairs)).unwrap(), Some("own:2181:/hbase".to_owned()))
    };
    let key = || ("CLUSTER_KEY", Value::text("zk:2181:/hbase"));
    let (t, other) = (TableName::parse(b"t").unwrap(), TableName::parse(b"ns:t").unwrap());
    let mut all = peer(vec![key()]).unwrap();
    assert!(replicates(&all, &t) && replicates(&all, &other));
    *Part::Excluded.namespaces(&mut all) = vec!["ns".into()];
    assert!(replicates(&all, &t) && !replicates(&all, &other));
    *Part::Excluded.tables(&mut all) = hash(&[("t", &["f"])]).messages();
    assert!(replicates(&all, &t));
    *Part::Excluded.tables(&mut all) = hash(&[("t", &[])]).messages();
    assert!(!replicates(&all, &t));
    assert_eq!(shown_selection(&all), ("!ns".to_owned(), "!default.t".to_owned()));
    let some = peer(vec![key(), ("NAMESPACES", Value::Array(vec![Value::text("ns")]))]).unwrap();
    assert!(!replicates(&some, &t) && replicates(&some, &other));
    assert!(peer(Vec::new()).unwrap_err().to_string().contains("CLUSTER_KEY must be specified"));
    let endpoint = peer(vec![("ENDPOINT_CLASSNAME", Value::text("my.Endpoint"))]).unwrap();
    assert_eq!(endpoint.clusterkey(), "own:2181:/hbase");
}
