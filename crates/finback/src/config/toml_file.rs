//! `finback.toml`: sections of settings, and `[tables]` with HBase's names for the defaults of tables.

use super::file::{Entry, Place};
use super::setting::TomlForm;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The section with the defaults of tables.
pub(super) const TABLES: &str = "tables";

/// What is wrong, and in which line.
type Problem = (usize, String);

/// The settings of a text, in the order of their lines.
pub(super) fn parse(text: &str) -> Result<Vec<Entry>, Problem> {
    let table = DeTable::parse(text).map_err(|error| {
        let problem = error.message().lines().collect::<Vec<_>>().join(", ");
        (error.span().map_or(1, |span| line_at(text, span.start)), format!("no TOML: {problem}"))
    })?;
    let mut reader = Reader { text, entries: Vec::new() };
    reader.read(table.get_ref(), "")?;
    reader.entries.sort_by_key(|entry| entry.line);
    Ok(reader.entries)
}

struct Reader<'a> {
    text: &'a str,
    entries: Vec<Entry>,
}

impl Reader<'_> {
    /// Tables within tables are names with dots: the parser bounds how deep they go.
    fn read(&mut self, table: &DeTable<'_>, prefix: &str) -> Result<(), Problem> {
        for (key, value) in table {
            let name = format!("{prefix}{}", key.get_ref());
            match value.get_ref() {
                DeValue::Table(inner) => self.read(inner, &format!("{name}."))?,
                _ => self.entry(key, value, name)?,
            }
        }
        Ok(())
    }

    fn entry(
        &mut self,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
        name: String,
    ) -> Result<(), Problem> {
        let line = line_at(self.text, key.span().start);
        let (form, value) = match value.get_ref() {
            DeValue::String(text) => (TomlForm::Text, text.trim().to_owned()),
            DeValue::Integer(number) => {
                let value = i128::from_str_radix(number.as_str(), number.radix());
                let value = value.map_err(|_| (line, format!("{name} is too large a number")))?;
                (TomlForm::Integer, value.to_string())
            }
            DeValue::Float(number) => (TomlForm::Float, number.as_str().to_owned()),
            DeValue::Boolean(is_set) => (TomlForm::Boolean, is_set.to_string()),
            other => {
                let problem = format!("{name} is of a type ({}) that no setting has", other.type_str());
                return Err((line, problem));
            }
        };
        let (name, place) = match name.strip_prefix(TABLES).and_then(|name| name.strip_prefix('.')) {
            Some(of_tables) => (of_tables.to_owned(), Place::TomlTables),
            None => (name, Place::Toml(form)),
        };
        self.entries.push(Entry { line, name, value, place });
        Ok(())
    }
}

fn line_at(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests;
