use super::*;

fn region(name: &str) -> Region {
    Arc::from(name.as_bytes())
}

fn taken(accounting: &mut Accounting) -> Vec<PathBuf> {
    accounting.take_unneeded().into_iter().map(|log| log.path).collect()
}

#[test]
fn a_file_is_needed_until_every_region_is_flushed_past_it() {
    let (a, b) = (region("a"), region("b"));
    let mut accounting = Accounting::default();
    accounting.wrote(&a, 5);
    accounting.wrote(&b, 9);
    accounting.rolled("1".into());
    accounting.wrote(&a, 6);
    accounting.rolled("2".into());
    accounting.flushed(&a, Some(6));
    assert!(taken(&mut accounting).is_empty(), "b still needs file 1");
    accounting.flushed(&b, Some(9));
    assert!(taken(&mut accounting).is_empty(), "edit 9 is not below 9");
    accounting.flushed(&b, Some(10));
    assert_eq!(taken(&mut accounting), [PathBuf::from("1")]);
    accounting.flushed(&a, None);
    assert_eq!(taken(&mut accounting), [PathBuf::from("2")]);
}

#[test]
fn an_entry_that_was_flushed_before_it_was_written_needs_no_file() {
    let a = region("a");
    let mut accounting = Accounting::default();
    accounting.flushed(&a, Some(8));
    accounting.wrote(&a, 7);
    accounting.rolled("1".into());
    assert_eq!(taken(&mut accounting), [PathBuf::from("1")]);
    accounting.wrote(&a, 8);
    accounting.rolled("2".into());
    assert!(taken(&mut accounting).is_empty());
    accounting.closed(&a);
    assert_eq!(taken(&mut accounting), [PathBuf::from("2")]);
}

#[test]
fn too_many_files_name_the_regions_of_the_oldest() {
    let (a, b) = (region("a"), region("b"));
    let mut accounting = Accounting::default();
    accounting.wrote(&a, 1);
    accounting.rolled("1".into());
    accounting.wrote(&b, 1);
    accounting.rolled("2".into());
    assert!(accounting.regions_to_flush(3).is_empty());
    assert_eq!(accounting.regions_to_flush(2), [a]);
}
