//! A disk without room: a small memory disk, mounted for the test. Where mounting is not permitted, the same is tested
//! with a faulty file system by the region server's own tests.

use crate::client::{Client, Table, create_request};
use crate::running_server::{LONG, Place, RunningServer};
use finback_proto::pb;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// What the system says.
const FULL: &str = "No space left on device";
const VALUE_BYTES: usize = 64 << 10;

/// A mounted disk; unmounted when dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None`, with a printed reason, where mounting is not permitted.
    fn mount(at: &Path, megabytes: u32) -> Option<Self> {
        std::fs::create_dir(at).unwrap();
        let disk = Self(at.to_owned());
        match disk.call(&["-t", "tmpfs", "-o", &format!("size={megabytes}m"), "tmpfs"]) {
            Ok(()) => Some(disk),
            Err(reason) => {
                println!("skipped: a disk cannot be mounted here: {reason}");
                None
            }
        }
    }

    fn resize(&self, megabytes: u32) {
        self.call(&["-o", &format!("remount,size={megabytes}m")]).unwrap();
    }

    fn call(&self, arguments: &[&str]) -> Result<(), String> {
        let output = Command::new("mount").args(arguments).arg(&self.0).output();
        match output {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
            Err(error) => Err(error.to_string()),
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Lazily: whoever still has a file open does not keep the name.
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

/// A value that tells which row it is of.
fn value(row: &str) -> Vec<u8> {
    row.bytes().cycle().take(VALUE_BYTES).collect()
}

/// Puts rows from `next` on, until a write fails; the acknowledged ones are added to `acknowledged`.
async fn fill(table: &Table<'_>, acknowledged: &mut Vec<String>) -> String {
    for _ in 0..10_000 {
        let row = format!("r{:05}", acknowledged.len());
        match table.put(&row, &value(&row)).await {
            Ok(()) => acknowledged.push(row),
            Err(exception) => {
                assert!(!exception.do_not_retry, "{exception}");
                return exception.message;
            }
        }
    }
    panic!("the disk does not fill");
}

/// Takes the very last bytes as well.
fn fill_the_rest(place: &Place) {
    let filler = std::fs::OpenOptions::new().create(true).append(true).open(place.data().join("filler"));
    let filled = filler.unwrap().write_all(&vec![1; 64 << 20]);
    assert_eq!(filled.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
}

async fn all_there(table: &Table<'_>, acknowledged: &[String]) {
    for row in acknowledged {
        assert_eq!(table.get(row).await.unwrap(), Some(value(row)), "{row}");
    }
}

/// Writes until one is acknowledged.
async fn written_again(table: &Table<'_>, acknowledged: &mut Vec<String>) {
    let since = Instant::now();
    let row = format!("r{:05}", acknowledged.len());
    while let Err(exception) = table.put(&row, &value(&row)).await {
        assert!(since.elapsed() < Duration::from_secs(20), "writes fail for ever: {exception}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    acknowledged.push(row);
}

const SETTINGS: [&str; 2] = ["hbase.hregion.memstore.flush.size=4m", "hbase.regionserver.hlog.blocksize=4m"];

async fn client(server: &RunningServer) -> Client {
    Client::of(server).await
}

#[tokio::test]
async fn writes_fail_reads_go_on_and_room_mends_it() {
    let place = Place::new();
    let Some(disk) = SmallDisk::mount(&place.data(), 24) else { return };
    let server = place.start_with(&SETTINGS);
    let mut acknowledged = Vec::new();
    {
        let client = client(&server).await;
        let table = client.create_table("t").await;
        let message = fill(&table, &mut acknowledged).await;
        println!("{} rows, then: {message}", acknowledged.len());
        assert!(acknowledged.len() > 50, "{}", acknowledged.len());
        fill_the_rest(&place);
        fill(&table, &mut acknowledged).await;
        match table.flush().await {
            Ok(flush) => assert_eq!(flush.flushed, Some(false)),
            Err(exception) => assert!(exception.message.contains(FULL), "{exception}"),
        }
        all_there(&table, &acknowledged).await;

        disk.resize(64);
        for _ in 0..20 {
            written_again(&table, &mut acknowledged).await;
        }
        all_there(&table, &acknowledged).await;
        table.flush().await.unwrap();
        written_again(&table, &mut acknowledged).await;
    }
    server.kill();
    let server = place.start_with(&SETTINGS);
    let client = client(&server).await;
    let table = client.table("t").await;
    all_there(&table, &acknowledged).await;
    let more = table.rows().await.len() - acknowledged.len();
    assert!(more <= 1, "{more} rows that were never acknowledged");
}

#[tokio::test]
async fn a_start_without_room_is_refused_and_one_with_too_little_waits_for_more() {
    let place = Place::new();
    let Some(disk) = SmallDisk::mount(&place.data(), 24) else { return };
    let reserve = place.data().join("reserve");
    std::fs::write(&reserve, vec![1; 32 << 10]).unwrap();
    let server = place.start_with(&SETTINGS);
    let mut acknowledged = Vec::new();
    {
        let client = client(&server).await;
        let table = client.create_table("t").await;
        fill(&table, &mut acknowledged).await;
    }
    fill_the_rest(&place);
    // What cannot be flushed stays in the logs.
    server.stop();
    // The stop may have given room back.
    fill_the_rest(&place);
    place.start_refused(&SETTINGS).refused_with(&[FULL]);

    // Enough for the headers of new logs, not for what the old ones hold.
    std::fs::remove_file(reserve).unwrap();
    let mut server = place.spawn(&SETTINGS);
    let since = Instant::now();
    while !server.stderr().contains(FULL) && !place.data().join("ports").exists() {
        assert!(since.elapsed() < LONG, "{}", server.stderr());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    disk.resize(64);
    server.wait_until_ready();
    let client = client(&server).await;
    all_there(&client.table("t").await, &acknowledged).await;
}

#[tokio::test]
async fn a_table_that_is_made_on_a_full_disk_is_there_or_can_be_made_again() {
    let place = Place::new();
    let Some(disk) = SmallDisk::mount(&place.data(), 24) else { return };
    let server = place.start_with(&SETTINGS);
    let client = client(&server).await;
    client.create_table("t").await.put("r", b"v").await.unwrap();
    fill_the_rest(&place);
    let request = create_request("u");
    let made: Result<pb::CreateTableResponse, _> = client.ask_master("CreateTable", &request).await;
    println!("on a full disk: {made:?}");
    disk.resize(64);
    let ended = match made {
        Ok(made) => client.procedure(made.proc_id()).await,
        Err(exception) => Err(exception.to_string()),
    };
    println!("when there is room: {ended:?}");
    let table = match ended {
        Ok(()) => client.table("u").await,
        Err(_) => client.create_table("u").await,
    };
    table.put("r", b"v").await.unwrap();
    assert_eq!(client.table("t").await.get("r").await.unwrap().unwrap(), b"v");
}
