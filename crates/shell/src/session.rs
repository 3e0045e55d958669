//! Where statements come from: a terminal, a script, standard input, or text.

mod completion;

use crate::error::{Result, ShellError};
use crate::language;
use crate::shell::Shell;
use completion::Completion;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::io::{self, BufRead};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::runtime::Runtime;

/// Lines of history that are kept.
const HISTORY_LINES: usize = 10_000;
/// Bytes of one statement, at most: more than rows and values can have.
const MAX_STATEMENT: usize = 64 << 20;
/// Exit code of a process that Ctrl-C has ended: 128 and the number of the signal, as shells have it.
const EXIT_INTERRUPTED: i32 = 128 + SIGINT;

/// Where statements come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Somebody at a terminal, whose lines are kept in this file.
    Terminal(Option<PathBuf>),
    /// Standard input.
    Input,
    /// A script.
    File(PathBuf),
    /// Text.
    Text(String),
}

/// A shell that is fed.
pub struct Session {
    shell: Shell,
    runtime: Runtime,
    /// Whether no statement runs, which is what Ctrl-C would end.
    is_idle: Arc<AtomicBool>,
}

impl Session {
    /// A shell, and the runtime that its connection belongs to.
    pub fn new(shell: Shell, runtime: Runtime) -> Self {
        Self { shell, runtime, is_idle: Arc::new(AtomicBool::new(true)) }
    }

    /// Runs all statements; gives back the code that `exit` was given, or 0. Ctrl-C between those that do not come from a terminal
    /// ends the process: a statement that has run has left a handler, and nobody who listens.
    ///
    /// # Errors
    /// The first that went wrong, unless the shell goes on.
    pub fn run(&mut self, source: &Source) -> Result<u8> {
        if !matches!(source, Source::Terminal(_)) {
            flag::register_conditional_shutdown(SIGINT, EXIT_INTERRUPTED, Arc::clone(&self.is_idle))?;
        }
        match source {
            Source::Terminal(history) => self.terminal(history.as_ref())?,
            Source::Input => self.lines(|line| io::stdin().lock().read_until(b'\n', line))?,
            Source::File(path) => {
                let file = std::fs::File::open(path).map_err(|error| {
                    ShellError::argument(format!("cannot read {}: {error}", path.display()))
                })?;
                let mut file = io::BufReader::new(file);
                self.lines(move |line| file.read_until(b'\n', line))?;
            }
            Source::Text(text) => self.statement(text.as_bytes(), 0)?,
        }
        Ok(self.shell.exit_code().unwrap_or(0))
    }

    /// Runs statements as they become complete.
    fn lines(&mut self, mut read: impl FnMut(&mut Vec<u8>) -> io::Result<usize>) -> Result<()> {
        let (mut text, mut lines_before) = (Vec::new(), 0);
        loop {
            if read(&mut text)? == 0 {
                return if text.is_empty() { Ok(()) } else { self.statement(&text, lines_before) };
            }
            match is_complete(&text) {
                false if text.len() > MAX_STATEMENT => {
                    return Err(ShellError::argument(format!(
                        "a statement of more than {MAX_STATEMENT} bytes"
                    )));
                }
                false => {}
                true => {
                    // What follows in a script may be the body of a loop or a condition: it is not run then.
                    if let Err(error @ ShellError::NotRuby { .. }) = language::parse(&text)
                        && !language::is_whole(&text)
                    {
                        return Err(error.after_lines(lines_before));
                    }
                    self.statement(&text, lines_before)?;
                    lines_before += text.iter().filter(|&&byte| byte == b'\n').count();
                    text.clear();
                    if self.shell.exit_code().is_some() {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn statement(&mut self, text: &[u8], lines_before: usize) -> Result<()> {
        self.is_idle.store(false, Ordering::SeqCst);
        let done = self.runtime.block_on(self.shell.run_after(text, lines_before));
        self.is_idle.store(true, Ordering::SeqCst);
        done
    }

    fn terminal(&mut self, history: Option<&PathBuf>) -> Result<()> {
        let settings = Config::builder()
            .max_history_size(HISTORY_LINES)
            .map_err(unreadable)?
            .auto_add_history(false)
            .build();
        let mut editor: Editor<Completion, FileHistory> =
            Editor::with_config(settings).map_err(unreadable)?;
        if let Some(history) = history {
            // The first time there is none.
            let _ = editor.load_history(history);
        }
        editor
            .set_helper(Some(Completion::new(self.shell.connection.clone(), self.runtime.handle().clone())));
        let (mut text, mut number) = (String::new(), 1);
        while self.shell.exit_code().is_none() {
            let sign = if text.is_empty() { '>' } else { '*' };
            match editor.readline(&format!("hbase:{number:03}:{}{sign} ", usize::from(sign == '*'))) {
                Ok(line) => {
                    text.push_str(&line);
                    text.push('\n');
                }
                Err(ReadlineError::Interrupted) => {
                    text.clear();
                    continue;
                }
                Err(ReadlineError::Eof) => break,
                Err(error) => return Err(unreadable(error)),
            }
            if !is_complete(text.as_bytes()) {
                continue;
            }
            if !text.trim().is_empty() {
                let _ = editor.add_history_entry(text.trim_end());
            }
            self.statement(text.as_bytes(), 0)?;
            text.clear();
            number += 1;
        }
        if let Some(history) = history {
            editor.save_history(history).map_err(unreadable)?;
        }
        Ok(())
    }
}

/// Whether no more lines are needed.
fn is_complete(text: &[u8]) -> bool {
    !matches!(language::parse(text), Err(ShellError::Incomplete(_)))
}

/// Columns of the terminal that standard output is; 0 if it is none.
pub fn terminal_width() -> usize {
    let size = rustix::termios::tcgetwinsize(io::stdout());
    size.map_or(0, |size| usize::from(size.ws_col))
}

fn unreadable(error: ReadlineError) -> ShellError {
    ShellError::Io(io::Error::other(error))
}
