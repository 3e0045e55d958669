//! A span: one call, from when it had been read to its answer.

use finback_metrics::json;
use std::fmt::Write;

/// `SPAN_KIND_SERVER`.
const SERVER: u32 = 2;
/// `STATUS_CODE_ERROR`.
const ERROR: u32 = 2;

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Attribute {
    /// Words.
    Text(String),
    /// Several of them.
    Texts(Vec<String>),
    /// Words that are known at compile time.
    Name(&'static str),
    /// A whole number.
    Count(u64),
    /// Any number.
    Number(f64),
    /// Yes or no.
    Flag(bool),
}

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The trace that it is part of.
    pub trace_id: [u8; 16],
    /// Itself.
    pub span_id: [u8; 8],
    /// The caller's span, if it has said that.
    pub parent: Option<[u8; 8]>,
    /// `Service/Method`.
    pub name: String,
    /// When the call had been read, ns since the epoch.
    pub start_ns: u64,
    /// When it was answered, likewise.
    pub end_ns: u64,
    /// What it was about.
    pub attributes: Vec<(&'static str, Attribute)>,
    /// The class of the exception that it ended with.
    pub error: Option<String>,
}

impl Span {
    /// Appends it in OpenTelemetry's JSON, in which ids are hexadecimal and 64 bits a text.
    pub(crate) fn write(&self, out: &mut String) {
        out.push_str("{\"traceId\":\"");
        hex(out, &self.trace_id);
        out.push_str("\",\"spanId\":\"");
        hex(out, &self.span_id);
        if let Some(parent) = &self.parent {
            out.push_str("\",\"parentSpanId\":\"");
            hex(out, parent);
        }
        out.push_str("\",\"name\":");
        json::string(out, &self.name);
        let (start, end) = (self.start_ns, self.end_ns);
        let _ = write!(
            out,
            ",\"kind\":{SERVER},\"startTimeUnixNano\":\"{start}\",\"endTimeUnixNano\":\"{end}\",\"attributes\":["
        );
        for (at, (key, value)) in self.attributes.iter().enumerate() {
            out.push_str(if at == 0 { "{\"key\":" } else { ",{\"key\":" });
            json::string(out, key);
            out.push_str(",\"value\":");
            value.write(out);
            out.push('}');
        }
        out.push_str("],\"status\":{");
        if let Some(error) = &self.error {
            let _ = write!(out, "\"code\":{ERROR},\"message\":");
            json::string(out, error);
        }
        out.push_str("}}");
    }
}

impl Attribute {
    fn write(&self, out: &mut String) {
        match self {
            Self::Text(text) => string_value(out, text),
            Self::Name(name) => string_value(out, name),
            Self::Texts(texts) => {
                out.push_str("{\"arrayValue\":{\"values\":[");
                for (at, text) in texts.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    string_value(out, text);
                }
                out.push_str("]}}");
            }
            Self::Count(count) => {
                let _ = write!(out, "{{\"intValue\":\"{}\"}}", i64::try_from(*count).unwrap_or(i64::MAX));
            }
            Self::Number(number) => {
                out.push_str("{\"doubleValue\":");
                json::number(out, *number);
                out.push('}');
            }
            Self::Flag(flag) => {
                let _ = write!(out, "{{\"boolValue\":{flag}}}");
            }
        }
    }
}

fn string_value(out: &mut String, text: &str) {
    out.push_str("{\"stringValue\":");
    json::string(out, text);
    out.push('}');
}

fn hex(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        let _ = write!(out, "{byte:02x}");
    }
}

#[cfg(test)]
mod tests;
