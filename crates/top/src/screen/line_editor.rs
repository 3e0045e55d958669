//! A line that somebody types.

use crate::layout::is_printable;
use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Letters of a line: no filter or name is longer.
const MOST_LETTERS: usize = 1000;

/// What is typed, and what was typed before.
#[derive(Debug, Default)]
pub(crate) struct LineEditor {
    letters: Vec<char>,
    cursor: usize,
    history: Vec<String>,
    /// The line of the history that is shown; its length for a new one.
    at: usize,
}

impl LineEditor {
    pub(crate) fn new(history: Vec<String>) -> Self {
        Self { at: history.len(), history, ..Self::default() }
    }

    pub(crate) fn text(&self) -> String {
        self.letters.iter().collect()
    }

    /// What stands before the cursor.
    pub(crate) fn before_cursor(&self) -> String {
        self.letters[..self.cursor].iter().collect()
    }

    pub(crate) fn insert(&mut self, letter: char) {
        if self.letters.len() < MOST_LETTERS && is_printable(letter) {
            self.letters.insert(self.cursor, letter);
            self.cursor += 1;
        }
    }

    pub(crate) fn press(&mut self, key: KeyEvent) {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('a') if is_control => self.cursor = 0,
            KeyCode::Char('e') if is_control => self.cursor = self.letters.len(),
            KeyCode::Char('u') if is_control => {
                self.letters.drain(..std::mem::take(&mut self.cursor));
            }
            KeyCode::Char('k') if is_control => self.letters.truncate(self.cursor),
            KeyCode::Char(letter) if !is_control => self.insert(letter),
            // Some terminals send ^h for Backspace.
            KeyCode::Backspace | KeyCode::Char('h') if self.cursor > 0 => {
                self.cursor -= 1;
                self.letters.remove(self.cursor);
            }
            KeyCode::Delete if self.cursor < self.letters.len() => {
                self.letters.remove(self.cursor);
            }
            KeyCode::Left => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::Right => self.cursor = (self.cursor + 1).min(self.letters.len()),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.letters.len(),
            KeyCode::Up => self.recall(self.at.saturating_sub(1)),
            KeyCode::Down => self.recall(self.at + 1),
            _ => (),
        }
    }

    fn recall(&mut self, at: usize) {
        if self.history.is_empty() {
            return;
        }
        self.at = at.min(self.history.len());
        self.letters = self.history.get(self.at).map(|line| line.chars().collect()).unwrap_or_default();
        self.cursor = self.letters.len();
    }
}

#[cfg(test)]
mod tests;
