//! What is shown, without how: the mode, its fields, their order, the filters, and the records that come of them.

use crate::field::Field;
use crate::filter::{Filter, FilterError};
use crate::grouping;
use crate::history::{History, Sample};
use crate::mode::Mode;
use crate::readings::Readings;
use crate::record::Record;
use crate::summary::Summary;
use finback_client::messages::ClusterStatus;

/// Drill-downs that can be gone back from.
const MOST_PLACES: usize = 100;
/// Samples are taken no faster, however often somebody looks. In milliseconds.
const SAMPLE_PACE_MS: u64 = 900;

/// A field, and whether it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The field.
    pub field: Field,
    /// Whether it is shown.
    pub is_shown: bool,
}

/// By what records are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sorting {
    /// The field.
    pub field: Field,
    /// From low to high.
    pub is_ascending: bool,
}

impl Default for Sorting {
    fn default() -> Self {
        Self { field: Field::Requests, is_ascending: false }
    }
}

/// What is to be shown at first.
#[derive(Debug, Clone)]
pub struct View {
    /// What a record is.
    pub mode: Mode,
    /// The fields that are shown, in this order; none for the mode's own.
    pub fields: Vec<Field>,
    /// By what records are sorted.
    pub sorting: Sorting,
    /// Which records are shown.
    pub filters: Vec<Filter>,
}

impl View {
    /// A mode as it is at first.
    pub fn of(mode: Mode) -> Self {
        Self { mode, fields: Vec::new(), sorting: Sorting::default(), filters: Vec::new() }
    }
}

/// Where somebody was before a drill-down.
#[derive(Debug, Clone)]
struct Place {
    mode: Mode,
    columns: Vec<Column>,
    sorting: Sorting,
    filters: Vec<Filter>,
}

/// What is shown.
#[derive(Debug)]
pub struct TopModel {
    place: Place,
    before: Vec<Place>,
    readings: Readings,
    records: Vec<Record>,
    summary: Option<Summary>,
    history: History,
}

impl TopModel {
    /// With nothing to show yet.
    pub fn new(view: View) -> Self {
        let mut columns = columns(view.mode);
        if !view.fields.is_empty() {
            let is_given = |column: &Column| view.fields.contains(&column.field);
            let given = view.fields.iter().map(|&field| Column { field, is_shown: true });
            let others = columns.iter().filter(|column| !is_given(column));
            columns = given.chain(others.map(|column| Column { is_shown: false, ..*column })).collect();
        }
        Self {
            place: Place { mode: view.mode, columns, sorting: view.sorting, filters: view.filters },
            before: Vec::new(),
            readings: Readings::default(),
            records: Vec::new(),
            summary: None,
            history: History::default(),
        }
    }

    /// Takes an answer of the master's, at a time in milliseconds since 1970.
    pub fn refresh(&mut self, status: &ClusterStatus, now_ms: u64) {
        self.summary = Some(Summary::of(status));
        self.readings.read(status);
        let last = self.history.samples().back().map(|sample| sample.at_ms);
        // At the first answer nothing is known of any rate.
        if last.is_none()
            || self.readings.has_news && last.is_some_and(|last| now_ms >= last + SAMPLE_PACE_MS)
        {
            self.sample(now_ms);
        }
        self.arrange();
    }

    fn sample(&mut self, now_ms: u64) {
        let rates = || self.readings.regions.iter().map(|region| region.figures.rates);
        let (reads, writes) = (rates().map(|rate| rate.reads).sum(), rates().map(|rate| rate.writes).sum());
        self.history.push(Sample { at_ms: now_ms, reads, writes });
        let requests = |record: &Record| (record.key(), record.requests());
        self.history.push_records(Mode::Region, self.readings.regions.iter().map(requests));
        for mode in Mode::ALL.into_iter().filter(|&mode| mode != Mode::Region) {
            let records = grouping::records(mode, &self.readings, false, |_| true);
            self.history.push_records(mode, records.iter().map(requests));
        }
    }

