//! Tokens to statements.

use super::lexer::{Placed, Token};
use super::ruby::{self, Construct};
use super::{Action, Argument, Statement, constants};
use crate::error::{Result, ShellError};
use crate::value::Value;

/// Brackets within brackets: more than anybody writes, and little enough for the stack.
const MAX_DEPTH: usize = 64;

pub(super) fn statements(text: &[u8], tokens: &[Placed]) -> Result<Vec<Statement>> {
    let mut parser = Parser { text, tokens, at: 0, depth: 0 };
    let mut statements = Vec::new();
    loop {
        while parser.take(&Token::End) {}
        if parser.peek().is_none() {
            return Ok(statements);
        }
        statements.push(parser.statement()?);
        match parser.peek() {
            None | Some(Token::End) => {}
            Some(_) => return Err(parser.unexpected("the end of the statement")),
        }
    }
}

struct Parser<'a> {
    text: &'a [u8],
    tokens: &'a [Placed],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.ahead(0)
    }

    fn ahead(&self, count: usize) -> Option<&Token> {
        self.tokens.get(self.at + count).map(|placed| &placed.token)
    }

    fn take(&mut self, token: &Token) -> bool {
        let is_there = self.peek() == Some(token);
        self.at += usize::from(is_there);
        is_there
    }

    fn take_sign(&mut self, sign: u8) -> bool {
        self.take(&Token::Sign(sign))
    }

    fn skip_ends(&mut self) {
        while self.take(&Token::End) {}
    }

    fn statement(&mut self) -> Result<Statement> {
        let place = super::place(self.text, self.start());
        let (first, second) = (self.peek().cloned(), self.ahead(1).cloned());
        let Some(Token::Name(name)) = first else { return self.no_command(place) };
        if second == Some(Token::Sign(b'=')) {
            self.refuse_ruby(&name)?;
            self.at += 2;
            self.skip_ends();
            let action = match self.peek() {
                Some(Token::Name(word)) if !is_value(word) => self.command()?,
                _ => Action::Value(self.value()?),
            };
            return Ok(Statement { assigns: Some(name), action, place });
        }
        let action = if is_value(&name) { Action::Value(self.value()?) } else { self.command()? };
        Ok(Statement { assigns: None, action, place })
    }

    /// What does not begin with a name: a value, or no statement of this shell.
    fn no_command(&mut self, place: (usize, usize)) -> Result<Statement> {
        match (self.peek(), self.ahead(1)) {
            (Some(Token::Constant(name)), Some(Token::Sign(b'.' | b'=' | b'('))) => {
                Err(self.refused(&Construct::Class(name)))
            }
            _ => Ok(Statement { assigns: None, action: Action::Value(self.value()?), place }),
        }
    }

    fn command(&mut self) -> Result<Action> {
        let Some(Token::Name(first)) = self.peek().cloned() else {
            return Err(self.unexpected("the name of a command"));
        };
        self.refuse_ruby(&first)?;
        self.at += 1;
        let (table, name) = match self.take_sign(b'.') {
            false => (None, first),
            true => match self.peek().cloned() {
                Some(Token::Name(name)) => {
                    self.refuse_ruby(&name)?;
                    self.at += 1;
                    (Some(first), name)
                }
                _ => return Err(self.unexpected("the name of a command")),
            },
        };
        let arguments = match self.peek() {
            Some(Token::Sign(b'(')) => {
                self.at += 1;
                let arguments = self.arguments(Some(b')'))?;
                self.refuse_a_call()?;
                arguments
            }
            _ => self.arguments(None)?,
        };
        Ok(Action::Command { table, name, arguments })
    }

    /// Methods of what a command gives back are Ruby's.
    fn refuse_a_call(&self) -> Result<()> {
        match self.peek() {
            Some(Token::Sign(b'.')) => Err(self.refused(&Construct::Method)),
            Some(Token::Sign(b'{')) => Err(self.refused(&Construct::Block)),
            _ => Ok(()),
        }
    }

    /// Values with commas between them, up to `end`, or to the end of the statement.
    fn arguments(&mut self, end: Option<u8>) -> Result<Vec<Argument>> {
        let mut arguments = Vec::new();
        let mut pairs = Vec::new();
        loop {
            if end.is_some() {
                self.skip_ends();
            }
            let is_at_end = match (end, self.peek()) {
                (Some(end), Some(Token::Sign(sign))) => *sign == end,
                (None, None | Some(Token::End)) => arguments.is_empty() && pairs.is_empty(),
                _ => false,
            };
            if is_at_end {
                self.at += usize::from(end.is_some());
                break;
            }
            let value = self.value()?;
            if self.take(&Token::Arrow) {
                self.skip_ends();
                pairs.push((value, self.value()?));
            } else {
                arguments.push(value);
            }
            if end.is_some() {
                self.skip_ends();
            }
            if self.take_sign(b',') {
                self.skip_ends();
                if end.is_none() && self.peek().is_none() {
                    return Err(ShellError::Incomplete("another argument is to follow"));
                }
                continue;
            }
            match (end, self.peek()) {
                (Some(end), Some(Token::Sign(sign))) if *sign == end => {}
                (Some(_), None) => return Err(ShellError::Incomplete("a bracket is open")),
                (None, None | Some(Token::End)) => break,
                _ => return Err(self.unexpected("a comma or the end of the statement")),
            }
        }
        if !pairs.is_empty() {
            arguments.push(Argument::Hash(pairs));
        }
        Ok(arguments)
    }

    fn value(&mut self) -> Result<Argument> {
        let Some(token) = self.peek().cloned() else {
            return Err(ShellError::Incomplete("a value is to follow"));
        };
        self.at += 1;
        let value = match token {
            Token::Int(value) => Argument::Literal(Value::Int(value)),
            Token::Float(value) => Argument::Literal(Value::Float(value)),
            Token::Str(bytes) => Argument::Literal(Value::Str(self.joined(bytes))),
            Token::Constant(name) => self.constant(&name)?,
            Token::Name(name) => match name.as_str() {
                "nil" => Argument::Literal(Value::Nil),
                "true" => Argument::Literal(Value::Bool(true)),
                "false" => Argument::Literal(Value::Bool(false)),
                _ => {
                    self.at -= 1;
                    self.refuse_ruby(&name)?;
                    self.at += 1;
                    Argument::Variable(name)
                }
            },
            Token::Sign(open @ (b'[' | b'{')) => self.nested(open)?,
            _ => {
                self.at -= 1;
                return Err(self.unexpected("a value"));
            }
        };
        match self.peek() {
            // `org.apache.hadoop…`
            Some(Token::Sign(b'.')) => {
                self.at -= 1;
                Err(match (&value, self.peek()) {
                    (Argument::Variable(name), Some(Token::Name(_))) => self.refused(&Construct::Class(name)),
                    _ => self.refused(&Construct::Method),
                })
            }
            _ => Ok(value),
        }
    }

    /// Literals side by side are one.
    fn joined(&mut self, mut bytes: Vec<u8>) -> Vec<u8> {
        while let Some(Token::Str(more)) = self.peek() {
            bytes.extend_from_slice(more);
            self.at += 1;
        }
        bytes
    }

    fn constant(&mut self, name: &str) -> Result<Argument> {
        if let Some(value) = constants::value(name) {
            return Ok(Argument::Literal(Value::text(value)));
        }
        match self.peek() {
            Some(Token::Sign(b'.' | b'(')) => {
                self.at -= 1;
                Err(self.refused(&Construct::Class(name)))
            }
            _ => {
                self.at -= 1;
                Err(self.syntax(format!("uninitialized constant {name}: text needs quotes, as in '{name}'")))
            }
        }
    }

    fn nested(&mut self, open: u8) -> Result<Argument> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.syntax(format!("more than {MAX_DEPTH} brackets within each other")));
        }
        let value = if open == b'[' { self.arguments(Some(b']')).map(Argument::Array) } else { self.hash() };
        self.depth -= 1;
        value
    }

    /// `NAME => 'f', VERSIONS => 5}`
    fn hash(&mut self) -> Result<Argument> {
        let mut pairs = Vec::new();
        loop {
            self.skip_ends();
            if self.take_sign(b'}') {
                return Ok(Argument::Hash(pairs));
            }
            let key = self.value()?;
            self.skip_ends();
            if !self.take(&Token::Arrow) {
                return Err(self.unexpected("=>"));
            }
            self.skip_ends();
            pairs.push((key, self.value()?));
            self.skip_ends();
            if !self.take_sign(b',') && self.peek() != Some(&Token::Sign(b'}')) {
                return Err(self.unexpected("a comma or }"));
            }
        }
    }

    /// A word of Ruby, which is the next token.
    fn refuse_ruby(&self, word: &str) -> Result<()> {
        ruby::word(word).map_or(Ok(()), |construct| Err(self.refused(&construct)))
    }

    /// What is told of the next token.
    fn refused(&self, construct: &Construct<'_>) -> ShellError {
        super::at(self.text, self.start(), construct.refused())
    }

    /// Where the next token begins.
    fn start(&self) -> usize {
        self.tokens.get(self.at).map_or(self.text.len(), |placed| placed.at)
    }

    fn unexpected(&self, expected: &str) -> ShellError {
        if let Some(Token::Name(name)) = self.peek()
            && let Some(construct) = ruby::word(name)
        {
            return self.refused(&construct);
        }
        let found = match self.peek() {
            None => return ShellError::Incomplete("a bracket is open"),
            Some(Token::Name(name) | Token::Constant(name)) => name.clone(),
            Some(Token::Int(value)) => value.to_string(),
            Some(Token::Float(value)) => value.to_string(),
            Some(Token::Str(bytes)) => Value::text(bytes).to_string(),
            Some(Token::Sign(sign)) => char::from(*sign).to_string(),
            Some(Token::Arrow) => "=>".to_owned(),
            Some(Token::End) => "the end of the line".to_owned(),
        };
        self.syntax(format!("{found} is there, where {expected} is expected"))
    }

    fn syntax(&self, problem: String) -> ShellError {
        super::syntax(self.text, self.start(), problem)
    }
}

fn is_value(word: &str) -> bool {
    matches!(word, "nil" | "true" | "false")
}
