//! The terminal, taken and given back.

use crate::error::{Result, TopError};
use ratatui_core::terminal::Terminal as Drawn;
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use ratatui_crossterm::crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui_crossterm::crossterm::{cursor, execute, queue};
use std::io::{self, BufWriter, IsTerminal, Stdout, stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// Most frames fit.
const FRAME_BYTES: usize = 64 << 10;

/// A frame goes to the terminal in one piece, so that none is seen half drawn.
type Backend = CrosstermBackend<BufWriter<Stdout>>;

/// Whether the terminal is ours, and has to be given back.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal. However this ends, by a panic too, it is given back as it was.
pub(crate) struct Terminal {
    drawn: Drawn<Backend>,
}

impl Terminal {
    /// Takes it.
    pub(crate) fn take() -> Result<Self> {
        if !stdout().is_terminal() {
            return Err(TopError::NoScreen("standard output is no terminal".to_owned()));
        }
        if std::env::var_os("TERM").is_none_or(|kind| kind.is_empty() || kind == "dumb") {
            return Err(TopError::NoScreen("the terminal, as TERM has it, can only print".to_owned()));
        }
        give_back_on_panic();
        take()?;
        Ok(Self { drawn: blank().inspect_err(|_| give_back())? })
    }

    /// Draws what `draw` puts there, as far as it differs from what is there.
    pub(crate) fn draw(
        &mut self,
        draw: impl FnOnce(&mut ratatui_core::terminal::Frame<'_>),
    ) -> io::Result<()> {
        queue!(self.drawn.backend_mut(), BeginSynchronizedUpdate)?;
        let drawn = self.drawn.draw(draw).map(|_| ());
        execute!(self.drawn.backend_mut(), EndSynchronizedUpdate)?;
        drawn
    }

    /// Its columns and rows.
    pub(crate) fn size(&self) -> io::Result<(u16, u16)> {
        let size = self.drawn.size()?;
        Ok((size.width, size.height))
    }

    /// Draws everything next time: nobody knows what is there.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.drawn = blank()?;
        Ok(())
    }

    /// Gives it back, and stops the process; takes it again when somebody has it go on.
    pub(crate) fn suspend(&mut self) -> io::Result<()> {
        give_back();
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP)?;
        take()?;
        self.clear()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // Of a frame that a panic cut off the beginning is written yet: a terminal would wait for its end.
        let _ = execute!(self.drawn.backend_mut(), EndSynchronizedUpdate);
        give_back();
    }
}

/// A screen with nothing on it. ratatui's own `clear` asks the terminal for its cursor, whose answer the thread that reads keys
/// would get.
fn blank() -> io::Result<Drawn<Backend>> {
    execute!(stdout(), Clear(ClearType::All))?;
    Drawn::new(CrosstermBackend::new(BufWriter::with_capacity(FRAME_BYTES, stdout())))
}

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    IS_TAKEN.store(true, Ordering::Release);
    let entered =
        execute!(stdout(), EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste, cursor::Hide);
    entered.inspect_err(|_| give_back())
}

/// Nobody is left to tell what goes wrong here.
fn give_back() {
    if IS_TAKEN.swap(false, Ordering::AcqRel) {
        let _ = execute!(
            stdout(),
            DisableBracketedPaste,
            DisableMouseCapture,
            cursor::Show,
            LeaveAlternateScreen
        );
        let _ = disable_raw_mode();
    }
}

/// What a panic has to say is said where it can be read.
fn give_back_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
    });
}

/// Has lines and echo again, if they were taken, in a terminal that takes nothing else.
pub(crate) fn leave_raw_mode() {
    let _ = disable_raw_mode();
}

#[cfg(test)]
mod tests;