    /// Makes the records anew, from what was last read.
    fn arrange(&mut self) {
        let Place { mode, sorting, filters, .. } = &self.place;
        let (own, of_parts): (Vec<&Filter>, Vec<&Filter>) =
            filters.iter().partition(|filter| mode.has(filter.field()));
        let takes_part = |part: &Record| of_parts.iter().all(|filter| filter.takes(part));
        let mut records = grouping::records(*mode, &self.readings, !of_parts.is_empty(), takes_part);
        records.retain(|record| own.iter().all(|filter| filter.takes(record)));
        records.sort_by(|one, other| {
            let (left, right) = match sorting.is_ascending {
                true => (one, other),
                false => (other, one),
            };
            let by_field = left.compare(right, sorting.field);
            // Those that are alike stay where they are from one time to the next.
            by_field.then_with(|| one.name().cmp(other.name()))
        });
        self.records = records;
    }

    /// The mode.
    pub fn mode(&self) -> Mode {
        self.place.mode
    }

    /// All fields of the mode, in their order.
    pub fn columns(&self) -> &[Column] {
        &self.place.columns
    }

    /// The fields that are shown.
    pub fn shown_fields(&self) -> Vec<Field> {
        let shown = self.place.columns.iter().filter(|column| column.is_shown);
        shown.map(|column| column.field).collect()
    }

    /// By what records are sorted.
    pub fn sorting(&self) -> Sorting {
        self.place.sorting
    }

    /// Which records are shown.
    pub fn filters(&self) -> &[Filter] {
        &self.place.filters
    }

    /// The records, sorted.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// The cluster; none before the first answer.
    pub fn summary(&self) -> Option<&Summary> {
        self.summary.as_ref()
    }

    /// Requests of the last minutes.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Changes to a mode as it is at first.
    pub fn switch_mode(&mut self, mode: Mode) {
        self.before.clear();
        self.place = Place { mode, columns: columns(mode), sorting: Sorting::default(), filters: Vec::new() };
        self.arrange();
    }

    /// Changes which fields are shown, and where.
    pub fn set_columns(&mut self, columns: Vec<Column>) {
        self.place.columns = columns;
    }

    /// Sorts by a field.
    pub fn sort_by(&mut self, sorting: Sorting) {
        self.place.sorting = sorting;
        self.arrange();
    }

    /// Sorts the other way round.
    pub fn reverse(&mut self) {
        let sorting = self.place.sorting;
        self.sort_by(Sorting { is_ascending: !sorting.is_ascending, ..sorting });
    }

    /// Sorts by the field that is shown at the right of that by which it is sorted, or at its left.
    pub fn move_sort_field(&mut self, to_the_right: bool) {
        let fields = self.shown_fields();
        let at = fields.iter().position(|&field| field == self.place.sorting.field);
        let next = match (at, to_the_right) {
            (Some(at), true) => at + 1,
            (Some(at), false) => at.saturating_sub(1),
            (None, _) => 0,
        };
        if let Some(&field) = fields.get(next) {
            self.sort_by(Sorting { field, ..self.place.sorting });
        }
    }

    /// Shows only records that a filter takes as well.
    ///
    /// # Errors
    /// What is wrong with the filter.
    pub fn add_filter(&mut self, text: &str, ignores_case: bool) -> Result<(), FilterError> {
        let filter = Filter::parse(text, self.place.mode, ignores_case)?;
        self.place.filters.push(filter);
        self.arrange();
        Ok(())
    }

    /// Shows all records.
    pub fn clear_filters(&mut self) {
        self.place.filters.clear();
        self.arrange();
    }

    /// Looks into a record: another mode, with what belongs to it. Nothing if there is no such record.
    pub fn drill_down(&mut self, index: usize) -> bool {
        let Some(record) = self.records.get(index) else { return false };
        let mode = self.place.mode;
        let fields = mode.drill_down_fields().iter();
        let filters = fields.filter_map(|&field| Filter::equals(field, &record.value(field)?)).collect();
        let next = mode.drill_down();
        let sorting = Some(self.place.sorting).filter(|sorting| next.has(sorting.field)).unwrap_or_default();
        let place = Place { mode: next, columns: columns(next), sorting, filters };
        if self.before.len() >= MOST_PLACES {
            self.before.remove(0);
        }
        self.before.push(std::mem::replace(&mut self.place, place));
        self.arrange();
        true
    }

    /// Goes back to where it was before the last drill-down, if there was one.
    pub fn go_back(&mut self) -> bool {
        let Some(place) = self.before.pop() else { return false };
        self.place = place;
        self.arrange();
        true
    }
}

fn columns(mode: Mode) -> Vec<Column> {
    let column = |known: &crate::mode::ModeField| Column { field: known.field, is_shown: known.is_shown };
    mode.fields().iter().map(column).collect()
}

#[cfg(test)]
mod tests;
