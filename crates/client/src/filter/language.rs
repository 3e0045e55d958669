//! HBase's filter language (`ParseFilter`).
//!
//! ```text
//! any    = all { "OR" all }
//! all    = one { "AND" one }
//! one    = ( "SKIP" | "WHILE" ) one  |  "(" any ")"  |  name "(" [ argument { "," argument } ] ")"
//! argument = "'" bytes, where '' is a quote "'"  |  number, boolean or operator
//! ```

use super::Filter;
use super::arguments::{self, Argument};
use crate::error::{Error, Result};

/// Deepest nesting, as deep as Finback's servers take.
const MAX_DEPTH: usize = 100;

pub(super) fn parse(text: &[u8]) -> Result<Filter> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    let filter = parser.any()?;
    parser.skip_blanks();
    match parser.at == text.len() {
        true => Ok(filter),
        false => Err(parser.wrong("AND, OR or the end is expected")),
    }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn any(&mut self) -> Result<Filter> {
        let mut filters = vec![self.all()?];
        while self.word("OR") {
            filters.push(self.all()?);
        }
        Ok(one_or(filters, Filter::any))
    }

    fn all(&mut self) -> Result<Filter> {
        let mut filters = vec![self.one()?];
        while self.word("AND") {
            filters.push(self.one()?);
        }
        Ok(one_or(filters, Filter::all))
    }

    fn one(&mut self) -> Result<Filter> {
        if self.depth == MAX_DEPTH {
            return Err(self.wrong("filters are nested too deeply"));
        }
        self.depth += 1;
        let filter = if self.word("SKIP") {
            Filter::skip(self.one()?)
        } else if self.word("WHILE") {
            Filter::while_match(self.one()?)
        } else if self.byte(b'(') {
            let filter = self.any()?;
            if !self.byte(b')') {
                return Err(self.wrong("a closing parenthesis is missing"));
            }
            filter
        } else {
            self.simple()?
        };
        self.depth -= 1;
        Ok(filter)
    }

    fn simple(&mut self) -> Result<Filter> {
        self.skip_blanks();
        let start = self.at;
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'$';
        self.at += self.text[start..].iter().take_while(|byte| is_name(byte)).count();
        let name = String::from_utf8_lossy(&self.text[start..self.at]).into_owned();
        if name.is_empty() {
            return Err(self.wrong("the name of a filter is expected"));
        }
        if !self.byte(b'(') {
            return Err(self.wrong("the arguments of a filter, in parentheses, are expected"));
        }
        let mut arguments = Vec::new();
        while !self.byte(b')') {
            if !self.byte(b',') {
                arguments.push(self.argument()?);
            }
        }
        arguments::filter(&name, &arguments).map_err(|reason| {
            Error::Argument(format!("filter {name}: {reason} (at byte {start} of {:?})", self.shown()))
        })
    }

    fn argument(&mut self) -> Result<Argument> {
        self.skip_blanks();
        if self.byte(b'\'') {
            return self.quoted().map(Argument::Quoted);
        }
        let start = self.at;
        let ends = |byte: &u8| matches!(byte, b' ' | b',' | b')');
        self.at += self.text[start..].iter().take_while(|byte| !ends(byte)).count();
        match self.at == start || self.at == self.text.len() {
            true => Err(self.wrong("an argument list has no end")),
            false => Ok(Argument::Bare(String::from_utf8_lossy(&self.text[start..self.at]).into_owned())),
        }
    }

    /// The rest of a quoted argument.
    fn quoted(&mut self) -> Result<Vec<u8>> {
        let mut value = Vec::new();
        loop {
            match (self.text.get(self.at), self.text.get(self.at + 1)) {
                (None, _) => return Err(self.wrong("a quote has no end")),
                (Some(b'\''), Some(b'\'')) => {
                    value.push(b'\'');
                    self.at += 2;
                }
                (Some(b'\''), _) => {
                    self.at += 1;
                    return Ok(value);
                }
                (Some(&byte), _) => {
                    value.push(byte);
                    self.at += 1;
                }
            }
        }
    }

    /// Takes a word that a blank or a parenthesis ends.
    fn word(&mut self, word: &str) -> bool {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let found = rest.strip_prefix(word.as_bytes());
        let is_there = found.is_some_and(|behind| matches!(behind.first(), Some(b' ' | b'(')));
        if is_there {
            self.at += word.len();
        }
        is_there
    }

    fn byte(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        let is_there = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn skip_blanks(&mut self) {
        self.at += self.text[self.at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    fn shown(&self) -> String {
        String::from_utf8_lossy(self.text).into_owned()
    }

    fn wrong(&self, what: &str) -> Error {
        Error::Argument(format!("filter: {what} at byte {} of {:?}", self.at, self.shown()))
    }
}

fn one_or(mut filters: Vec<Filter>, several: impl Fn(Vec<Filter>) -> Filter) -> Filter {
    match filters.len() {
        1 => filters.remove(0),
        _ => several(filters),
    }
}
