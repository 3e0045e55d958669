//! JSON.

use finback_json::JsonText;

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
    JsonText::as_gson_for_html(text).to_string()
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
