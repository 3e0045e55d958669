//! Text in columns of a terminal.

use std::fmt::Write;

/// Columns of a terminal that help text fits in.
pub(crate) const TERMINAL_COLUMNS: usize = 80;

/// Appends words, broken into lines that begin behind so many spaces. `column` says where the first word goes: the
/// number of columns that are already written of the line.
pub(crate) fn wrap(to: &mut String, text: &str, indent: usize, mut column: usize) {
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if column > indent && column + 1 + width > TERMINAL_COLUMNS {
            to.push('\n');
            column = 0;
        }
        if column < indent {
            let _ = write!(to, "{}", " ".repeat(indent - column));
            column = indent;
        } else if column > indent {
            to.push(' ');
            column += 1;
        }
        to.push_str(word);
        column += width;
    }
    to.push('\n');
}

/// Wraps each paragraph; those that begin with a space stay as they are.
pub(crate) fn wrap_paragraphs(to: &mut String, text: &str) {
    for (number, paragraph) in text.trim_matches('\n').split("\n\n").enumerate() {
        if number > 0 {
            to.push('\n');
        }
        if paragraph.starts_with(' ') {
            to.push_str(paragraph);
            to.push('\n');
        } else {
            wrap(to, paragraph, 0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_before_the_edge_and_begin_behind_the_indent() {
        let mut text = String::from("  -x");
        wrap(&mut text, &"word ".repeat(30), 8, 4);
        assert!(text.starts_with("  -x    word word"), "{text}");
        assert!(text.lines().all(|line| line.len() <= TERMINAL_COLUMNS && line.len() > 8));
        assert!(text.lines().skip(1).all(|line| line.starts_with("        word")));
        assert_eq!(text.matches("word").count(), 30);
        let mut text = String::new();
        wrap(&mut text, &"x".repeat(200), 2, 0);
        assert_eq!(text, format!("  {}\n", "x".repeat(200)));
    }

    #[test]
    fn paragraphs_are_wrapped_and_what_is_indented_stays() {
        let mut text = String::new();
        wrap_paragraphs(&mut text, "\na\nb\n\n  as  it\n  is\n\nc\n");
        assert_eq!(text, "a b\n\n  as  it\n  is\n\nc\n");
    }
}
