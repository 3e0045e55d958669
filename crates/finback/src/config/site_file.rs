//! Reads a configuration file: HBase's `hbase-site.xml`, or lines of `name = value`.
//!
//! Of XML, what such files have is understood: the prolog, comments, the elements `configuration`, `property`,
//! `name`, `value`, `description`, `final` and `source`, and references to characters. All else is refused with
//! its line, so that nothing in a file is silently passed over. In values `${NAME}` is replaced as Hadoop does.

use super::file::Entry;
use nix::unistd::User;
use std::collections::HashMap;

/// As in Hadoop: a value that stands for itself comes to an end.
const MOST_EXPANSIONS: usize = 20;

/// What is wrong, and in which line.
type Problem = (usize, String);

/// The settings of the text of a file, in order.
pub(super) fn parse(text: &str) -> Result<Vec<Entry>, Problem> {
    if !text.trim_start().starts_with('<') {
        return lines(text);
    }
    let mut entries = Xml { text, offset: 0 }.document()?;
    let given: HashMap<String, String> =
        entries.iter().map(|entry| (entry.name.clone(), entry.value.clone())).collect();
    entries.iter_mut().for_each(|entry| entry.value = expanded(&entry.value, &given));
    Ok(entries)
}

/// As Hadoop reads a value: `${NAME}` stands for a property of Java's, or another one of the file, and `${env.NAME}` for a variable of
/// the environment, with a default behind `:-`. What stands for nothing is left as it is.
fn expanded(value: &str, given: &HashMap<String, String>) -> String {
    let mut value = value.to_owned();
    for _ in 0..MOST_EXPANSIONS {
        // The innermost first, and of these the last that means something.
        let known = value.rmatch_indices("${").find_map(|(from, _)| {
            let to = from + value[from..].find('}')?;
            Some((from..=to, meaning(&value[from + 2..to], given)?))
        });
        let Some((name, meant)) = known else { break };
        value.replace_range(name, &meant);
    }
    value
}

fn meaning(name: &str, given: &HashMap<String, String>) -> Option<String> {
    let variable = |name: &str| std::env::var(name).ok();
    if let Some(name) = name.strip_prefix("env.") {
        let (name, default) =
            name.split_once(":-").map_or((name, None), |(name, default)| (name, Some(default)));
        return variable(name).filter(|value| !value.is_empty()).or_else(|| default.map(str::to_owned));
    }
    match name {
        "user.name" => Some(user().map_or_else(|| "?".to_owned(), |user| user.name)),
        "user.home" => user()
            .map(|user| user.dir.to_string_lossy().into_owned())
            .or_else(|| variable("HOME"))
            .or_else(|| Some("?".to_owned())),
        "java.io.tmpdir" => Some("/tmp".to_owned()),
        // HBase's default, below which its default of hbase.rootdir lies.
        "hbase.tmp.dir" => {
            Some(given.get(name).map_or("${java.io.tmpdir}/hbase-${user.name}", |value| value).to_owned())
        }
        _ => given.get(name).cloned(),
    }
}

/// Who runs this, as Java looks it up, whatever the environment says.
fn user() -> Option<User> {
    User::from_uid(nix::unistd::getuid()).ok().flatten()
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
            Some((name, value)) if !name.trim().is_empty() => {
                entries.push(Entry::plain(index + 1, name.trim().to_owned(), value.trim().to_owned()));
            }
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
            (Some((_, name)), Some((line, value))) if !name.is_empty() => Ok(Entry::plain(line, name, value)),
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
