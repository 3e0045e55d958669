//! The screen that shows the records: the summary and the last minutes, a line for messages, the table.

use super::bars::{self, put, short, span};
use super::{Screen, Table, Window};
use crate::history::Sample;
use crate::layout::{SizedColumn, cell, cut, heading, printable, width_of};
use crate::model::Sorting;
use crate::record::Record;
use crate::summary::Summary;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use ratatui_core::style::Style;

/// Lines of the summary, HBase's.
const SUMMARY_LINES: u16 = 7;
/// Screens that are lower than this have a summary of one line.
const LOWEST_FOR_SUMMARY: u16 = 15;
/// Screens that are lower than this have no line of keys.
const LOWEST_FOR_HINTS: u16 = 20;
/// The summary keeps so many columns to itself.
const SUMMARY_WIDTH: u16 = 50;
/// Charts that would be narrower are not drawn.
const NARROWEST_CHART: u16 = 20;
/// The widest and narrowest column of bars beside the table.
const RECORD_BARS: std::ops::RangeInclusive<u16> = 12..=60;
const RECORD_BARS_HEADING: &str = "LAST MINUTES";
/// Narrower screens ask in few words.
const NARROWEST_FOR_LABELS: u16 = 72;
/// Silence of the master that is told.
const PATIENCE_MS: u64 = 2_000;

const NO_USERS: &str = "none yet (Apache HBase: hbase.regionserver.user.metrics.enabled)";
const HINTS: &str = "h help  m mode  f fields  o filter  / search  i look into  R reverse  q quit";

impl Screen {
    pub(super) fn draw_top(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        time: &str,
        now_ms: u64,
    ) -> Option<Position> {
        let mut above = area;
        if area.height >= LOWEST_FOR_HINTS {
            above.height -= 1;
            put(buffer, area, area.x, above.bottom(), HINTS, self.theme.faint());
        }
        self.draw_records(buffer, above, time, now_ms)
    }

    /// Everything but the line of keys.
    pub(super) fn draw_records(
        &mut self,
        buffer: &mut Buffer,
        area: Rect,
        time: &str,
        now_ms: u64,
    ) -> Option<Position> {
        let is_high = area.height >= LOWEST_FOR_SUMMARY;
        let summary_lines = if is_high { SUMMARY_LINES } else { 1 };
        let message_row = area.y + summary_lines;
        let table_height = area.height.saturating_sub(summary_lines + 1);
        let table = Rect::new(area.x, message_row + 1, area.width, table_height);
        self.draw_table(buffer, table.intersection(area));
        if is_high {
            self.draw_summary(buffer, area, time);
            self.draw_charts(buffer, area, now_ms);
        } else {
            self.draw_short_summary(buffer, area, time);
        }
        self.draw_message(buffer, area, message_row, now_ms)
    }

    fn draw_summary(&self, buffer: &mut Buffer, area: Rect, time: &str) {
        let (plain, strong) = (Style::new(), self.theme.strong());
        let end = put(buffer, area, area.x, area.y, "finback top - ", plain);
        put(buffer, area, end, area.y, time, strong);
        // What is long does not run into the charts.
        let width = if has_charts(area) { SUMMARY_WIDTH - 1 } else { area.width };
        let area = Rect { width, ..area };
        let Some(summary) = self.model.summary() else { return };
        for (y, line) in (area.y + 1..).zip(summary.lines()) {
            let mut x = area.x;
            let (label, values) = line.split_once(": ").unwrap_or((&line, ""));
            x = put(buffer, area, x, y, &format!("{label}: "), plain);
            // Numbers stand out, and those that should be zero more so.
            for (number, word) in values.split(", ").enumerate() {
                let (value, unit) = word.split_once(' ').unwrap_or((word, ""));
                let is_wrong = matches!(unit, "dead" | "rit") && value != "0";
                let style = if is_wrong { self.theme.bad() } else { strong };
                if number > 0 {
                    x = put(buffer, area, x, y, ", ", plain);
                }
                x = put(buffer, area, x, y, &printable(value), style);
                if !unit.is_empty() {
                    x = put(
                        buffer,
                        area,
                        x,
                        y,
                        &printable(&format!(" {unit}")),
                        if is_wrong { style } else { plain },
                    );
                }
            }
        }
    }

    fn draw_short_summary(&self, buffer: &mut Buffer, area: Rect, time: &str) {
        let line = match self.model.summary() {
            Some(summary) => {
                let Summary { live_servers, dead_servers, regions, requests_per_second, .. } = summary;
                format!(
                    "finback top - {time}  {live_servers} live, {dead_servers} dead, {regions} regions, {} requests/s",
                    short(*requests_per_second as f64)
                )
            }
            None => format!("finback top - {time}"),
        };
        put(buffer, area, area.x, area.y, &line, Style::new());
    }

