//! What an operator asks for so that data is protected, and that there is not: a server that left it out would lay open what
//! was closed, or lose what is elsewhere.

use super::error::ConfigError;
use super::sources::Written;
use super::value::{Kind, LocalDirectory};
use std::path::{Path, PathBuf};

/// HBase's names of protection, the value under which there is none, and what there is not.
const NONE: [(&str, &str, &str); 3] = [
    ("hbase.security.authentication", "simple", "Kerberos"),
    ("hbase.security.authorization", "false", "permissions"),
    ("hbase.server.netty.tls.enabled", "false", "TLS"),
];

/// # Errors
/// Protection is asked for.
pub(super) fn check(written: &[Written]) -> Result<(), ConfigError> {
    for (name, none, missing) in NONE {
        let last = written.iter().rev().find(|entry| entry.name == name);
        let Some(asked) = last.filter(|entry| !entry.value.trim().eq_ignore_ascii_case(none)) else {
            continue;
        };
        return Err(ConfigError::BadValue {
            name: name.to_owned(),
            value: asked.value.clone(),
            origin: asked.origin.clone(),
            expected: format!(
                "{none}; Finback has no {missing} yet, and without it who reaches the ports reaches the data"
            ),
        });
    }
    Ok(())
}

/// HBase's name of the directory with its logs, if that is not its root directory.
const LOGS: &str = "hbase.wal.dir";
/// HBase's name of its root directory.
const ROOT: &str = "hbase.rootdir";

/// # Errors
/// HBase's logs are in another directory than its tables: nobody would look for what it had not flushed.
pub(super) fn check_logs(written: &[Written], data: &Path) -> Result<(), ConfigError> {
    let last = |name: &str| written.iter().rev().find(|entry| entry.name == name);
    let Some(logs) = last(LOGS).filter(|entry| !entry.value.trim().is_empty()) else { return Ok(()) };
    let place = |entry: &Written| LocalDirectory::parse(entry.value.trim()).map(|path| real(&path));
    // Of a root directory that was copied, or is named on the command line, the file may still have the old name, twice.
    let roots = [Some(real(data)), last(ROOT).and_then(place)];
    if place(logs).is_some_and(|logs| roots.contains(&Some(logs))) {
        return Ok(());
    }
    Err(ConfigError::BadValue {
        name: LOGS.to_owned(),
        value: logs.value.clone(),
        origin: logs.origin.clone(),
        expected: format!(
            "the directory of {ROOT}, or empty: logs elsewhere are not read, and with them what HBase had not flushed would \
             be lost; after an orderly stop of HBase, or with WALs moved to {}, leave it out",
            data.display()
        ),
    })
}

/// The same for all spellings of a directory.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}
