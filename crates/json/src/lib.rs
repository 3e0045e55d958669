//! Texts as JSON has them: in quotes, with escapes where they are needed.
//!
//! Whoever writes JSON by hand, in HBase's layout or line by line, has its texts from here. Every form is read back as the
//! text that it was.
//!
//! This crate does not know what the texts are about, nor objects and numbers.

use std::fmt::{self, Display, Formatter, Write};

/// Which characters are escaped beside those that have to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// Those that would tell a terminal, or JavaScript, something.
    Careful,
    /// As Gson does, and also what means something in HTML.
    GsonForHtml,
    /// As Gson does.
    Gson,
}

/// A text that is shown as JSON.
#[derive(Clone, Copy, Debug)]
pub struct JsonText<'a> {
    text: &'a str,
    style: Style,
}

impl<'a> JsonText<'a> {
    /// Neither a terminal nor JavaScript is told anything by it.
    pub fn new(text: &'a str) -> Self {
        Self { text, style: Style::Careful }
    }

    /// As Gson writes it by default: safe in HTML.
    pub fn as_gson_for_html(text: &'a str) -> Self {
        Self { text, style: Style::GsonForHtml }
    }

    /// As Gson writes it where it is told not to mind HTML.
    pub fn as_gson(text: &'a str) -> Self {
        Self { text, style: Style::Gson }
    }
}

impl Display for JsonText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for character in self.text.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                '\t' => f.write_str("\\t")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\u{8}' if self.style != Style::Careful => f.write_str("\\b")?,
                '\u{c}' if self.style != Style::Careful => f.write_str("\\f")?,
                other if self.style.escapes(other) => write!(f, "\\u{:04x}", u32::from(other))?,
                other => f.write_char(other)?,
            }
        }
        f.write_char('"')
    }
}

impl Style {
    fn escapes(self, character: char) -> bool {
        match character {
            '\0'..='\u{1f}' | '\u{2028}' | '\u{2029}' => true,
            '<' | '>' | '&' | '=' | '\'' => self == Self::GsonForHtml,
            other => self == Self::Careful && other.is_control(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_back() {
        let all = "plain \"\\/\n\r\t\u{8}\u{c}\0\u{1f}\u{7f}\u{9b}\u{2028}\u{2029}<>&='é 🐋";
        for text in ["", all] {
            for json in [JsonText::new(text), JsonText::as_gson(text), JsonText::as_gson_for_html(text)] {
                assert_eq!(serde_json::from_str::<String>(&json.to_string()).unwrap(), text, "{json}");
            }
        }
    }

    #[test]
    fn each_form_escapes_what_it_says() {
        assert_eq!(JsonText::new("a\u{1b}[1m\u{9b}<\u{8}").to_string(), "\"a\\u001b[1m\\u009b<\\u0008\"");
        assert_eq!(JsonText::as_gson("<\u{7f}\u{8}\u{1}").to_string(), "\"<\u{7f}\\b\\u0001\"");
        assert_eq!(JsonText::as_gson_for_html("a\"<é'\u{1}").to_string(), "\"a\\\"\\u003cé\\u0027\\u0001\"");
    }
}
