//! Colours and letters that a terminal can show.

use ratatui_core::style::{Color, Modifier, Style};

/// How things look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    has_colors: bool,
    has_blocks: bool,
}

impl Theme {
    /// Without colours, if `has_colors` says so, and with nothing but ASCII unless the terminal knows UTF-8.
    pub fn new(has_colors: bool, has_utf8: bool) -> Self {
        Self { has_colors, has_blocks: has_utf8 }
    }

    /// As the environment has it: `NO_COLOR` (<https://no-color.org>), and the locale's letters.
    pub fn of_environment() -> Self {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find(|name| is_set(name));
        let locale =
            locale.and_then(|name| std::env::var(name).ok()).unwrap_or_default().to_ascii_uppercase();
        Self::new(!is_set("NO_COLOR"), locale.contains("UTF-8") || locale.contains("UTF8"))
    }

    /// The letters of bars, from the lowest to the highest.
    pub(crate) fn bars(self) -> &'static [char] {
        if self.has_blocks {
            &['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
        } else {
            &['_', '.', ':', '-', '=', '+', '*', '#']
        }
    }

    fn colored(self, color: Color) -> Style {
        if self.has_colors { Style::new().fg(color) } else { Style::new() }
    }

    /// What matters.
    pub(crate) fn strong(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What matters little.
    pub(crate) fn faint(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// Headings, and the record that is chosen.
    pub(crate) fn highlight(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// The heading of the field by which records are sorted.
    pub(crate) fn sort_heading(self) -> Style {
        self.highlight().add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }

    /// What was searched for.
    pub(crate) fn found(self) -> Style {
        self.colored(Color::Yellow).add_modifier(Modifier::BOLD)
    }

    /// What is wrong.
    pub(crate) fn bad(self) -> Style {
        self.colored(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// Bars of reads.
    pub(crate) fn reads(self) -> Style {
        self.colored(Color::Cyan)
    }

    /// Bars of writes.
    pub(crate) fn writes(self) -> Style {
        self.colored(Color::Magenta)
    }

    /// Bars of a record.
    pub(crate) fn requests(self) -> Style {
        self.colored(Color::Green)
    }
}
