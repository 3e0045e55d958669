//! Cells that stand for values in MOB files are no values: a file with such cells keeps its region closed, and is not loaded.

use crate::fixtures::fixtures;
use crate::world::{World, family};
use finback_fs::{MemFileSystem, write_file_durably};
use finback_region::{BulkLoadFile, BulkLoadOptions, Region};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NAME: &str = "0123456789abcdef0123456789abcdef";

fn world() -> World {
    World::new(Arc::new(MemFileSystem::new()), vec![family("cf", 1).with("IS_MOB", "true")])
}

fn put_file(world: &World, name: &str, path: &Path) {
    let bytes = std::fs::read(fixtures().join("hfiles").join(format!("{name}.hfile"))).unwrap();
    write_file_durably(&*world.fs, path, &bytes).unwrap();
}

fn store_file(world: &World) -> PathBuf {
    world.root.family_dir(&world.info.table, &world.info.encoded_name(), b"cf").join(NAME)
}

#[test]
fn its_region_is_not_opened() {
    for name in ["mob-refs", "mob-data"] {
        let mut world = world();
        world.recover().unwrap().close().unwrap();
        put_file(&world, name, &store_file(&world));
        let error = world.recover().unwrap_err().to_string();
        assert!(error.contains(NAME) && error.contains("MOB"), "{error}");
        let warmed = Region::warm_up(&world.root, &world.info, &world.table).unwrap_err().to_string();
        assert!(warmed.contains("MOB"), "{warmed}");
        assert!(world.fs.exists(&store_file(&world)).unwrap());
    }
}

#[test]
fn its_file_is_not_loaded() {
    let mut world = world();
    let region = world.recover().unwrap();
    let path = PathBuf::from("/load/cf/file");
    world.fs.create_dir_all(path.parent().unwrap()).unwrap();
    put_file(&world, "mob-refs", &path);
    let file = BulkLoadFile { family: "cf".into(), path };
    let error = region.bulk_load(&[file], &BulkLoadOptions::default()).unwrap_err().to_string();
    assert!(error.contains("/load/cf/file") && error.contains("MOB"), "{error}");
}