    /// Reads and writes of the last minutes, and the requests of the chosen record.
    fn draw_charts(&self, buffer: &mut Buffer, area: Rect, now_ms: u64) {
        if !has_charts(area) {
            return;
        }
        let area = Rect::new(area.x + SUMMARY_WIDTH, area.y, area.width - SUMMARY_WIDTH, SUMMARY_LINES);
        let (theme, history) = (self.theme, self.model.history());
        self.draw_chart(buffer, area, now_ms, ("reads/s", theme.reads()), |sample| sample.reads);
        let below = Rect::new(area.x, area.y + 3, area.width, area.height - 3);
        self.draw_chart(buffer, below, now_ms, ("writes/s", theme.writes()), |sample| sample.writes);
        if let Some(record) = self.model.records().get(self.selection.at()) {
            let y = area.y + SUMMARY_LINES - 1;
            let end = put(buffer, area, area.x, y, "chosen ", Style::new());
            let end = put(buffer, area, end, y, &short(record.requests()), theme.strong()) + 1;
            let room = area.right().saturating_sub(end);
            let key = record.key();
            let samples = history.of(self.model.mode(), &key);
            let (heights, _) = bars::bars(samples, history.total(), room.into());
            bars::draw(buffer, Rect::new(end, y, room, 1), &heights, theme, theme.requests());
        }
    }

    /// A line of numbers, and two of bars.
    fn draw_chart(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        now_ms: u64,
        (label, style): (&str, Style),
        figure: fn(&Sample) -> f64,
    ) {
        let (theme, history) = (self.theme, self.model.history());
        let samples = history.samples();
        let (heights, each) = bars::bars(samples.iter().map(figure), history.total(), area.width.into());
        let shown = (heights.len() * each).min(samples.len());
        let Some(first) = samples.get(samples.len() - shown) else { return };
        let now = samples.back().map(figure).unwrap_or_default();
        let highest = heights.iter().copied().fold(0.0, f64::max);
        let end = put(buffer, area, area.x, area.y, &format!("{label} "), Style::new());
        let end = put(buffer, area, end, area.y, &short(now), theme.strong());
        let peak = format!("  peak {}, {}", short(highest), span(now_ms.saturating_sub(first.at_ms)));
        put(buffer, area, end, area.y, &peak, theme.faint());
        bars::draw(buffer, Rect::new(area.x, area.y + 1, area.width, 2), &heights, theme, style);
    }

    /// The line of messages: a question, what is wrong, or what is shown.
    fn draw_message(&self, buffer: &mut Buffer, area: Rect, y: u16, now_ms: u64) -> Option<Position> {
        let (theme, model) = (self.theme, &self.model);
        if let Window::Prompt(prompt) = &self.window {
            let is_narrow = area.width < NARROWEST_FOR_LABELS;
            let label = prompt.label(self.delay.as_secs_f64(), model.filters().len(), is_narrow);
            let (text, before) = (prompt.line.text(), prompt.line.before_cursor());
            // A line that is too long is shown around its cursor.
            let room = usize::from(area.width).saturating_sub(label.len() + 1);
            let mut starts = before.char_indices().map(|(at, _)| at);
            let start = starts.find(|&at| width_of(&before[at..]) <= room).unwrap_or(before.len());
            let end = put(buffer, area, area.x, y, &label, theme.strong());
            put(buffer, area, end, y, &text[start..], Style::new());
            let x = end + width_of(&before[start..]).min(room) as u16;
            return (x < area.right() && y < area.bottom()).then_some(Position::new(x, y));
        }
        let waited_ms = self.is_waiting_since_ms.map_or(0, |since| now_ms.saturating_sub(since));
        let late = waited_ms >= PATIENCE_MS;
        let (text, style) = match (&self.window, &self.message, &self.trouble) {
            (Window::Filters, ..) => (self.filter_line(), theme.strong()),
            (_, Some(message), _) => (message.clone(), theme.strong()),
            (_, None, Some(trouble)) => {
                (format!("no answer for {}, trying again: {trouble}", span(waited_ms)), theme.bad())
            }
            (_, None, None) if late => (format!("no answer for {}", span(waited_ms)), theme.bad()),
            _ if model.summary().is_none() => ("asking the master ...".to_owned(), theme.faint()),
            _ => (self.state_line(), theme.faint()),
        };
        put(buffer, area, area.x, y, &cut(printable(&text), area.width.into()), style);
        None
    }

