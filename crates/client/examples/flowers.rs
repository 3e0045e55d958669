//! A table is made, filled, read and dropped.
//!
//!     cargo run -p finback-client --example flowers -- localhost:2181
//!
//! The argument is the ZooKeeper of an HBase, or of a Finback.

use finback_client::{
    ClientConfig, ColumnFamilyDescriptor, Connection, Filter, Get, Increment, Put, Scan, TableDescriptor,
    TableName,
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let quorum = std::env::args().nth(1).unwrap_or_else(|| "localhost:2181".to_owned());
    let connection = Connection::open(ClientConfig::zookeeper(&quorum)).await?;

    let admin = connection.admin();
    let name = TableName::parse(b"example_flowers")?;
    if admin.table_exists(&name).await? {
        admin.disable_table(&name).await?;
        admin.delete_table(&name).await?;
    }
    let descriptor = TableDescriptor::new(name.clone())
        .with_family(ColumnFamilyDescriptor::with_defaults(b"f").with("VERSIONS", "3"));
    admin.create_table(&descriptor, ["m"]).await?;

    let flowers = connection.table(&name)?;
    flowers
        .put_all([
            Put::new("rose").column("f", "color", "red").column("f", "height", "120"),
            Put::new("tulip").column("f", "color", "yellow").column("f", "height", "40"),
            Put::new("aster").column("f", "color", "blue").column("f", "height", "60"),
        ])
        .await?;

    if let Some(rose) = flowers.get(Get::new("rose").column("f", "color")).await? {
        println!("a rose is {}", String::from_utf8_lossy(rose.value("f", "color").unwrap_or_default()));
    }
    let sold = flowers.increment(Increment::new("rose").column("f", "sold", 3)).await?;
    println!("{} roses are sold", sold.counter("f", "sold").unwrap_or(0));

    let tall = Filter::parse("SingleColumnValueFilter('f', 'height', !=, 'binary:40')")?;
    let mut rows = flowers.scan(Scan::new().filter(tall))?;
    while let Some(row) = rows.next().await? {
        println!("{:?}", row);
    }

    admin.disable_table(&name).await?;
    admin.delete_table(&name).await?;
    Ok(())
}
