//! String literals, by Ruby's rules.

use super::ruby::Construct;
use crate::error::{Result, ShellError};

/// Reads the string literal that `text` begins with; its bytes, and how long the literal is.
pub(super) fn read(text: &[u8]) -> Result<(Vec<u8>, usize)> {
    let quote = text[0];
    let mut bytes = Vec::new();
    let mut at = 1;
    loop {
        let byte = *text.get(at).ok_or(ShellError::Incomplete("a string has no end"))?;
        at += 1;
        match byte {
            byte if byte == quote => return Ok((bytes, at)),
            b'\\' => {
                let rest = text.get(at..).filter(|rest| !rest.is_empty());
                let rest = rest.ok_or(ShellError::Incomplete("a string has no end"))?;
                at += if quote == b'\'' { plain_escape(rest, &mut bytes) } else { escape(rest, &mut bytes)? };
            }
            b'#' if quote == b'"' && text.get(at) == Some(&b'{') => {
                return Err(Construct::Interpolation.refused());
            }
            byte => bytes.push(byte),
        }
    }
}

/// In single quotes only the quote and the backslash can be escaped. Gives back how many bytes that takes.
fn plain_escape(rest: &[u8], bytes: &mut Vec<u8>) -> usize {
    match rest[0] {
        escaped @ (b'\'' | b'\\') => {
            bytes.push(escaped);
            1
        }
        _ => {
            bytes.push(b'\\');
            0
        }
    }
}

/// What stands behind a backslash in double quotes. Gives back how many bytes that takes.
fn escape(rest: &[u8], bytes: &mut Vec<u8>) -> Result<usize> {
    let simple = match rest[0] {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'0'..=b'7' => {
            let (value, digits) = digits(rest, 3, 8);
            // "\400" and above: only the last eight bits stay, as Ruby has it.
            bytes.push((value & 0xff) as u8);
            return Ok(digits);
        }
        b'a' => 0x07,
        b'b' => 0x08,
        b'e' => 0x1b,
        b'f' => 0x0c,
        b'v' => 0x0b,
        b's' => b' ',
        b'\n' => return Ok(1),
        b'x' => {
            let (value, digits) = digits(&rest[1..], 2, 16);
            if digits == 0 {
                return Err(ShellError::argument(
                    "invalid hex escape: \\x needs one or two hexadecimal digits",
                ));
            }
            bytes.push(value as u8);
            return Ok(1 + digits);
        }
        b'u' => return unicode(rest, bytes),
        b'M' | b'C' | b'c' => {
            return Err(Construct::ControlEscape.refused());
        }
        other => other,
    };
    bytes.push(simple);
    Ok(1)
}

/// `\u00e9`, `\u{1f40b 41}`
fn unicode(rest: &[u8], bytes: &mut Vec<u8>) -> Result<usize> {
    let invalid =
        || ShellError::argument("invalid Unicode escape: \\u needs four hexadecimal digits, or \\u{…}");
    let mut push = |value: u32| {
        let character = char::from_u32(value).ok_or_else(invalid)?;
        bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Ok::<(), ShellError>(())
    };
    if rest.get(1) != Some(&b'{') {
        let (value, length) = digits(&rest[1..], 4, 16);
        if length < 4 {
            return Err(invalid());
        }
        push(value)?;
        return Ok(5);
    }
    let end = rest.iter().position(|&byte| byte == b'}').ok_or_else(invalid)?;
    let mut found = false;
    for word in rest[2..end].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
        let (value, length) = digits(word, 6, 16);
        if length != word.len() {
            return Err(invalid());
        }
        push(value)?;
        found = true;
    }
    if found { Ok(end + 1) } else { Err(invalid()) }
}

/// The number that at most as many digits make, and how many they are.
fn digits(text: &[u8], at_most: usize, radix: u32) -> (u32, usize) {
    let values = text.iter().take(at_most).map_while(|&byte| char::from(byte).to_digit(radix));
    values.fold((0, 0), |(value, count), digit| (value * radix + digit, count + 1))
}
