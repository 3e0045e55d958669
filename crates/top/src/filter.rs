//! Filters: which records are shown. `[!]FIELD operator value`, as HBase's `hbtop` has them.

use crate::field::{Field, FieldType};
use crate::mode::Mode;
use crate::record::Record;
use crate::value::Value;
use std::cmp::Ordering;
use std::fmt::{self, Display};

/// A condition that records have to meet.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    /// Whether records must not meet it.
    is_negated: bool,
    field: Field,
    operator: Operator,
    value: Value<'static>,
    ignores_case: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    /// The value, as it is written, is a part of the record's.
    Contains,
    Equals,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

/// In the order in which they are looked for: none stands behind one that it begins with.
const OPERATORS: [(&str, Operator); 6] = [
    ("==", Operator::Equals),
    (">=", Operator::GreaterOrEqual),
    ("<=", Operator::LessOrEqual),
    ("=", Operator::Contains),
    (">", Operator::Greater),
    ("<", Operator::Less),
];

/// Why text is no filter.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// There is no operator.
    #[error(
        "'{0}' is no filter: FIELD, then one of = == > >= < <=, then a value, as in NAMESPACE==default or !TABLE=tmp"
    )]
    NoOperator(String),
    /// There is no such field.
    #[error("{mode} mode has no field '{field}' to filter by; it has {known}")]
    NoField {
        /// What was asked for.
        field: String,
        /// Where.
        mode: &'static str,
        /// What there is.
        known: String,
    },
    /// The value is of another type than the field.
    #[error("'{value}' is no {expected}, which {field} is compared with")]
    NoValue {
        /// What was given.
        value: String,
        /// What is wanted.
        expected: &'static str,
        /// The field.
        field: &'static str,
    },
}

impl Filter {
    /// Reads a filter for the records of a mode. Spaces around its parts do not belong to them.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str, mode: Mode, ignores_case: bool) -> Result<Self, FilterError> {
        let (is_negated, condition) = match text.trim_start().strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text.trim_start()),
        };
        let no_operator = || FilterError::NoOperator(text.to_owned());
        let at = condition.find(['=', '<', '>']).filter(|&at| at > 0).ok_or_else(no_operator)?;
        let (name, rest) = condition.split_at(at);
        let found = OPERATORS.iter().find(|(sign, _)| rest.starts_with(sign));
        let &(sign, operator) = found.ok_or_else(no_operator)?;
        let field = Field::named(name.trim()).filter(|&field| mode.can_filter(field));
        let field = field.ok_or_else(|| no_field(name.trim(), mode))?;
        let typed = rest[sign.len()..].trim();
        let value = Value::parse(field.kind(), typed).ok_or_else(|| FilterError::NoValue {
            value: typed.to_owned(),
            expected: expected(field.kind()),
            field: field.heading(),
        })?;
        Ok(Self { is_negated, field, operator, value, ignores_case })
    }

    /// Reads several, as command lines have them: with `;` in between, or, without any, with `,`. A comma before a number is one
    /// of a server's name.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn parse_all(text: &str, mode: Mode) -> Result<Vec<Self>, FilterError> {
        let mut parts: Vec<String> = Vec::new();
        if text.contains(';') {
            parts.extend(text.split(';').map(str::to_owned));
        } else {
            for part in text.split(',') {
                let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
                match parts.last_mut().filter(|_| is_number) {
                    Some(server) => *server += &format!(",{part}"),
                    None => parts.push(part.to_owned()),
                }
            }
        }
        let parts = parts.iter().filter(|part| !part.trim().is_empty());
        parts.map(|part| Self::parse(part, mode, false)).collect()
    }

    /// The records of which a field has this value.
    pub(crate) fn equals(field: Field, value: &Value<'_>) -> Option<Self> {
        let value = Value::parse(field.kind(), &value.to_string())?;
        Some(Self { is_negated: false, field, operator: Operator::Equals, value, ignores_case: false })
    }

    /// The field that it looks at.
    pub fn field(&self) -> Field {
        self.field
    }

    /// Whether a record is to be shown. One without the field is not.
    pub fn takes(&self, record: &Record) -> bool {
        let Some(value) = record.value(self.field) else { return false };
        let meets = match self.operator {
            Operator::Contains => self.is_part_of(&value),
            operator => operator.takes(value.compare(&self.value, self.ignores_case)),
        };
        meets != self.is_negated
    }

    fn is_part_of(&self, value: &Value<'_>) -> bool {
        let (whole, part) = (value.to_string(), self.value.to_string());
        match self.ignores_case {
            true => whole.to_lowercase().contains(&part.to_lowercase()),
            false => whole.contains(&part),
        }
    }
}

impl Operator {
    fn takes(self, ordering: Ordering) -> bool {
        match self {
            Self::Contains | Self::Equals => ordering.is_eq(),
            Self::Greater => ordering.is_gt(),
            Self::GreaterOrEqual => ordering.is_ge(),
            Self::Less => ordering.is_lt(),
            Self::LessOrEqual => ordering.is_le(),
        }
    }
}

impl Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign =
            OPERATORS.iter().find(|(_, operator)| *operator == self.operator).map_or("", |(sign, _)| sign);
        let not = if self.is_negated { "!" } else { "" };
        write!(f, "{not}{}{sign}{}", self.field.heading(), self.value)
    }
}

fn no_field(name: &str, mode: Mode) -> FilterError {
    let known = Field::ALL.into_iter().filter(|&field| mode.can_filter(field)).map(Field::heading);
    FilterError::NoField {
        field: name.to_owned(),
        mode: mode.name(),
        known: known.collect::<Vec<_>>().join(", "),
    }
}

fn expected(kind: FieldType) -> &'static str {
    match kind {
        FieldType::Text => "text",
        FieldType::Number => "whole number",
        FieldType::Size => "size such as 10MB",
        FieldType::Ratio => "number",
        FieldType::Percent => "percentage",
    }
}

#[cfg(test)]
mod tests;
