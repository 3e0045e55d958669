//! Who tells.

/// The server that spans and metrics are of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resource {
    /// What tells it from other servers, such as `host,port,startcode`.
    pub instance: String,
    /// The name of its machine.
    pub host: String,
    /// The program's version.
    pub version: String,
}

/// What the program is called, as a service and as the instrumentation.
const SERVICE: &str = "finback";

impl Resource {
    /// What a request for the collector is: `kind` is `Spans` or `Metrics`, `field` what a scope calls them, `items` an array.
    pub(crate) fn request(&self, kind: &str, field: &str, items: &str) -> String {
        let mut attributes = String::new();
        let of_the_server = [
            ("service.name", SERVICE),
            ("service.version", &self.version),
            ("service.instance.id", &self.instance),
            ("host.name", &self.host),
        ];
        finback_metrics::otlp::attributes(&mut attributes, &of_the_server);
        let mut version = String::new();
        finback_metrics::json::string(&mut version, &self.version);
        format!(
            "{{\"resource{kind}\":[{{\"resource\":{{\"attributes\":{attributes}}},\"scope{kind}\":[{{\
             \"scope\":{{\"name\":\"{SERVICE}\",\"version\":{version}}},\"{field}\":{items}}}]}}]}}"
        )
    }
}
