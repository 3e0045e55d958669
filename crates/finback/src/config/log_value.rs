//! Values of the settings of the log.

use super::setting::TomlForm;
use super::value::Kind;
use finback_log::{Format, Levels};

/// A level, and others for parts of the server.
pub struct LogLevels;

impl Kind for LogLevels {
    type Value = Levels;
    const UNIT: &'static str = "levels";
    const EXPECTED: &'static str = "off, error, warn, info, debug or trace, and others for parts of the server, as in info,finback_wal=debug";
    const FORM: TomlForm = TomlForm::Text;

    fn canonical(text: &str) -> String {
        Self::parse(text).map_or_else(String::new, |levels| levels.to_string())
    }

    fn parse(text: &str) -> Option<Levels> {
        text.parse().ok()
    }
}

/// How lines of the log are written.
pub struct LogFormat;

impl Kind for LogFormat {
    type Value = Format;
    const UNIT: &'static str = "format";
    const EXPECTED: &'static str = "text or json";
    const FORM: TomlForm = TomlForm::Text;

    fn parse(text: &str) -> Option<Format> {
        text.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_and_formats_are_read_or_refused() {
        assert_eq!(LogLevels::canonical(" WARN, finback_wal = debug"), "warn,finback_wal=debug");
        assert!(LogLevels::parse("loud").is_none() && LogLevels::parse("info,=debug").is_none());
        assert_eq!(LogFormat::parse("json"), Some(Format::Json));
        assert_eq!(LogFormat::parse("xml"), None);
    }
}
