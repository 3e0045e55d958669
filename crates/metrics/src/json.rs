//! JSON, as far as it is needed: written in the layout of HBase's servlet.

use finback_json::JsonText;
use std::fmt::Write;

/// Appends a string, quoted.
pub fn string(out: &mut String, text: &str) {
    let _ = write!(out, "{}", JsonText::new(text));
}

/// Appends a number. JSON has none that is not finite: those are 0.
pub fn number(out: &mut String, number: f64) {
    let finite = if number.is_finite() { number } else { 0.0 };
    let _ = write!(out, "{finite:?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_read_back() {
        for text in ["", "plain", "\"\\/\n\r\t", "\0\u{1f}\u{7f}\u{2028}\u{2029}", "Grüße 🐋"] {
            let mut json = String::new();
            string(&mut json, text);
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        }
    }

    #[test]
    fn any_number_is_a_number_of_json() {
        for (value, read) in [(0.0, 0.0), (-1.5, -1.5), (1e300, 1e300), (f64::NAN, 0.0), (f64::INFINITY, 0.0)]
        {
            let mut json = String::new();
            number(&mut json, value);
            assert_eq!(serde_json::from_str::<f64>(&json).unwrap(), read);
        }
    }
}
