//! How fast a cluster takes rows and gives them back, through this client.
//!
//!     cargo run --release -p finback-client --example throughput -- localhost:2181 [ROWS] [TASKS]
//!
//! ROWS rows of a value of 100 bytes (default 100000) are written through a buffered mutator, read at random by TASKS
//! tasks at a time (default 64), and scanned; then written one by one.

use finback_client::{
    ClientConfig, ColumnFamilyDescriptor, Connection, Get, Put, Scan, Table, TableDescriptor, TableName,
};
use std::time::Instant;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let quorum = arguments.next().unwrap_or_else(|| "localhost:2181".to_owned());
    let rows: u64 = arguments.next().map_or(Ok(100_000), |rows| rows.parse())?;
    let tasks: u64 = arguments.next().map_or(Ok(64), |tasks| tasks.parse())?;
    let connection = Connection::open(ClientConfig::zookeeper(&quorum)).await?;
    let table = fresh_table(&connection).await?;

    let started = Instant::now();
    let buffer = table.buffered_mutator();
    for number in 0..rows {
        buffer.mutate(put(number)).await?;
    }
    buffer.flush().await?;
    told("buffered puts", rows, started);

    let started = Instant::now();
    each(&table, rows, tasks, |table, number| async move {
        table.get(Get::new(key(number * 7919 % 1_000_003))).await.map(|_| ())
    })
    .await?;
    told("gets", rows, started);

    let started = Instant::now();
    let (mut scan, mut scanned) = (table.scan(Scan::new())?, 0);
    while let Some(page) = scan.next_page().await? {
        scanned += page.len() as u64;
    }
    told("rows scanned", scanned, started);

    let started = Instant::now();
    each(&table, rows, tasks, |table, number| async move { table.put(put(number)).await }).await?;
    told("puts", rows, started);

    let started = Instant::now();
    for number in 0..rows / 20 {
        table.get(Get::new(key(number))).await?;
    }
    told("gets, one after the other", rows / 20, started);
    connection.admin().disable_table(table.name()).await?;
    connection.admin().delete_table(table.name()).await?;
    Ok(())
}

async fn fresh_table(connection: &Connection) -> Result<Table, Failure> {
    let (admin, name) = (connection.admin(), TableName::parse(b"example_throughput")?);
    if admin.table_exists(&name).await? {
        admin.disable_table(&name).await?;
        admin.delete_table(&name).await?;
    }
    let descriptor =
        TableDescriptor::new(name.clone()).with_family(ColumnFamilyDescriptor::with_defaults(b"f"));
    admin.create_table(&descriptor, ["row-0000025000", "row-0000050000", "row-0000075000"]).await?;
    Ok(connection.table(&name)?)
}

fn key(number: u64) -> String {
    format!("row-{number:010}")
}

fn put(number: u64) -> Put {
    Put::new(key(number)).column("f", "q", [b'v'; 100])
}

/// Does something for each number, `tasks` at a time.
async fn each<F>(
    table: &Table,
    count: u64,
    tasks: u64,
    what: impl Fn(Table, u64) -> F + Copy + Send + 'static,
) -> Result<(), Failure>
where
    F: Future<Output = finback_client::Result<()>> + Send,
{
    let mut running = tokio::task::JoinSet::new();
    for task in 0..tasks {
        let table = table.clone();
        running.spawn(async move {
            for number in (task..count).step_by(tasks as usize) {
                what(table.clone(), number).await?;
            }
            Ok::<(), finback_client::Error>(())
        });
    }
    while let Some(done) = running.join_next().await {
        done??;
    }
    Ok(())
}

fn told(what: &str, count: u64, since: Instant) {
    let seconds = since.elapsed().as_secs_f64();
    println!("{:>10.0} {what} per second ({count} in {seconds:.2} s)", count as f64 / seconds);
}
