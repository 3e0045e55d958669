//! What only Ruby has, and what to do instead.

use crate::error::ShellError;

/// What programs do: loops, conditions, methods.
const PROGRAM: &str = "Write the statements out, one after the other; a program that makes them, such as a loop of your system's \
                       shell, may send them to finback shell -n";
/// What takes other text in.
const SOURCES: &str = "A script is run as finback shell SCRIPT; several are put together with cat";
const JAVA: &str = "Where a command takes a class of Java, its name stands in quotes; filters are written in HBase's filter \
                    language, as in FILTER => \"ColumnPaginationFilter(1, 0)\"";
const PRINTING: &str = "Commands print what they find, and a value that stands alone is printed, too";
const ARITHMETIC: &str = "Write the result: numbers and strings are taken as they stand";
const REGEX: &str = "Write the expression in quotes";
const ANSWERS: &str = "What a command gives back can be named and handed to another one: splits = get_splits 't1', then \
                       create 't2', 'f', SPLITS => splits";
const SHELL: &str = "Use finback shell in a script of your system's shell";

/// Words of Ruby that begin or continue what is no command.
const WORDS: &[(&str, &str)] = &[
    ("alias", PROGRAM),
    ("and", PROGRAM),
    ("begin", PROGRAM),
    ("case", PROGRAM),
    ("class", PROGRAM),
    ("def", PROGRAM),
    ("do", PROGRAM),
    ("each", PROGRAM),
    ("else", PROGRAM),
    ("elsif", PROGRAM),
    ("end", PROGRAM),
    ("ensure", PROGRAM),
    ("eval", PROGRAM),
    ("for", PROGRAM),
    ("if", PROGRAM),
    ("import", JAVA),
    ("include", JAVA),
    ("include_class", JAVA),
    ("java_import", JAVA),
    ("lambda", PROGRAM),
    ("load", SOURCES),
    ("loop", PROGRAM),
    ("module", PROGRAM),
    ("not", PROGRAM),
    ("or", PROGRAM),
    ("p", PRINTING),
    ("print", PRINTING),
    ("printf", PRINTING),
    ("proc", PROGRAM),
    ("puts", PRINTING),
    ("raise", PROGRAM),
    ("require", SOURCES),
    ("require_relative", SOURCES),
    ("rescue", PROGRAM),
    ("return", PROGRAM),
    ("self", PROGRAM),
    ("sleep", SHELL),
    ("system", SHELL),
    ("unless", PROGRAM),
    ("until", PROGRAM),
    ("when", PROGRAM),
    ("while", PROGRAM),
    ("yield", PROGRAM),
];

/// Whether the word may begin or continue what takes several lines.
pub(super) fn is_of_a_program(word: &[u8]) -> bool {
    WORDS.iter().any(|(known, instead)| known.as_bytes() == word && *instead == PROGRAM)
}

/// What was found.
pub(super) enum Construct<'a> {
    /// `#{…}`
    Interpolation,
    /// `"\C-a"`
    ControlEscape,
    /// What is done with values: `+`, `==`, `..`
    Operator,
    /// `/…/`
    Regex,
    /// `$x`, `@x`
    Variable,
    /// `%w[…]`
    Percent,
    /// Commands of the system, in backquotes.
    System,
    /// `{ |x| … }`, `do |x|`
    Block,
    /// A class or a package of Java, or a method of one.
    Class(&'a str),
    /// A method of what a command gives back, or of a literal.
    Method,
    /// One of [`WORDS`]
    Word(&'a str, &'static str),
}

/// The word, if it is one of Ruby's.
pub(super) fn word(word: &str) -> Option<Construct<'_>> {
    let (_, instead) = WORDS.iter().find(|(known, _)| *known == word)?;
    Some(Construct::Word(word, instead))
}

impl Construct<'_> {
    /// What is told of it, as something that was found at the start of a text.
    pub(super) fn refused(&self) -> ShellError {
        let (construct, instead) = match self {
            Self::Interpolation => ("expressions in strings (#{…})".to_owned(), ARITHMETIC),
            Self::ControlEscape => {
                ("control and meta escapes in strings".to_owned(), "Write the byte in hexadecimal, as \\x01")
            }
            Self::Operator => ("operators and ranges".to_owned(), ARITHMETIC),
            Self::Regex => ("literals of regular expressions".to_owned(), REGEX),
            Self::Variable => {
                ("variables of this kind".to_owned(), "A plain name will do: t = get_table 't1'")
            }
            Self::Percent => {
                ("% literals and operators".to_owned(), "Write arrays with brackets, and strings in quotes")
            }
            Self::System => ("commands of the system".to_owned(), SHELL),
            Self::Block => ("blocks".to_owned(), PROGRAM),
            Self::Class(name) => (format!("classes, and methods of them ({name})"), JAVA),
            Self::Method => ("methods of values".to_owned(), ANSWERS),
            Self::Word(word, instead) => (format!("{word:?}"), *instead),
        };
        ShellError::NotRuby { line: 1, column: 1, construct, instead }
    }
}
