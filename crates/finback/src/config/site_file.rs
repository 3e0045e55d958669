//! Reads a configuration file: HBase's `hbase-site.xml`, or lines of `name = value`.
//!
//! Of XML, what such files have is understood: the prolog, comments, the elements `configuration`, `property`,
//! `name`, `value`, `description`, `final` and `source`, and references to characters. All else is refused with
//! its line, so that nothing in a file is silently passed over.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::error::ConfigError;

/// Longest configuration file, in bytes. HBase's own with all defaults written out has about 100 KB.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// One setting of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Line of the value, from 1.
    pub(super) line: usize,
    pub(super) name: String,
    pub(super) value: String,
}

/// What is wrong, and in which line.
type Problem = (usize, String);

/// Reads all settings of a file, in order.
pub(super) fn read(path: &Path) -> Result<Vec<Entry>, ConfigError> {
    let unreadable = |error| ConfigError::Unreadable { file: path.to_owned(), error };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(ConfigError::TooLong { file: path.to_owned(), limit: MAX_FILE_BYTES });
    }
    let malformed = |(line, problem)| ConfigError::Malformed { file: path.to_owned(), line, problem };
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count() + 1;
        malformed((line, "not UTF-8".to_owned()))
    })?;
    parse(text).map_err(malformed)
}

fn parse(text: &str) -> Result<Vec<Entry>, Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('<') { Xml { text, offset: 0 }.document() } else { lines(text) }
}

/// `name = value`, empty lines, and comments after `#` or `!` as in Java's properties files.
fn lines(text: &str) -> Result<Vec<Entry>, Problem> {
    let mut entries = Vec::new();
    for (index, content) in text.lines().enumerate() {
        let content = content.trim();
        if content.is_empty() || content.starts_with(['#', '!']) {
            continue;
        }
        match content.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => entries.push(Entry {
                line: index + 1,
                name: name.trim().to_owned(),
                value: value.trim().to_owned(),
            }),
            _ => return Err((index + 1, format!("expected name = value, found {}", excerpt(content)))),
        }
    }
    Ok(entries)
}

/// A cursor over an XML text.
struct Xml<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Xml<'a> {
    fn document(mut self) -> Result<Vec<Entry>, Problem> {
        let mut entries = Vec::new();
        self.skip_insignificant()?;
        if self.next_is("<configuration/>") {
            self.offset += "<configuration/>".len();
        } else {
            self.expect("<configuration>")?;
            self.skip_insignificant()?;
            while !self.next_is("</configuration>") {
                entries.push(self.property()?);
                self.skip_insignificant()?;
            }
            self.expect("</configuration>")?;
        }
        self.skip_insignificant()?;
        if self.rest().is_empty() { Ok(entries) } else { Err(self.unexpected("the end of the file")) }
    }

    fn property(&mut self) -> Result<Entry, Problem> {
        let start = self.line();
        self.expect("<property>")?;
        let (mut name, mut value) = (None, None);
        loop {
            self.skip_insignificant()?;
            if self.next_is("</property>") {
                self.expect("</property>")?;
                break;
            }
            let line = self.line();
            let (element, content) = self.element()?;
            let slot = match element {
                "name" => &mut name,
                "value" => &mut value,
                _ => continue,
            };
            if slot.replace((line, content)).is_some() {
                return Err((line, format!("a second <{element}> in one <property>")));
            }
        }
        match (name, value) {
            (Some((_, name)), Some((line, value))) if !name.is_empty() => Ok(Entry { line, name, value }),
            (Some((_, name)), None) if !name.is_empty() => Err((start, format!("{name} has no <value>"))),
            _ => Err((start, "a <property> without a <name>".to_owned())),
        }
    }

    /// One child of a property, and its text without the white space around it.
    fn element(&mut self) -> Result<(&'static str, String), Problem> {
        for element in ["name", "value", "description", "final", "source"] {
            if self.next_is(&format!("<{element}/>")) {
                self.offset += element.len() + 3;
                return Ok((element, String::new()));
            }
            if self.next_is(&format!("<{element}>")) {
                self.offset += element.len() + 2;
                let content = self.content()?;
                self.expect(&format!("</{element}>"))?;
                return Ok((element, content.trim().to_owned()));
            }
        }
        Err(self.unexpected("<name>, <value>, <description>, <final>, <source> or </property>"))
    }

    /// Text up to the next tag, references resolved, comments left out.
    fn content(&mut self) -> Result<String, Problem> {
        let mut content = String::new();
        loop {
            let end = self.rest().find(['<', '&']).ok_or_else(|| self.unexpected("a closing tag"))?;
            content.push_str(&self.rest()[..end]);
            self.offset += end;
            if self.next_is("&") {
                content.push(self.reference()?);
            } else if !self.skip_between("<!--", "-->")? {
                return Ok(content);
            }
        }
    }

    fn reference(&mut self) -> Result<char, Problem> {
        let known = |name: &str| match name {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "amp" => Some('&'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => match name.strip_prefix("#x") {
                Some(digits) => u32::from_str_radix(digits, 16).ok().and_then(char::from_u32),
                None => name.strip_prefix('#')?.parse().ok().and_then(char::from_u32),
            },
        };
        let name = self.rest()[1..].split_once(';').map(|(name, _)| name);
        match name.and_then(|name| Some((name.len(), known(name)?))) {
            Some((length, character)) => {
                self.offset += length + 2;
                Ok(character)
            }
            None => Err(self.unexpected("a character reference such as &amp;")),
        }
    }

    /// Passes over white space, comments and processing instructions (the prolog and the style sheet).
    fn skip_insignificant(&mut self) -> Result<(), Problem> {
        loop {
            self.offset = self.text.len() - self.rest().trim_start().len();
            if !self.skip_between("<!--", "-->")? && !self.skip_between("<?", "?>")? {
                return Ok(());
            }
        }
    }

    fn skip_between(&mut self, open: &str, close: &str) -> Result<bool, Problem> {
        if !self.next_is(open) {
            return Ok(false);
        }
        let inside = &self.rest()[open.len()..];
        let length = inside.find(close).ok_or_else(|| (self.line(), format!("{open} is never closed")))?;
        self.offset += open.len() + length + close.len();
        Ok(true)
    }

    fn expect(&mut self, literal: &str) -> Result<(), Problem> {
        if !self.next_is(literal) {
            return Err(self.unexpected(literal));
        }
        self.offset += literal.len();
        Ok(())
    }

    fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    fn next_is(&self, literal: &str) -> bool {
        self.rest().starts_with(literal)
    }

    fn line(&self) -> usize {
        self.text[..self.offset].bytes().filter(|byte| *byte == b'\n').count() + 1
    }

    fn unexpected(&self, wanted: &str) -> Problem {
        let found = self.rest().lines().next().unwrap_or_default().trim();
        let found = if found.is_empty() { "the end".to_owned() } else { excerpt(found) };
        (self.line(), format!("expected {wanted}, found {found}"))
    }
}

/// The beginning of a text, for an error message of one line.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests;
