//! Ctrl-C, for commands that have something to say before they end.

use super::stop::EXIT_INTERRUPTED;
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long Ctrl-C may go unseen.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

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

    /// From now on Ctrl-C tells this, and ends the process: for work that may be left at any moment.
    pub(crate) fn end_with(told: &'static str) {
        let interrupt = Self::listen();
        std::thread::spawn(move || {
            while !interrupt.is_seen() {
                std::thread::sleep(BETWEEN_LOOKS);
            }
            // Behind the bar, if there is one.
            let line = if std::io::stderr().is_terminal() { "\n" } else { "" };
            eprintln!("{line}{told}");
            std::process::exit(EXIT_INTERRUPTED.into());
        });
    }

    /// Whether it was pressed.
    pub(crate) fn is_seen(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
