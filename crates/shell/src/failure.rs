//! HBase's exceptions, as HBase's shell tells them.

use crate::error::ShellError;

/// The sentence for what a command failed with; `first` is the first of its arguments.
pub(crate) fn translated(error: ShellError, first: &str) -> ShellError {
    let ShellError::Client(client) = &error else { return error };
    let Some(exception) = client.exception() else { return error };
    let message = client.message().unwrap_or_default();
    let line = message.lines().next().unwrap_or_default();
    let last_word = line.rsplit(' ').next().unwrap_or_default();
    let told = match exception.simple_class() {
        // HBase's message is the name alone, when the client itself found out.
        "TableNotFoundException" if first.is_empty() || first.starts_with('{') => {
            format!("Unknown table {line}!")
        }
        "TableNotFoundException" => format!("Unknown table {first}!"),
        "TableNotEnabledException" => format!("Table {first} is disabled!"),
        "TableNotDisabledException" => format!("Table {last_word} should be disabled!"),
        "NamespaceNotFoundException" => format!("Unknown namespace {last_word}!"),
        "SnapshotDoesNotExistException" => format!("Unknown snapshot {first}!"),
        "TableExistsException" => format!("Table already exists: {last_word}!"),
        // HBase tells the name alone.
        "UnknownRegionException" if !line.contains(' ') => format!("Unknown region {line}!"),
        "UnknownRegionException"
        | "MergeRegionException"
        | "AccessDeniedException"
        | "SpaceLimitingException" => line.to_owned(),
        _ if message.contains("UnsupportedOperationException: quota support disabled") => {
            "Quota Support disabled. Please enable in configuration.".to_owned()
        }
        _ => return error,
    };
    ShellError::Argument(told)
}
