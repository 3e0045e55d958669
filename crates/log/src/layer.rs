//! What keeps messages away that no level wants.

use crate::levels::Levels;
use crate::seen::Seen;
use parking_lot::RwLock;
use std::sync::Arc;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer};

/// Asked once for each place in the code that has something to say; what was answered counts until levels change.
pub(crate) struct LevelLayer {
    pub(crate) levels: Arc<RwLock<Levels>>,
    pub(crate) seen: Arc<Seen>,
}

impl<S: Subscriber> Layer<S> for LevelLayer {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        self.seen.add(metadata.target());
        if self.levels.read().wants(metadata) { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>, _context: Context<'_, S>) -> bool {
        self.levels.read().wants(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.levels.read().most())
    }
}
