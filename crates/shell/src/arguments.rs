//! The arguments of a command, taken as what they are to be.

use crate::error::{Result, ShellError};
use crate::value::Value;
use finback_client::TableName;
use std::vec;

/// Arguments, in their order.
pub(crate) struct Arguments {
    rest: vec::IntoIter<Value>,
}

impl Arguments {
    pub(crate) fn new(values: Vec<Value>) -> Self {
        Self { rest: values.into_iter() }
    }

    /// The next one; nil, if there is none.
    pub(crate) fn next(&mut self) -> Value {
        self.rest.next().unwrap_or(Value::Nil)
    }

    /// Bytes of the next one, whatever it is.
    pub(crate) fn bytes(&mut self) -> Vec<u8> {
        self.next().to_bytes()
    }

    /// Text of the next one, whatever it is.
    pub(crate) fn text(&mut self) -> String {
        self.next().to_text()
    }

    /// Text of the next one, unless it is nil.
    pub(crate) fn optional_text(&mut self) -> Option<String> {
        match self.next() {
            Value::Nil => None,
            value => Some(value.to_text()),
        }
    }

    /// The name of a table.
    pub(crate) fn table(&mut self) -> Result<TableName> {
        match self.next() {
            Value::Str(name) => table_name(&name),
            Value::Table(name) => table_name(name.as_bytes()),
            _ => Err(ShellError::argument("Table name must be of type String")),
        }
    }

    /// A boolean, or text that says one.
    pub(crate) fn switch(&mut self) -> bool {
        self.next().to_text().eq_ignore_ascii_case("true")
    }

    /// Options, if the next is a hash or nothing.
    pub(crate) fn options(&mut self) -> Result<Options> {
        Options::of(self.next())
    }

    /// One, or several in an array; none, if it is nil.
    pub(crate) fn list(&mut self) -> Option<Vec<Value>> {
        match self.next() {
            Value::Nil => None,
            value => {
                let mut list = Vec::new();
                flatten(value, &mut list);
                Some(list)
            }
        }
    }

    /// All that is left; arrays are taken apart.
    pub(crate) fn flat(&mut self) -> Vec<Value> {
        let mut flat = Vec::new();
        self.rest.by_ref().for_each(|value| flatten(value, &mut flat));
        flat
    }
}

fn flatten(value: Value, into: &mut Vec<Value>) {
    match value {
        Value::Array(values) => values.into_iter().for_each(|value| flatten(value, into)),
        Value::Nil => {}
        value => into.push(value),
    }
}

pub(crate) fn table_name(name: &[u8]) -> Result<TableName> {
    TableName::parse(name).map_err(|error| ShellError::Argument(error.to_string()))
}

/// A hash of options, from which they are taken.
#[derive(Debug, Default)]
pub(crate) struct Options(Vec<(String, Value)>);

impl Options {
    pub(crate) fn of(value: Value) -> Result<Self> {
        match value {
            Value::Nil => Ok(Self::default()),
            // Of two entries with one key the last one counts.
            Value::Hash(pairs) => Ok(Self(pairs.into_iter().fold(Vec::new(), |mut known, (key, value)| {
                let key = key.to_text();
                known.retain(|(name, _)| *name != key);
                known.push((key, value));
                known
            }))),
            other => Err(ShellError::argument(format!(
                "Failed parse of {other}, {}: a Hash is wanted",
                other.class()
            ))),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names of what is left.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }

    /// Takes a value that is not nil.
    pub(crate) fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1).filter(|value| *value != Value::Nil)
    }

    pub(crate) fn text(&mut self, name: &str) -> Option<String> {
        self.take(name).map(|value| value.to_text())
    }

    pub(crate) fn bytes(&mut self, name: &str) -> Option<Vec<u8>> {
        self.take(name).map(|value| value.to_bytes())
    }

    pub(crate) fn is_set(&mut self, name: &str) -> bool {
        self.take(name).is_some_and(|value| value.to_text().eq_ignore_ascii_case("true"))
    }

    pub(crate) fn int(&mut self, name: &str) -> Result<Option<i64>> {
        self.take(name).map(|value| int(name, &value)).transpose()
    }

    /// A number that is not negative; negative ones mean what HBase's -1 does: nothing.
    pub(crate) fn count(&mut self, name: &str) -> Result<Option<u64>> {
        Ok(self.int(name)?.and_then(|value| u64::try_from(value).ok()).filter(|&value| value > 0))
    }

    /// `[min, max]`
    pub(crate) fn range(&mut self, name: &str) -> Result<Option<(i64, i64)>> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Array(ends)) if ends.len() == 2 => {
                Ok(Some((int(name, &ends[0])?, int(name, &ends[1])?)))
            }
            Some(other) => {
                Err(ShellError::argument(format!("{name} must be an array of two numbers: {other}")))
            }
        }
    }

    /// A hash of text to bytes.
    pub(crate) fn pairs(&mut self, name: &str) -> Result<Vec<(String, Vec<u8>)>> {
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Value::Hash(pairs)) => {
                Ok(pairs.iter().map(|(key, value)| (key.to_text(), value.to_bytes())).collect())
            }
            Some(_) => Err(ShellError::argument(format!("{name} must be a Hash type"))),
        }
    }

    /// One, or several in an array.
    pub(crate) fn list(&mut self, name: &str) -> Vec<Value> {
        let mut list = Vec::new();
        self.take(name).into_iter().for_each(|value| flatten(value, &mut list));
        list
    }
}

pub(crate) fn int(name: &str, value: &Value) -> Result<i64> {
    let number = match value {
        Value::Int(value) => Some(*value),
        Value::Float(value) => Some(*value as i64),
        other => other.to_text().trim().parse().ok(),
    };
    number.ok_or_else(|| ShellError::argument(format!("{name} must be a number: {value}")))
}
