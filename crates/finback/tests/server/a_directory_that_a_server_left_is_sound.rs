//! `finback check` on the root directories of servers that were stopped, were killed, or run.

use crate::client::Client;
use crate::running_server::Place;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

fn check(place: &Place, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_finback"));
    command.arg("check").arg(place.data()).args(options).output().unwrap()
}

/// Exit code, standard output, standard error.
fn checked(place: &Place, options: &[&str]) -> (i32, String, String) {
    let output = check(place, options);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

async fn filled(place: &Place) -> crate::running_server::RunningServer {
    let server = place.start();
    let client = Client::of(&server).await;
    for name in ["t", "u"] {
        let table = client.create_table(name).await;
        for row in 0..20 {
            table.put(&format!("r{row:02}"), b"value").await.unwrap();
        }
        table.flush().await.unwrap();
        table.put("after the flush", b"value").await.unwrap();
    }
    server
}

/// The directory of the one region of a table.
fn region_dir(place: &Place, table: &str) -> PathBuf {
    let entries = fs::read_dir(place.data().join("data/default").join(table)).unwrap();
    let mut regions = entries.map(|entry| entry.unwrap().path()).filter(|path| path.join("f").is_dir());
    regions.next().unwrap()
}

#[tokio::test]
async fn after_a_kill_and_after_a_stop_it_is_sound_and_beside_a_server_it_is_refused() {
    let place = Place::new();
    let server = filled(&place).await;
    let (code, out, err) = checked(&place, &[]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.contains("cannot use") && err.contains("finback check HOST[:PORT]"), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    server.kill();
    let (code, out, err) = checked(&place, &[]);
    assert!(code == 0 && err.is_empty() && !out.contains("problem"), "{out}{err}");
    // hbase:namespace, t and u; what tables there are only the log of hbase:meta knows.
    assert!(out.contains("3 tables, 3 regions, 0 snapshots; "), "{out}");
    place.start().stop();
    let (code, out, err) = checked(&place, &[]);
    assert!(code == 0 && err.is_empty(), "{out}{err}");
    assert!(out.contains("3 tables, 3 regions") && out.ends_with(": sound\n"), "{out}");
}

#[tokio::test]
async fn what_is_wrong_is_repaired_and_the_next_server_has_every_row() {
    let place = Place::new();
    filled(&place).await.stop();
    let stray = region_dir(&place, "t").join("f/no store file");
    fs::write(&stray, b"kept").unwrap();
    fs::remove_file(region_dir(&place, "u").join(".regioninfo")).unwrap();
    let (code, out, _) = checked(&place, &["--quick"]);
    assert_eq!(code, 1);
    assert!(out.contains("problem region-info-missing: data/default/u/"), "{out}");
    assert!(out.contains("note stray: data/default/t/"), "{out}");
    assert!(out.ends_with("2 things can be repaired: --fix\n"), "{out}");
    let (_, json, _) = checked(&place, &["--json"]);
    assert!(json.starts_with("{\"root\":") && json.contains("\"kind\":\"region-info-missing\""), "{json}");
    // Nobody is there to be asked.
    let (code, out, err) = checked(&place, &["--fix"]);
    assert!(
        code == 1 && out.contains("would move ") && err.contains("--yes repairs without asking"),
        "{out}{err}"
    );
    assert!(stray.exists());
    let (code, out, err) = checked(&place, &["--fix", "--yes"]);
    assert!(code == 0 && out.contains("did make the directory of region "), "{out}{err}");
    assert!(!stray.exists());
    let aside = fs::read_dir(place.data().join(".hbck")).unwrap().next().unwrap().unwrap().path();
    let kept = aside.join(
        stray
            .strip_prefix(place.data().canonicalize().unwrap())
            .unwrap_or_else(|_| stray.strip_prefix(place.data()).unwrap()),
    );
    assert_eq!(fs::read(kept).unwrap(), b"kept");
    let (code, out, _) = checked(&place, &[]);
    assert!(code == 0 && out.ends_with(": sound\n"), "{out}");
    let server = place.start();
    let client = Client::of(&server).await;
    for name in ["t", "u"] {
        assert_eq!(client.table(name).await.rows().await.len(), 21);
    }
}

#[tokio::test]
async fn what_is_left_of_a_damaged_file_is_served_and_the_damaged_file_is_kept() {
    let place = Place::new();
    let server = filled(&place).await;
    let client = Client::of(&server).await;
    let large = client.create_table("large").await;
    let rows: Vec<String> = (0..12).map(|row| format!("r{row:02}")).collect();
    for row in &rows {
        large.put(row, &[b'v'; 30_000]).await.unwrap();
    }
    large.flush().await.unwrap();
    server.stop();
    let file = fs::read_dir(region_dir(&place, "large").join("f")).unwrap().next().unwrap().unwrap().path();
    let mut bytes = fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let (code, out, _) = checked(&place, &["--fix", "--yes"]);
    assert!(code == 1 && out.contains("problem damaged-file: data/default/large/"), "{out}");
    assert!(out.contains("without loss: --fix --salvage keeps what is left"), "{out}");
    let (code, out, err) = checked(&place, &["--fix", "--salvage"]);
    assert!(
        code == 1 && out.contains("LOST: ") && err.contains("--yes repairs without asking"),
        "{out}{err}"
    );
    assert_eq!(fs::read(&file).unwrap(), bytes);
    let (code, out, err) = checked(&place, &["--fix", "--salvage", "--yes"]);
    assert!(code == 0 && err.is_empty(), "{out}{err}");
    let aside = out.lines().find_map(|line| line.strip_prefix("what was there before is in ")).unwrap();
    let below = file.strip_prefix(place.data()).unwrap();
    assert_eq!(fs::read(PathBuf::from(aside).join(below)).unwrap(), bytes);
    let lost = out.split_once("by the count of the trailer ").unwrap().1;
    let lost: usize = lost.split_once(" cells").unwrap().0.parse().unwrap();
    assert!((1..6).contains(&lost), "{out}");
    let (code, out, _) = checked(&place, &[]);
    assert!(code == 0 && out.ends_with(": sound\n"), "{out}");
    let server = place.start();
    let client = Client::of(&server).await;
    assert_eq!(client.table("large").await.rows().await.len(), rows.len() - lost);
    assert_eq!(client.table("t").await.rows().await.len(), 21);
    server.stop();
    // Nobody has taken it away meanwhile.
    assert_eq!(fs::read(PathBuf::from(aside).join(below)).unwrap(), bytes);
}

#[test]
fn options_that_do_not_go_with_a_directory_are_refused() {
    let place = Place::new();
    fs::create_dir_all(place.data()).unwrap();
    for (options, hint) in [
        (vec!["-D", "zookeeper.znode.parent=/x"], "--config and -D are about a cluster"),
        (vec!["--config", "/nowhere"], "--config and -D are about a cluster"),
        (vec!["--salvage"], "--salvage goes with --fix"),
    ] {
        let (code, out, err) = checked(&place, &options);
        assert!(code == 2 && out.is_empty() && err.contains(hint), "{err}");
    }
}
