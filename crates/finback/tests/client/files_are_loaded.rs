use crate::cluster::Cluster;
use finback_cell::cell::CellParts;
use finback_client::{BulkLoadFile, Cell, CellType, Get, Scan};
use finback_fs::{FileSystem, LocalFileSystem};
use finback_hfile::{HFileWriter, WriterOptions};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A store file with a cell of each of these rows.
fn write_store_file(path: &Path, rows: &[&str]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let file = LocalFileSystem.create_new(path).unwrap();
    let mut writer = HFileWriter::new(file, path, WriterOptions::default()).unwrap();
    for row in rows {
        let cell = CellParts {
            row: row.as_bytes(),
            family: b"f",
            qualifier: b"q",
            timestamp: 7,
            type_code: CellType::Put.code(),
            value: b"loaded",
            tags: b"",
        };
        writer.append(&Cell::parse(&cell.to_vec()).unwrap(), 0).unwrap();
    }
    writer.finish(0).unwrap();
    // HBase moves it in the name of the client's user, who may be somebody else.
    for (path, mode) in [(path.parent().unwrap(), 0o777), (path, 0o666)] {
        std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }
}

#[tokio::test]
async fn into_the_region_that_their_rows_are_of_and_into_no_other() {
    let cluster = Cluster::start().await;
    let table = cluster.table("t", &["m"]).await;
    let directory = tempfile::tempdir().unwrap();
    std::fs::set_permissions(directory.path(), Permissions::from_mode(0o777)).unwrap();
    let file = |name: &str, rows: &[&str]| {
        let path = directory.path().join("f").join(name);
        write_store_file(&path, rows);
        BulkLoadFile { family: "f".into(), path: format!("file://{}", path.display()) }
    };
    let low = file("0123456789abcdef0123456789abcdef", &["a", "b"]);
    let both = file("0123456789abcdef0123456789abcde0", &["c", "x"]);

    assert!(table.bulk_load("a", std::slice::from_ref(&low)).await.unwrap());
    let rows = table.scan(Scan::new()).unwrap().collect(10).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.key().to_vec()).collect::<Vec<_>>(), [b"a", b"b"]);
    assert_eq!(rows[0].value("f", "q"), Some(&b"loaded"[..]));

    // One that spans regions is refused, and stays where it is.
    assert!(!matches!(table.bulk_load("c", std::slice::from_ref(&both)).await, Ok(true)));
    assert!(Path::new(both.path.trim_start_matches("file://")).exists());
    assert_eq!(table.get(Get::new("c")).await.unwrap(), None);
    let nothing = BulkLoadFile { family: "f".into(), path: "file:///nowhere/f/x".into() };
    assert!(!matches!(table.bulk_load("c", &[nothing]).await, Ok(true)));
}
