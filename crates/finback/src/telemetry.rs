//! What is told to a collector of OpenTelemetry, where there is one.

use crate::config::ServerConfig;
use crate::metrics::Sources;
use finback_cell::ServerName;
use finback_metrics::{otlp, prometheus};
use finback_otel::{Endpoint, ExportOptions, Offered, Resource, SpanExporter, Tracer, export_metrics};
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::task::JoinHandle;

/// OpenTelemetry's own name for where the collector is. The setting wins over it.
const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
/// Between two reports of the metrics: OpenTelemetry's `OTEL_METRIC_EXPORT_INTERVAL`.
const PERIOD: Duration = Duration::from_secs(60);

/// Spans and metrics on their way to a collector.
pub(crate) struct Telemetry {
    tracer: Arc<Tracer>,
    offered: Offered,
    options: ExportOptions,
}

impl Telemetry {
    /// As the settings say, and the environment; none where neither names a collector.
    pub(crate) fn of(config: &ServerConfig, name: &ServerName) -> Option<Self> {
        let endpoint = endpoint(config.otel_endpoint.as_ref(), std::env::var(ENDPOINT).ok().as_deref())?;
        let resource = Resource {
            instance: name.to_string(),
            host: name.host.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        tracing::info!(%endpoint, sample = config.otel_sample, "spans and metrics are sent to a collector");
        let (tracer, offered) = Tracer::new(config.otel_sample);
        Some(Self { tracer, offered, options: ExportOptions::new(endpoint, resource) })
    }

    /// Who takes spans.
    pub(crate) fn tracer(&self) -> Arc<Tracer> {
        Arc::clone(&self.tracer)
    }

    /// Begins to send: the spans until `stop`, the metrics until the second task is aborted.
    pub(crate) fn start(
        self,
        numbers: &Arc<Sources>,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> (JoinHandle<()>, JoinHandle<()>) {
        let numbers = Arc::clone(numbers);
        let render = Arc::new(move || {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            let now_ns = u64::try_from(now.as_nanos()).unwrap_or(u64::MAX);
            otlp::render(&numbers.snapshot(), prometheus::TOP_REGIONS, now_ns)
        });
        let spans = SpanExporter::new(self.offered, self.options.clone());
        (tokio::spawn(spans.run(stop)), tokio::spawn(export_metrics(self.options, PERIOD, render)))
    }
}

/// A variable that makes no sense is told and is no reason not to start: it may be meant for others on the machine.
fn endpoint(setting: Option<&Endpoint>, variable: Option<&str>) -> Option<Endpoint> {
    if let Some(endpoint) = setting {
        return Some(endpoint.clone());
    }
    match variable.filter(|text| !text.is_empty())?.parse() {
        Ok(endpoint) => Some(endpoint),
        Err(error) => {
            tracing::error!(%error, "nothing is sent to the collector that {ENDPOINT} names");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_wins_over_the_environment() {
        let setting: Endpoint = "http://a:1".parse().unwrap();
        let variable = Some("http://b:2");
        assert_eq!(endpoint(Some(&setting), variable), Some(setting));
        assert_eq!(endpoint(None, variable).unwrap().to_string(), "http://b:2");
        for nothing in [None, Some(""), Some("https://b:2"), Some("b:2")] {
            assert_eq!(endpoint(None, nothing), None, "{nothing:?}");
        }
    }
}
