//! JSON over several lines, as Gson prints it for HBase.

use std::fmt::Write;

/// A string, safe in HTML.
pub(crate) fn text(text: &str) -> String {
    quoted(text, true)
}

/// A string.
pub(crate) fn plain_text(text: &str) -> String {
    quoted(text, false)
}

fn quoted(text: &str, is_html: bool) -> String {
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
            '<' | '>' | '&' | '=' | '\'' if !is_html => quoted.push(character),
            '<' | '>' | '&' | '=' | '\'' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(character));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// A number, as Java writes it.
pub(crate) fn number(value: f64) -> String {
    format!("{value:?}")
}

/// Strings.
pub(crate) fn array(values: &[String]) -> String {
    match values {
        [] => "[]".to_owned(),
        values => {
            let lines: Vec<_> = values.iter().map(|value| format!("    {}", plain_text(value))).collect();
            format!("[\n{}\n  ]", lines.join(",\n"))
        }
    }
}

/// Names and values, of which the values are JSON already.
pub(crate) fn object(fields: &[(&str, String)]) -> String {
    let lines: Vec<_> = fields.iter().map(|(name, value)| format!("  \"{name}\": {value}")).collect();
    format!("{{\n{}\n}}", lines.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_stands_on_several_lines() {
        let fields = [
            ("a", text("x<\"y\"\n")),
            ("b", array(&["c".to_owned()])),
            ("d", number(1.0)),
            ("e", array(&[])),
        ];
        let wanted = "{\n  \"a\": \"x\\u003c\\\"y\\\"\\n\",\n  \"b\": [\n    \"c\"\n  ],\n  \"d\": 1.0,\n  \"e\": []\n}";
        assert_eq!(object(&fields), wanted);
    }
}
