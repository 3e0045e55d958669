//! A line of the table: what it is about, and its figures.

use crate::field::Field;
use crate::mode::Mode;
use crate::rates::PerSecond;
use crate::region_id::{RegionId, ServerId, TableId};
use crate::value::Value;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

/// What a record is about.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Subject {
    Namespace(Arc<str>),
    Table(Arc<TableId>),
    Region {
        region: Arc<RegionId>,
        server: Arc<ServerId>,
    },
    Server(Arc<ServerId>),
    User(Arc<str>),
    Client(Arc<str>),
    /// What a user does from one client: what users and clients are summed up from.
    UserOfClient {
        user: Arc<str>,
        client: Arc<str>,
    },
}

/// By what a record is known again at the next report.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(Arc<str>);

/// The figures of a record. Those that do not belong to its mode are zero.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) rates: PerSecond,
    pub(crate) regions: u64,
    pub(crate) store_files: u64,
    pub(crate) store_file_bytes: u64,
    pub(crate) uncompressed_bytes: u64,
    pub(crate) memstore_bytes: u64,
    pub(crate) locality: f32,
    pub(crate) compacting_cells: u64,
    pub(crate) compacted_cells: u64,
    /// Milliseconds since 1970; 0 is never.
    pub(crate) last_major_compaction_ms: u64,
    pub(crate) used_heap_bytes: u64,
    pub(crate) max_heap_bytes: u64,
    pub(crate) users: u64,
    pub(crate) clients: u64,
}

/// A line of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub(crate) subject: Subject,
    pub(crate) figures: Figures,
}

impl Figures {
    /// What is added up when regions, or clients, are seen as one.
    pub(crate) fn add(&mut self, other: &Self) {
        self.rates.add(&other.rates);
        let sums = [
            (&mut self.regions, other.regions),
            (&mut self.store_files, other.store_files),
            (&mut self.store_file_bytes, other.store_file_bytes),
            (&mut self.uncompressed_bytes, other.uncompressed_bytes),
            (&mut self.memstore_bytes, other.memstore_bytes),
        ];
        for (sum, more) in sums {
            *sum = sum.saturating_add(more);
        }
    }
}

impl Record {
    /// By what it is known again.
    pub fn key(&self) -> Key {
        Key(Arc::clone(self.name()))
    }

    /// What no other record of its mode is called.
    pub(crate) fn name(&self) -> &Arc<str> {
        match &self.subject {
            Subject::Namespace(name) | Subject::User(name) | Subject::Client(name) => name,
            Subject::Table(table) => &table.full,
            Subject::Region { region, .. } => &region.name,
            Subject::Server(server) => &server.long,
            Subject::UserOfClient { user, .. } => user,
        }
    }

    /// The order of two records of a mode by a field, as its values have it.
    pub(crate) fn compare(&self, other: &Self, field: Field) -> Ordering {
        if field == Field::LastMajorCompaction {
            // The same order, without a calendar.
            return self.figures.last_major_compaction_ms.cmp(&other.figures.last_major_compaction_ms);
        }
        match (self.value(field), other.value(field)) {
            (Some(one), Some(other)) => one.compare(&other, false),
            (one, other) => one.is_some().cmp(&other.is_some()),
        }
    }

    /// What a field says of it. `None` for fields that records of its mode do not have.
    pub fn value(&self, field: Field) -> Option<Value<'_>> {
        self.text(field).map(Value::Text).or_else(|| self.figure(field))
    }

    /// Requests per second.
    pub fn requests(&self) -> f64 {
        self.figures.rates.requests()
    }

    fn mode(&self) -> Option<Mode> {
        match self.subject {
            Subject::Namespace(_) => Some(Mode::Namespace),
            Subject::Table(_) => Some(Mode::Table),
            Subject::Region { .. } => Some(Mode::Region),
            Subject::Server(_) => Some(Mode::RegionServer),
            Subject::User(_) => Some(Mode::User),
            Subject::Client(_) => Some(Mode::Client),
            Subject::UserOfClient { .. } => None,
        }
    }

    fn text(&self, field: Field) -> Option<Cow<'_, str>> {
        let text: &str = match (&self.subject, field) {
            (Subject::Namespace(namespace), Field::Namespace) => namespace,
            (Subject::Table(table), _) => return table_text(table, field),
            (Subject::Region { region, server }, field) => match field {
                Field::RegionName => &region.name,
                Field::StartCode => &region.start_code,
                Field::ReplicaId => &region.replica_id,
                Field::Region => &region.encoded_name,
                Field::StartKey => &region.start_key,
                Field::LastMajorCompaction => return Some(self.last_major_compaction().into()),
                _ => return table_text(&region.table, field).or_else(|| server_text(server, field)),
            },
            (Subject::Server(server), field) => return server_text(server, field),
            (Subject::User(user) | Subject::UserOfClient { user, .. }, Field::User) => user,
            (Subject::Client(client) | Subject::UserOfClient { client, .. }, Field::Client) => client,
            _ => return None,
        };
        Some(text.into())
    }

    fn figure(&self, field: Field) -> Option<Value<'_>> {
        if self.mode().is_some_and(|mode| !mode.has(field)) {
            return None;
        }
        let figures = &self.figures;
        let rate = |rate: f64| Value::Number(rate.round() as u64);
        Some(match field {
            Field::Requests => rate(figures.rates.requests()),
            Field::Reads => rate(figures.rates.reads),
            Field::FilteredReads => rate(figures.rates.filtered_reads),
            Field::Writes => rate(figures.rates.writes),
            Field::StoreFileSize => Value::Size(figures.store_file_bytes),
            Field::UncompressedSize => Value::Size(figures.uncompressed_bytes),
            Field::StoreFiles => Value::Number(figures.store_files),
            Field::MemstoreSize => Value::Size(figures.memstore_bytes),
            Field::Locality => Value::Ratio(figures.locality),
            Field::CompactingCells => Value::Number(figures.compacting_cells),
            Field::CompactedCells => Value::Number(figures.compacted_cells),
            Field::CompactionProgress => Value::Percent(self.compaction_percent()),
            Field::Regions => Value::Number(figures.regions),
            Field::UsedHeap => Value::Size(figures.used_heap_bytes),
            Field::MaxHeap => Value::Size(figures.max_heap_bytes),
            Field::Users => Value::Number(figures.users),
            Field::Clients => Value::Number(figures.clients),
            _ => return None,
        })
    }

    fn compaction_percent(&self) -> f32 {
        let Figures { compacting_cells: all, compacted_cells: done, .. } = self.figures;
        if done == 0 || all == 0 { 0.0 } else { (100.0 * done as f64 / all as f64) as f32 }
    }

    fn last_major_compaction(&self) -> String {
        let time = match i64::try_from(self.figures.last_major_compaction_ms).ok().filter(|&ms| ms > 0) {
            Some(ms) => Timestamp::from_millisecond(ms).ok(),
            None => None,
        };
        let zoned = |time: Timestamp| time.to_zoned(TimeZone::system());
        time.map(|time| zoned(time).strftime("%Y-%m-%d %H:%M:%S").to_string()).unwrap_or_default()
    }
}

fn table_text(table: &TableId, field: Field) -> Option<Cow<'_, str>> {
    match field {
        Field::Namespace => Some((&*table.namespace).into()),
        Field::Table => Some((&*table.qualifier).into()),
        _ => None,
    }
}

fn server_text(server: &ServerId, field: Field) -> Option<Cow<'_, str>> {
    match field {
        Field::RegionServer => Some((&*server.short).into()),
        Field::LongRegionServer => Some((&*server.long).into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
