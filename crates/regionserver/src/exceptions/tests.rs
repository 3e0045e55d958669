use super::*;
use finback_hfile::HFileError;
use std::sync::Arc;

#[test]
fn an_entry_that_the_log_refuses_is_not_sent_again_and_a_log_that_fails_is_tried_again() {
    let of = |error: WalError| exception(&error.into()).class;
    let permanent = exceptions::do_not_retry("").class;
    assert_eq!(of(WalError::Malformed), permanent);
    assert_eq!(of(WalError::TooLarge { bytes: 2, limit: 1 }), permanent);
    assert_eq!(of(WalError::Closed), exceptions::io("").class);
}

#[test]
fn a_mob_file_that_is_gone_or_has_no_such_cell_is_not_asked_for_again() {
    let file = "a-file".to_owned();
    let cell = RegionError::MissingMobCell { path: "/hbase/mobdir/a-file".into(), cell: "a-cell".to_owned() };
    let errors = [RegionError::MissingMobFile { name: file, places: vec!["/hbase/mobdir".into()] }, cell];
    for error in errors {
        let found = exception(&error);
        assert_eq!(found.class, exceptions::do_not_retry("").class);
        let is_marked = found.message.starts_with("java.io.FileNotFoundException: ");
        assert!(found.do_not_retry && is_marked, "{}", found.message);
        assert!(found.message.contains("a-file"), "{}", found.message);
    }
}

#[test]
fn a_mob_file_that_cannot_be_opened_is_not_asked_for_again() {
    let damaged = HFileError::Corrupt {
        path: "/hbase/mobdir/a-file".into(),
        part: "trailer",
        offset: 5,
        expected: "a magic".to_owned(),
        found: "none".to_owned(),
    };
    let found = exception(&RegionError::DamagedMobFile(Arc::new(damaged)));
    assert!(found.do_not_retry && found.class.ends_with(".CorruptHFileException"), "{}", found.class);
    assert!(found.message.contains("a-file"), "{}", found.message);
}
