//! Values, as literals of the shell's language have them and as commands give them back.

use std::fmt::{self, Display, Formatter, Write};

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `nil`: nothing.
    Nil,
    /// `true`, `false`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Another number.
    Float(f64),
    /// Text or bytes: strings, symbols, constants.
    Str(Vec<u8>),
    /// `[…]`
    Array(Vec<Value>),
    /// `{… => …}`, in the order written.
    Hash(Vec<(Value, Value)>),
    /// A table: what `create` and `get_table` give back.
    Table(String),
}

impl Value {
    /// Text.
    pub fn text(text: impl AsRef<[u8]>) -> Self {
        Self::Str(text.as_ref().to_vec())
    }

    /// What Ruby calls its class, for messages.
    pub fn class(&self) -> &'static str {
        match self {
            Self::Nil => "NilClass",
            Self::Bool(true) => "TrueClass",
            Self::Bool(false) => "FalseClass",
            Self::Int(_) => "Integer",
            Self::Float(_) => "Float",
            Self::Str(_) => "String",
            Self::Array(_) => "Array",
            Self::Hash(_) => "Hash",
            Self::Table(_) => "Hbase::Table",
        }
    }

    /// Bytes of what Ruby's `to_s` gives: the text itself; other values as they are written.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Str(bytes) => bytes.clone(),
            Self::Nil => Vec::new(),
            Self::Table(name) => name.clone().into_bytes(),
            other => other.to_string().into_bytes(),
        }
    }

    /// The same as text; bytes that are none are replaced.
    pub fn to_text(&self) -> String {
        String::from_utf8_lossy(&self.to_bytes()).into_owned()
    }
}

/// As Ruby's `inspect` writes it: a literal that is read as the same value.
impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nil => f.write_str("nil"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value}"),
            // With a point or an exponent, or it would be read as a whole number.
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Str(bytes) => quoted(f, bytes),
            Self::Table(name) => write!(f, "Hbase::Table - {name}"),
            Self::Array(values) => {
                f.write_char('[')?;
                for (at, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if at == 0 { "" } else { ", " })?;
                }
                f.write_char(']')
            }
            Self::Hash(pairs) => {
                f.write_char('{')?;
                for (at, (key, value)) in pairs.iter().enumerate() {
                    write!(f, "{}{key}=>{value}", if at == 0 { "" } else { ", " })?;
                }
                f.write_char('}')
            }
        }
    }
}

fn quoted(f: &mut Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    f.write_char('"')?;
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                // `#{` would be an expression.
                '#' => f.write_str("\\#")?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                '\r' => f.write_str("\\r")?,
                '\u{1b}' => f.write_str("\\e")?,
                control if control.is_ascii_control() => write!(f, "\\x{:02X}", u32::from(control))?,
                other => f.write_char(other)?,
            }
        }
        for byte in chunk.invalid() {
            write!(f, "\\x{byte:02X}")?;
        }
    }
    f.write_char('"')
}
