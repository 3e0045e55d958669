use crate::cluster::config;
use crate::running_server::Place;
use finback_client::{
    ColumnFamilyDescriptor, Connection, Put, Scan, Table, TableDescriptor, TableName, TableState,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A region whose rows came in order is split between two of its files: none is rewritten, and the region that was split goes. They
/// are still read after SIGKILL, after another split, and until a compaction.
#[tokio::test]
async fn and_stay_when_the_region_that_was_split_goes() {
    let place = Place::new();
    let server = place.start();
    let connection = Connection::open(config(&server.zookeeper().to_string())).await.unwrap();
    let table = table(&connection).await;
    for from in [0, 30, 70] {
        let put = |number: usize| Put::new(format!("{number:03}")).column("f", "q", "v");
        table.put_all((from..100).take(30).map(put)).await.unwrap();
        connection.admin().flush_table("t", None).await.unwrap();
    }
    let before = files(&place, &connection).await;
    assert_eq!(before.iter().map(Vec::len).collect::<Vec<_>>(), [3]);

    connection.admin().split_table_at("t", "070").await.unwrap();
    let [below, above] = &files(&place, &connection).await[..] else { panic!("not two regions") };
    let leads_to = |links: &[String]| -> Vec<String> {
        let mut files: Vec<_> = links.iter().map(|link| link.split_once('-').unwrap().1.to_owned()).collect();
        files.sort();
        files
    };
    assert_eq!((below.len(), above.len()), (2, 1), "{below:?} {above:?}");
    assert_eq!(leads_to(&[&below[..], above].concat()), before[0], "each file is linked once");

    // No file is a reference: nothing keeps the region that was split.
    assert!(connection.admin().run_catalog_janitor().await.unwrap() > 0);
    while regions_on_disk(&place).len() > 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(rows(&table).await, 90);
    drop((connection, table));
    server.kill();
    let server = place.start();
    let connection = Connection::open(config(&server.zookeeper().to_string())).await.unwrap();
    let table = connection.table("t").unwrap();
    assert_eq!(rows(&table).await, 90);

    // A link is linked, or referred to.
    connection.admin().split_table_at("t", "040").await.unwrap();
    assert_eq!(rows(&table).await, 90);
    connection.admin().compact_table("t", None, true).await.unwrap();
    while files(&place, &connection).await.concat().iter().any(|file| file.contains(['=', '.'])) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(rows(&table).await, 90);
}

async fn table(connection: &Connection) -> Table {
    let name = TableName::parse(b"t").unwrap();
    let table = TableDescriptor::new(name.clone())
        .with("SPLIT_POLICY", "org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy")
        .with_family(ColumnFamilyDescriptor::with_defaults(b"f"));
    connection.admin().create_table(&table, [""; 0]).await.unwrap();
    assert_eq!(connection.admin().table_state(&name).await.unwrap(), TableState::Enabled);
    connection.table(name).unwrap()
}

async fn rows(table: &Table) -> usize {
    table.scan(Scan::new()).unwrap().collect(1000).await.unwrap().len()
}

/// Names of the store files of each region, in order of their keys.
async fn files(place: &Place, connection: &Connection) -> Vec<Vec<String>> {
    let regions = connection.admin().regions_of_table("t").await.unwrap();
    let family = |name: &str| place.data().join("data/default/t").join(name).join("f");
    regions.iter().map(|region| names(&family(&region.region.encoded_name()))).collect()
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.retain(|name| !name.starts_with('.'));
    names.sort();
    names
}

fn regions_on_disk(place: &Place) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(place.data().join("data/default/t")).unwrap();
    entries.map(|entry| entry.unwrap().path()).filter(|path| path.join(".regioninfo").exists()).collect()
}
