//! When the master is asked, and until when.

mod batch_mode;
mod screen_mode;

pub use batch_mode::run_batch;
pub use screen_mode::run_screen;
#[cfg(test)]
pub(crate) use screen_mode::{answer, run_screen_with};

use crate::error::Result;
use crate::model::View;
use finback_client::{Admin, ClientConfig, Connection};
use jiff::{Timestamp, Zoned};
use std::time::Duration;

/// How long the master has for an answer, with all tries. Somebody is waiting.
const PATIENCE: Duration = Duration::from_secs(10);
/// Tries of one question before what is wrong is told; the next question comes soon.
const TRIES: u32 = 2;

/// How to look.
#[derive(Debug, Clone)]
pub struct Options {
    /// What is shown at first.
    pub view: View,
    /// The pause between two looks.
    pub delay: Duration,
    /// Looks; none is as many as somebody wants to see.
    pub iterations: Option<u64>,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Everything was shown, or somebody had seen enough.
    Done,
    /// The last look was in vain.
    Unanswered,
    /// A signal, by its number.
    Signal(i32),
}

/// A connection for somebody who waits.
fn connect(mut config: ClientConfig) -> Result<Admin> {
    config.operation_timeout = config.operation_timeout.min(PATIENCE);
    config.rpc_timeout = config.rpc_timeout.min(PATIENCE);
    config.retries = config.retries.min(TRIES);
    Ok(Connection::open_lazily(config)?.admin())
}

fn now_ms() -> u64 {
    u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default()
}

fn clock() -> String {
    Zoned::now().strftime("%H:%M:%S").to_string()
}
