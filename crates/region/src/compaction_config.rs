//! Settings of compaction, under HBase's names: of a server, and of a store where its table or family has its own.

use crate::date_tiered_config::DateTieredConfig;
use crate::off_peak_hours::OffPeakHours;
use crate::stripe_config::StripeConfig;
use finback_cell::{ColumnFamilyDescriptor, TableDescriptor};
use std::ops::RangeInclusive;
use std::str::FromStr;

/// How a store lays out its files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreEngine {
    /// HBase's `DefaultStoreEngine`: files by age alone.
    #[default]
    Default,
    /// HBase's `DateTieredStoreEngine`: files by the timestamps of their cells.
    DateTiered,
    /// HBase's `StripeStoreEngine`: files by the rows of their cells.
    Stripe,
}

/// How the files of a compaction are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompactionPolicy {
    /// HBase's `ExploringCompactionPolicy`: the run with most files of those in which none is much larger than the
    /// others together.
    #[default]
    Exploring,
    /// HBase's `RatioBasedCompactionPolicy`: from the oldest file on that is not much larger than those after it.
    RatioBased,
    /// HBase's `FIFOCompactionPolicy`: nothing but files of which all cells have expired.
    Fifo,
}

/// The package of HBase's store engines.
const ENGINES: &str = "org.apache.hadoop.hbase.regionserver.";
/// The package of HBase's compaction policies.
const POLICIES: &str = "org.apache.hadoop.hbase.regionserver.compactions.";

impl FromStr for StoreEngine {
    type Err = ();

    /// Understands the name of HBase's class.
    fn from_str(class: &str) -> Result<Self, ()> {
        match class.strip_prefix(ENGINES) {
            Some("DefaultStoreEngine") => Ok(Self::Default),
            Some("DateTieredStoreEngine") => Ok(Self::DateTiered),
            Some("StripeStoreEngine") => Ok(Self::Stripe),
            _ => Err(()),
        }
    }
}

impl FromStr for CompactionPolicy {
    type Err = ();

    /// Understands the name of HBase's class.
    fn from_str(class: &str) -> Result<Self, ()> {
        match class.strip_prefix(POLICIES) {
            Some("ExploringCompactionPolicy") => Ok(Self::Exploring),
            Some("RatioBasedCompactionPolicy") => Ok(Self::RatioBased),
            Some("FIFOCompactionPolicy") => Ok(Self::Fifo),
            _ => Err(()),
        }
    }
}

/// Settings, under HBase's names.
#[derive(Clone, Debug, PartialEq)]
pub struct CompactionConfig {
    /// `hbase.hstore.engine.class`.
    pub engine: StoreEngine,
    /// `hbase.hstore.defaultengine.compactionpolicy.class`, of the default engine.
    pub policy: CompactionPolicy,
    /// `hbase.hstore.compaction.min`: fewer files are left alone, and a single one always.
    pub min_files: usize,
    /// `hbase.hstore.compaction.max`: at most so many at once.
    pub max_files: usize,
    /// `hbase.hstore.compaction.ratio`: how much larger than the others together a file may be.
    pub ratio: f64,
    /// `hbase.hstore.compaction.ratio.offpeak`: the same in off-peak hours.
    pub off_peak_ratio: f64,
    /// `hbase.offpeak.start.hour`: an hour of the day; -1 is never.
    pub off_peak_start_hour: i64,
    /// `hbase.offpeak.end.hour`: an hour of the day; -1 is never.
    pub off_peak_end_hour: i64,
    /// `hbase.hstore.compaction.min.size`, in bytes: runs smaller than this are always in ratio.
    pub min_size_bytes: u64,
    /// `hbase.hstore.compaction.max.size`, in bytes: larger files are left out.
    pub max_size_bytes: u64,
    /// `hbase.hstore.compaction.max.size.offpeak`: the same in off-peak hours. `None`: no other.
    pub off_peak_max_size_bytes: Option<u64>,
    /// `hbase.hstore.blockingStoreFiles`: with so many files the store is stuck, and any run will do.
    pub blocking_files: usize,
    /// `hbase.hregion.majorcompaction`, in milliseconds: how old files may grow; 0 is for ever.
    pub major_period_ms: i64,
    /// `hbase.hregion.majorcompaction.jitter`: by which share of it the period varies from store to store.
    pub major_jitter: f64,
    /// `hbase.store.delete.expired.storefile`: whether files of which all cells have expired go without a compaction.
    pub deletes_expired_files: bool,
    /// `hbase.hstore.compaction.keep.seqId.period`, in milliseconds (HBase: days): compactions of all files forget the
    /// sequence ids of cells in older files. Where most blocks could be copied otherwise it is five days at least, as it is everywhere
    /// in HBase.
    pub keep_sequence_ids_ms: i64,
    /// `hbase.hstore.time.to.purge.deletes`, in milliseconds: compactions keep younger delete markers, for puts that
    /// come late.
    pub purge_deletes_ms: i64,
    /// `hbase.enable.historical.compaction.files`: whether compactions write what no read of the present needs to files of its own,
    /// and such reads leave these out. Of the default engine.
    pub keeps_history_apart: bool,
    /// `hbase.server.compactchecker.interval.multiplier`: so many times 10 s pass between two looks whether the store needs
    /// a compaction that no flush gave occasion to.
    pub check_multiplier: u64,
    /// Of the date-tiered engine.
    pub date_tiered: DateTieredConfig,
    /// Of the stripe engine.
    pub stripe: StripeConfig,
}

