//! OpenTelemetry: what a server did, for those who collect that from many.
//!
//! A [`Tracer`] decides which calls are told of, and takes their [`Span`]s; a [`SpanExporter`] sends them to a collector, by OTLP
//! over HTTP, as JSON, and [`export_metrics`] the metrics. Nobody who offers a span waits: of those that are too many some are
//! dropped, and counted.
//!
//! Knows nothing of servers, regions or RPC.

mod endpoint;
mod exporter;
mod health;
mod metrics;
mod post;
mod resource;
mod span;
mod trace_context;
mod tracer;

pub use endpoint::{Endpoint, EndpointError};
pub use exporter::{ExportOptions, SpanExporter};
pub use metrics::export_metrics;
pub use resource::Resource;
pub use span::{Attribute, Span};
pub use trace_context::TraceContext;
pub use tracer::{Offered, Tracer};
