//! Character classes: `[...]`, `\w`, `\p{...}`.

use super::java_pattern::{Flags, Translator, is_pattern_space};
use std::fmt::Write;

/// Translates a class; the opening bracket is consumed.
pub(super) fn translate(t: &mut Translator<'_>, nesting_left: usize) -> Result<(), String> {
    if nesting_left == 0 {
        return Err("classes nested too deep".into());
    }
    t.out.push('[');
    if t.peek(0) == Some('^') {
        t.at += 1;
        t.out.push('^');
    }
    let mut empty = true;
    loop {
        let c = t.next().map_err(|_| "Unclosed character class")?;
        match c {
            c if t.flags.comments() && is_pattern_space(c) => continue,
            ']' if !empty => break,
            '[' => translate(t, nesting_left - 1)?,
            '&' if t.peek(0) == Some('&') => {
                while t.peek(0) == Some('&') {
                    t.at += 1;
                }
                // A trailing intersection sign intersects with nothing said, which changes nothing.
                if t.peek(0) != Some(']') {
                    t.out.push_str("&&");
                }
            }
            '\\' => escape(t)?,
            c => range(t, c)?,
        }
        empty = false;
    }
    t.out.push(']');
    Ok(())
}

fn escape(t: &mut Translator<'_>) -> Result<(), String> {
    let c = t.next()?;
    match c {
        'Q' => {
            while let Some(c) = t.peek(0) {
                t.at += 1;
                if c == '\\' && t.peek(0) == Some('E') {
                    t.at += 1;
                    break;
                }
                push_range(&mut t.out, c, c, t.flags);
            }
            Ok(())
        }
        'E' => Ok(()),
        _ => {
            if let Some(class) = predefined(t, c)? {
                t.out.push_str(&class);
                return Ok(());
            }
            let first = t.escaped_char(c)?;
            range(t, first)
        }
    }
}

/// A character, or the range that it begins.
fn range(t: &mut Translator<'_>, first: char) -> Result<(), String> {
    let opens_range = t.peek(0) == Some('-') && t.peek(1).is_some_and(|c| c != ']' && c != '[');
    let mut last = first;
    if opens_range {
        t.at += 1;
        last = t.next()?;
        if last == '\\' {
            let c = t.next()?;
            last = t.escaped_char(c)?;
        }
        if last < first {
            return Err("Illegal character range".into());
        }
    }
    push_range(&mut t.out, first, last, t.flags);
    Ok(())
}

fn push_range(out: &mut String, first: char, last: char, flags: Flags) {
    let _ = write!(out, "\\x{{{:x}}}-\\x{{{:x}}}", u32::from(first), u32::from(last));
    if flags.folds_ascii() {
        push_other_case(out, first, last, 'a', 'z');
        push_other_case(out, first, last, 'A', 'Z');
    } else if flags.folds_unicode() {
        // Only ends of ranges are folded beyond ASCII, and ASCII throughout.
        push_other_case(out, first, last, 'a', 'z');
        push_other_case(out, first, last, 'A', 'Z');
        for c in first
            .to_lowercase()
            .chain(first.to_uppercase())
            .chain(last.to_lowercase())
            .chain(last.to_uppercase())
        {
            let _ = write!(out, "\\x{{{:x}}}", u32::from(c));
        }
    }
}

/// The letters of `first..=last` that lie between `low` and `high`, in their other case.
fn push_other_case(out: &mut String, first: char, last: char, low: char, high: char) {
    let (from, to) = (first.max(low), last.min(high));
    if from <= to {
        let (from, to) = (u32::from(from) ^ 0x20, u32::from(to) ^ 0x20);
        let _ = write!(out, "\\x{{{from:x}}}-\\x{{{to:x}}}");
    }
}

