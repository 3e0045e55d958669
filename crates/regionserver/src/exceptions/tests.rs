use super::*;

#[test]
fn an_entry_that_the_log_refuses_is_not_sent_again_and_a_log_that_fails_is_tried_again() {
    let of = |error: WalError| exception(&error.into()).class;
    let permanent = exceptions::do_not_retry("").class;
    assert_eq!(of(WalError::Malformed), permanent);
    assert_eq!(of(WalError::TooLarge { bytes: 2, limit: 1 }), permanent);
    assert_eq!(of(WalError::Closed), exceptions::io("").class);
}

#[test]
fn a_mob_file_that_is_gone_is_not_asked_for_again() {
    let error =
        RegionError::MissingMobFile { name: "a-file".to_owned(), places: vec!["/hbase/mobdir".into()] };
    let found = exception(&error);
    assert_eq!(found.class, exceptions::do_not_retry("").class);
    assert!(
        found.do_not_retry && found.message.starts_with("java.io.FileNotFoundException: "),
        "{}",
        found.message
    );
    assert!(found.message.contains("a-file"), "{}", found.message);
}
