//! The log of a server, as its user wants it.

use finback_log::{Format, Levels, Log};

/// The environment variable that says from which level on the log is written, before anything else does.
const LEVELS: &str = "FINBACK_LOG";

/// Begins the log.
///
/// # Errors
/// In one line: the variable makes no sense, or there is a log already.
pub(crate) fn install() -> Result<Log, String> {
    let levels = match std::env::var(LEVELS) {
        Ok(text) => text.parse::<Levels>().map_err(|error| format!("{LEVELS}: {error}"))?,
        Err(_) => Levels::default(),
    };
    Log::install(levels, Format::Text)
}
