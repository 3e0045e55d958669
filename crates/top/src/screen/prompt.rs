//! What is asked in the message line.

use super::line_editor::LineEditor;

/// A question.
#[derive(Debug)]
pub(crate) struct Prompt {
    pub(crate) question: Question,
    pub(crate) line: LineEditor,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Question {
    /// The time between two looks.
    Delay,
    /// A filter.
    Filter { ignores_case: bool },
    /// What to search, and what was searched before.
    Search { before: String },
}

impl Prompt {
    pub(crate) fn new(question: Question, history: Vec<String>) -> Self {
        Self { question, line: LineEditor::new(history) }
    }

    /// What stands before the line, in few letters if it `is_short`.
    pub(crate) fn label(&self, delay_s: f64, filters: usize, is_short: bool) -> String {
        match &self.question {
            Question::Delay if is_short => "delay: ".to_owned(),
            Question::Filter { .. } if is_short => "filter: ".to_owned(),
            Question::Delay => format!("Change refresh delay from {delay_s} to: "),
            Question::Filter { ignores_case } => {
                let case = if *ignores_case { "ignoring case" } else { "case sensitive" };
                format!("add filter #{} ({case}) as: [!]FLD?VAL: ", filters + 1)
            }
            Question::Search { .. } => "/".to_owned(),
        }
    }
}
