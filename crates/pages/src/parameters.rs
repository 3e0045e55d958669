//! What a request asks a page for, checked: whatever is wrong with it is said, and is 400.

use crate::model::Refused;
use crate::row_key;
use finback_web::Request;

/// Bytes of a name, a key or a filter: HBase's longest row.
const MAX_TEXT_BYTES: usize = 32 << 10;

/// The parameters of a request.
#[derive(Clone, Copy)]
pub(crate) struct Parameters<'a>(pub(crate) &'a Request);

impl<'a> Parameters<'a> {
    /// A text without the space around it; empty if there is none.
    pub(crate) fn text(self, name: &str) -> Result<&'a str, Refused> {
        self.exact(name).map(str::trim)
    }

    /// A text as it came: spaces are bytes of a row's key like others. Empty if there is none.
    pub(crate) fn exact(self, name: &str) -> Result<&'a str, Refused> {
        let text = self.0.parameter(name).unwrap_or_default();
        if text.len() > MAX_TEXT_BYTES {
            return Err(Refused::BadRequest(format!("{name} is longer than {MAX_TEXT_BYTES} bytes")));
        }
        Ok(text)
    }

    /// A row's key: as people write it, or long and in base64 under the name with `64`. Empty if there is none.
    pub(crate) fn key(self, name: &str) -> Result<String, Refused> {
        let in_base64 = format!("{name}64");
        match (self.0.parameter(name).unwrap_or_default(), self.0.parameter(&in_base64)) {
            ("", Some(encoded)) => Ok(row_key::text(&row_key::decode(&in_base64, encoded)?)),
            (written, _) => row_key::checked(name, written),
        }
    }

    /// A text that is needed.
    pub(crate) fn needed(self, name: &str) -> Result<&'a str, Refused> {
        match self.text(name)? {
            "" => Err(Refused::BadRequest(format!("this page needs ?{name}="))),
            text => Ok(text),
        }
    }

    /// A number from 1 to `most`.
    pub(crate) fn number(self, name: &str, default: u32, most: u32) -> Result<u32, Refused> {
        match self.text(name)? {
            "" => Ok(default),
            text => match text.parse() {
                Ok(number) if (1..=most).contains(&number) => Ok(number),
                _ => Err(Refused::BadRequest(format!("{name} is a number from 1 to {most}"))),
            },
        }
    }

    /// One of some values; the first unless told otherwise.
    pub(crate) fn choice<T: Copy>(self, name: &str, choices: &[(&str, T)]) -> Result<(&'a str, T), Refused>
    where
        'static: 'a,
    {
        let wanted = self.text(name)?;
        match choices.iter().find(|(known, _)| *known == wanted || wanted.is_empty()) {
            Some((_, value)) => Ok((wanted, *value)),
            None => {
                let known: Vec<_> = choices.iter().map(|(known, _)| *known).collect();
                Err(Refused::BadRequest(format!("{name} is one of {}", known.join(", "))))
            }
        }
    }

    /// Whether a box is ticked.
    pub(crate) fn flag(self, name: &str) -> bool {
        self.0.parameter(name).is_some_and(|value| !matches!(value, "" | "0" | "false"))
    }
}

/// An address of ours with parameters; those without a value are left away.
pub(crate) fn address(path: &str, parameters: &[(&str, &str)]) -> String {
    let mut address = path.to_owned();
    let given = parameters.iter().filter(|(_, value)| !value.is_empty());
    for (at, (name, value)) in given.enumerate() {
        address.push(if at == 0 { '?' } else { '&' });
        address.push_str(name);
        address.push('=');
        encode(value, &mut address);
    }
    address
}

fn encode(text: &str, into: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            into.push(char::from(byte));
        } else {
            let digit = |value: u8| char::from(DIGITS[usize::from(value & 15)]);
            into.extend(['%', digit(byte >> 4), digit(byte)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_back_as_it_was_written() {
        let value = "a&b=c <\"'>%20+\\x00é#?/";
        let address = address("/rows", &[("table", ""), ("start", value), ("n", "1")]);
        assert!(!address.contains(['<', '"', '\'', ' ', '#', '\\']), "{address}");
        let (path, query) = address.split_once('?').unwrap();
        let request = Request::parse(path, Some(query));
        assert_eq!(request.parameters, [("start".to_owned(), value.to_owned()), ("n".into(), "1".into())]);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let request = Request::parse("/", Some("n=0&m=4294967296&o=x&s=none&t=%20a%20"));
        let of = Parameters(&request);
        for name in ["n", "m", "o"] {
            assert!(matches!(of.number(name, 1, 10), Err(Refused::BadRequest(_))), "{name}");
        }
        assert_eq!((of.number("p", 7, 10), of.text("t")), (Ok(7), Ok("a")));
        assert_eq!(of.exact("t"), Ok(" a "));
        assert!(of.choice("s", &[("a", 1)]).is_err() && of.needed("p").is_err());
        assert_eq!(of.choice("p", &[("a", 1), ("b", 2)]), Ok(("", 1)));
        let long = Request::parse("/", Some(&format!("t={}", "a".repeat(MAX_TEXT_BYTES + 1))));
        assert!(Parameters(&long).text("t").is_err());
    }
}
