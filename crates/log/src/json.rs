//! A message as an object of JSON, on one line.
//!
//! ```text
//! {"timestamp":"2026-01-02T03:04:05.678901Z","level":"WARN","target":"finback_wal::log","message":"…","fields":{"path":"…","bytes":7}}
//! ```

use finback_json::JsonText;
use std::fmt::{self, Debug, Write};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::registry::LookupSpan;

/// The field that is the message.
const MESSAGE: &str = "message";

pub(crate) struct Json;

impl<S, N> FormatEvent<S, N> for Json
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = Fields::default();
        event.record(&mut fields);
        writer.write_str("{\"timestamp\":\"")?;
        SystemTime.format_time(&mut writer)?;
        let level = event.metadata().level();
        write!(writer, "\",\"level\":\"{level}\",\"target\":{}", JsonText::new(event.metadata().target()))?;
        write!(writer, ",\"message\":{}", JsonText::new(&fields.message))?;
        if !fields.others.is_empty() {
            write!(writer, ",\"fields\":{{{}}}", fields.others)?;
        }
        writer.write_str("}\n")
    }
}

/// What a message has, as parts of an object.
#[derive(Default)]
struct Fields {
    message: String,
    others: String,
}

impl Fields {
    fn add(&mut self, field: &Field, value: impl fmt::Display) {
        let separator = if self.others.is_empty() { "" } else { "," };
        // Writing to a String does not fail.
        let _ = write!(self.others, "{separator}{}:{value}", JsonText::new(field.name()));
    }

    fn add_text(&mut self, field: &Field, text: &str) {
        match field.name() {
            MESSAGE => text.clone_into(&mut self.message),
            _ => self.add(field, JsonText::new(text)),
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add_text(field, &format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add_text(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        // JSON has no numbers that are not finite.
        if value.is_finite() {
            self.add(field, format_args!("{value:?}"));
        } else {
            self.add(field, JsonText::new(&value.to_string()));
        }
    }
}
