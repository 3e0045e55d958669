//! The log of a server, as its user wants it.

use crate::config::ServerConfig;
use finback_log::{Format, Levels, Log};
use std::str::FromStr;

/// The environment variable that says from which level on the log is written, whatever the settings say.
const LEVELS: &str = "FINBACK_LOG";
/// The one that says whether its lines are for people (`text`) or programs (`json`).
const FORMAT: &str = "FINBACK_LOG_FORMAT";

/// Begins the log.
///
/// # Errors
/// In one line: a variable makes no sense, or there is a log already.
pub(crate) fn install() -> Result<Log, String> {
    let levels = variable::<Levels>(LEVELS)?.unwrap_or_default();
    Log::install(levels, variable::<Format>(FORMAT)?.unwrap_or_default())
}

/// Goes by the settings, but for what the environment says.
pub(crate) fn configure(log: &Log, config: &ServerConfig) {
    if std::env::var_os(LEVELS).is_none() {
        log.set_levels(config.log_levels.clone());
    }
    if std::env::var_os(FORMAT).is_none() {
        log.set_format(config.log_format);
    }
}

fn variable<T: FromStr<Err: std::fmt::Display>>(name: &str) -> Result<Option<T>, String> {
    let Ok(text) = std::env::var(name) else { return Ok(None) };
    text.parse().map(Some).map_err(|error| format!("{name}: {error}"))
}
