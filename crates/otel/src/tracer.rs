//! Which calls are told of, and the queue of those that are to be sent.

use crate::span::Span;
use crate::trace_context::TraceContext;
use finback_metrics::SpanFigures;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tokio::sync::mpsc;

/// Spans that wait to be sent, at most: OpenTelemetry's `OTEL_BSP_MAX_QUEUE_SIZE`. Each has a few hundred bytes, and some KiB at
/// most.
const MOST_WAITING: usize = 2048;
/// What SplitMix64 adds for each number: 2^64 by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Takes spans, and never waits.
#[derive(Debug)]
pub struct Tracer {
    /// Of 2^64 calls so many are told of.
    sampled: u128,
    seed: u64,
    drawn: AtomicU64,
    queue: mpsc::Sender<Span>,
    counts: Arc<Counts>,
}

/// What became of spans.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) sent: AtomicU64,
    pub(crate) dropped: AtomicU64,
    pub(crate) failed: AtomicU64,
}

/// The other end of the queue of a [`Tracer`].
#[derive(Debug)]
pub struct Offered {
    pub(crate) spans: mpsc::Receiver<Span>,
    pub(crate) counts: Arc<Counts>,
}

impl Tracer {
    /// One that takes such a share of the calls (0 to 1) whose callers say nothing, and where its spans are.
    pub fn new(share: f64) -> (Arc<Self>, Offered) {
        let (queue, spans) = mpsc::channel(MOST_WAITING);
        let counts: Arc<Counts> = Arc::default();
        let tracer = Self {
            // A float of any value becomes a number within bounds; not a number is 0.
            sampled: (share.clamp(0.0, 1.0) * 2f64.powi(64)) as u128,
            seed: RandomState::new().build_hasher().finish(),
            drawn: AtomicU64::new(0),
            queue,
            counts: Arc::clone(&counts),
        };
        (Arc::new(tracer), Offered { spans, counts })
    }

    /// Whether a call is told of that has just begun: as its caller says, or by chance.
    pub fn samples(&self, parent: Option<&TraceContext>) -> bool {
        match parent {
            Some(parent) => parent.sampled,
            None => self.sampled > 0 && u128::from(self.random()) < self.sampled,
        }
    }

    /// The id of a new trace.
    pub fn trace_id(&self) -> [u8; 16] {
        (u128::from(self.random()) << 64 | u128::from(self.random())).max(1).to_be_bytes()
    }

    /// The id of a new span.
    pub fn span_id(&self) -> [u8; 8] {
        self.random().max(1).to_be_bytes()
    }

    /// Has a span sent, unless too many wait already.
    pub fn offer(&self, span: Span) {
        if self.queue.try_send(span).is_err() {
            self.counts.dropped.fetch_add(1, Relaxed);
        }
    }

    /// What became of the spans so far.
    pub fn figures(&self) -> SpanFigures {
        SpanFigures {
            sent: self.counts.sent.load(Relaxed),
            dropped: self.counts.dropped.load(Relaxed),
            failed: self.counts.failed.load(Relaxed),
        }
    }

    /// Ids must differ, and nobody gains by guessing them: SplitMix64.
    fn random(&self) -> u64 {
        let drawn = self.drawn.fetch_add(1, Relaxed).wrapping_add(1);
        let mixed = self.seed.wrapping_add(drawn.wrapping_mul(GOLDEN));
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl Offered {
    /// The next span; none when nobody can offer any more.
    pub async fn next(&mut self) -> Option<Span> {
        self.spans.recv().await
    }
}

#[cfg(test)]
mod tests;
