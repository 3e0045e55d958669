//! The help screen, and that of modes.

use super::bars::put;
use super::keys::{KEYS, MOUSE};
use super::theme::Theme;
use crate::mode::Mode;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;

/// Columns of the keys.
const KEY_WIDTH: usize = 14;
/// Lines above the modes.
pub(crate) const MODE_TITLE_LINES: u16 = 2;

/// Draws the keys, from a line on. Gives back the last line that is worth beginning with.
pub(crate) fn draw_help(buffer: &mut Buffer, area: Rect, first: usize, delay: &str, theme: Theme) -> usize {
    let mut lines = vec![
        (
            String::new(),
            format!("finback top looks every {delay}. Up and Down scroll, any other key goes back."),
        ),
        (String::new(), String::new()),
    ];
    lines.extend(KEYS.iter().chain(MOUSE).map(|(key, meaning)| ((*key).to_owned(), (*meaning).to_owned())));
    let last = lines.len().saturating_sub(area.height.into());
    for (y, (key, meaning)) in (area.y..area.bottom()).zip(lines.iter().skip(first.min(last))) {
        if key.is_empty() {
            put(buffer, area, area.x, y, meaning, theme.strong());
        } else {
            let end = put(buffer, area, area.x, y, &format!("{key:<KEY_WIDTH$} "), theme.strong());
            put(buffer, area, end, y, meaning, Style::new());
        }
    }
    last
}

/// Draws the modes, of which one is chosen.
pub(crate) fn draw_modes(buffer: &mut Buffer, area: Rect, at: usize, theme: Theme) {
    put(
        buffer,
        area,
        area.x,
        area.y,
        "A line for each; Enter, or its letter, chooses; q goes back",
        theme.strong(),
    );
    for (number, (y, mode)) in (area.y + MODE_TITLE_LINES..).zip(Mode::ALL).enumerate() {
        let style = if number == at { theme.highlight() } else { Style::new() };
        put(buffer, area, area.x, y, &format!(" {}  {:<13} ", mode.letter(), mode.name()), style);
    }
}
