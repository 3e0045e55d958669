//! Whether the collector takes what it is sent.

use crate::endpoint::Endpoint;
use crate::post::{PostError, Taken};

/// That a collector does not take what it is sent is told once, and once that it does again.
#[derive(Debug)]
pub(crate) struct Health {
    what: &'static str,
    fails: bool,
    rejects: bool,
}

impl Health {
    /// Of spans, or of metrics.
    pub(crate) fn of(what: &'static str) -> Self {
        Self { what, fails: false, rejects: false }
    }

    /// What became of a request.
    pub(crate) fn note(&mut self, endpoint: &Endpoint, sent: &Result<Taken, PostError>) {
        let what = self.what;
        match sent {
            Ok(_) if self.fails => {
                tracing::info!(%endpoint, what, "the collector takes what it is sent again");
            }
            Err(error) if !self.fails => {
                tracing::warn!(%endpoint, what, %error, "the collector does not take what it is sent");
            }
            Err(error) => {
                tracing::debug!(%endpoint, what, %error, "the collector still does not");
            }
            Ok(_) => {}
        }
        self.fails = sent.is_err();
        if let Ok(taken) = sent {
            self.note_taken(endpoint, taken);
        }
    }

    fn note_taken(&mut self, endpoint: &Endpoint, taken: &Taken) {
        let Taken { rejected, message } = taken;
        let rejects = *rejected > 0 || !message.is_empty();
        if rejects && !self.rejects {
            let what = self.what;
            tracing::warn!(%endpoint, what, rejected, message, "the collector has taken a part only, or warns");
        }
        self.rejects = rejects;
    }
}