impl Default for CompactionConfig {
    fn default() -> Self {
        Self {
            engine: StoreEngine::default(),
            policy: CompactionPolicy::default(),
            min_files: 3,
            max_files: 10,
            ratio: 1.2,
            off_peak_ratio: 5.0,
            off_peak_start_hour: -1,
            off_peak_end_hour: -1,
            min_size_bytes: 128 << 20,
            max_size_bytes: i64::MAX as u64,
            off_peak_max_size_bytes: None,
            blocking_files: 16,
            major_period_ms: 7 * DAY_MS,
            major_jitter: 0.5,
            deletes_expired_files: true,
            keep_sequence_ids_ms: 0,
            purge_deletes_ms: 0,
            keeps_history_apart: false,
            check_multiplier: DEFAULT_CHECK_MULTIPLIER,
            date_tiered: DateTieredConfig::default(),
            stripe: StripeConfig::default(),
        }
    }
}

/// HBase's default, which also stands for what is no number of times.
const DEFAULT_CHECK_MULTIPLIER: u64 = 1000;

/// HBase's default flush size: of a store without a table.
pub(crate) const DEFAULT_FLUSH_SIZE_BYTES: u64 = 128 << 20;

const DAY_MS: i64 = 24 * 3600 * 1000;

/// The largest of HBase's ints.
const MOST_COUNTED: usize = i32::MAX as usize;

/// What a table and one of its families say about settings. As in HBase the family's attributes come before its
/// configuration, and that before the attributes of the table.
pub(crate) struct Overrides<'a> {
    pub(crate) table: &'a TableDescriptor,
    pub(crate) family: &'a ColumnFamilyDescriptor,
}

/// A number as Java reads it: one that begins an expression of type float or double may say so at its end (`1.2F`).
pub fn java_float(text: &str) -> Option<f64> {
    let number = text.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(text);
    // Rust's words for numbers that are none are not Java's.
    let is_number = number.ends_with(|last: char| last.is_ascii_digit() || last == '.');
    number.parse().ok().filter(|_| is_number)
}

impl Overrides<'_> {
    /// The text of a setting, if the store has its own.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let own = self.family.attribute(name).or_else(|| self.family.setting(name));
        own.or_else(|| self.table.attribute(name)).map(str::trim)
    }

    /// Replaces a setting by the store's own. One that makes no sense is told, and is as if it were not there: a table
    /// must not become unreadable by it.
    pub(crate) fn apply<T: FromStr>(&self, name: &str, setting: &mut T) {
        let Some(text) = self.text(name) else { return };
        match text.parse() {
            Ok(value) => *setting = value,
            Err(_) => self.refuse(name, text),
        }
    }

    /// As [`apply`](Self::apply), of a setting that need not have a value.
    pub(crate) fn apply_optional<T: FromStr>(&self, name: &str, setting: &mut Option<T>) {
        let Some(text) = self.text(name) else { return };
        match text.parse() {
            Ok(value) => *setting = Some(value),
            Err(_) => self.refuse(name, text),
        }
    }

    /// As [`apply`](Self::apply), of a number that need not be whole.
    pub(crate) fn apply_float(&self, name: &str, setting: &mut f64) {
        let Some(text) = self.text(name) else { return };
        match java_float(text) {
            Some(value) => *setting = value,
            None => self.refuse(name, text),
        }
    }

    /// As [`apply`](Self::apply), of a count, for which HBase has an int.
    pub(crate) fn apply_count(&self, name: &str, count: &mut usize) {
        self.apply(name, count);
        *count = (*count).min(MOST_COUNTED);
    }

    /// As [`apply_count`](Self::apply_count), of a count that need not be there.
    pub(crate) fn apply_optional_count(&self, name: &str, count: &mut Option<usize>) {
        self.apply_optional(name, count);
        *count = count.map(|count| count.min(MOST_COUNTED));
    }

    /// As [`apply`](Self::apply), of one that has bounds.
    pub(crate) fn apply_within<T: FromStr + PartialOrd>(
        &self,
        name: &str,
        bounds: &RangeInclusive<T>,
        setting: &mut T,
    ) {
        let Some(text) = self.text(name) else { return };
        match text.parse() {
            Ok(value) if bounds.contains(&value) => *setting = value,
            _ => self.refuse(name, text),
        }
    }

    fn refuse(&self, name: &str, text: &str) {
        let family = self.family.name.escape_ascii().to_string();
        tracing::warn!(table = %self.table.name, family, setting = name, value = text, "a setting without sense");
    }
}

