//! Without a screen.

use super::{Ending, Options, clock, connect, now_ms};
use crate::batch;
use crate::error::Result;
use crate::layout::{Widths, printable};
use crate::model::TopModel;
use finback_client::ClientConfig;
use std::io::Write;
use tokio::time::MissedTickBehavior;

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
