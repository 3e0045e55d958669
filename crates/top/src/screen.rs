//! The screen: what keys and the mouse do to what is shown. It asks nobody and waits for nothing: that is `watch`'s.

mod bars;
mod fields_window;
mod help_window;
pub(crate) mod keys;
mod line_editor;
mod press;
mod prompt;
mod selection;
mod theme;
mod top_window;

pub use theme::Theme;

use crate::layout::{SizedColumn, Widths, printable, width_of};
use crate::mode::Mode;
use crate::model::{Sorting, TopModel, View};
use crate::record::Record;
use fields_window::FieldsWindow;
use finback_client::messages::ClusterStatus;
use prompt::Prompt;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use selection::Selection;
use std::time::Duration;

/// What is to be done besides drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Nothing,
    /// Ask the master now.
    Refresh,
    /// Draw everything anew.
    Redraw,
    /// Give the terminal back until somebody wakes us.
    Suspend,
    Quit,
}

/// What covers the screen, or its message line.
#[derive(Debug)]
enum Window {
    Top,
    Prompt(Prompt),
    Filters,
    Help { first: usize, last: usize },
    Modes { at: usize },
    Fields(FieldsWindow),
}

/// Where the table stood when it was last drawn, for the mouse.
#[derive(Debug, Default)]
struct Table {
    heading_row: u16,
    records: Rect,
    /// With the place of each.
    columns: Vec<(u16, SizedColumn)>,
}

/// What is on the screen.
#[derive(Debug)]
pub(crate) struct Screen {
    model: TopModel,
    pub(crate) delay: Duration,
    theme: Theme,
    widths: Widths,
    /// Whether columns have the widths that the records need.
    is_fitted: bool,
    selection: Selection,
    /// Fields that were moved over.
    left: usize,
    window: Window,
    message: Option<String>,
    /// Why there is nothing newer.
    trouble: Option<String>,
    search: String,
    filter_history: Vec<String>,
    table: Table,
    last_click: Option<(Position, u64)>,
    is_waiting_since_ms: Option<u64>,
}

impl Screen {
    pub(crate) fn new(view: View, delay: Duration, theme: Theme) -> Self {
        Self {
            model: TopModel::new(view),
            delay,
            theme,
            widths: Widths::default(),
            is_fitted: false,
            selection: Selection::default(),
            left: 0,
            window: Window::Top,
            message: None,
            trouble: None,
            search: String::new(),
            filter_history: Vec::new(),
            table: Table::default(),
            last_click: None,
            is_waiting_since_ms: None,
        }
    }

    /// The master is asked.
    pub(crate) fn asks(&mut self, now_ms: u64) {
        self.is_waiting_since_ms.get_or_insert(now_ms);
    }

    /// The master has answered.
    pub(crate) fn answered(&mut self, status: &ClusterStatus, now_ms: u64) {
        self.is_waiting_since_ms = None;
        self.trouble = None;
        self.model.refresh(status, now_ms);
        self.is_fitted = false;
        self.selection.follow(self.model.records());
    }

    /// Nobody has answered. What is shown stays.
    pub(crate) fn failed(&mut self, problem: &str) {
        self.trouble = Some(printable(problem));
    }

    /// Draws it. Gives back where the cursor is, if there is one.
    pub(crate) fn draw(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        time: &str,
        now_ms: u64,
    ) -> Option<Position> {
        let theme = self.theme;
        match &mut self.window {
            Window::Help { first, last } => {
                let delay = format!("{} s", self.delay.as_secs_f64());
                *last = help_window::draw_help(buffer, area, *first, &delay, theme);
                *first = (*first).min(*last);
                None
            }
            Window::Modes { at } => {
                help_window::draw_modes(buffer, area, *at, theme);
                None
            }
            Window::Fields(fields) => {
                fields.draw(buffer, area, theme);
                None
            }
            Window::Top | Window::Prompt(_) | Window::Filters => self.draw_top(buffer, area, time, now_ms),
        }
    }

    /// The records as lines of text, of so many columns and rows, for when the screen is over.
    pub(crate) fn picture(&mut self, (width, height): (u16, u16), time: &str, now_ms: u64) -> Vec<String> {
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        self.window = Window::Top;
        self.draw_records(&mut buffer, area, time, now_ms);
        let mut lines: Vec<String> = (0..height).map(|row| line(&buffer, row)).collect();
        let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        lines.truncate(end);
        lines
    }

    /// Whether the last question had no answer.
    pub(crate) fn is_in_trouble(&self) -> bool {
        self.trouble.is_some()
    }

    fn switch_mode(&mut self, mode: Mode) {
        self.model.switch_mode(mode);
        self.begin_anew();
    }

    /// The records are of another kind now.
    fn begin_anew(&mut self) {
        self.window = Window::Top;
        self.selection = Selection::default();
        self.left = 0;
        self.make_narrow();
    }

    /// Columns are no wider than records that are shown now need.
    fn make_narrow(&mut self) {
        self.widths.forget();
        self.is_fitted = false;
    }

    fn close_fields(&mut self) {
        if let Window::Fields(fields) = std::mem::replace(&mut self.window, Window::Top) {
            let sorting = Sorting { field: fields.sort_field, ..self.model.sorting() };
            self.model.set_columns(fields.columns);
            self.is_fitted = false;
            self.sort_by(sorting);
        }
    }

    fn sort_by(&mut self, sorting: Sorting) {
        self.model.sort_by(sorting);
        self.selection.follow(self.model.records());
    }

    fn drill_down(&mut self) {
        if self.model.drill_down(self.selection.at()) {
            self.begin_anew();
        }
    }

    fn go_back(&mut self) {
        if self.model.go_back() {
            self.begin_anew();
        }
    }

    /// Whether a record has what is searched for in a field that is shown.
    fn is_found(&self, record: &Record) -> bool {
        if self.search.is_empty() {
            return false;
        }
        let has = |value: crate::value::Value<'_>| value.to_string().to_lowercase().contains(&self.search);
        self.model.shown_fields().iter().any(|&field| record.value(field).is_some_and(has))
    }

    /// Goes to the next record that has what is searched for, from the chosen one on (`and_this`) or behind it.
    fn find(&mut self, backwards: bool, and_this: bool) {
        let records = self.model.records();
        let (count, at) = (records.len(), self.selection.at());
        let steps = usize::from(!and_this)..=count;
        let place =
            |step: usize| if backwards { (at + 2 * count - step) % count } else { (at + step) % count };
        let found = match count {
            0 => None,
            _ => steps.map(place).find(|&place| self.is_found(&records[place])),
        };
        match found {
            Some(place) => self.selection.move_to(place, records),
            None if self.search.is_empty() => self.message = Some("/ searches".to_owned()),
            None => self.message = Some(format!("nothing here has '{}'", self.search)),
        }
    }
}

/// A row of a buffer as text.
fn line(buffer: &Buffer, row: u16) -> String {
    let mut text = String::new();
    let mut column = 0;
    while column < buffer.area.width {
        let symbol = buffer[(column, row)].symbol();
        text.push_str(symbol);
        // Behind a wide letter there is a cell that it covers.
        column += u16::try_from(width_of(symbol)).unwrap_or(1).max(1);
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests;
