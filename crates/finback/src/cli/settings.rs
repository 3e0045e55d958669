//! The options by which a command takes settings: `--config` and `-D`.

use super::arguments::Arguments;
use super::stop::Stop;
use super::table::{Kind, Opt};
use super::usage_error::UsageError;
use crate::config::{Loaded, ServerConfig, Sources, Warning, client_settings};
use finback_client::ClientConfig;

/// `--config FILE`
pub(super) const CONFIG: Opt = Opt::long_value(
    "config",
    ("FILE", Kind::File),
    "Settings: a finback.toml, an hbase-site.xml, lines of NAME = VALUE, or a directory that has the first two. finback \
     config lists all settings.",
);

/// `-D NAME=VALUE`
pub(super) const SETTING: Opt = Opt {
    short: Some('D'),
    long: None,
    value: Some(("NAME=VALUE", Kind::Setting)),
    meaning: "One setting. It wins over the file, and the last of several wins.",
};

/// Where settings come from, as the command line has it.
pub(super) fn sources(arguments: &Arguments) -> Result<Sources, UsageError> {
    let overrides = arguments.values("D").map(|text| setting(arguments, &text.to_string_lossy()));
    Ok(Sources {
        file: arguments.path("config").map(Into::into),
        overrides: overrides.collect::<Result<_, _>>()?,
        ..Sources::default()
    })
}

/// Settings of a server, which make sense. What is odd about them is told on standard error.
pub(super) fn load(sources: &Sources) -> Result<Loaded, Stop> {
    let loaded = ServerConfig::load(sources)?;
    tell(&loaded.warnings);
    Ok(loaded)
}

/// Says on standard error what is odd.
pub(super) fn tell(warnings: &[Warning]) {
    for warning in warnings {
        eprintln!("finback: warning: {warning}");
    }
}

/// The settings of a client: of the files that it finds, then of the command line.
pub(super) fn client_config(arguments: &Arguments) -> Result<ClientConfig, Stop> {
    let settings = client_settings(&sources(arguments)?.of_a_client())?;
    let settings = settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    ClientConfig::from_settings(settings).map_err(|error| Stop::Failed(error.to_string()))
}

fn setting(arguments: &Arguments, text: &str) -> Result<(String, String), UsageError> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err(UsageError::BadValue {
            option: "-D".to_owned(),
            given: text.to_owned(),
            expected: "NAME=VALUE".to_owned(),
            command: arguments.command().name,
        }),
    }
}