    fn filter_line(&self) -> String {
        let filters: Vec<_> = self.model.filters().iter().map(|filter| format!("'{filter}'")).collect();
        match filters.is_empty() {
            true => "no filters; o adds one".to_owned(),
            false => format!("filters: {}; = clears them", filters.join(", ")),
        }
    }

    fn state_line(&self) -> String {
        let (mode, is_empty) = (self.model.mode(), self.model.records().is_empty());
        if mode.is_of_clients() && is_empty && self.model.filters().is_empty() {
            return format!("{} mode: {NO_USERS}", mode.name());
        }
        let Sorting { field, is_ascending } = self.model.sorting();
        let (first, count) = (self.selection.first(), self.model.records().len());
        let last = (first + self.selection.page()).min(count);
        let order = if is_ascending { "low to high" } else { "high to low" };
        let mut line = format!(
            "{} mode, {}-{last} of {count}, by {} {order}",
            self.model.mode().name(),
            (first + 1).min(last),
            field.heading()
        );
        for filter in self.model.filters() {
            line.push_str(&format!(", {filter}"));
        }
        line
    }

    fn draw_table(&mut self, buffer: &mut Buffer, area: Rect) {
        let (theme, model) = (self.theme, &self.model);
        let fields = model.shown_fields();
        self.left = self.left.min(fields.len().saturating_sub(1));
        if !std::mem::replace(&mut self.is_fitted, true) {
            self.widths.fit(model.mode(), &fields, model.records());
        }
        let columns = self.widths.within(&fields[self.left..], area.width.into());
        self.selection.resize(area.height.saturating_sub(1).into(), model.records().len());
        let placed: Vec<(u16, SizedColumn)> = columns
            .iter()
            .scan(area.x, |x, &column| {
                let at = *x;
                *x += column.width as u16 + 1;
                Some((at, column))
            })
            .collect();
        let end = placed.last().map_or(area.x, |&(x, column)| x + column.width as u16);
        // Bars of records have room only when everything else has.
        let has_all = columns.len() + self.left == fields.len();
        let spare = area.right().saturating_sub(end + 1);
        let bars = (has_all && spare >= *RECORD_BARS.start())
            .then(|| Rect::new(end + 1, area.y, spare.min(*RECORD_BARS.end()), area.height));
        draw_headings(buffer, area, &placed, bars, theme, model.sorting().field);
        let shown =
            model.records().iter().enumerate().skip(self.selection.first()).take(self.selection.page());
        for (y, (number, record)) in (area.y + 1..area.bottom()).zip(shown) {
            let is_chosen = number == self.selection.at();
            let style = match () {
                () if is_chosen => theme.highlight(),
                () if self.is_found(record) => theme.found(),
                () if record.requests() == 0.0 => theme.faint(),
                () => Style::new(),
            };
            if is_chosen {
                buffer.set_style(Rect::new(area.x, y, area.width, 1), style);
            }
            for &(x, column) in &placed {
                put(buffer, area, x, y, &cell(record, column), style);
            }
            if let Some(bars) = bars {
                self.draw_record_bars(buffer, Rect::new(bars.x, y, bars.width, 1), record, is_chosen);
            }
        }
        let records = Rect::new(area.x, area.y + 1, area.width, area.height.saturating_sub(1));
        self.table = Table { heading_row: area.y, records, columns: placed };
    }

    fn draw_record_bars(&self, buffer: &mut Buffer, area: Rect, record: &Record, is_chosen: bool) {
        let (model, theme) = (&self.model, self.theme);
        let samples: Vec<f64> = model.history().of(model.mode(), &record.key()).collect();
        let last = &samples[samples.len().saturating_sub(area.width.into())..];
        let style = if is_chosen { theme.highlight() } else { theme.requests() };
        bars::draw(buffer, area, last, theme, style);
    }
}

fn has_charts(area: Rect) -> bool {
    area.width >= SUMMARY_WIDTH + NARROWEST_CHART
}

fn draw_headings(
    buffer: &mut Buffer,
    area: Rect,
    columns: &[(u16, SizedColumn)],
    bars: Option<Rect>,
    theme: super::Theme,
    sort_field: crate::field::Field,
) {
    if area.is_empty() {
        return;
    }
    buffer.set_style(Rect::new(area.x, area.y, area.width, 1), theme.highlight());
    for &(x, column) in columns {
        let text = heading(column);
        put(buffer, area, x, area.y, &text, theme.highlight());
        if column.field == sort_field {
            let start = text.len() - text.trim_start().len();
            put(buffer, area, x + start as u16, area.y, text.trim(), theme.sort_heading());
        }
    }
    if let Some(bars) = bars {
        let x = bars.right() - RECORD_BARS_HEADING.len() as u16;
        put(buffer, area, x, area.y, RECORD_BARS_HEADING, theme.highlight());
    }
}
