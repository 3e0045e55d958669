use super::*;

#[test]
fn it_survives_the_wire() {
    let mut exception = exceptions::not_serving_region("t1,,1.abc. is not online");
    exception.server_overloaded = true;
    assert_eq!(RpcException::from_response(exception.to_response()), exception);
}

#[test]
fn the_stack_trace_begins_with_the_class() {
    let response = exceptions::io("disk full").to_response();
    assert_eq!(response.stack_trace.as_deref(), Some("java.io.IOException: disk full"));
    assert_eq!(response.do_not_retry, Some(false));
    assert_eq!(response.server_overloaded, None);
}

#[test]
fn a_message_of_any_length_is_cut_off_between_two_characters() {
    let whole = exceptions::io("x".repeat(SENT_MESSAGE_BYTES));
    assert_eq!(RpcException::from_response(whole.to_response()), whole);
    let long = exceptions::io(format!("x{}", "é".repeat(SENT_MESSAGE_BYTES)));
    let expected = exceptions::io(format!("x{}…", "é".repeat(SENT_MESSAGE_BYTES / 2 - 1)));
    assert_eq!(RpcException::from_response(long.to_response()), expected);
    assert_eq!(RpcException::from_action_result(&long.to_action_result()), expected);
}

#[test]
fn a_trace_of_another_shape_is_kept_whole() {
    let response = pb::ExceptionResponse { stack_trace: Some("at Foo".into()), ..Default::default() };
    let exception = RpcException::from_response(response);
    assert_eq!((exception.class.as_ref(), exception.message.as_str()), ("java.io.IOException", "at Foo"));
    assert_eq!(exception.simple_class(), "IOException");
}

#[test]
fn the_exception_of_an_action_is_read_back() {
    for exception in [exceptions::no_such_column_family("no family"), exceptions::call_queue_too_big("full")]
    {
        let read = RpcException::from_action_result(&exception.to_action_result());
        assert_eq!(read, exception);
    }
    let nameless = pb::NameBytesPair { name: String::new(), value: None };
    assert!(!RpcException::from_action_result(&nameless).do_not_retry);
}
