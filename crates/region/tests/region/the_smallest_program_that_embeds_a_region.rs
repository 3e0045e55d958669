//! The example of this crate, run, and killed.

#[allow(dead_code)] // Its main function.
#[path = "../../examples/embedded.rs"]
mod embedded;

use finback_region::Region;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// In the environment of a process that is to be killed: where its region is.
const DIRECTORY: &str = "FINBACK_TEST_DIRECTORY";

async fn write(region: &Arc<Region>, row: &str) {
    embedded::put(region, row.as_bytes(), b"there").await.unwrap();
}

#[tokio::test]
async fn what_it_wrote_is_there_after_flushes_compactions_and_closes() {
    let dir = tempfile::tempdir().unwrap();
    let (region, wal) = embedded::open(dir.path()).unwrap();
    write(&region, "first").await;
    region.flush(None).unwrap();
    write(&region, "second").await;
    region.flush(None).unwrap();
    region.compact(b"f", true).unwrap();
    write(&region, "third").await;
    assert_eq!(embedded::scan(&region).unwrap(), "first=there, second=there, third=there");
    embedded::close(&region, &wal).await.unwrap();
    let old_logs = || std::fs::read_dir(finback_wal::old_logs_dir(dir.path())).unwrap().count();
    assert!(old_logs() > 0);
    let (region, wal) = embedded::open(dir.path()).unwrap();
    assert_eq!(old_logs(), 0);
    assert_eq!(embedded::scan(&region).unwrap(), "first=there, second=there, third=there");
    embedded::close(&region, &wal).await.unwrap();
}

#[tokio::test]
async fn what_it_wrote_is_there_after_it_was_killed() {
    let dir = tempfile::tempdir().unwrap();
    for wanted in ["0=there", "0=there, 1=there", "0=there, 1=there, 2=there"] {
        let killed = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--ignored", "the_smallest_program_that_embeds_a_region::writes_and_is_killed"])
            .env(DIRECTORY, dir.path())
            .output()
            .unwrap();
        assert!(killed.status.code().is_none(), "no signal: {}", String::from_utf8_lossy(&killed.stdout));
        let (region, wal) = embedded::open(dir.path()).unwrap();
        assert_eq!(embedded::scan(&region).unwrap(), wanted);
        embedded::close(&region, &wal).await.unwrap();
    }
}

/// A process of its own: one row more than it finds, and the end.
#[tokio::test]
#[ignore = "the process that another test kills"]
async fn writes_and_is_killed() {
    let Some(dir) = std::env::var_os(DIRECTORY) else { return };
    let (region, _wal) = embedded::open(Path::new(&dir)).unwrap();
    let found = embedded::scan(&region).unwrap();
    write(&region, &found.split(", ").filter(|row| !row.is_empty()).count().to_string()).await;
    std::process::abort();
}
