use super::*;

#[test]
fn the_newest_file_of_each_store_of_the_table_counts() {
    let dir = tempfile::tempdir().unwrap();
    let table = dir.path().join("data/default/cells");
    let file = |path: &str, bytes: usize, age: u64| {
        let path = table.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, vec![0; bytes]).unwrap();
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
    };
    assert!(newest_files(dir.path()).is_err());
    file("r1/info0/old", 1, 20);
    file("r1/info0/new", 10, 10);
    file("r1/info0/.new.crc", 1000, 0);
    file("r2/info0/only", 100, 30);
    file("r2/recovered.edits/1", 1000, 0);
    file("../../../archive/data/default/cells/r0/info0/gone", 1000, 0);
    file("../other/r1/info0/file", 1000, 0);
    assert_eq!(newest_files(dir.path()).unwrap(), 110);
}
