//! Ctrl-C, for commands that have something to say before they end.

use super::stop::EXIT_INTERRUPTED;
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether Ctrl-C was pressed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on the first Ctrl-C only sets this; the second ends the process at once.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        // In this order: what ends the process looks at what the Ctrl-C before has set. Where neither can be had, Ctrl-C does
        // what it does.
        let _ =
            flag::register_conditional_shutdown(SIGINT, EXIT_INTERRUPTED.into(), Arc::clone(&interrupt.0))
                .and_then(|_| flag::register(SIGINT, Arc::clone(&interrupt.0)));
        interrupt
    }

    /// Whether it was pressed.
    pub(crate) fn is_seen(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
