//! Values of the settings of OpenTelemetry.

use super::setting::TomlForm;
use super::value::Kind;
use finback_otel::Endpoint;

/// Where a collector is, or nowhere.
pub struct Collector;

impl Kind for Collector {
    type Value = Option<Endpoint>;
    const UNIT: &'static str = "URL";
    const EXPECTED: &'static str = "http://HOST:PORT of a collector of OpenTelemetry (OTLP over HTTP, usually port 4318), or empty; https is not supported: name a collector on this machine, and let that one encrypt";
    const FORM: TomlForm = TomlForm::Text;

    fn parse(text: &str) -> Option<Option<Endpoint>> {
        if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) }
    }
}

/// A share of something, which may be nothing.
pub struct ShareOrNone;

impl Kind for ShareOrNone {
    type Value = f64;
    const UNIT: &'static str = "fraction";
    const EXPECTED: &'static str = "a fraction from 0.0 to 1.0";
    const FORM: TomlForm = TomlForm::Float;

    fn parse(text: &str) -> Option<f64> {
        text.parse().ok().filter(|fraction| (0.0..=1.0).contains(fraction))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collectors_are_named_by_plain_http() {
        assert_eq!(Collector::parse(""), Some(None));
        let endpoint = Collector::parse("http://localhost:4318").unwrap().unwrap();
        assert_eq!(endpoint.to_string(), "http://localhost:4318");
        for refused in ["https://localhost:4318", "localhost:4318", "on"] {
            assert_eq!(Collector::parse(refused), None, "{refused}");
        }
    }

    #[test]
    fn shares_are_between_nothing_and_all() {
        assert_eq!((ShareOrNone::parse("0"), ShareOrNone::parse("1.0")), (Some(0.0), Some(1.0)));
        for refused in ["-0.1", "1.1", "NaN", "10%", ""] {
            assert_eq!(ShareOrNone::parse(refused), None, "{refused}");
        }
    }
}
