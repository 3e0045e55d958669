//! What ends the process when a signal asks for that and the terminal takes nothing: a connection that hangs, a window that nobody
//! reads. Whoever draws is held up in a write then, and hears of no signal.

use crate::events::{Asked, Signals};
use crate::terminal::leave_raw_mode;
use std::io;
use std::time::Duration;
use tokio::sync::oneshot;

/// Enough for a terminal that takes anything.
pub(crate) const PATIENCE: Duration = Duration::from_millis(700);
/// Shells add the number of the signal that ended a command.
const EXIT_SIGNAL: i32 = 128;

/// Watches for as long as it is there.
#[derive(Debug)]
pub(crate) struct Watchdog {
    _is_there: oneshot::Sender<()>,
}

impl Watchdog {
    /// `patience`: the time for the screen to be put in order when a signal has come.
    pub(crate) fn start(patience: Duration) -> io::Result<Self> {
        let (is_there, mut is_gone) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut signals = {
            let _entered = runtime.enter();
            Signals::new()?
        };
        std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || {
            runtime.block_on(async {
                let Some(signal) = first_end(&mut signals, &mut is_gone).await else { return };
                if tokio::time::timeout(patience, &mut is_gone).await.is_err() {
                    leave_raw_mode();
                    std::process::exit(EXIT_SIGNAL + signal);
                }
            });
        })?;
        Ok(Self { _is_there: is_there })
    }
}

/// The signal that asks for an end; none if there is nobody to watch any more.
async fn first_end(signals: &mut Signals, is_gone: &mut oneshot::Receiver<()>) -> Option<i32> {
    loop {
        tokio::select! {
            asked = signals.next() => if let Asked::End(signal) = asked { return Some(signal) },
            _ = &mut *is_gone => return None,
        }
    }
}
