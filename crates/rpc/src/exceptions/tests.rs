use super::*;

#[test]
fn a_throttling_message_says_how_long_to_wait() {
    let text = |ms| rpc_throttling("number of requests exceeded", Duration::from_millis(ms)).message;
    assert_eq!(text(1500), "number of requests exceeded - wait 1sec, 500ms");
    assert_eq!(text(60_000), "number of requests exceeded - wait 1min, 0ms");
    assert_eq!(text(0), "number of requests exceeded - wait 0ms");
    assert_eq!(text(3_723_004), "number of requests exceeded - wait 1hr, 2mins, 3sec, 4ms");
}

#[test]
fn a_moved_region_names_its_new_server() {
    let exception = region_moved("h", 16020, 1_700_000_000_000, 9);
    assert_eq!(
        exception.message,
        "Region moved to: hostname=h port=16020 startCode=1700000000000. As of locationSeqNum=9."
    );
    let response = exception.to_response();
    assert_eq!((response.hostname(), response.port()), ("h", 16020));
    assert_eq!(RpcException::from_response(response), exception);
}

#[test]
fn an_unknown_method_is_permanent_and_a_full_queue_is_not() {
    let unknown = unsupported_operation("FlushTable");
    assert!(unknown.do_not_retry);
    assert_eq!(unknown.message, "java.lang.UnsupportedOperationException: FlushTable");
    for full in [call_queue_too_big("full"), call_dropped("late")] {
        assert!(!full.do_not_retry && full.server_overloaded);
    }
}

#[test]
fn what_ends_a_connection_is_permanent() {
    for fatal in [fatal_connection("f"), wrong_version("v"), bad_auth("a")] {
        assert!(fatal.do_not_retry, "{fatal}");
    }
}

#[test]
fn classes_tell_whether_to_try_again() {
    for exception in
        [table_not_found(""), unknown_scanner(""), do_not_retry(""), not_serving_region(""), io("")]
    {
        assert_eq!(is_permanent(&exception.class), exception.do_not_retry, "{exception}");
    }
    assert!(is_permanent("org.apache.hadoop.hbase.quotas.SpaceLimitingException"));
    assert!(!is_permanent("org.example.Whatever"));
    assert!(is_overload(&call_dropped("").class) && !is_overload(&io("").class));
}
