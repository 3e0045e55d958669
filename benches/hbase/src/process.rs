//! A program that runs beside this one: a server, or a client.

use crate::error::{Doing, Result};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How much of the end of a log is told.
const LOG_LINES: usize = 15;
/// How often is looked whether it has ended.
const END_POLL: Duration = Duration::from_millis(20);

/// A process, killed when the value goes out of scope.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    started: Instant,
    log: PathBuf,
}

impl Process {
    /// Starts it. What it prints goes to `log`, behind what is there.
    pub(crate) fn spawn(mut command: Command, log: PathBuf) -> Result<Self> {
        let open = || File::options().create(true).append(true).open(&log);
        let (out, err) = (|| Ok((open()?, open()?)))().doing(|| format!("write {}", log.display()))?;
        command.stdin(Stdio::null()).stdout(out).stderr(err);
        let started = Instant::now();
        let child = command.spawn().doing(|| format!("start {}", command.get_program().display()))?;
        Ok(Self { child, started, log })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Time since it was started.
    pub(crate) fn age(&self) -> Duration {
        self.started.elapsed()
    }

    pub(crate) fn log(&self) -> &Path {
        &self.log
    }

    /// How it has ended; none if it has not.
    pub(crate) fn ended(&mut self) -> Result<Option<ExitStatus>> {
        self.child.try_wait().doing(|| "wait for a program".to_owned())
    }

    /// Waits for its end; none if that takes longer than `limit`.
    pub(crate) fn wait(&mut self, limit: Duration) -> Result<Option<ExitStatus>> {
        let began = Instant::now();
        loop {
            let ended = self.ended()?;
            if ended.is_some() || began.elapsed() > limit {
                return Ok(ended);
            }
            std::thread::sleep(END_POLL);
        }
    }

    pub(crate) fn kill(&mut self) -> Result<()> {
        self.child.kill().and_then(|()| self.child.wait().map(drop)).doing(|| "kill a program".to_owned())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// The end of a log, for messages.
pub(crate) fn last_lines(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
}
