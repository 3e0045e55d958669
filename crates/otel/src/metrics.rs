//! Sends metrics, now and then.

use crate::exporter::ExportOptions;
use crate::health::Health;
use crate::post::post;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::MissedTickBehavior;

/// Sends what `render` makes, an array of metrics in OpenTelemetry's JSON, each `period`, until it is dropped. `render` may block.
/// What was not taken is not sent again: the next has the same numbers, and newer ones.
pub async fn export_metrics(
    options: ExportOptions,
    period: Duration,
    render: Arc<dyn Fn() -> String + Send + Sync>,
) {
    let mut health = Health::of("metrics");
    let mut ticks = tokio::time::interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let render = Arc::clone(&render);
        let metrics = match tokio::task::spawn_blocking(move || render()).await {
            Ok(metrics) => metrics,
            Err(error) => {
                tracing::error!(%error, "the metrics cannot be looked at");
                continue;
            }
        };
        let body = options.resource.request("Metrics", "metrics", &metrics);
        let sent = post(&options.endpoint, "/v1/metrics", body, options.timeout).await;
        health.note(&options.endpoint, &sent);
    }
}
