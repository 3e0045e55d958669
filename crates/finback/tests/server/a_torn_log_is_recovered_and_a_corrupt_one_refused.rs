//! Damage to write-ahead logs, between a SIGKILL and the next start.

use crate::client::Client;
use crate::running_server::Place;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

const PUTS: usize = 20;

/// A server that was killed after puts; its newest log.
async fn killed(place: &Place) -> PathBuf {
    let server = place.start();
    let client = Client::of(&server).await;
    let table = client.create_table("t").await;
    for i in 0..PUTS {
        table.put(&format!("r{i:02}"), format!("value {i:02}").as_bytes()).await.unwrap();
    }
    let log = place.newest_log();
    server.kill();
    log
}

/// The rows that the next server finds.
async fn recovered(place: &Place) -> (Vec<String>, String) {
    let server = place.start();
    let client = Client::of(&server).await;
    let rows = client.table("t").await.rows().await;
    let said = server.stop().stderr;
    (rows, said)
}

/// Where the log's unused rest begins: a mark and zeros, if there is one.
fn written(log: &Path) -> usize {
    let bytes = fs::read(log).unwrap();
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    if bytes[..end].ends_with(&[0xff, 0xff, 0xff, 0xff, 0x07]) { end - 5 } else { end }
}

fn expected(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("r{i:02}")).collect()
}

/// What standard error says about the torn tail of a log.
fn torn_tail<'a>(said: &'a str, log: &Path) -> &'a str {
    let name = log.file_name().unwrap().to_str().unwrap();
    let line = said.lines().find(|line| line.contains("torn tail of a write-ahead log"));
    let line = line.unwrap_or_else(|| panic!("nothing about a torn tail in {said}"));
    assert!(line.contains(name) && line.contains("offset"), "{line}");
    line
}

#[tokio::test]
async fn garbage_behind_the_last_entry_is_dropped_and_said() {
    let place = Place::new();
    let log = killed(&place).await;
    let end = written(&log);
    let mut bytes = fs::read(&log).unwrap();
    bytes.truncate(end);
    // The start of an entry that was never finished.
    bytes.extend_from_slice(&[0x55; 333]);
    fs::write(&log, bytes).unwrap();
    let (rows, said) = recovered(&place).await;
    assert_eq!(rows, expected(PUTS));
    assert!(torn_tail(&said, &log).contains(&end.to_string()), "{said}");
}

#[tokio::test]
async fn an_entry_that_was_cut_is_dropped_and_said() {
    let place = Place::new();
    let log = killed(&place).await;
    let end = written(&log);
    OpenOptions::new().write(true).open(&log).unwrap().set_len(end as u64 - 3).unwrap();
    let (rows, said) = recovered(&place).await;
    assert_eq!(rows, expected(PUTS - 1));
    torn_tail(&said, &log);
}

#[tokio::test]
async fn a_log_that_ends_in_its_header_is_empty() {
    let place = Place::new();
    let server = place.start();
    Client::of(&server).await.create_table("t").await;
    server.stop();
    let server = place.start();
    let log = place.newest_log();
    server.kill();
    OpenOptions::new().write(true).open(&log).unwrap().set_len(3).unwrap();
    assert_eq!(recovered(&place).await.0, expected(0));
}

#[tokio::test]
async fn corruption_before_acknowledged_entries_is_refused_until_it_is_mended() {
    let place = Place::new();
    let log = killed(&place).await;
    let good = fs::read(&log).unwrap();
    let place_of = |text: &[u8]| good.windows(text.len()).position(|window| window == text).unwrap();
    let damaged = place_of(b"value 00");
    assert!(damaged < place_of(b"value 01"));
    let mut bad = good.clone();
    bad[damaged] ^= 1;
    fs::write(&log, &bad).unwrap();

    let mut messages = Vec::new();
    for _ in 0..3 {
        let ended = place.start_refused(&[]);
        let name = log.file_name().unwrap().to_str().unwrap();
        ended.refused_with(&[name, "corrupt at offset"]);
        messages.push(ended.stderr.lines().rfind(|line| line.starts_with("finback: ")).unwrap().to_owned());
    }
    messages.dedup();
    assert_eq!(messages.len(), 1, "{messages:?}");
    let offset = messages[0].split("corrupt at offset ").nth(1).unwrap();
    let offset: usize = offset.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap();
    assert!(offset < damaged && damaged < offset + 500, "{offset} is not the entry with {damaged}");

    let kept = find(&place, log.file_name().unwrap().to_str().unwrap());
    assert_eq!(fs::read(&kept).unwrap(), bad, "the log was changed");
    let mut file = OpenOptions::new().write(true).open(&kept).unwrap();
    file.write_all(&good).unwrap();
    drop(file);
    assert_eq!(recovered(&place).await.0, expected(PUTS));
}

/// The log, wherever in `WALs` it is now.
fn find(place: &Place, name: &str) -> PathBuf {
    let candidates = place.log_dirs().into_iter().map(|dir| dir.join(name));
    candidates.into_iter().find(|path| path.exists()).expect("the log is in WALs")
}
