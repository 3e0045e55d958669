//! Sends spans, in batches, from a task of its own.

use crate::endpoint::Endpoint;
use crate::health::Health;
use crate::post::{PostError, Taken, post};
use crate::resource::Resource;
use crate::span::Span;
use crate::tracer::Offered;
use std::collections::hash_map::RandomState;
use std::future::Future;
use std::hash::{BuildHasher, Hasher};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// A collector that wants to be asked again later than this is asked no later.
const MOST_PATIENCE: Duration = Duration::from_secs(30);
/// Spans in a request: OpenTelemetry's `OTEL_BSP_MAX_EXPORT_BATCH_SIZE`.
const MOST_IN_A_BATCH: usize = 512;

/// How patient an export is.
#[derive(Clone, Debug)]
pub struct ExportOptions {
    /// Where to.
    pub endpoint: Endpoint,
    /// From whom.
    pub resource: Resource,
    /// A request takes at most so long: OpenTelemetry's `OTEL_EXPORTER_OTLP_TIMEOUT`.
    pub timeout: Duration,
    /// The first span of a batch waits so long for others.
    pub gather: Duration,
    /// Before each further try with the same batch. After the last the batch is given up.
    pub pauses: Vec<Duration>,
    /// What is there still when the server stops is sent within this time, or not at all.
    pub farewell: Duration,
}

impl ExportOptions {
    /// Ten seconds for a request, a second to gather, four more tries within 15 s, and a second at the end.
    pub fn new(endpoint: Endpoint, resource: Resource) -> Self {
        Self {
            endpoint,
            resource,
            timeout: Duration::from_secs(10),
            gather: Duration::from_secs(1),
            pauses: [1, 2, 4, 8].map(Duration::from_secs).to_vec(),
            farewell: Duration::from_secs(1),
        }
    }
}

/// Sends what a [`Tracer`](crate::Tracer) is offered.
#[derive(Debug)]
pub struct SpanExporter {
    options: ExportOptions,
    offered: Offered,
    health: Health,
}

impl SpanExporter {
    /// Sends what is offered there.
    pub fn new(offered: Offered, options: ExportOptions) -> Self {
        Self { options, offered, health: Health::of("spans") }
    }

    /// Sends until `stop` resolves, or nobody offers any more; then what is left, if that is quick.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        let mut batch = Vec::with_capacity(MOST_IN_A_BATCH);
        loop {
            tokio::select! {
                () = &mut stop => break,
                there_are = self.gather(&mut batch) => if !there_are { return },
            }
            tokio::select! {
                () = &mut stop => break,
                () = self.send(&batch) => batch.clear(),
            }
        }
        let patience = self.options.farewell;
        // What it has not done by then is lost with the process, and its numbers too.
        let _ = timeout(patience, self.say_farewell(batch)).await;
    }

    /// Waits for the spans of a batch. None come when nobody offers any.
    async fn gather(&mut self, batch: &mut Vec<Span>) -> bool {
        if self.offered.spans.recv_many(batch, MOST_IN_A_BATCH).await == 0 {
            return false;
        }
        let end = Instant::now() + self.options.gather;
        while batch.len() < MOST_IN_A_BATCH {
            let room = MOST_IN_A_BATCH - batch.len();
            match timeout_at(end, self.offered.spans.recv_many(batch, room)).await {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
        }
        true
    }

    /// Sends a batch, as often as it takes and is worth while.
    async fn send(&mut self, batch: &[Span]) {
        let body = self.body(batch);
        let mut pauses = self.options.pauses.clone().into_iter();
        loop {
            let sent = self.post(body.clone()).await;
            self.health.note(&self.options.endpoint, &sent);
            let error = match sent {
                Ok(taken) => return self.count(batch, &taken),
                Err(error) => error,
            };
            match pauses.next() {
                Some(pause) if error.is_worth_another_try() => sleep(wait(&error, pause)).await,
                _ => break,
            }
        }
        add(&self.offered.counts.failed, batch.len());
    }

    fn count(&self, batch: &[Span], taken: &Taken) {
        let rejected = usize::try_from(taken.rejected).unwrap_or(usize::MAX).min(batch.len());
        add(&self.offered.counts.sent, batch.len() - rejected);
        add(&self.offered.counts.failed, rejected);
    }

    /// Sends everything that is there, once.
    async fn say_farewell(&mut self, mut batch: Vec<Span>) {
        self.offered.spans.close();
        loop {
            let room = MOST_IN_A_BATCH.saturating_sub(batch.len());
            if room > 0 {
                self.offered.spans.recv_many(&mut batch, room).await;
            }
            if batch.is_empty() {
                return;
            }
            let sent = self.post(self.body(&batch)).await;
            self.health.note(&self.options.endpoint, &sent);
            match sent {
                Ok(taken) => self.count(&batch, &taken),
                Err(_) => return,
            }
            batch.clear();
        }
    }

    async fn post(&self, body: String) -> Result<Taken, PostError> {
        post(&self.options.endpoint, "/v1/traces", body, self.options.timeout).await
    }

    fn body(&self, batch: &[Span]) -> String {
        let mut spans = String::from("[");
        for (at, span) in batch.iter().enumerate() {
            if at > 0 {
                spans.push(',');
            }
            span.write(&mut spans);
        }
        spans.push(']');
        self.options.resource.request("Spans", "spans", &spans)
    }
}

/// Before another try: as long as the collector wants; or a pause of our own, of half its length to all of it, so that servers which
/// were refused together do not come back together.
fn wait(error: &PostError, pause: Duration) -> Duration {
    match error.retry_after() {
        Some(wanted) => wanted.min(MOST_PATIENCE),
        None => pause.mul_f64(0.5 + 0.5 * random_fraction()),
    }
}

/// From 0 to 1.
fn random_fraction() -> f64 {
    RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64
}

fn add(count: &AtomicU64, spans: usize) {
    count.fetch_add(spans as u64, Relaxed);
}

#[cfg(test)]
mod tests;
