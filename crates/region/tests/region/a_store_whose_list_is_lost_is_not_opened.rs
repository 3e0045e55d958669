//! With the store file tracker FILE the list says which files there are. One that HBase 2.6 wrote is found under its name;
//! where there is none, and there are files, nothing is served and nothing is moved.

use crate::machine::Machine;
use crate::workload::listed;
use crate::world::{World, put, run, value};
use finback_fs::{CrashMode, MemFileSystem, write_file_durably};
use finback_region::Region;
use std::path::PathBuf;
use std::sync::Arc;

const COLUMN: (&str, &str, &str) = ("row", "a", "q");

/// A closed region with a file.
fn closed() -> World {
    let mut world = World::new(Arc::new(MemFileSystem::new()), vec![listed("a")]);
    let region = world.recover().unwrap();
    run(region.mutate(&put(COLUMN, b"value"))).unwrap();
    region.close().unwrap();
    world
}

fn store(world: &World) -> PathBuf {
    world.root.family_dir(&world.info.table, &world.info.encoded_name(), b"a")
}

fn names(world: &World, dir: PathBuf) -> Vec<String> {
    let entries = world.fs.list(&dir).unwrap_or_default().into_iter();
    entries.filter(|entry| !entry.is_dir).map(|entry| entry.name).collect()
}

/// HBASE-26791.
#[test]
fn a_list_of_hbase_2_6_counts_and_keeps_its_name() {
    let mut world = closed();
    let lists = store(&world).join(".filelist");
    let [list] = &names(&world, lists.clone())[..] else { panic!("one list") };
    world.fs.rename(&lists.join(list), &lists.join("f1.1700000000000")).unwrap();
    let files = names(&world, store(&world));
    let region = world.recover().unwrap();
    assert_eq!(value(&region, COLUMN).as_deref(), Some(&b"value"[..]));
    assert_eq!(names(&world, store(&world)), files);
    region.close().unwrap();
    assert_eq!(names(&world, lists), ["f2.1700000000000"]);
}

#[test]
fn files_without_a_list_stay_where_they_are() {
    let mut world = closed();
    world.fs.remove_dir_all(&store(&world).join(".filelist")).unwrap();
    let files = names(&world, store(&world));
    let error = world.recover().unwrap_err().to_string();
    assert!(error.contains(".filelist") && error.contains(&files[0]), "{error}");
    assert_eq!(names(&world, store(&world)), files);
    let archived = world.root.archived_family_dir(&world.info.table, &world.info.encoded_name(), b"a");
    assert!(names(&world, archived).is_empty());
    let warmed = Region::warm_up(&world.root, &world.info, &world.table);
    assert!(warmed.unwrap_err().to_string().contains(".filelist"));
}

/// HBase looks at what is listed alone.
#[test]
fn what_is_not_listed_and_leads_nowhere_goes_to_the_archive() {
    let mut world = closed();
    let reference = "0123456789abcdef0123456789abcdef.99999999999999999999999999999999";
    write_file_durably(&*world.fs, &store(&world).join(reference), b"torn").unwrap();
    let region = world.recover().unwrap();
    assert_eq!(value(&region, COLUMN).as_deref(), Some(&b"value"[..]));
    assert!(names(&world, store(&world)).iter().all(|name| name != reference));
    let archived = world.root.archived_family_dir(&world.info.table, &world.info.encoded_name(), b"a");
    assert_eq!(names(&world, archived), [reference]);
}

/// The list is there before the first file: a crash between the two would leave a store whose list seems lost.
#[test]
fn the_power_is_cut_while_a_new_store_is_replayed() {
    let mut machine = Machine::new(vec![listed("a")]);
    let region = machine.world.recover().unwrap();
    run(region.mutate(&put(COLUMN, b"value"))).unwrap();
    region.abandon();
    let store_dir = store(&machine.world);
    machine.world.fs.remove_dir_all(&store_dir).unwrap();
    machine.world.fs.sync_dir(store_dir.parent().unwrap()).unwrap();
    for at in 0.. {
        let mut dying = machine.crash(CrashMode::Strict);
        // What is replayed is flushed at once.
        dying.world.host.limit_memory(0);
        dying.faults.fail_from(at);
        let died = dying.world.recover().is_err();
        let mut next = dying.crash(CrashMode::Strict);
        let region = next.world.recover().unwrap_or_else(|error| panic!("operation {at}: {error}"));
        assert_eq!(value(&region, COLUMN).as_deref(), Some(&b"value"[..]), "operation {at}");
        if !died {
            assert!(at > 10 && names(&dying.world, store_dir).len() == 1, "{at}");
            return;
        }
    }
}
