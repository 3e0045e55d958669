//! What is asked for.

/// A path and its parameters, decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The path, `/` first.
    pub path: String,
    /// What is behind the question mark, in its order.
    pub parameters: Vec<(String, String)>,
    /// The fields of a form that was sent to change something (POST); none: it is only looked at (GET, HEAD).
    pub form: Option<Vec<(String, String)>>,
}

impl Request {
    /// From a path and what is behind its question mark, as they came.
    pub fn parse(path: &str, query: Option<&str>) -> Self {
        Self {
            path: decode(path, false),
            parameters: parameters(query.unwrap_or_default()),
            ..Self::default()
        }
    }

    /// The first value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Names and values, decoded.
pub(crate) fn parameters(text: &str) -> Vec<(String, String)> {
    let pair = |text: &str| {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        (decode(name, true), decode(value, true))
    };
    text.split('&').filter(|part| !part.is_empty()).map(pair).collect()
}

/// Undoes percent encoding. What is none stays as it is; what is not UTF-8 becomes U+FFFD.
fn decode(text: &str, plus_is_space: bool) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let hex = |byte: u8| char::from(byte).to_digit(16);
        match (first, behind) {
            (b'%', [high, low, ..]) if hex(*high).is_some() && hex(*low).is_some() => {
                let value = hex(*high).unwrap_or_default() * 16 + hex(*low).unwrap_or_default();
                bytes.push(value as u8);
                rest = &behind[2..];
                continue;
            }
            (b'+', _) if plus_is_space => bytes.push(b' '),
            _ => bytes.push(first),
        }
        rest = behind;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded() {
        let request = Request::parse("/j%6dx", Some("qry=Hadoop%3Aservice%3DHBase%2C*&a+b=c+d&flag&&=x"));
        assert_eq!(request.path, "/jmx");
        assert_eq!(request.parameter("qry"), Some("Hadoop:service=HBase,*"));
        assert_eq!(request.parameter("a b"), Some("c d"));
        assert_eq!((request.parameter("flag"), request.parameter("other")), (Some(""), None));
    }

    #[test]
    fn what_is_no_encoding_stays_as_it_is() {
        for (text, decoded) in
            [("%", "%"), ("%4", "%4"), ("%zz", "%zz"), ("%+1", "%+1"), ("%ff", "\u{fffd}"), ("a+b", "a+b")]
        {
            assert_eq!(Request::parse(text, None).path, decoded);
        }
    }
}
