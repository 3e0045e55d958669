//! Text to tokens.

use super::ruby::Construct;
use super::strings;
use crate::error::{Result, ShellError};

/// A word of the language.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A name in small letters: a command, a variable, a word such as `nil`.
    Name(String),
    /// A name that begins with a capital letter.
    Constant(String),
    Int(i64),
    Float(f64),
    Str(Vec<u8>),
    /// `( ) [ ] { } , = .`
    Sign(u8),
    /// `=>`
    Arrow,
    /// The end of a line, or `;`
    End,
}

/// A token and where it begins, in bytes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) at: usize,
}

/// Takes text apart.
pub(super) fn tokens(text: &[u8]) -> Result<Vec<Placed>> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks();
        let at = lexer.at;
        let Some(token) = lexer.next()? else { return Ok(tokens) };
        tokens.push(Placed { token, at });
    }
}

struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    /// Blanks, comments, and line ends that a backslash takes away.
    fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek(0) {
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.peek(1) == Some(b'\n') => self.at += 2,
                b'#' => {
                    let rest = &self.text[self.at..];
                    self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    fn next(&mut self) -> Result<Option<Token>> {
        let Some(byte) = self.peek(0) else { return Ok(None) };
        let token = match byte {
            b'\n' | b';' => self.sign(Token::End, 1),
            b'=' if self.peek(1) == Some(b'>') => self.sign(Token::Arrow, 2),
            b'=' if !matches!(self.peek(1), Some(b'=' | b'~')) => self.sign(Token::Sign(byte), 1),
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' => self.sign(Token::Sign(byte), 1),
            b'.' if self.peek(1) != Some(b'.') => self.sign(Token::Sign(byte), 1),
            b'\'' | b'"' => {
                let (bytes, length) = strings::read(&self.text[self.at..])
                    .map_err(|error| super::at(self.text, self.at, error))?;
                self.at += length;
                Token::Str(bytes)
            }
            b':' if self.peek(1).is_some_and(|next| next.is_ascii_alphabetic() || next == b'_') => {
                self.at += 1;
                Token::Str(self.word().into_bytes())
            }
            b'0'..=b'9' => self.number()?,
            b'-' | b'+' if self.peek(1).is_some_and(|next| next.is_ascii_digit()) => self.number()?,
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                let word = self.word();
                if byte.is_ascii_uppercase() { Token::Constant(word) } else { Token::Name(word) }
            }
            other => return Err(self.unexpected(other)),
        };
        Ok(Some(token))
    }

    fn sign(&mut self, token: Token, length: usize) -> Token {
        self.at += length;
        token
    }

    fn word(&mut self) -> String {
        let rest = &self.text[self.at..];
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let mut length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
        // Ruby's names may end so: `empty?`
        if matches!(rest.get(length), Some(b'?' | b'!')) && rest.get(length + 1) != Some(&b'=') {
            length += 1;
        }
        self.at += length;
        String::from_utf8_lossy(&rest[..length]).into_owned()
    }

    /// `12`, `-1_000`, `0x1F`, `0b11`, `017`, `0.5`, `1e3`
    fn number(&mut self) -> Result<Token> {
        let rest = &self.text[self.at..];
        let is_part = |at: usize, byte: u8| match byte {
            b'-' | b'+' => at == 0 || matches!(rest[at - 1], b'e' | b'E'),
            b'.' => rest.get(at + 1).is_some_and(u8::is_ascii_digit),
            byte => byte.is_ascii_alphanumeric() || byte == b'_',
        };
        let is_hex = rest.iter().skip_while(|b| matches!(b, b'-' | b'+')).take(2).eq(b"0x");
        let length = rest
            .iter()
            .enumerate()
            .position(|(at, &byte)| {
                !is_part(at, byte) || (is_hex && at > 0 && matches!(byte, b'-' | b'+' | b'.'))
            })
            .unwrap_or(rest.len());
        let written = String::from_utf8_lossy(&rest[..length]).into_owned();
        let problem = || self.syntax(format!("{written} is no number, or does not fit into 64 bits"));
        let token = number(&written).ok_or_else(problem)?;
        self.at += length;
        Ok(token)
    }

    fn unexpected(&self, byte: u8) -> ShellError {
        let rest = &self.text[self.at..];
        let ruby = match byte {
            b'|' if self.peek(1) != Some(b'|') => Construct::Block,
            b'@' | b'$' => Construct::Variable,
            b'%' => Construct::Percent,
            b'/' => Construct::Regex,
            b'`' => Construct::System,
            b':' if self.peek(1) == Some(b':') => Construct::Class("::"),
            b'.' | b'+' | b'-' | b'*' | b'<' | b'>' | b'&' | b'|' | b'!' | b'?' | b'^' | b'~' | b'='
            | b':' => Construct::Operator,
            _ => {
                let shown = String::from_utf8_lossy(&rest[..rest.len().min(4)]).into_owned();
                let shown = shown.chars().next().unwrap_or('?');
                if matches!(shown, '\u{2018}'..='\u{201f}' | '\u{2032}' | '\u{2033}' | '\u{b4}') {
                    return self.syntax(format!("{shown} is a quote of print: write ' or \" around text"));
                }
                return self.syntax(format!("{shown:?} is not expected here"));
            }
        };
        super::at(self.text, self.at, ruby.refused())
    }

    fn syntax(&self, problem: String) -> ShellError {
        super::syntax(self.text, self.at, problem)
    }
}

fn number(written: &str) -> Option<Token> {
    let negative = written.starts_with('-');
    let digits = written.trim_start_matches(['-', '+']);
    if digits.contains("__") || digits.ends_with('_') {
        return None;
    }
    let digits = digits.replace('_', "");
    let (radix, digits) = match digits.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => (16, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        _ if digits.contains(['.', 'e', 'E']) => {
            let value: f64 = digits.parse().ok().filter(|value: &f64| value.is_finite())?;
            return Some(Token::Float(if negative { -value } else { value }));
        }
        _ if digits.len() > 1 && digits.starts_with('0') => (8, &digits[1..]),
        _ => (10, &digits[..]),
    };
    if digits.starts_with(['-', '+']) {
        return None;
    }
    let signed = if negative { format!("-{digits}") } else { digits.to_owned() };
    i64::from_str_radix(&signed, radix).ok().map(Token::Int)
}
