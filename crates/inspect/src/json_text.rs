//! JSON.

use std::fmt::Write;

/// An object of fields whose values are JSON already.
pub(crate) fn object(fields: impl IntoIterator<Item = (impl AsRef<str>, String)>) -> String {
    let fields: Vec<String> =
        fields.into_iter().map(|(key, value)| format!("{}:{value}", quoted(key.as_ref()))).collect();
    format!("{{{}}}", fields.join(","))
}

/// An array of values that are JSON already.
pub(crate) fn array(values: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", values.into_iter().collect::<Vec<_>>().join(","))
}

/// A string as Gson writes it: safe in HTML.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\t' => quoted.push_str("\\t"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '<' | '>' | '&' | '=' | '\'' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(character));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_is_escaped() {
        assert_eq!(quoted("a\"\\\n<é\u{1}"), "\"a\\\"\\\\\\n\\u003cé\\u0001\"");
        assert_eq!(object([("a", array(["1".to_owned(), quoted("b")]))]), "{\"a\":[1,\"b\"]}");
    }
}
