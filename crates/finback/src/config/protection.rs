//! What an operator asks for so that data is protected, and that there is not: a server that left it out would lay open what
//! was closed.

use super::error::ConfigError;
use super::sources::Written;

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
