use super::*;
use crate::field::Field;
use crate::filter::Filter;
use crate::readings::tests::{cluster, server, two_servers};

fn readings() -> Readings {
    let mut readings = Readings::default();
    readings.read(&two_servers(0));
    readings.read(&two_servers(3));
    readings
}

/// Fields of all records, in the order of the first.
fn table(mode: Mode, fields: &[Field]) -> Vec<String> {
    let records = records(mode, &readings(), false, |_| true);
    let line = |record: &Record| {
        let values =
            fields.iter().map(|&field| record.value(field).map_or("-".to_owned(), |v| v.to_string()));
        values.collect::<Vec<_>>().join(" ")
    };
    let mut lines: Vec<_> = records.iter().map(line).collect();
    lines.sort();
    lines
}

#[test]
fn namespaces_and_tables_are_sums_of_their_regions() {
    let fields = [Field::Namespace, Field::Regions, Field::Requests, Field::StoreFileSize, Field::StoreFiles];
    assert_eq!(
        table(Mode::Namespace, &fields),
        ["default 2 180 20.0MB 4", "garden 1 0 10.0MB 2", "hbase 1 1 10.0MB 2"]
    );
    let fields = [Field::Namespace, Field::Table, Field::Reads, Field::FilteredReads, Field::Writes];
    assert_eq!(
        table(Mode::Table, &fields),
        ["default flowers 150 15 30", "garden beds 0 0 0", "hbase meta 1 0 0"]
    );
}

#[test]
fn servers_have_their_memory_too() {
    let fields =
        [Field::RegionServer, Field::LongRegionServer, Field::Regions, Field::Reads, Field::UsedHeap];
    assert_eq!(
        table(Mode::RegionServer, &fields),
        ["one,16020 one,16020,5 2 101 512.0MB", "two,16020 two,16020,5 2 50 512.0MB"]
    );
}

#[test]
fn a_server_without_regions_is_a_server() {
    let mut readings = Readings::default();
    readings.read(&cluster(vec![server("idle", 1, Vec::new())]));
    assert_eq!(records(Mode::RegionServer, &readings, false, |_| true).len(), 1);
    assert_eq!(records(Mode::RegionServer, &readings, true, |_| true).len(), 0);
}

#[test]
fn users_and_clients_are_counted_once_however_many_servers_they_call() {
    let fields = [Field::User, Field::Clients, Field::Reads, Field::Writes];
    assert_eq!(table(Mode::User, &fields), ["ann 2 110 5", "bob 1 0 20"]);
    let fields = [Field::Client, Field::Users, Field::Requests];
    assert_eq!(table(Mode::Client, &fields), ["10.0.0.1 2 120", "10.0.0.2 1 15"]);
}

#[test]
fn a_filter_on_what_is_summed_up_leaves_parts_out() {
    let of_ann = Filter::parse("USER==ann", Mode::Client, false).unwrap();
    let records = records(Mode::Client, &readings(), true, |part| of_ann.takes(part));
    let mut users: Vec<_> =
        records.iter().map(|record| record.value(Field::Users).unwrap().to_string()).collect();
    users.sort();
    assert_eq!(users, ["1", "1"]);
}