/// The class of an escape that stands for one, its first character consumed; `None` if it stands for none.
pub(super) fn predefined(t: &mut Translator<'_>, c: char) -> Result<Option<String>, String> {
    let unicode = t.flags.unicode_classes();
    if unicode && matches!(c, 'd' | 'w' | 's' | 'D' | 'W' | 'S') {
        t.count_unicode_class()?;
    }
    let members = match c.to_ascii_lowercase() {
        'd' if unicode => r"\d",
        'w' if unicode => r"\w",
        's' if unicode => r"\s",
        'd' => "0-9",
        'w' => "a-zA-Z_0-9",
        's' => r"\t-\r\x20",
        'h' if c == 'h' || c == 'H' => {
            r"\x20\t\x{a0}\x{1680}\x{180e}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}"
        }
        'v' => r"\n-\r\x{85}\x{2028}\x{2029}",
        'p' => return property(t, c == 'P').map(Some),
        _ => return Ok(None),
    };
    Ok(Some(class(members, c.is_ascii_uppercase())))
}

/// `Character.isWhitespace`: separators that may be broken at, and what ASCII has for it.
const JAVA_WHITESPACE: &str =
    r"\t-\r\x{1c}-\x20\x{1680}\x{2000}-\x{2006}\x{2008}-\x{200a}\x{2028}\x{2029}\x{205f}\x{3000}";

fn class(members: &str, negated: bool) -> String {
    format!("[{}{members}]", if negated { "^" } else { "" })
}

fn property(t: &mut Translator<'_>, negated: bool) -> Result<String, String> {
    let mut name = String::new();
    match t.next()? {
        '{' => loop {
            match t.next()? {
                '}' => break,
                c => name.push(c),
            }
        },
        c => name.push(c),
    }
    let unicode = t.flags.unicode_classes();
    let ascii = match name.as_str() {
        "Lower" | "Upper" if t.flags.folds_ascii() || t.flags.folds_unicode() => "a-zA-Z",
        "Lower" => "a-z",
        "Upper" => "A-Z",
        "ASCII" => r"\x00-\x7f",
        "Alpha" => "a-zA-Z",
        "Digit" => "0-9",
        "Alnum" => "a-zA-Z0-9",
        "Punct" => r"!-/:-@\[-`{-~",
        "Graph" => "!-~",
        "Print" => r"\x20-\x7e",
        "Blank" => r"\x20\t",
        "Cntrl" => r"\x00-\x1f\x7f",
        "XDigit" => "0-9a-fA-F",
        "Space" => r"\t-\r\x20",
        _ => "",
    };
    if !ascii.is_empty() && !unicode {
        return Ok(class(ascii, negated));
    }
    t.count_unicode_class()?;
    let general = match name.as_str() {
        "javaLowerCase" | "Lower" => "Lowercase",
        "javaUpperCase" | "Upper" => "Uppercase",
        "javaWhitespace" => return Ok(class(JAVA_WHITESPACE, negated)),
        "javaLetterOrDigit" => return Ok(class(r"\p{L}\p{Nd}", negated)),
        "Space" => "White_Space",
        "javaAlphabetic" | "Alpha" => "Alphabetic",
        "javaLetter" => "L",
        "javaTitleCase" => "Lt",
        "javaSpaceChar" => "Z",
        "javaISOControl" => "Cc",
        "javaIdeographic" => "Ideographic",
        "javaDigit" | "Digit" => "Nd",
        "Punct" => "P",
        "Cntrl" => "Cc",
        "XDigit" => "Hex_Digit",
        other if !ascii.is_empty() => {
            return Ok(class(&format!("[:{}:]", other.to_ascii_lowercase()), negated));
        }
        other if other.starts_with("In") => return Err(format!("Unicode blocks are not supported: {other}")),
        other => other.strip_prefix("Is").unwrap_or(other),
    };
    if !general.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '=')) || general.is_empty() {
        return Err(format!("Unknown character property name {{{general}}}"));
    }
    Ok(format!("\\{}{{{general}}}", if negated { 'P' } else { 'p' }))
}
