//! The log of a process.

use crate::json::Json;
use crate::layer::LevelLayer;
use crate::levels::{BadLevels, Levels};
use crate::queue::Queue;
use crate::seen::Seen;
use parking_lot::RwLock;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt;
use std::io;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tracing::level_filters::LevelFilter;
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{self, FormatEvent, FormatFields};
use tracing_subscriber::fmt::{FmtContext, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

/// How long the end of the process waits for who reads the log.
const PATIENCE: Duration = Duration::from_secs(2);

/// How messages are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// For people: time, level, part of the server, message, fields.
    #[default]
    Text,
    /// For programs: an object of JSON a line.
    Json,
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            other => Err(format!("{other:?} is no format of the log; there are text and json")),
        }
    }
}

/// The log of this process. Clones are of the same.
#[derive(Clone, Debug)]
pub struct Log {
    levels: Arc<RwLock<Levels>>,
    seen: Arc<Seen>,
    is_json: Arc<AtomicBool>,
    queue: Queue,
}

impl Log {
    /// Has everything that `tracing` is told in this process written to standard error.
    ///
    /// # Errors
    /// Somebody else has done so before, or there can be no more threads.
    pub fn install(levels: Levels, format: Format) -> Result<Self, String> {
        let log = Self::new(levels, format);
        let (lines, written) = (log.queue.clone(), log.queue.clone());
        log.subscriber(move || lines.clone()).try_init().map_err(|error| error.to_string())?;
        let thread = std::thread::Builder::new().name("log".to_owned());
        thread.spawn(move || written.write_to(io::stderr())).map_err(|error| error.to_string())?;
        // Else who panics would wait for who reads the log, with all its locks.
        std::panic::set_hook(Box::new(|panic| {
            let backtrace = Backtrace::capture();
            match backtrace.status() {
                BacktraceStatus::Captured => tracing::error!("{panic}\n{backtrace}"),
                _ => tracing::error!("{panic}"),
            }
        }));
        Ok(log)
    }

    /// Waits until everything that was told is written; not for ever, if nobody reads it. Says whether it is. For the end of a
    /// process.
    pub fn flush(&self) -> bool {
        self.queue.flush(PATIENCE)
    }

    fn new(levels: Levels, format: Format) -> Self {
        let is_json = Arc::new(AtomicBool::new(format == Format::Json));
        Self { levels: Arc::new(RwLock::new(levels)), seen: Arc::default(), is_json, queue: Queue::default() }
    }

    fn subscriber<W>(&self, writer: W) -> impl Subscriber + Send + Sync
    where
        W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
    {
        let either = Either { text: format::format(), json: Json, is_json: Arc::clone(&self.is_json) };
        let levels = LevelLayer { levels: Arc::clone(&self.levels), seen: Arc::clone(&self.seen) };
        let lines = tracing_subscriber::fmt::layer().with_writer(writer).event_format(either);
        tracing_subscriber::registry().with(lines).with(levels)
    }

    /// The levels now.
    pub fn levels(&self) -> Levels {
        self.levels.read().clone()
    }

    /// Sets all of them.
    pub fn set_levels(&self, levels: Levels) {
        *self.levels.write() = levels;
        // Not under the lock: everybody is asked anew.
        tracing::callsite::rebuild_interest_cache();
    }

    /// Changes one level from now on, until the server ends or another is set: of a part of the server, or (`target` empty) of
    /// all that have none of their own. Without a level the part goes by what is above it, the rest by `info`.
    ///
    /// # Errors
    /// The target is none, or too many have a level of their own.
    pub fn set_level(&self, target: &str, level: Option<LevelFilter>) -> Result<(), BadLevels> {
        {
            let mut levels = self.levels.write();
            match target {
                "" => levels.set_default(level.unwrap_or(LevelFilter::INFO)),
                target => levels.set(target, level)?,
            }
        }
        tracing::callsite::rebuild_interest_cache();
        tracing::info!(target, level = level.map(tracing::field::display), "log level changed");
        Ok(())
    }

    /// Parts of the server that have said anything so far, or would have with another level.
    pub fn targets(&self) -> Vec<&'static str> {
        self.seen.all()
    }

    /// How messages are written from now on.
    pub fn set_format(&self, format: Format) {
        self.is_json.store(format == Format::Json, Relaxed);
    }
}

/// One of both formats, as wanted at the moment.
struct Either {
    text: format::Format,
    json: Json,
    is_json: Arc<AtomicBool>,
}

impl<S, N> FormatEvent<S, N> for Either
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        writer: format::Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        if self.is_json.load(Relaxed) {
            return self.json.format_event(context, writer, event);
        }
        self.text.format_event(context, writer, event)
    }
}

#[cfg(test)]
mod tests;
