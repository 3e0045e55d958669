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
fn a_trace_of_another_shape_is_kept_whole() {
    let response = pb::ExceptionResponse { stack_trace: Some("at Foo".into()), ..Default::default() };
    let exception = RpcException::from_response(response);
    assert_eq!((exception.class.as_ref(), exception.message.as_str()), ("java.io.IOException", "at Foo"));
    assert_eq!(exception.simple_class(), "IOException");
}
