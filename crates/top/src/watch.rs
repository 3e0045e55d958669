//! When the master is asked, and until when.

use crate::batch;
use crate::error::Result;
use crate::layout::{Widths, printable};
use crate::model::{TopModel, View};
use finback_client::{Admin, ClientConfig, Connection};
use jiff::{Timestamp, Zoned};
use std::io::Write;
use std::time::Duration;
use tokio::time::MissedTickBehavior;

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
pub(crate) fn connect(mut config: ClientConfig) -> Result<Admin> {
    config.operation_timeout = config.operation_timeout.min(PATIENCE);
    config.rpc_timeout = config.rpc_timeout.min(PATIENCE);
    config.retries = config.retries.min(TRIES);
    Ok(Connection::open_lazily(config)?.admin())
}

pub(crate) fn now_ms() -> u64 {
    u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default()
}

pub(crate) fn clock() -> String {
    Zoned::now().strftime("%H:%M:%S").to_string()
}

/// Prints what is to be seen, time after time. When the master gives no answer, that is told on standard error; the next look may
/// have one.
///
/// # Errors
/// The cluster's address makes no sense, or nobody reads.
pub async fn run_batch(config: ClientConfig, options: Options, out: &mut impl Write) -> Result<Ending> {
    let admin = connect(config)?;
    let mut model = TopModel::new(options.view);
    let mut widths = Widths::default();
    let mut pace = tokio::time::interval(options.delay);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut ending = Ending::Done;
    let mut looks = 0;
    while options.iterations.is_none_or(|most| looks < most) {
        pace.tick().await;
        match admin.cluster_status(&[]).await {
            Ok(status) => {
                model.refresh(&status, now_ms());
                batch::print(out, &model, &mut widths, &clock())?;
                ending = Ending::Done;
            }
            Err(error) => {
                eprintln!("finback: {}", printable(&error.to_string()));
                ending = Ending::Unanswered;
            }
        }
        looks += 1;
    }
    Ok(ending)
}
