//! Keys and the mouse.

use super::fields_window::FieldsWindow;
use super::help_window::MODE_TITLE_LINES;
use super::prompt::{Prompt, Question};
use super::{Effect, Screen, Window};
use crate::mode::Mode;
use crate::model::Sorting;
use ratatui_core::layout::Position;
use ratatui_crossterm::crossterm::event::{
    KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use std::time::Duration;

/// Two clicks on the same record within this time are a double click.
const DOUBLE_CLICK_MS: u64 = 500;
/// Records that a turn of the wheel moves over.
const WHEEL_STEP: isize = 3;
/// Filters that are kept to be typed again.
const MOST_FILTER_LINES: usize = 100;
/// The delays that somebody can ask for, in seconds.
const DELAYS_S: std::ops::RangeInclusive<f64> = 0.1..=86_400.0;

impl Screen {
    /// A key was pressed.
    pub(crate) fn press(&mut self, key: KeyEvent) -> Effect {
        if key.kind == KeyEventKind::Release {
            return Effect::Nothing;
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            match key.code {
                // A terminal sends the same for ^\ and ^4.
                KeyCode::Char('c' | '\\' | '4') => return Effect::Quit,
                KeyCode::Char('z') => return Effect::Suspend,
                KeyCode::Char('l') => return Effect::Redraw,
                _ => (),
            }
        }
        match &mut self.window {
            Window::Top | Window::Filters => self.press_top(key),
            Window::Prompt(_) => self.press_prompt(key),
            Window::Help { first, .. } => {
                match key.code {
                    KeyCode::Down | KeyCode::Char('j') => *first += 1,
                    KeyCode::Up | KeyCode::Char('k') => *first = first.saturating_sub(1),
                    _ => self.window = Window::Top,
                }
                Effect::Nothing
            }
            Window::Modes { .. } => self.press_modes(key),
            Window::Fields(fields) => {
                if fields.press(key) {
                    self.close_fields();
                }
                Effect::Nothing
            }
        }
    }

    fn press_top(&mut self, key: KeyEvent) -> Effect {
        let had_window = matches!(self.window, Window::Filters) || self.message.is_some();
        self.window = Window::Top;
        self.message = None;
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            match key.code {
                KeyCode::Char('o') => self.window = Window::Filters,
                // Some terminals send it for Backspace.
                KeyCode::Char('h') => self.go_back(),
                _ => (),
            }
            return Effect::Nothing;
        }
        match key.code {
            KeyCode::Char('q') => return Effect::Quit,
            KeyCode::Esc if had_window => (),
            KeyCode::Esc if !self.search.is_empty() => self.search.clear(),
            KeyCode::Esc => return Effect::Quit,
            KeyCode::Char(' ') | KeyCode::Enter => return Effect::Refresh,
            KeyCode::Char(letter) => self.press_letter(letter),
            KeyCode::Backspace => self.go_back(),
            _ => self.press_arrow(key.code),
        }
        Effect::Nothing
    }

    fn press_letter(&mut self, letter: char) {
        match letter {
            'h' | '?' => self.window = Window::Help { first: 0, last: 0 },
            'm' => {
                let at = Mode::ALL.iter().position(|&mode| mode == self.model.mode());
                self.window = Window::Modes { at: at.unwrap_or(0) };
            }
            'f' => {
                let fields = FieldsWindow::new(self.model.columns(), self.model.sorting());
                self.window = Window::Fields(fields);
            }
            'd' => self.ask(Question::Delay),
            'o' => self.ask(Question::Filter { ignores_case: true }),
            'O' => self.ask(Question::Filter { ignores_case: false }),
            '/' => self.ask(Question::Search { before: self.search.clone() }),
            'n' => self.find(false, false),
            'N' => self.find(true, false),
            'R' => {
                self.model.reverse();
                self.selection.follow(self.model.records());
            }
            '<' | '>' => {
                self.model.move_sort_field(letter == '>');
                self.selection.follow(self.model.records());
            }
            '=' => {
                self.model.clear_filters();
                self.is_fitted = false;
                self.selection.follow(self.model.records());
            }
            'X' => self.make_narrow(),
            'i' => self.drill_down(),
            'j' => self.selection.move_by(1, self.model.records()),
            'k' => self.selection.move_by(-1, self.model.records()),
            'g' => self.selection.move_to(0, self.model.records()),
            'G' => self.selection.move_to(usize::MAX, self.model.records()),
            _ => self.message = Some("Unknown command - try 'h' for help".to_owned()),
        }
    }

    fn press_arrow(&mut self, code: KeyCode) {
        let page = isize::try_from(self.selection.page().max(1)).unwrap_or(isize::MAX);
        let last = self.model.shown_fields().len().saturating_sub(1);
        match code {
            KeyCode::Up => self.selection.move_by(-1, self.model.records()),
            KeyCode::Down => self.selection.move_by(1, self.model.records()),
            KeyCode::PageUp => self.selection.move_by(-page, self.model.records()),
            KeyCode::PageDown => self.selection.move_by(page, self.model.records()),
            KeyCode::Left => self.left = self.left.saturating_sub(1),
            KeyCode::Right => self.left = (self.left + 1).min(last),
            KeyCode::Home => self.left = 0,
            KeyCode::End => self.left = last,
            _ => (),
        }
    }

    fn press_modes(&mut self, key: KeyEvent) -> Effect {
        let Window::Modes { at } = &mut self.window else { return Effect::Nothing };
        match key.code {
            KeyCode::Up | KeyCode::Char('k') => *at = at.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => *at = (*at + 1).min(Mode::ALL.len() - 1),
            KeyCode::Enter => {
                let mode = Mode::ALL[*at];
                self.switch_mode(mode);
            }
            KeyCode::Esc | KeyCode::Char('q') => self.window = Window::Top,
            KeyCode::Char(letter) => {
                if let Some(mode) = Mode::of_letter(letter) {
                    self.switch_mode(mode);
                }
            }
            _ => (),
        }
        Effect::Nothing
    }

    fn ask(&mut self, question: Question) {
        let history = match question {
            Question::Filter { .. } => self.filter_history.clone(),
            _ => Vec::new(),
        };
        self.window = Window::Prompt(Prompt::new(question, history));
    }

    fn press_prompt(&mut self, key: KeyEvent) -> Effect {
        let Window::Prompt(prompt) = &mut self.window else { return Effect::Nothing };
        match key.code {
            KeyCode::Enter => {
                let Prompt { question, line } =
                    std::mem::replace(prompt, Prompt::new(Question::Delay, Vec::new()));
                self.window = Window::Top;
                self.answer(question, &line.text());
            }
            KeyCode::Esc => {
                if let Question::Search { before } = &prompt.question {
                    self.search = before.clone();
                }
                self.window = Window::Top;
            }
            _ => {
                prompt.line.press(key);
                self.search_on();
            }
        }
        Effect::Nothing
    }

    /// Text came at once, from the terminal's clipboard: it is typed, where something is typed.
    pub(crate) fn paste(&mut self, text: &str) {
        if let Window::Prompt(prompt) = &mut self.window {
            text.chars().for_each(|letter| prompt.line.insert(letter));
            self.search_on();
        }
    }

    /// While it is typed, what is searched for is gone to.
    fn search_on(&mut self) {
        if let Window::Prompt(Prompt { question: Question::Search { .. }, line }) = &self.window {
            self.search = line.text().to_lowercase();
            if !self.search.is_empty() {
                self.find(false, true);
            }
        }
    }

    fn answer(&mut self, question: Question, text: &str) {
        match question {
            _ if text.trim().is_empty() => (),
            Question::Delay => match text.trim().parse().ok().filter(|delay| DELAYS_S.contains(delay)) {
                Some(delay) => self.delay = Duration::from_secs_f64(delay),
                None => {
                    self.message =
                        Some(format!("'{}' is no number of seconds from 0.1 to 86400", text.trim()));
                }
            },
            Question::Filter { ignores_case } => {
                match self.model.add_filter(text, ignores_case) {
                    Ok(()) => self.selection = super::Selection::default(),
                    Err(error) => self.message = Some(error.to_string()),
                }
                self.filter_history.retain(|line| line != text);
                if self.filter_history.len() >= MOST_FILTER_LINES {
                    self.filter_history.remove(0);
                }
                self.filter_history.push(text.to_owned());
            }
            // It was gone to while it was typed.
            Question::Search { .. } => (),
        }
    }

    /// The mouse was used, at a time in milliseconds.
    pub(crate) fn mouse(&mut self, event: MouseEvent, now_ms: u64) -> Effect {
        let at = Position::new(event.column, event.row);
        match (&mut self.window, event.kind) {
            (Window::Top | Window::Filters, MouseEventKind::ScrollDown) => {
                self.selection.move_by(WHEEL_STEP, self.model.records());
            }
            (Window::Top | Window::Filters, MouseEventKind::ScrollUp) => {
                self.selection.move_by(-WHEEL_STEP, self.model.records());
            }
            (Window::Help { first, .. }, MouseEventKind::ScrollDown) => *first += 1,
            (Window::Help { first, .. }, MouseEventKind::ScrollUp) => *first = first.saturating_sub(1),
            (Window::Top | Window::Filters, MouseEventKind::Down(MouseButton::Left)) => {
                self.click(at, now_ms);
            }
            (Window::Fields(fields), MouseEventKind::Down(MouseButton::Left)) => fields.click(event.row),
            (Window::Modes { .. }, MouseEventKind::Down(MouseButton::Left)) => {
                let number = usize::from(event.row).checked_sub(MODE_TITLE_LINES.into());
                if let Some(&mode) = number.and_then(|number| Mode::ALL.get(number)) {
                    self.switch_mode(mode);
                }
            }
            _ => (),
        }
        Effect::Nothing
    }

    fn click(&mut self, at: Position, now_ms: u64) {
        self.message = None;
        if at.y == self.table.heading_row {
            let is_here = |&&(x, column): &&(u16, crate::layout::SizedColumn)| {
                at.x >= x && usize::from(at.x - x) < column.width
            };
            if let Some(&(_, column)) = self.table.columns.iter().find(is_here) {
                let sorting = self.model.sorting();
                let is_ascending = if sorting.field == column.field { !sorting.is_ascending } else { false };
                self.sort_by(Sorting { field: column.field, is_ascending });
            }
        } else if self.table.records.contains(at) {
            let record = self.selection.first() + usize::from(at.y - self.table.records.y);
            if record >= self.model.records().len() {
                return;
            }
            let is_second = self
                .last_click
                .take()
                .is_some_and(|(last, ms)| last.y == at.y && now_ms < ms + DOUBLE_CLICK_MS);
            self.selection.move_to(record, self.model.records());
            if is_second {
                self.drill_down();
            } else {
                self.last_click = Some((at, now_ms));
            }
        }
    }
}
