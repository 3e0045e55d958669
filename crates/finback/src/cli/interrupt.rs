//! Ctrl-C, for commands that have something to say before they end.

use super::stop::EXIT_INTERRUPTED;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether Ctrl-C was pressed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on the first Ctrl-C only sets this; the second ends the process at once.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        let seen = interrupt.clone();
        // Without a runtime Ctrl-C does what it does: it ends the process.
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else {
            return interrupt;
        };
        std::thread::spawn(move || {
            runtime.block_on(async {
                while tokio::signal::ctrl_c().await.is_ok() {
                    if seen.0.swap(true, Ordering::AcqRel) {
                        std::process::exit(EXIT_INTERRUPTED.into());
                    }
                }
            });
        });
        interrupt
    }

    /// Whether it was pressed.
    pub(crate) fn is_seen(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