impl CompactionConfig {
    /// These settings with what the table and the family have in their place. `flush_size_bytes` is the table's.
    #[must_use]
    pub fn of_store(
        &self,
        table: &TableDescriptor,
        family: &ColumnFamilyDescriptor,
        flush_size_bytes: u64,
    ) -> Self {
        let own = Overrides { table, family };
        let mut config = self.clone();
        own.apply("hbase.hstore.engine.class", &mut config.engine);
        if config.engine == StoreEngine::Default {
            own.apply("hbase.hstore.defaultengine.compactionpolicy.class", &mut config.policy);
        }
        // The name of old releases first: the other one wins.
        own.apply_count("hbase.hstore.compactionThreshold", &mut config.min_files);
        own.apply_count("hbase.hstore.compaction.min", &mut config.min_files);
        own.apply_count("hbase.hstore.compaction.max", &mut config.max_files);
        own.apply_float("hbase.hstore.compaction.ratio", &mut config.ratio);
        own.apply_float("hbase.hstore.compaction.ratio.offpeak", &mut config.off_peak_ratio);
        own.apply("hbase.offpeak.start.hour", &mut config.off_peak_start_hour);
        own.apply("hbase.offpeak.end.hour", &mut config.off_peak_end_hour);
        own.apply("hbase.hstore.compaction.min.size", &mut config.min_size_bytes);
        own.apply("hbase.hstore.compaction.max.size", &mut config.max_size_bytes);
        own.apply_optional("hbase.hstore.compaction.max.size.offpeak", &mut config.off_peak_max_size_bytes);
        own.apply_count("hbase.hstore.blockingStoreFiles", &mut config.blocking_files);
        own.apply("hbase.hregion.majorcompaction", &mut config.major_period_ms);
        own.apply_float("hbase.hregion.majorcompaction.jitter", &mut config.major_jitter);
        own.apply("hbase.store.delete.expired.storefile", &mut config.deletes_expired_files);
        let mut keep_days = config.keep_sequence_ids_ms / DAY_MS;
        own.apply("hbase.hstore.compaction.keep.seqId.period", &mut keep_days);
        if keep_days != config.keep_sequence_ids_ms / DAY_MS {
            config.keep_sequence_ids_ms = keep_days.saturating_mul(DAY_MS);
        }
        own.apply("hbase.hstore.time.to.purge.deletes", &mut config.purge_deletes_ms);
        own.apply("hbase.enable.historical.compaction.files", &mut config.keeps_history_apart);
        config.keeps_history_apart &= config.engine == StoreEngine::Default;
        own.apply("hbase.server.compactchecker.interval.multiplier", &mut config.check_multiplier);
        config.date_tiered.apply(&own);
        config.stripe.apply(&own, flush_size_bytes);
        config
    }

    /// The off-peak hours, if there are any.
    pub(crate) fn off_peak_hours(&self) -> Option<OffPeakHours> {
        OffPeakHours::new(self.off_peak_start_hour, self.off_peak_end_hour)
    }

    /// Whether this look at all stores, of which there is one every 10 s, is one at such a store.
    pub(crate) fn is_due_at_look(&self, look: u64) -> bool {
        let every = if self.check_multiplier == 0 { DEFAULT_CHECK_MULTIPLIER } else { self.check_multiplier };
        look.is_multiple_of(every)
    }

    /// The limit of a file's size, in or out of off-peak hours.
    pub(crate) fn max_size_bytes(&self, off_peak: bool) -> u64 {
        self.off_peak_max_size_bytes.filter(|_| off_peak).unwrap_or(self.max_size_bytes)
    }

    /// The ratio, in or out of off-peak hours.
    pub(crate) fn ratio(&self, off_peak: bool) -> f64 {
        if off_peak { self.off_peak_ratio } else { self.ratio }
    }

    /// Fewest files of a compaction: never one alone, which compacted would be as worth it as before, nor the two that one leaves.
    pub(crate) fn min_files(&self) -> usize {
        self.min_files.max(2) + usize::from(self.keeps_history_apart)
    }
}

#[cfg(test)]
mod tests;
