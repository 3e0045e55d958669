//! With a screen.

use super::{Ending, Options, clock, connect, now_ms};
use crate::error::Result;
use crate::events::{self, Asked, Signals};
use crate::screen::{Effect, Screen, Theme};
use crate::terminal::Terminal;
use crate::watchdog::{PATIENCE, Watchdog};
use finback_client::messages::ClusterStatus;
use finback_client::{Admin, ClientConfig, Error};
use ratatui_crossterm::crossterm::event::Event;
use std::io::{self, Write};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// How often the screen is drawn when nothing happens, for its clock.
const CLOCK_PACE: Duration = Duration::from_secs(1);

pub(crate) type Answer = std::result::Result<ClusterStatus, Error>;

/// What is going on.
struct Watch {
    screen: Screen,
    terminal: Terminal,
    admin: Admin,
    /// The question that has no answer yet.
    question: Option<JoinHandle<Answer>>,
    /// When the next one is due.
    next_look: Instant,
    looks: u64,
    iterations: Option<u64>,
}

/// Shows what is to be seen, and does what keys and mouse say, until somebody has seen enough. A master that gives no answer is told
/// on the screen, and asked again. When so many looks were asked for, the last of them stays where the shell goes on.
///
/// A signal ends it within a second or so, and the process with it if the terminal takes nothing.
///
/// # Errors
/// The cluster's address makes no sense, there is no terminal, or it is gone.
pub async fn run_screen(config: ClientConfig, options: Options, theme: Theme) -> Result<Ending> {
    run_screen_with(PATIENCE, config, options, theme).await
}

/// [`run_screen`] with another patience with the terminal when a signal has come.
pub(crate) async fn run_screen_with(
    patience: Duration,
    config: ClientConfig,
    options: Options,
    theme: Theme,
) -> Result<Ending> {
    let admin = connect(config)?;
    let mut signals = Signals::new()?;
    let _watchdog = Watchdog::start(patience)?;
    let terminal = Terminal::take()?;
    let mut keys = events::of_terminal()?;
    let mut watch = Watch {
        screen: Screen::new(options.view, options.delay, theme),
        terminal,
        admin,
        question: None,
        next_look: Instant::now(),
        looks: 0,
        iterations: options.iterations,
    };
    loop {
        watch.draw()?;
        let ending = tokio::select! {
            event = keys.recv() => watch.happens(event.unwrap_or_else(|| Err(io::ErrorKind::UnexpectedEof.into()))?)?,
            asked = signals.next() => watch.signalled(asked)?,
            answer = answer(&mut watch.question) => watch.answered(answer),
            () = tokio::time::sleep_until(watch.next_look), if watch.question.is_none() => watch.look(),
            () = tokio::time::sleep(CLOCK_PACE) => None,
        };
        // What came meanwhile needs no drawing of its own.
        let ending = match ending {
            None => watch.drain(&mut keys)?,
            ending => ending,
        };
        match ending {
            None => (),
            Some(Ending::Done) if watch.has_looked_enough() => return watch.leave(),
            Some(ending) => return Ok(ending),
        }
    }
}

/// The answer to a question; never, if there is none. A panic of whoever asks is one here.
pub(crate) async fn answer(question: &mut Option<JoinHandle<Answer>>) -> Answer {
    let Some(asked) = question else { return std::future::pending().await };
    let answer = asked.await;
    *question = None;
    match answer {
        Ok(answer) => answer,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => std::future::pending().await,
        },
    }
}

impl Watch {
    fn draw(&mut self) -> io::Result<()> {
        let (screen, time, now) = (&mut self.screen, clock(), now_ms());
        self.terminal.draw(|frame| {
            let area = frame.area();
            if let Some(cursor) = screen.draw(frame.buffer_mut(), area, &time, now) {
                frame.set_cursor_position(cursor);
            }
        })
    }

    fn drain(&mut self, keys: &mut mpsc::Receiver<io::Result<Event>>) -> io::Result<Option<Ending>> {
        while let Ok(event) = keys.try_recv() {
            let ending = self.happens(event?)?;
            if ending.is_some() {
                return Ok(ending);
            }
        }
        Ok(None)
    }

    /// Asks the master; the answer comes by itself.
    fn look(&mut self) -> Option<Ending> {
        self.screen.asks(now_ms());
        let admin = self.admin.clone();
        self.next_look = Instant::now() + self.screen.delay;
        self.question = Some(tokio::spawn(async move { admin.cluster_status(&[]).await }));
        None
    }

    fn answered(&mut self, answer: Answer) -> Option<Ending> {
        match answer {
            Ok(status) => self.screen.answered(&status, now_ms()),
            Err(error) => self.screen.failed(&error.to_string()),
        }
        self.looks += 1;
        self.has_looked_enough().then_some(Ending::Done)
    }

    fn has_looked_enough(&self) -> bool {
        self.iterations.is_some_and(|most| self.looks >= most)
    }

    /// Gives the terminal back, with the records on it.
    fn leave(mut self) -> Result<Ending> {
        let (width, height) = self.terminal.size()?;
        // The shell's next line has room below.
        let picture = self.screen.picture((width, height.saturating_sub(1)), &clock(), now_ms());
        drop(self.terminal);
        let mut out = io::stdout().lock();
        picture.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        out.flush()?;
        Ok(if self.screen.is_in_trouble() { Ending::Unanswered } else { Ending::Done })
    }

    fn happens(&mut self, event: Event) -> io::Result<Option<Ending>> {
        let delay = self.screen.delay;
        let effect = match event {
            Event::Key(key) => self.screen.press(key),
            Event::Mouse(mouse) => self.screen.mouse(mouse, now_ms()),
            Event::Paste(text) => {
                self.screen.paste(&text);
                Effect::Nothing
            }
            // The next drawing asks the terminal for its size.
            Event::Resize(..) | Event::FocusGained | Event::FocusLost => Effect::Nothing,
        };
        if self.screen.delay != delay {
            self.next_look = self.next_look.min(Instant::now() + self.screen.delay);
        }
        match effect {
            Effect::Nothing => (),
            Effect::Refresh => self.next_look = Instant::now(),
            Effect::Redraw => self.terminal.clear()?,
            Effect::Suspend => self.terminal.suspend()?,
            Effect::Quit => return Ok(Some(Ending::Done)),
        }
        Ok(None)
    }

    fn signalled(&mut self, asked: Asked) -> io::Result<Option<Ending>> {
        match asked {
            Asked::End(signal) => return Ok(Some(Ending::Signal(signal))),
            Asked::Stop => self.terminal.suspend()?,
            // Whoever had us stop may have used the terminal.
            Asked::GoOn => self.terminal.clear()?,
        }
        Ok(None)
    }
}
