use std::path::{Path, PathBuf};

/// Which of a server's logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum WalKind {
    /// The log of all regions but one.
    #[default]
    Regions,
    /// The log of hbase:meta, which recovery reads first.
    Meta,
}

/// `<root>/WALs/<server>`, where a server (`host,port,startcode`) keeps its logs.
pub fn server_log_dir(root: &Path, server: &str) -> PathBuf {
    root.join("WALs").join(server)
}

/// The name of a log file: `<url-encoded server>.<number>`, or `<url-encoded server>.meta.<number>.meta`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogName {
    prefix: String,
    kind: WalKind,
}

impl LogName {
    /// Names for this server's logs of this kind.
    pub fn new(server: &str, kind: WalKind) -> Self {
        Self { prefix: url_encode(server), kind }
    }

    /// The file number `number` (ms since the epoch when it was made, or higher to be new).
    pub fn with_number(&self, number: u64) -> String {
        match self.kind {
            WalKind::Regions => format!("{}.{number}", self.prefix),
            WalKind::Meta => format!("{}.meta.{number}.meta", self.prefix),
        }
    }

    /// Whether HBase would take this for a log: `.*\.\d*(\.meta)*`.
    pub fn is_valid(name: &str) -> bool {
        let mut rest = name;
        loop {
            if let Some((_, digits)) = rest.rsplit_once('.')
                && digits.bytes().all(|b| b.is_ascii_digit())
            {
                return true;
            }
            match rest.strip_suffix(".meta") {
                Some(shorter) => rest = shorter,
                None => return false,
            }
        }
    }

    /// Whether this is a log of hbase:meta.
    pub fn is_meta(name: &str) -> bool {
        name.ends_with(".meta")
    }
}

/// As `java.net.URLEncoder` does it.
fn url_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'*' | b'_' => out.push(char::from(byte)),
            b' ' => out.push('+'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_hbase() {
        let server = "localhost,42809,1795253463477";
        let name = LogName::new(server, WalKind::Regions).with_number(1795253467537);
        assert_eq!(name, "localhost%2C42809%2C1795253463477.1795253467537");
        let meta = LogName::new(server, WalKind::Meta).with_number(1795253467813);
        assert_eq!(meta, "localhost%2C42809%2C1795253463477.meta.1795253467813.meta");
        assert!(LogName::is_valid(&name) && !LogName::is_meta(&name));
        assert!(LogName::is_valid(&meta) && LogName::is_meta(&meta));
        assert!(LogName::is_valid("s.regiongroup-0.17"));
        assert!(!LogName::is_valid("s.17.tmp"));
        assert!(!LogName::is_valid("meta"));
    }
}
