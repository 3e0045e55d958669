use super::*;
use finback_cell::ColumnFamilyDescriptor;

fn table(of_table: &[(&str, &str)]) -> TableDescriptor {
    let mut table = TableDescriptor::new(TableName::parse(b"t").unwrap());
    table.families.push(ColumnFamilyDescriptor::with_defaults(b"f"));
    of_table.iter().for_each(|(key, value)| set_entry(&mut table.attributes, key, value));
    table
}

fn migration(source: &str, destination: &str) -> TableDescriptor {
    table(&[(TRACKER, "MIGRATION"), (MIGRATION_SOURCE, source), (MIGRATION_DESTINATION, destination)])
}

fn refused(old: &TableDescriptor, new: &TableDescriptor) -> String {
    check_modification(old, new, false).unwrap_err().message
}

#[test]
fn a_tracker_is_changed_by_way_of_a_migration() {
    let (default, file) = (table(&[(TRACKER, "DEFAULT")]), table(&[(TRACKER, "FILE")]));
    let whose = "for family f of table t";
    assert_eq!(
        refused(&default, &file),
        format!("Should change to MIGRATION first when migrating from DEFAULT {whose}")
    );
    let there = migration("DEFAULT", "FILE");
    for pair in [&default, &there, &there, &file].windows(2) {
        assert_eq!(check_modification(pair[0], pair[1], false), Ok(()));
    }
    assert_eq!(
        refused(&file, &there),
        format!("Should use src tracker FILE first but got DEFAULT when migrating from FILE {whose}")
    );
    assert_eq!(refused(&there, &default), format!("Should migrate tracker to FILE but got DEFAULT {whose}"));
    assert_eq!(
        refused(&default, &migration("DEFAULT", "DEFAULT")),
        format!("The src tracker and dst tracker are both DEFAULT {whose}")
    );
    assert_eq!(
        refused(&there, &migration("DEFAULT", "DEFAULT")),
        format!("The dst tracker has been changed from FILE to DEFAULT {whose}")
    );
    let disabled = check_modification(&there, &file, true).unwrap_err();
    assert_eq!(disabled.simple_class(), "TableNotEnabledException");
    assert!(check_creation(&there).is_err() && check_creation(&file).is_ok());
}

#[test]
fn each_step_is_one_that_is_allowed_and_the_last_leaves_nothing_behind() {
    let file = StoreFileTracker::File;
    for (begin, steps) in [
        (table(&[]), 2),
        (table(&[(TRACKER, "FILE")]), 1),
        (migration("DEFAULT", "FILE"), 1),
        (migration("FILE", "DEFAULT"), 3),
    ] {
        assert_eq!(steps_to(&begin, None, file).unwrap(), steps);
        let mut reached = begin;
        for _ in 0..steps {
            let next = towards(&reached, None, file).unwrap();
            assert_eq!(check_modification(&reached, &next, false), Ok(()));
            reached = next;
        }
        assert_eq!(reached.attribute(TRACKER), Some("FILE"));
        assert_eq!(reached.attribute(MIGRATION_SOURCE), None);
        assert_eq!(towards(&reached, None, file).unwrap(), reached);
    }
    let family = Bytes::from_static(b"f");
    let next = towards(&table(&[]), Some(&family), file).unwrap();
    assert_eq!(next.families[0].setting(TRACKER), Some("MIGRATION"));
    assert_eq!(next.attribute(TRACKER), None);
    let unknown = towards(&table(&[]), Some(&Bytes::from_static(b"g")), file).unwrap_err();
    assert_eq!(unknown.simple_class(), "NoSuchColumnFamilyException");
}

#[test]
fn what_clients_may_ask_for() {
    assert_eq!(wanted("file"), Ok(StoreFileTracker::File));
    assert_eq!(wanted("MIGRATION").unwrap_err().message, "Do not need to transfer to MIGRATION");
    assert!(wanted("no.such.Class").is_err());
}
