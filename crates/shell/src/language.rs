//! The shell's language: commands with literal values, as HBase's shell reads them, without the rest of Ruby.
//!
//! A statement is `command argument, argument`, or `command(argument, …)`; it ends with the line or with `;`, and goes on in the
//! next line after a comma, within brackets, and behind a backslash. What `create` and `get_table` give back may be named
//! (`t = get_table 't1'`) and used (`t.put 'r', 'f:q', 'v'`), and so may literals.

mod constants;
mod lexer;
mod parser;
mod ruby;
mod strings;
mod whole;

pub(crate) use constants::CONSTANTS;

use crate::error::{Result, ShellError};
use crate::value::Value;

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// The variable that its value is given to.
    pub assigns: Option<String>,
    /// What is done.
    pub action: Action,
    /// Line and column where it begins, from 1.
    pub place: (usize, usize),
}

/// What a statement does.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Gives back a value.
    Value(Argument),
    /// Runs a command.
    Command {
        /// The variable that names the table which the command is for: `t` of `t.scan`.
        table: Option<String>,
        /// Its name; nothing is known yet about whether there is one.
        name: String,
        /// With hash entries without braces in one hash.
        arguments: Vec<Argument>,
    },
}

/// A value as it is written.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A literal or a constant.
    Literal(Value),
    /// A variable.
    Variable(String),
    /// `[…]`
    Array(Vec<Argument>),
    /// `{… => …}`
    Hash(Vec<(Argument, Argument)>),
}

/// Reads statements.
///
/// # Errors
/// [`ShellError::Syntax`], [`ShellError::NotRuby`]; [`ShellError::Incomplete`] if more lines may make it a statement.
pub fn parse(text: &[u8]) -> Result<Vec<Statement>> {
    parser::statements(text, &lexer::tokens(text)?)
}

/// Whether what follows in a script may be run behind a text that needs Ruby, and is not run.
pub(crate) fn is_whole(text: &[u8]) -> bool {
    whole::is_whole(text)
}

fn syntax(text: &[u8], at: usize, problem: String) -> ShellError {
    let (line, column) = place(text, at);
    ShellError::Syntax { line, column, problem }
}

/// What was found at this byte of the text.
fn at(text: &[u8], at: usize, mut error: ShellError) -> ShellError {
    if let ShellError::NotRuby { line, column, .. } = &mut error {
        (*line, *column) = place(text, at);
    }
    error
}

/// Line and column of a byte, from 1.
fn place(text: &[u8], at: usize) -> (usize, usize) {
    let before = &text[..at.min(text.len())];
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    (line, before.len() - line_start + 1)
}

/// A method is asked of what is no table, where the statement begins.
pub(crate) fn method_of_a_value((line, column): (usize, usize)) -> ShellError {
    match ruby::Construct::Method.refused() {
        ShellError::NotRuby { construct, instead, .. } => {
            ShellError::NotRuby { line, column, construct, instead }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests;
