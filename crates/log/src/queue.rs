//! Lines on their way to where the log is written, which a thread of its own does: whoever has something to say does not wait for
//! whoever reads it. A reader that has stopped, such as a pager at the other end of a pipe, would stop the server else.

use parking_lot::{Condvar, Mutex};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes of lines that wait, beside as many that are being written. Lines beyond are dropped, and counted.
pub(crate) const MOST_BYTES: usize = 1 << 20;

/// Until a log is tried again that takes nothing just now.
const BETWEEN_TRIES: Duration = Duration::from_millis(10);

/// Clones are of the same queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    lines: Mutex<Lines>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Lines {
    waiting: Vec<u8>,
    /// Whether others have left the queue and are not written yet.
    are_written: bool,
    /// How many were not written, ever, and how many of these were told.
    dropped: u64,
    told: u64,
}

impl Queue {
    /// Writes what comes, for ever.
    pub(crate) fn write_to(&self, mut to: impl Write) {
        loop {
            self.write_next(&mut to);
        }
    }

    /// Waits for lines, and writes them.
    pub(crate) fn write_next(&self, to: &mut impl Write) {
        let Shared { lines, changed } = &*self.0;
        let (taken, dropped) = {
            let mut lines = lines.lock();
            while lines.waiting.is_empty() {
                changed.wait(&mut lines);
            }
            lines.are_written = true;
            let is_news = lines.dropped > lines.told;
            lines.told = lines.dropped;
            (std::mem::take(&mut lines.waiting), is_news.then_some(lines.dropped))
        };
        if let Some(dropped) = dropped {
            // There is room now, behind what was taken, where they would have been. All of them: this line may be dropped as well.
            tracing::warn!(
                lines = dropped,
                "nobody took the log: so many lines were dropped since the start"
            );
        }
        let left = write_patiently(to, &taken);
        let mut lines = lines.lock();
        lines.dropped += left;
        lines.are_written = false;
        changed.notify_all();
    }

    /// Waits until all is written, but no longer than that; whether it is.
    pub(crate) fn flush(&self, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        let mut lines = self.0.lines.lock();
        while lines.are_written || !lines.waiting.is_empty() {
            if self.0.changed.wait_until(&mut lines, until).timed_out() {
                return false;
            }
        }
        true
    }
}

/// Writes lines; how many of them could not be written.
fn write_patiently(to: &mut impl Write, lines: &[u8]) -> u64 {
    let mut written = 0;
    while written < lines.len() {
        match to.write(&lines[written..]) {
            Ok(0) => break,
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // Of a terminal or a pipe that somebody else has made so.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(BETWEEN_TRIES),
            Err(_) => break,
        }
    }
    lines[written..].iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Takes a line at a time.
impl Write for Queue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut lines = self.0.lines.lock();
        if lines.waiting.len() + line.len() <= MOST_BYTES {
            lines.waiting.extend_from_slice(line);
        } else {
            lines.dropped += 1;
        }
        drop(lines);
        self.0.changed.notify_all();
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
