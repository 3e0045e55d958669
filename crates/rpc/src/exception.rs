//! An exception as HBase clients receive it: a Java class and a message.

use crate::exceptions;
use finback_proto::{ProtoError, pb};
use std::borrow::Cow;

/// Bytes of a message that clients are sent; what goes beyond is `…`. Messages repeat names that a client has sent, of any length, and
/// nothing is counted for what waits to be sent of an exception.
const SENT_MESSAGE_BYTES: usize = 64 << 10;

/// An error that a client gets for a call. The client loads the class by its name and decides by the class
/// hierarchy whether to retry; so only classes that its jars contain may be sent. Constructors for all of
/// them are in [`crate::exceptions`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {message}")]
pub struct RpcException {
    /// Fully qualified Java class name.
    pub class: Cow<'static, str>,
    /// The message, without the class name in front. Clients parse some of them.
    pub message: String,
    /// Whether the class is a DoNotRetryIOException. Informational on the wire.
    pub do_not_retry: bool,
    /// Whether the client should use its longer pause between retries (2.5 and later).
    pub server_overloaded: bool,
    /// Host and port of the server that has the region now, beside the message of a RegionMovedException.
    pub moved_to: Option<Box<(String, u16)>>,
}

impl RpcException {
    /// An exception of a class that is not a DoNotRetryIOException.
    pub fn retriable(class: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            class: class.into(),
            message: message.into(),
            do_not_retry: false,
            server_overloaded: false,
            moved_to: None,
        }
    }

    /// An exception of a class that is a DoNotRetryIOException.
    pub fn permanent(class: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { do_not_retry: true, ..Self::retriable(class, message) }
    }

    /// The last part of the class name: `NotServingRegionException`.
    pub fn simple_class(&self) -> &str {
        self.class.rsplit('.').next().unwrap_or(&self.class)
    }

    /// Class and message, as clients are sent them.
    fn sent_text(&self) -> String {
        let Self { class, message, .. } = self;
        let (sent, more) = message.split_at(message.floor_char_boundary(SENT_MESSAGE_BYTES));
        format!("{class}: {sent}{}", if more.is_empty() { "" } else { "…" })
    }

    /// As it stands in a response header. Clients parse `stack_trace`, which begins with the class name.
    pub fn to_response(&self) -> pb::ExceptionResponse {
        pb::ExceptionResponse {
            exception_class_name: Some(self.class.clone().into_owned()),
            stack_trace: Some(self.sent_text()),
            hostname: self.moved_to.as_ref().map(|to| to.0.clone()),
            port: self.moved_to.as_ref().map(|to| to.1.into()),
            do_not_retry: Some(self.do_not_retry),
            server_overloaded: self.server_overloaded.then_some(true),
        }
    }

    /// As it stands in the result of one action of a Multi, or of a region of it.
    pub fn to_action_result(&self) -> pb::NameBytesPair {
        pb::NameBytesPair {
            name: self.class.clone().into_owned(),
            value: Some(self.sent_text().into_bytes().into()),
        }
    }

    /// What the result of one action of a Multi, or of a region of it, says.
    pub fn from_action_result(result: &pb::NameBytesPair) -> Self {
        let trace = String::from_utf8_lossy(result.value.as_deref().unwrap_or_default()).into_owned();
        let message = message_of(&result.name, trace);
        Self {
            do_not_retry: exceptions::is_permanent(&result.name),
            server_overloaded: exceptions::is_overload(&result.name),
            ..Self::retriable(result.name.clone(), message)
        }
    }

    /// What a response header says.
    pub fn from_response(response: pb::ExceptionResponse) -> Self {
        let class = response.exception_class_name.unwrap_or_else(|| "java.io.IOException".to_owned());
        let message = message_of(&class, response.stack_trace.unwrap_or_default());
        Self {
            class: class.into(),
            message,
            do_not_retry: response.do_not_retry.unwrap_or(false),
            server_overloaded: response.server_overloaded.unwrap_or(false),
            moved_to: response
                .hostname
                .zip(response.port.and_then(|port| u16::try_from(port).ok()))
                .map(Box::new),
        }
    }
}

/// The message out of a stack trace, which begins with the class.
fn message_of(class: &str, trace: String) -> String {
    match trace.strip_prefix(class).and_then(|rest| rest.strip_prefix(": ")) {
        Some(message) => message.to_owned(),
        None => trace,
    }
}

impl From<ProtoError> for RpcException {
    /// A request that makes no sense will not make more of it when repeated.
    fn from(error: ProtoError) -> Self {
        exceptions::do_not_retry(error.to_string())
    }
}

#[cfg(test)]
mod tests;
