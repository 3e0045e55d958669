//! Where a collector is.

use std::fmt;
use std::str::FromStr;

/// The port of a URL that has none.
const HTTP_PORT: u16 = 80;
/// Longest URL that is understood.
const LONGEST: usize = 1024;

/// A collector, as OpenTelemetry's `OTEL_EXPORTER_OTLP_ENDPOINT` says it: `http://host:port/path`, behind which the paths of
/// traces and metrics are put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Host and port as they were written, for the `Host` header.
    pub(crate) authority: String,
    /// Without a slash at its end.
    path: String,
}

/// Why a text is no endpoint that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// It is to be encrypted.
    #[error(
        "{0}: spans and metrics are sent by plain HTTP only, not by TLS; name a collector on this machine by http://, and let that one encrypt"
    )]
    Tls(String),
    /// It is no URL of a collector.
    #[error("{0}: must be http://HOST:PORT, the OTLP/HTTP port of a collector (usually 4318)")]
    Malformed(String),
}

impl Endpoint {
    /// The target of a request for one of the kinds of data, such as `/v1/traces`.
    pub(crate) fn target(&self, kind: &str) -> String {
        format!("{}{kind}", self.path)
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.authority, self.path)
    }
}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(text: &str) -> Result<Self, EndpointError> {
        let malformed = || EndpointError::Malformed(text.chars().take(LONGEST).collect());
        let (scheme, rest) = text.split_once("://").ok_or_else(malformed)?;
        if scheme.eq_ignore_ascii_case("https") {
            return Err(EndpointError::Tls(text.chars().take(LONGEST).collect()));
        }
        // It becomes part of the head of a request: nothing that ends a line or a word, no user, no query.
        let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '@' | '?' | '#' | '"' | '<' | '>' | '\\');
        if !scheme.eq_ignore_ascii_case("http") || text.len() > LONGEST || !rest.chars().all(plain) {
            return Err(malformed());
        }
        let (authority, path) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
        let (host, port) = host_and_port(authority).ok_or_else(malformed)?;
        Ok(Self {
            host: host.to_owned(),
            port,
            authority: authority.to_owned(),
            path: path.trim_end_matches('/').to_owned(),
        })
    }
}

/// A host without the brackets that an IPv6 address has.
fn host_and_port(authority: &str) -> Option<(&str, u16)> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(bracketed) => {
            let (host, rest) = bracketed.split_once(']')?;
            host.parse::<std::net::Ipv6Addr>().ok()?;
            (host, if rest.is_empty() { None } else { Some(rest.strip_prefix(':')?) })
        }
        None => match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    let port = match port {
        None => HTTP_PORT,
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => port.parse().ok()?,
        Some(_) => return None,
    };
    (!host.is_empty() && port != 0).then_some((host, port))
}

#[cfg(test)]
mod tests;
