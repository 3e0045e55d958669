//! Lines on their way to where the log is written, which a thread of its own does: whoever has something to say does not wait for
//! whoever reads it. A reader that has stopped, such as a pager at the other end of a pipe, would stop the server else.

use parking_lot::{Condvar, Mutex};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes of lines that wait, beside as many that are being written. Lines beyond are dropped, and counted.
pub(crate) const MOST_BYTES: usize = 1 << 20;

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
    /// How many found no room since that was told.
    dropped: u64,
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
            (std::mem::take(&mut lines.waiting), std::mem::take(&mut lines.dropped))
        };
        if dropped > 0 {
            // There is room now, behind what was taken, where they would have been.
            tracing::warn!(lines = dropped, "nobody took the log: lines were dropped");
        }
        // There is nowhere to tell what goes wrong here.
        let _ = to.write_all(&taken);
        lines.lock().are_written = false;
        changed.notify_all();
    }

    /// Waits until all is written, but no longer than that.
    pub(crate) fn flush(&self, patience: Duration) {
        let until = Instant::now() + patience;
        let mut lines = self.0.lines.lock();
        while lines.are_written || !lines.waiting.is_empty() {
            if self.0.changed.wait_until(&mut lines, until).timed_out() {
                return;
            }
        }
    }
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
