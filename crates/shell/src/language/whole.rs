//! Whether a line that is not this shell's language can be the beginning of something longer.

use super::ruby;

/// What a line ends with that goes on in the next.
const GOES_ON: &[u8] = b",\\+-*/%=.&|!?:<>([{";

/// Whether a text of Ruby is a statement of its own, so that what follows it is neither the body of a loop nor of a condition.
/// When in doubt it is not: a word of Ruby's within a string is enough.
pub(super) fn is_whole(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let open = |sign: u8| text.iter().filter(|&&byte| byte == sign).count();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut words = text.split(|byte| !is_word(byte));
    !words.any(ruby::is_of_a_program)
        && [(b'(', b')'), (b'[', b']'), (b'{', b'}')].iter().all(|&(from, to)| open(from) == open(to))
        && !text.last().is_some_and(|last| GOES_ON.contains(last))
        && !text.windows(2).any(|two| two == b"<<")
        // A comment, or the end of the program.
        && !text.starts_with(b"=")
        && !text.starts_with(b"__")
}
