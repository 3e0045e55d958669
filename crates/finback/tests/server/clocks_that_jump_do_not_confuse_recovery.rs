//! Start codes and the names of logs are readings of a clock that may go back. What is older is told by sequence ids.

use crate::client::Client;
use crate::running_server::{Place, entries};
use std::fs;
use std::path::Path;

/// Makes a dead server's logs those of a server that started at another time.
fn move_in_time(place: &Place, by_ms: i64) {
    for directory in place.log_dirs() {
        let name = directory.file_name().unwrap().to_str().unwrap().to_owned();
        let (server, start_code) = name.rsplit_once(',').unwrap();
        // Logs that were split, and not put away yet.
        let (start_code, splitting) = match start_code.strip_suffix("-splitting") {
            Some(start_code) => (start_code, "-splitting"),
            None => (start_code, ""),
        };
        let moved: i64 = start_code.parse::<i64>().unwrap() + by_ms;
        let target = directory.with_file_name(format!("{server},{moved}{splitting}"));
        fs::create_dir(&target).unwrap();
        for log in entries(&directory) {
            fs::rename(&log, target.join(renamed(&log, start_code, moved, by_ms))).unwrap();
        }
        fs::remove_dir(&directory).unwrap();
    }
}

/// `host%2Cport%2Cstartcode[.meta].number[.meta]`, at another time.
fn renamed(log: &Path, start_code: &str, moved: i64, by_ms: i64) -> String {
    let name = log.file_name().unwrap().to_str().unwrap();
    let parts = name.replace(start_code, &moved.to_string());
    let numbered = parts.split('.').map(|part| match part.parse::<i64>() {
        Ok(number) if number > 1_000_000_000 => (number + by_ms).to_string(),
        _ => part.to_owned(),
    });
    numbered.collect::<Vec<_>>().join(".")
}

#[tokio::test]
async fn logs_of_the_future_and_of_the_past_are_recovered() {
    const DAY_MS: i64 = 86_400_000;
    let place = Place::new();
    for (round, by_ms) in [DAY_MS, -DAY_MS, DAY_MS].into_iter().enumerate() {
        let server = place.start();
        let client = Client::of(&server).await;
        let table = match round {
            0 => client.create_table("t").await,
            _ => client.table("t").await,
        };
        if round > 0 {
            assert_eq!(table.get("r").await.unwrap().unwrap(), format!("{}", round - 1).as_bytes());
        }
        table.put("r", round.to_string().as_bytes()).await.unwrap();
        table.put(&format!("r{round}"), b"v").await.unwrap();
        server.kill();
        move_in_time(&place, by_ms);
    }
    let server = place.start();
    let client = Client::of(&server).await;
    let table = client.table("t").await;
    assert_eq!(table.rows().await, ["r", "r0", "r1", "r2"]);
    assert_eq!(table.get("r").await.unwrap().unwrap(), b"2");
    place.only_logs_of_one_server_are_left().await;
    // And a stop after that is as clean as any.
    server.stop();
    let server = place.start();
    assert_eq!(Client::of(&server).await.table("t").await.rows().await.len(), 4);
}

#[tokio::test]
async fn an_empty_directory_of_another_life_is_no_obstacle() {
    let place = Place::new();
    place.start().stop();
    for name in ["127.0.0.1,1,1", "127.0.0.1,1,9999999999999", "127.0.0.1,1,5-splitting"] {
        fs::create_dir_all(place.data().join("WALs").join(name)).unwrap();
    }
    let server = place.start();
    let client = Client::of(&server).await;
    client.create_table("t").await.put("r", b"v").await.unwrap();
    assert_eq!(place.log_dirs().len(), 1, "{:?}", place.log_dirs());
}
