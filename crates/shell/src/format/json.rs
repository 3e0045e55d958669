//! JSON over several lines, as Gson prints it for HBase.

use finback_json::JsonText;

/// A string, safe in HTML.
pub(crate) fn text(text: &str) -> String {
    JsonText::as_gson_for_html(text).to_string()
}

/// A string.
pub(crate) fn plain_text(text: &str) -> String {
    JsonText::as_gson(text).to_string()
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
