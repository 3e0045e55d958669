use super::*;

#[test]
fn an_entry_that_the_log_refuses_is_not_sent_again_and_a_log_that_fails_is_tried_again() {
    let of = |error: WalError| exception(&error.into()).class;
    let permanent = exceptions::do_not_retry("").class;
    assert_eq!(of(WalError::Malformed), permanent);
    assert_eq!(of(WalError::TooLarge { bytes: 2, limit: 1 }), permanent);
    assert_eq!(of(WalError::Closed), exceptions::io("").class);
}
