use super::*;
use finback_rpc::exceptions;

#[test]
fn an_error_tells_where_and_what_without_the_stack_trace() {
    let exception = exceptions::no_such_column_family("no family g\n\tat org.apache.Foo.bar(Foo.java:1)");
    let error = Error::Refused(Box::new(Attempt {
        method: "Mutate",
        server: Some("host:16020".into()),
        region: Some("t,,1.abc.".into()),
        number: 2,
        exception,
    }));
    assert_eq!(
        error.to_string(),
        "Mutate in region t,,1.abc. at host:16020, attempt 2: NoSuchColumnFamilyException: no family g"
    );
    assert!(error.is("NoSuchColumnFamilyException"));
    assert_eq!(error.message(), Some("no family g"));
}
