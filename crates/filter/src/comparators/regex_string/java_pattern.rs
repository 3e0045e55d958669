//! From Java's pattern syntax to that of the `regex-syntax` and `fancy-regex` crates.
//!
//! They agree in groups, alternatives and quantifiers, the latter also in look-around, back-references, atomic groups and
//! possessive quantifiers. They differ in flags, quoting, line ends, and in what classes mean beyond ASCII; all that is
//! worked out here, so that the result carries no flags. What Java has and cannot be expressed is refused.

use super::{java_class, line_ends};
use std::fmt::Write;

const CASE_INSENSITIVE: i32 = 2;
const COMMENTS: i32 = 4;
const MULTILINE: i32 = 8;
const LITERAL: i32 = 16;
const DOTALL: i32 = 32;
const UNIX_LINES: i32 = 1;
const UNICODE_CASE: i32 = 64;
const UNICODE_CHARACTER_CLASS: i32 = 256;

/// Deepest nesting of groups and classes; the engine has a limit of its own below the stack's.
const MAX_NESTING: usize = 60;
/// Most classes that stand for a part of Unicode: one of three letters (`\pL`) is kilobytes before it is compiled, and more
/// than these are too large when they are.
const MAX_UNICODE_CLASSES: usize = 1_000;

/// Which engine a pattern is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Engine {
    /// `regex-automata`, with [`line_ends`]. What only backtracking can do is written as a plain group or quantifier that
    /// is as large: the result then says how large the pattern is, not what it finds.
    Linear,
    /// `fancy-regex`.
    Backtracking,
}

/// A pattern as an engine takes it.
pub(super) struct Translated {
    pub(super) text: String,
    /// How many look-arounds, atomic groups, possessive quantifiers and back-references there are: what only backtracking
    /// can do.
    pub(super) backtracking: usize,
    /// How many ends and beginnings of lines there are.
    pub(super) line_ends: usize,
}

/// The flags that matter at some place of a pattern.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flags(i32);

impl Flags {
    fn has(self, flag: i32) -> bool {
        self.0 & flag != 0
    }

    /// Letters match in either case, those of ASCII only.
    pub(super) fn folds_ascii(self) -> bool {
        self.has(CASE_INSENSITIVE) && !self.has(UNICODE_CASE)
    }

    /// Letters match in either case, whatever their alphabet.
    pub(super) fn folds_unicode(self) -> bool {
        self.has(CASE_INSENSITIVE) && self.has(UNICODE_CASE)
    }

    /// `\w`, `\d` and so on mean Unicode's classes.
    pub(super) fn unicode_classes(self) -> bool {
        self.has(UNICODE_CHARACTER_CLASS)
    }

    /// White space and comments in the pattern do not count.
    pub(super) fn comments(self) -> bool {
        self.has(COMMENTS)
    }
}

/// Translates `pattern`, or says why not.
pub(super) fn translate(pattern: &str, flags: i32, engine: Engine) -> Result<Translated, String> {
    let mut out = String::with_capacity(pattern.len() * 2);
    let flags = Flags(flags);
    if flags.has(LITERAL) {
        pattern.chars().for_each(|c| push_literal(&mut out, c, flags));
        return Ok(Translated { text: out, backtracking: 0, line_ends: 0 });
    }
    let chars: Vec<char> = pattern.chars().collect();
    let mut translator = Translator {
        chars: &chars,
        at: 0,
        flags,
        out,
        engine,
        groups: 0,
        open: Vec::new(),
        quantified: false,
        backtracking: 0,
        line_ends: 0,
        unicode_classes: 0,
    };
    while translator.at < chars.len() {
        translator.step()?;
    }
    if !translator.open.is_empty() {
        return Err("Unclosed group".into());
    }
    Ok(Translated {
        text: translator.out,
        backtracking: translator.backtracking,
        line_ends: translator.line_ends,
    })
}

/// Appends a character that stands for itself.
pub(super) fn push_literal(out: &mut String, c: char, flags: Flags) {
    if flags.folds_ascii() && c.is_ascii_alphabetic() {
        let _ = write!(out, "[{}{}]", c.to_ascii_lowercase(), c.to_ascii_uppercase());
    } else if flags.folds_unicode() && c.is_alphabetic() {
        let _ = write!(out, "(?i:{c})");
    } else if c.is_alphanumeric() || c == '_' {
        out.push(c);
    } else {
        let _ = write!(out, "\\x{{{:x}}}", u32::from(c));
    }
}

/// A cursor over the pattern, and what was made of it so far.
pub(super) struct Translator<'p> {
    pub(super) chars: &'p [char],
    pub(super) at: usize,
    pub(super) flags: Flags,
    pub(super) out: String,
    engine: Engine,
    /// Capturing groups begun so far.
    groups: usize,
    /// Flags to return to at the end of each open group.
    open: Vec<Flags>,
    /// Whether a quantifier came last.
    quantified: bool,
    backtracking: usize,
    line_ends: usize,
    unicode_classes: usize,
}

