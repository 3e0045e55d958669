//! Settings of the stripe engine, under HBase's names.

use crate::compaction_config::{DEFAULT_FLUSH_SIZE_BYTES, Overrides};
use std::num::NonZeroU64;

/// What stands for an imbalance that is none.
const DEFAULT_SPLIT_IMBALANCE: f64 = 1.5;

/// Settings of the stripe engine.
#[derive(Clone, Debug, PartialEq)]
pub struct StripeConfig {
    /// `hbase.store.stripe.compaction.minFilesL0`: so many files that belong to no stripe are put into stripes.
    pub level0_min_files: usize,
    /// `hbase.store.stripe.compaction.flushToL0`: whether flushes write one file that belongs to no stripe.
    pub flush_to_level0: bool,
    /// `hbase.store.stripe.compaction.minFiles`: so many files of a stripe are compacted. `None`: as many as of other
    /// stores, and 4 at least, or 3 where flushes do not go into stripes.
    pub min_files: Option<usize>,
    /// `hbase.store.stripe.compaction.maxFiles`: most files of one compaction. `None`: as of other stores.
    pub max_files: Option<usize>,
    /// `hbase.store.stripe.initialStripeCount`: into how many stripes a store is cut at first.
    pub initial_stripes: usize,
    /// `hbase.store.stripe.sizeToSplit`, in bytes: a larger stripe is cut when all of it is compacted. `None`, and 0, with which
    /// HBase's search for the number of parts comes to no end: as much as 4 compactions of flushed files for each part.
    pub split_size_bytes: Option<u64>,
    /// `hbase.store.stripe.splitPartCount`: into how many parts.
    pub split_parts: f64,
    /// `hbase.store.stripe.region.split.max.imbalance`: a region is split between two stripes unless one side would be so many times
    /// larger than the other.
    pub max_split_imbalance: f64,
}

impl Default for StripeConfig {
    fn default() -> Self {
        Self {
            level0_min_files: 4,
            flush_to_level0: false,
            min_files: None,
            max_files: None,
            initial_stripes: 1,
            split_size_bytes: None,
            split_parts: 2.0,
            max_split_imbalance: DEFAULT_SPLIT_IMBALANCE,
        }
    }
}

impl StripeConfig {
    /// `flush_size_bytes` is the table's.
    pub(crate) fn apply(&mut self, own: &Overrides<'_>, flush_size_bytes: u64) {
        own.apply_count("hbase.store.stripe.compaction.minFilesL0", &mut self.level0_min_files);
        own.apply("hbase.store.stripe.compaction.flushToL0", &mut self.flush_to_level0);
        own.apply_optional_count("hbase.store.stripe.compaction.minFiles", &mut self.min_files);
        own.apply_optional_count("hbase.store.stripe.compaction.maxFiles", &mut self.max_files);
        own.apply_count("hbase.store.stripe.initialStripeCount", &mut self.initial_stripes);
        let mut split_size: Option<NonZeroU64> = None;
        own.apply_optional("hbase.store.stripe.sizeToSplit", &mut split_size);
        self.split_size_bytes = split_size.map(NonZeroU64::get).or(self.split_size_bytes);
        own.apply_float("hbase.store.stripe.splitPartCount", &mut self.split_parts);
        own.apply_float("hbase.store.stripe.region.split.max.imbalance", &mut self.max_split_imbalance);
        self.split_size_bytes = Some(self.split_size_bytes(flush_size_bytes));
    }

    /// So many files of a stripe are compacted, in a store that would compact `of_others`. Files that were flushed into
    /// stripes are small: they should not be compacted too often.
    pub(crate) fn min_files(&self, of_others: usize) -> usize {
        let least = if self.flush_to_level0 { 3 } else { 4 };
        self.min_files.unwrap_or(of_others.max(least))
    }

    /// A larger stripe is cut, in a store with this flush size; 0 stands for HBase's default.
    pub(crate) fn split_size_bytes(&self, flush_size_bytes: u64) -> u64 {
        let flush_size = if flush_size_bytes == 0 { DEFAULT_FLUSH_SIZE_BYTES } else { flush_size_bytes };
        let default = flush_size as f64 * self.level0_min_files.max(1) as f64 * 4.0 * self.split_parts();
        self.split_size_bytes.filter(|size| *size > 0).unwrap_or(default as u64)
    }

    /// Into how many parts a stripe is cut: as in HBase a share of a part stands for its inverse, and what would be no
    /// cut for the default.
    pub(crate) fn split_parts(&self) -> f64 {
        let parts = if self.split_parts < 1.0 { 1.0 / self.split_parts } else { self.split_parts };
        let is_cut = self.split_parts > 0.001 && (parts - 1.0).abs() >= 0.001 && parts.is_finite();
        if is_cut { parts } else { 2.0 }
    }

    /// How many times larger one side of a split between stripes may be: as in HBase a share stands for its inverse.
    pub(crate) fn max_split_imbalance(&self) -> f64 {
        match self.max_split_imbalance {
            imbalance if imbalance > 1.0 => imbalance,
            share if share >= 0.001 => 1.0 / share,
            _ => DEFAULT_SPLIT_IMBALANCE,
        }
    }
}
