//! `host,port,startcode`: the identity of one life of a server.

/// A server and the moment it started.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ServerName {
    /// Host name or address, as told to clients.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// Start time, milliseconds since the epoch.
    pub start_code: u64,
}

impl ServerName {
    /// Parses `host,port,startcode`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, ',');
        let (host, port, start_code) = (parts.next()?, parts.next()?, parts.next()?);
        if host.is_empty() {
            return None;
        }
        Some(Self { host: host.to_owned(), port: port.parse().ok()?, start_code: start_code.parse().ok()? })
    }

    /// `host:port`.
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

impl std::fmt::Display for ServerName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{},{},{}", self.host, self.port, self.start_code)
    }
}