impl Translator<'_> {
    pub(super) fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(super) fn next(&mut self) -> Result<char, String> {
        let c = self.peek(0).ok_or("Unexpected end of pattern")?;
        self.at += 1;
        Ok(c)
    }

    /// Counts a class that stands for a part of Unicode.
    pub(super) fn count_unicode_class(&mut self) -> Result<(), String> {
        self.unicode_classes += 1;
        if self.unicode_classes > MAX_UNICODE_CLASSES {
            return Err(format!("more than {MAX_UNICODE_CLASSES} classes of Unicode"));
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), String> {
        let c = self.next()?;
        if self.flags.comments() && (c == '#' || is_pattern_space(c)) {
            if c == '#' {
                self.skip_comment();
            }
            return Ok(());
        }
        let quantified = std::mem::take(&mut self.quantified);
        match c {
            '\\' => self.escape()?,
            '[' => java_class::translate(self, MAX_NESTING)?,
            '(' => self.group()?,
            ')' => {
                self.flags = self.open.pop().ok_or("Unmatched closing ')'")?;
                self.out.push(')');
            }
            '.' => self.out.push_str(match (self.flags.has(DOTALL), self.flags.has(UNIX_LINES)) {
                (true, _) => r"(?s:.)",
                (false, true) => r"[^\n]",
                (false, false) => r"[^\n\r\x{85}\x{2028}\x{2029}]",
            }),
            '^' if self.flags.has(MULTILINE) => self.push_line_start(),
            '^' => self.out.push_str(r"\A"),
            '$' => self.push_end(self.flags.has(MULTILINE)),
            '*' | '+' | '?' if quantified => return Err(dangling(c)),
            '*' | '+' | '?' => self.quantifier(c.into())?,
            '{' => {
                if quantified {
                    // Java's second count is one of nothing.
                    self.out.push_str("(?:)");
                }
                self.counted_quantifier()?;
            }
            '|' => self.out.push('|'),
            c => push_literal(&mut self.out, c, self.flags),
        }
        Ok(())
    }

    /// Skips what means nothing under the flag COMMENTS.
    fn skip_blanks(&mut self) {
        while self.flags.comments()
            && let Some(c) = self.peek(0).filter(|&c| c == '#' || is_pattern_space(c))
        {
            self.at += 1;
            if c == '#' {
                self.skip_comment();
            }
        }
    }

    fn skip_comment(&mut self) {
        let ends = |c| matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
        while self.peek(0).is_some_and(|c| !ends(c)) {
            self.at += 1;
        }
    }

    /// `^` with MULTILINE: at the beginning of any line, but not at the end of the text.
    fn push_line_start(&mut self) {
        self.line_ends += 1;
        self.out.push_str(match (self.engine, self.flags.has(UNIX_LINES)) {
            (Engine::Linear, true) => line_ends::AFTER_LF,
            (Engine::Linear, false) => line_ends::AFTER_ANY,
            (Engine::Backtracking, true) => r"(?:(?:\A|(?<=\n))(?!\z))",
            (Engine::Backtracking, false) => {
                r"(?:(?:\A|(?<=[\n\x{85}\x{2028}\x{2029}])|(?<=\r)(?!\n))(?!\z))"
            }
        });
    }

    /// `$` and `\Z`: also before a line end that ends the text; with MULTILINE, before any line end.
    fn push_end(&mut self, multiline: bool) {
        self.line_ends += 1;
        self.out.push_str(match (self.engine, multiline, self.flags.has(UNIX_LINES)) {
            (Engine::Linear, false, true) => line_ends::BEFORE_LAST_LF,
            (Engine::Linear, false, false) => line_ends::BEFORE_LAST,
            (Engine::Linear, true, true) => line_ends::BEFORE_LF,
            (Engine::Linear, true, false) => line_ends::BEFORE_ANY,
            (Engine::Backtracking, false, true) => r"(?=\n?\z)",
            (Engine::Backtracking, false, false) => {
                r"(?:\z|(?=(?:\r\n|[\r\x{85}\x{2028}\x{2029}])\z)|(?<!\r)(?=\n\z))"
            }
            (Engine::Backtracking, true, true) => r"(?:\z|(?=\n))",
            (Engine::Backtracking, true, false) => r"(?:\z|(?=[\r\x{85}\x{2028}\x{2029}])|(?<!\r)(?=\n))",
        });
    }

    /// `\R`: since Java 9 it may take the first half of CR LF, but not where it is repeated.
    fn push_any_line_end(&mut self) {
        const ANY: &str = r"\r\n|[\n\x0b\f\r\x{85}\x{2028}\x{2029}])";
        match self.peek(0) {
            Some('*' | '+' | '?' | '{') => self.push_backtracking("(?>", "(?:"),
            _ => self.out.push_str("(?:"),
        }
        self.out.push_str(ANY);
    }

    fn quantifier(&mut self, text: String) -> Result<(), String> {
        if !self.follows_atom() {
            return Err(dangling(&text));
        }
        self.quantified = true;
        self.out.push_str(&text);
        self.skip_blanks();
        match self.peek(0) {
            Some('?') => {
                self.at += 1;
                self.out.push('?');
            }
            Some('+') => {
                self.at += 1;
                self.push_backtracking("+", "");
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether there is something to repeat: not the beginning of a group or alternative.
    fn follows_atom(&self) -> bool {
        !self.out.is_empty() && !self.out.ends_with('|') && !self.ends_with_open_group()
    }

    fn ends_with_open_group(&self) -> bool {
        ["(", "(?:", "(?>", "(?=", "(?!", "(?<=", "(?<!"].iter().any(|open| self.out.ends_with(open))
            || (self.out.ends_with('>')
                && self.out.rfind("(?<").is_some_and(|at| !self.out[at..].contains(')')))
    }

    fn counted_quantifier(&mut self) -> Result<(), String> {
        let start = self.at;
        while self.peek(0).is_some_and(|c| c.is_ascii_digit() || c == ',') {
            self.at += 1;
        }
        let counts: String = self.chars[start..self.at].iter().collect();
        let well_formed = match counts.split_once(',') {
            None => is_count(&counts),
            Some((low, high)) => is_count(low) && (high.is_empty() || is_count(high)),
        };
        if !well_formed || self.peek(0) != Some('}') {
            return Err("Illegal repetition".into());
        }
        self.at += 1;
        self.quantifier(format!("{{{counts}}}"))
    }

    /// Appends what only backtracking can do; for the linear engine, what is as large.
    fn push_backtracking(&mut self, text: &str, outline: &str) {
        self.backtracking += 1;
        self.out.push_str(if self.engine == Engine::Linear { outline } else { text });
    }

    fn group(&mut self) -> Result<(), String> {
        if self.open.len() == MAX_NESTING {
            return Err(format!("groups nested deeper than {MAX_NESTING}"));
        }
        if self.peek(0) != Some('?') {
            self.groups += 1;
            return self.begin_group("(");
        }
        self.at += 1;
        match self.next()? {
            ':' => self.begin_group("(?:"),
            '>' => self.begin_backtracking_group("(?>"),
            '=' => self.begin_backtracking_group("(?="),
            '!' => self.begin_backtracking_group("(?!"),
            '<' => match self.peek(0) {
                Some('=') => self.begin_look_behind("(?<="),
                Some('!') => self.begin_look_behind("(?<!"),
                _ => {
                    self.groups += 1;
                    let name = self.name('>')?;
                    self.begin_group(&format!("(?<{name}>"))
                }
            },
            _ => {
                self.at -= 1;
                self.inline_flags()
            }
        }
    }

    fn begin_look_behind(&mut self, open: &str) -> Result<(), String> {
        self.at += 1;
        self.begin_backtracking_group(open)
    }

    fn begin_backtracking_group(&mut self, open: &str) -> Result<(), String> {
        self.open.push(self.flags);
        self.push_backtracking(open, "(?:");
        Ok(())
    }

    fn begin_group(&mut self, open: &str) -> Result<(), String> {
        self.open.push(self.flags);
        self.out.push_str(open);
        Ok(())
    }

    fn name(&mut self, end: char) -> Result<String, String> {
        let mut name = String::new();
        loop {
            match self.next()? {
                c if c == end && !name.is_empty() => return Ok(name),
                c if c.is_ascii_alphabetic() || (c.is_ascii_digit() && !name.is_empty()) => name.push(c),
                _ => return Err("named capturing group has no valid name".into()),
            }
        }
    }

    /// `(?i)` to the end of the group around it, or `(?i:...)`.
    fn inline_flags(&mut self) -> Result<(), String> {
        let outer = self.flags;
        let mut on = true;
        loop {
            let flag = match self.next()? {
                '-' => {
                    on = false;
                    continue;
                }
                ')' => return Ok(()),
                ':' => {
                    self.open.push(outer);
                    self.out.push_str("(?:");
                    return Ok(());
                }
                'i' => CASE_INSENSITIVE,
                'd' => UNIX_LINES,
                'm' => MULTILINE,
                's' => DOTALL,
                'u' => UNICODE_CASE,
                'x' => COMMENTS,
                'U' => UNICODE_CHARACTER_CLASS | UNICODE_CASE,
                other => return Err(format!("Unknown inline modifier '{other}'")),
            };
            self.flags = Flags(if on { self.flags.0 | flag } else { self.flags.0 & !flag });
        }
    }

    fn escape(&mut self) -> Result<(), String> {
        let c = self.next()?;
        match c {
            'Q' => self.quoted(),
            'E' => {}
            '1'..='9' => self.back_reference(c)?,
            'k' => {
                if self.next()? != '<' {
                    return Err("\\k is not followed by '<' for named capturing group".into());
                }
                let name = self.name('>')?;
                self.push_back_reference(&format!("\\k<{name}>"));
            }
            'A' | 'G' => self.out.push_str(r"\A"),
            'z' => self.out.push_str(r"\z"),
            'Z' => self.push_end(false),
            'b' | 'B' => {
                if self.peek(0) == Some('{') {
                    return Err("grapheme boundaries are not supported".into());
                }
                self.out.push('\\');
                self.out.push(c);
            }
            'R' => self.push_any_line_end(),
            'X' => return Err("grapheme clusters are not supported".into()),
            _ => {
                if let Some(class) = java_class::predefined(self, c)? {
                    self.out.push_str(&class);
                } else {
                    let literal = self.escaped_char(c)?;
                    push_literal(&mut self.out, literal, self.flags);
                }
            }
        }
        Ok(())
    }

    fn quoted(&mut self) {
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == '\\' && self.peek(0) == Some('E') {
                self.at += 1;
                return;
            }
            push_literal(&mut self.out, c, self.flags);
        }
    }

    /// Java takes as many digits as there are groups so far.
    fn back_reference(&mut self, first: char) -> Result<(), String> {
        let mut number = first.to_digit(10).unwrap_or(0) as usize;
        while let Some(digit) = self.peek(0).and_then(|c| c.to_digit(10)) {
            let longer = number * 10 + digit as usize;
            if longer > self.groups {
                break;
            }
            number = longer;
            self.at += 1;
        }
        self.push_back_reference(&format!("\\{number}"));
        Ok(())
    }

    fn push_back_reference(&mut self, reference: &str) {
        let fold = self.flags.folds_ascii() || self.flags.folds_unicode();
        self.push_backtracking(&format!("(?{}:{reference})", if fold { "i" } else { "" }), "(?:)");
    }

    /// The character of an escape that stands for one, its first character consumed.
    pub(super) fn escaped_char(&mut self, c: char) -> Result<char, String> {
        let invalid = |code: u32| char::from_u32(code).ok_or(format!("no character U+{code:X}"));
        Ok(match c {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\u{c}',
            'a' => '\u{7}',
            'e' => '\u{1b}',
            'c' => invalid(u32::from(self.next()?) ^ 64)?,
            '0' => invalid(self.octal()?)?,
            'x' if self.peek(0) == Some('{') => {
                self.at += 1;
                let start = self.at;
                while self.next()? != '}' {}
                let digits: String = self.chars[start..self.at - 1].iter().collect();
                invalid(u32::from_str_radix(&digits, 16).map_err(|_| "Illegal hexadecimal escape sequence")?)?
            }
            'x' => invalid(self.hex(2)?)?,
            'u' => self.utf16_escape()?,
            c if c.is_ascii_alphabetic() => return Err(format!("Illegal/unsupported escape sequence \\{c}")),
            c => c,
        })
    }

    fn hex(&mut self, digits: usize) -> Result<u32, String> {
        (0..digits).try_fold(0, |code, _| {
            let digit = self.next()?.to_digit(16).ok_or("Illegal hexadecimal escape sequence")?;
            Ok(code << 4 | digit)
        })
    }

    fn octal(&mut self) -> Result<u32, String> {
        let first = self.next()?.to_digit(8).ok_or("Illegal octal escape sequence")?;
        let mut code = first;
        for place in 1..3 {
            let Some(digit) = self.peek(0).and_then(|c| c.to_digit(8)) else { break };
            if place == 2 && first > 3 {
                break;
            }
            code = code << 3 | digit;
            self.at += 1;
        }
        Ok(code)
    }

    fn utf16_escape(&mut self) -> Result<char, String> {
        let high = self.hex(4)?;
        let mut code = high;
        if (0xd800..0xdc00).contains(&high) && self.peek(0) == Some('\\') && self.peek(1) == Some('u') {
            self.at += 2;
            let low = self.hex(4)?;
            code = 0x10000 + ((high - 0xd800) << 10) + low.wrapping_sub(0xdc00) % 0x400;
        }
        char::from_u32(code).ok_or(format!("no character U+{code:X}"))
    }
}

fn dangling(quantifier: impl std::fmt::Display) -> String {
    format!("Dangling meta character '{quantifier}'")
}

fn is_count(text: &str) -> bool {
    !text.is_empty() && text.parse::<u32>().is_ok_and(|count| count <= i32::MAX as u32)
}

pub(super) fn is_pattern_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r')
}
