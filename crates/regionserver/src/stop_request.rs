//! That the server is to stop: somebody has asked for it, or it cannot vouch for what it serves, and aborts.

use std::sync::OnceLock;
use tokio::sync::Notify;

/// Asked for once, or more often.
#[derive(Debug, Default)]
pub(crate) struct StopRequest {
    asked: Notify,
    abort: OnceLock<String>,
}

impl StopRequest {
    pub(crate) fn ask(&self) {
        self.asked.notify_one();
    }

    /// The first reason stays.
    pub(crate) fn abort(&self, reason: String) {
        let _ = self.abort.set(reason);
        self.ask();
    }

    /// Resolves when it is asked for.
    ///
    /// # Errors
    /// Why the server aborts, if it does.
    pub(crate) async fn asked(&self) -> Result<(), String> {
        self.asked.notified().await;
        self.abort.get().map_or(Ok(()), |reason| Err(reason.clone()))
    }
}
