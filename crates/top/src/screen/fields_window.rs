//! The fields screen: which fields are shown, in which order, and by which one records are sorted.

use super::bars::put;
use super::keys::FIELD_KEYS;
use super::theme::Theme;
use crate::field::Field;
use crate::model::{Column, Sorting};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent};

/// Lines above the fields.
const TITLE_LINES: u16 = 4;

/// What has been chosen so far.
#[derive(Debug)]
pub(crate) struct FieldsWindow {
    pub(crate) columns: Vec<Column>,
    pub(crate) sort_field: Field,
    at: usize,
    is_taken: bool,
    first: usize,
}

impl FieldsWindow {
    pub(crate) fn new(columns: &[Column], sorting: Sorting) -> Self {
        let at = columns.iter().position(|column| column.field == sorting.field).unwrap_or(0);
        Self { columns: columns.to_vec(), sort_field: sorting.field, at, is_taken: false, first: 0 }
    }

    /// Whether it is closed now.
    pub(crate) fn press(&mut self, key: KeyEvent) -> bool {
        let last = self.columns.len().saturating_sub(1);
        match key.code {
            KeyCode::Up | KeyCode::Char('k') => self.go(self.at.saturating_sub(1)),
            KeyCode::Down | KeyCode::Char('j') => self.go((self.at + 1).min(last)),
            KeyCode::PageUp | KeyCode::Home if !self.is_taken => self.at = 0,
            KeyCode::PageDown | KeyCode::End if !self.is_taken => self.at = last,
            KeyCode::Char('d' | ' ') if !self.is_taken => self.toggle(self.at),
            KeyCode::Char('s') if !self.is_taken => {
                if let Some(column) = self.columns.get(self.at) {
                    self.sort_field = column.field;
                }
            }
            KeyCode::Right => self.is_taken = true,
            KeyCode::Left => self.is_taken = false,
            KeyCode::Enter if self.is_taken => self.is_taken = false,
            KeyCode::Char('q') | KeyCode::Esc | KeyCode::Enter => return true,
            _ => (),
        }
        false
    }

    fn go(&mut self, to: usize) {
        if self.is_taken {
            self.columns.swap(self.at, to);
        }
        self.at = to;
    }

    fn toggle(&mut self, at: usize) {
        if let Some(column) = self.columns.get_mut(at) {
            column.is_shown = !column.is_shown;
        }
    }

    /// A click on a line of the screen.
    pub(crate) fn click(&mut self, row: u16) {
        let at = usize::from(row.saturating_sub(TITLE_LINES)) + self.first;
        if row >= TITLE_LINES && at < self.columns.len() && !self.is_taken {
            self.at = at;
            self.toggle(at);
        }
    }

    pub(crate) fn draw(&mut self, buffer: &mut Buffer, area: Rect, theme: Theme) {
        let (plain, strong) = (ratatui_core::style::Style::new(), theme.strong());
        let end = put(buffer, area, area.x, area.y, "Fields; records are sorted by ", plain);
        put(buffer, area, end, area.y, self.sort_field.heading(), strong);
        let mut hints = [String::new(), String::new()];
        for (number, (key, meaning)) in FIELD_KEYS.iter().enumerate() {
            let hint = &mut hints[usize::from(number >= FIELD_KEYS.len() / 2)];
            hint.push_str(&format!("{}{key}: {meaning}", if hint.is_empty() { "" } else { "   " }));
        }
        for (row, hint) in (1..).zip(&hints) {
            put(buffer, area, area.x, area.y + row, hint, theme.faint());
        }
        let page = usize::from(area.height.saturating_sub(TITLE_LINES)).max(1);
        self.first = self.first.clamp((self.at + 1).saturating_sub(page), self.at);
        let shown = self.columns.iter().enumerate().skip(self.first).take(page);
        for (y, (number, column)) in (area.y + TITLE_LINES..).zip(shown) {
            let mark = if column.is_shown { '*' } else { ' ' };
            let (heading, meaning) = (column.field.heading(), column.field.meaning());
            let line = format!("{mark} {heading:<12} = {meaning}");
            let style = match (number == self.at, column.is_shown) {
                (true, _) => theme.highlight(),
                (false, true) => strong,
                (false, false) => plain,
            };
            let line = if number == self.at && self.is_taken { format!("> {line}") } else { line };
            put(buffer, area, area.x, y, &line, style);
        }
    }
}
