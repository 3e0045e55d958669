use super::*;

#[test]
fn paths_are_put_behind_the_endpoint() {
    for (text, host, port, target) in [
        ("http://localhost:4318", "localhost", 4318, "/v1/traces"),
        ("http://collector/", "collector", 80, "/v1/traces"),
        ("HTTP://10.0.0.1:80/otlp//", "10.0.0.1", 80, "/otlp/v1/traces"),
        ("http://[::1]:4318/a/b", "::1", 4318, "/a/b/v1/traces"),
        ("http://[::1]", "::1", 80, "/v1/traces"),
    ] {
        let endpoint: Endpoint = text.parse().unwrap();
        assert_eq!((endpoint.host.as_str(), endpoint.port), (host, port), "{text}");
        assert_eq!(endpoint.target("/v1/traces"), target, "{text}");
        assert_eq!(endpoint.to_string().parse::<Endpoint>().unwrap(), endpoint);
    }
}

#[test]
fn encryption_is_refused_with_what_to_do_instead() {
    let error = "https://collector:4318".parse::<Endpoint>().unwrap_err();
    assert_eq!(error, EndpointError::Tls("https://collector:4318".into()));
    assert!(error.to_string().contains("not by TLS") && error.to_string().contains("http://"), "{error}");
}

#[test]
fn what_is_no_collector_is_refused() {
    for text in [
        "",
        "localhost:4318",
        "grpc://a:1",
        "http://",
        "http://:4318",
        "http://a:",
        "http://a:0",
        "http://a:65536",
        "http://a:+80",
        "http://a b",
        "http://a\r\nX: y",
        "http://me@a",
        "http://a/?q",
        "http://a/#f",
        "http://::1:4318",
        "http://[::1",
        "http://[a]:1",
        "http://[::1]4318",
        "http://ä",
    ] {
        assert!(matches!(text.parse::<Endpoint>(), Err(EndpointError::Malformed(_))), "{text:?}");
    }
    let long = format!("http://a/{}", "x".repeat(LONGEST));
    assert!(long.parse::<Endpoint>().is_err());
}
