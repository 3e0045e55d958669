//! The process of a server.

use crate::error::{Doing, Result};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How much of the end of a log is told.
const LOG_LINES: usize = 15;

/// A process, killed when the value goes out of scope.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    started: Instant,
    log: PathBuf,
}

impl Process {
    /// Starts it. What it prints goes to `log`, behind what is there.
    pub(super) fn spawn(mut command: Command, log: PathBuf) -> Result<Self> {
        let open = || File::options().create(true).append(true).open(&log);
        let (out, err) = (|| Ok((open()?, open()?)))().doing(|| format!("write {}", log.display()))?;
        command.stdin(Stdio::null()).stdout(out).stderr(err);
        let started = Instant::now();
        let child = command.spawn().doing(|| format!("start {}", command.get_program().display()))?;
        Ok(Self { child, started, log })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Time since it was started.
    pub(super) fn age(&self) -> Duration {
        self.started.elapsed()
    }

    pub(super) fn log(&self) -> &Path {
        &self.log
    }

    /// How it has ended; none if it has not.
    pub(super) fn ended(&mut self) -> Result<Option<ExitStatus>> {
        self.child.try_wait().doing(|| "wait for a server".to_owned())
    }

    pub(super) fn kill(&mut self) -> Result<()> {
        self.child.kill().and_then(|()| self.child.wait().map(drop)).doing(|| "kill a server".to_owned())
    }

    /// SIGTERM; whether it has ended within `limit`.
    pub(super) fn terminate(&mut self, limit: Duration) -> Result<bool> {
        if self.ended()?.is_none() {
            let pid = Pid::from_child(&self.child);
            kill_process(pid, Signal::TERM).map_err(Into::into).doing(|| "stop a server".to_owned())?;
        }
        let began = Instant::now();
        while self.ended()?.is_none() {
            if began.elapsed() > limit {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(true)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// The end of a log, for messages.
pub(super) fn last_lines(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LOG_LINES)..].join("\n")
}
