use crate::cluster::config;
use crate::running_server::{Place, RunningServer};
use finback_client::{
    Bytes, ColumnFamilyDescriptor, Connection, Delete, Message, Put, RegionInfo, Scan, Table,
    TableDescriptor, TableName, messages,
};
use std::process::Command;

/// hbase:meta loses two regions: of one the directory is there, of the other nothing is. `finback check --fix` brings back the
/// first with its rows, and makes an empty one for the other; the server that is started then serves both.
#[tokio::test]
async fn of_regions_that_meta_had_lost() {
    let place = Place::new();
    let server = place.start();
    let (connection, table) = open(&server).await;
    let family = ColumnFamilyDescriptor::with_defaults(b"f");
    let descriptor = TableDescriptor::new(TableName::parse(b"t").unwrap()).with_family(family);
    connection.admin().create_table(&descriptor, ["b", "m", "x"]).await.unwrap();
    for row in ["a", "c", "n", "y"] {
        table.put(Put::new(row).column("f", "q", "v")).await.unwrap();
    }
    connection.admin().flush_table("t", None).await.unwrap();
    let regions = table.regions().await.unwrap();
    let meta = connection.table("hbase:meta").unwrap();
    for lost in [&regions[1], &regions[2]] {
        meta.delete(Delete::new(lost.region.name())).await.unwrap();
    }
    server.kill();
    let gone = place.data().join("data/default/t").join(regions[2].region.encoded_name());
    std::fs::rename(&gone, place.data().join("elsewhere")).unwrap();

    let (found, report) = check(&place, &[]);
    assert!(!found && report.contains("from b to before x"), "{report}");
    let (_, report) = check(&place, &["--fix", "--yes"]);
    assert!(report.contains(&regions[1].region.encoded_name()), "{report}");
    let (is_sound, report) = check(&place, &[]);
    assert!(is_sound, "{report}");

    let server = place.start();
    let (_connection, table) = open(&server).await;
    let rows = table.scan(Scan::new()).unwrap().collect(100).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.key().to_vec()).collect::<Vec<_>>(), [b"a", b"c", b"y"]);
    table.put(Put::new("n").column("f", "q", "again")).await.unwrap();
    assert_eq!(table.regions().await.unwrap().len(), 4);
}

/// Two regions have the same rows, each some of them: merged, they are one with all.
#[tokio::test]
async fn of_regions_that_overlap_when_they_are_merged() {
    let place = Place::new();
    let server = place.start();
    let (connection, table) = open(&server).await;
    let family = ColumnFamilyDescriptor::with_defaults(b"f");
    let descriptor = TableDescriptor::new(TableName::parse(b"t").unwrap()).with_family(family);
    connection.admin().create_table(&descriptor, ["m"]).await.unwrap();
    table.put(Put::new("c").column("f", "q", "v")).await.unwrap();
    let first = table.regions().await.unwrap().remove(0).region;
    let (start, end) = (Bytes::from_static(b"b"), Bytes::from_static(b"m"));
    let second = RegionInfo::new(first.table.clone(), start, end, first.region_id + 1);
    let info = [b"PBUF".as_slice(), &messages::RegionInfo::from(&second).encode_to_vec()].concat();
    let row = Put::new(second.name()).column("info", "regioninfo", info).column("info", "state", "OFFLINE");
    connection.table("hbase:meta").unwrap().put(row).await.unwrap();
    server.kill();
    let (is_sound, report) = check(&place, &[]);
    assert!(!is_sound && report.contains("overlap") && report.contains("merge_region"), "{report}");
    let (_, report) = check(&place, &["--fix", "--yes"]);
    assert!(report.contains("make the directory"), "{report}");

    let server = place.start();
    let (connection, table) = open(&server).await;
    table.put(Put::new("d").column("f", "q", "v")).await.unwrap();
    connection.admin().merge_regions(&[first, second], false).await.unwrap();
    let rows = table.scan(Scan::new()).unwrap().collect(100).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.key().to_vec()).collect::<Vec<_>>(), [b"c", b"d"]);
    drop(connection);
    server.kill();
    let (is_sound, report) = check(&place, &[]);
    assert!(is_sound, "{report}");
}

async fn open(server: &RunningServer) -> (Connection, Table) {
    let connection = Connection::open(config(&server.zookeeper().to_string())).await.unwrap();
    let table = connection.table("t").unwrap();
    (connection, table)
}

/// Whether a check finds nothing that is wrong, and what it says.
fn check(place: &Place, options: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_finback"));
    let output = command.arg("check").arg(place.data()).args(options).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap())
}
