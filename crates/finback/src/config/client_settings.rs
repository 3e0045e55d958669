//! What the tools, which are clients, take of the same files: HBase's names, whatever they are called there.

use super::error::{ConfigError, UnknownName};
use super::names;
use super::sources::Sources;
use super::values::{MOST_UNKNOWN, Values};

/// What clients call the settings of a server by which they find it.
const OF_THE_SERVER: &[(&str, &str)] = &[
    ("listen.zookeeper-port", "hbase.zookeeper.property.clientPort"),
    ("listen.master-port", "hbase.master.port"),
    ("listen.znode", "zookeeper.znode.parent"),
];

/// Names and values under HBase's names, later ones winning.
///
/// # Errors
/// A file cannot be read or makes no sense, or nobody knows a name.
pub fn client_settings(sources: &Sources) -> Result<Vec<(String, String)>, ConfigError> {
    let written = sources.read(&sources.files()?)?;
    let unknown = written.iter().filter(|entry| names::look_up(&entry.name).is_none());
    let unknown: Vec<UnknownName> = unknown.take(MOST_UNKNOWN).map(UnknownName::of).collect();
    if !unknown.is_empty() {
        return Err(ConfigError::UnknownNames(unknown));
    }
    // Of a finback.toml, and of Finback's names, by way of what they mean.
    let (hbase, own): (Vec<_>, Vec<_>) =
        written.into_iter().partition(|entry| names::is_known_to_hbase(&entry.name));
    let own = Values::of(&own)?;
    let mut settings = Vec::new();
    for (name, of_client) in OF_THE_SERVER {
        settings.extend(own.given(name).map(|value| ((*of_client).to_owned(), value.text.clone())));
    }
    let host = own.given("listen.advertised-host").or_else(|| own.given("listen.address"));
    let is_one = |host: &&str| !host.is_empty() && !matches!(*host, "0.0.0.0" | "::");
    if let Some(host) = host.map(|value| value.text.as_str()).filter(is_one) {
        settings.push(("hbase.zookeeper.quorum".to_owned(), host.to_owned()));
    }
    settings.extend(hbase.into_iter().map(|entry| (entry.name, entry.value)));
    Ok(settings)
}

#[cfg(test)]
mod tests;
