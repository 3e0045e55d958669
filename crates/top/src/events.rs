//! What may happen to a screen: keys, the mouse, another size; signals.

use ratatui_crossterm::crossterm::event::{self, Event};
use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

/// Events that wait to be looked at. When there are more, the terminal keeps them.
const MOST_EVENTS: usize = 256;

/// Keys and the like, read by a thread of its own, which ends with the process or with the terminal.
pub(crate) fn of_terminal() -> io::Result<mpsc::Receiver<io::Result<Event>>> {
    let (sender, receiver) = mpsc::channel(MOST_EVENTS);
    std::thread::Builder::new().name("keys".to_owned()).spawn(move || {
        loop {
            let event = event::read();
            let is_last = event.is_err();
            if sender.blocking_send(event).is_err() || is_last {
                return;
            }
        }
    })?;
    Ok(receiver)
}

/// Signals that somebody may send.
pub(crate) struct Signals {
    terminate: Signal,
    hang_up: Signal,
    interrupt: Signal,
    quit: Signal,
    stop: Signal,
    go_on: Signal,
}

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// To end, with the signal's number.
    End(i32),
    /// To stop until somebody has us go on.
    Stop,
    /// Somebody has us go on.
    GoOn,
}

impl Signals {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            stop: signal(SignalKind::from_raw(rustix::process::Signal::TSTP.as_raw()))?,
            go_on: signal(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
        })
    }

    pub(crate) async fn next(&mut self) -> Asked {
        let end = |kind: SignalKind| Asked::End(kind.as_raw_value());
        tokio::select! {
            _ = self.terminate.recv() => end(SignalKind::terminate()),
            _ = self.hang_up.recv() => end(SignalKind::hangup()),
            _ = self.interrupt.recv() => end(SignalKind::interrupt()),
            _ = self.quit.recv() => end(SignalKind::quit()),
            _ = self.stop.recv() => Asked::Stop,
            _ = self.go_on.recv() => Asked::GoOn,
        }
    }
}
