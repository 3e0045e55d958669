//! When a region is large enough to be split, and what of a row is left as the border: HBase's region split policies.

use crate::config::RegionConfig;
use crate::java_random::{first_double, hash_code};
use crate::refused_writes::BusySplitConfig;
use crate::region::Region;
use finback_cell::{Bytes, SplitRestriction, TableDescriptor};
use std::str::FromStr;
use std::sync::atomic::Ordering;

/// By which share of it the size varies from region to region (`hbase.hregion.max.filesize.jitter` of HBase).
const JITTER: f64 = 0.25;
/// With more regions of a table on a server than this, the whole size counts.
const MANY_REGIONS: u64 = 100;
const PACKAGE: &str = "org.apache.hadoop.hbase.regionserver.";

/// `hbase.regionserver.region.split.policy`, or a table's SPLIT_POLICY.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SplitPolicy {
    /// `SteppingSplitPolicy`: the only region of its table on this server is split early.
    #[default]
    Stepping,
    /// `IncreasingToUpperBoundRegionSplitPolicy`: with each region of the table on this server the size grows.
    IncreasingToUpperBound,
    /// `BusyRegionSplitPolicy`: the same, and regions that refuse too many writes.
    Busy,
    /// `ConstantSizeRegionSplitPolicy`.
    ConstantSize,
    /// `KeyPrefixRegionSplitPolicy`: as IncreasingToUpperBound, between prefixes of a length that the table gives.
    KeyPrefix,
    /// `DelimitedKeyPrefixRegionSplitPolicy`: the same, of what comes before a delimiter that the table gives.
    DelimitedKeyPrefix,
    /// `DisabledRegionSplitPolicy`.
    Disabled,
}

impl FromStr for SplitPolicy {
    type Err = ();

    /// By HBase's class.
    fn from_str(class: &str) -> Result<Self, ()> {
        match class.strip_prefix(PACKAGE).unwrap_or(class) {
            "SteppingSplitPolicy" => Ok(Self::Stepping),
            "IncreasingToUpperBoundRegionSplitPolicy" => Ok(Self::IncreasingToUpperBound),
            "BusyRegionSplitPolicy" => Ok(Self::Busy),
            "ConstantSizeRegionSplitPolicy" => Ok(Self::ConstantSize),
            "KeyPrefixRegionSplitPolicy" => Ok(Self::KeyPrefix),
            "DelimitedKeyPrefixRegionSplitPolicy" => Ok(Self::DelimitedKeyPrefix),
            "DisabledRegionSplitPolicy" => Ok(Self::Disabled),
            _ => Err(()),
        }
    }
}

/// Settings of splits that nobody asks for; the names are HBase's.
#[derive(Clone, Debug)]
pub struct SplitConfig {
    /// `hbase.regionserver.region.split.policy`. Tables may have their own (SPLIT_POLICY).
    pub policy: SplitPolicy,
    /// `hbase.hregion.max.filesize`, in bytes. Tables may have their own (MAX_FILESIZE).
    pub max_file_bytes: u64,
    /// `hbase.increasing.policy.initial.size`, in bytes: where the size begins that grows. `None`: twice the flush size.
    pub initial_bytes: Option<u64>,
    /// `hbase.hregion.memstore.flush.size`, in bytes, as it is set: where memory is short, memstores are smaller, and regions
    /// are not. Tables may have their own (MEMSTORE_FLUSHSIZE).
    pub flush_size_bytes: u64,
    /// `hbase.hregion.split.overallfiles`: whether all stores of a region count together.
    pub counts_all_stores: bool,
    /// When a region is too busy.
    pub busy: BusySplitConfig,
    /// Where tables are split that do not say it themselves.
    pub restriction: SplitRestriction,
}

impl Default for SplitConfig {
    fn default() -> Self {
        Self {
            policy: SplitPolicy::default(),
            max_file_bytes: 10 << 30,
            initial_bytes: None,
            flush_size_bytes: 128 << 20,
            counts_all_stores: false,
            busy: BusySplitConfig::default(),
            restriction: SplitRestriction::default(),
        }
    }
}

impl SplitConfig {
    fn policy_of(&self, table: &TableDescriptor) -> SplitPolicy {
        let own = table.attribute("SPLIT_POLICY").filter(|class| !class.is_empty());
        // A class of the table's own is not here; what HBase would do with it nobody knows.
        own.map_or(self.policy, |class| class.parse().unwrap_or(self.policy))
    }

    /// More bytes than this are too many, of a region that is one of so many of its table on the server. `chance`: from 0
    /// to 1, of the region.
    fn limit(&self, table: &TableDescriptor, regions_of_table: u64, chance: f64) -> Option<u64> {
        let own = table.parsed::<u64>("MAX_FILESIZE").filter(|bytes| *bytes > 0);
        let max = own.unwrap_or(self.max_file_bytes);
        let varied = (max as f64 * (1.0 + (chance - 0.5) * JITTER)) as u64;
        let flush_size = table.memstore_flush_size().unwrap_or(self.flush_size_bytes);
        let initial = self.initial_bytes.unwrap_or_else(|| flush_size.saturating_mul(2));
        match self.policy_of(table) {
            SplitPolicy::Disabled => None,
            SplitPolicy::ConstantSize => Some(varied),
            SplitPolicy::Stepping if regions_of_table == 1 => Some(initial),
            SplitPolicy::Stepping => Some(varied),
            _ if regions_of_table == 0 || regions_of_table > MANY_REGIONS => Some(varied),
            _ => Some(varied.min(initial.saturating_mul(regions_of_table.saturating_pow(3)))),
        }
    }

    /// What of a row becomes the border.
    fn border(&self, table: &TableDescriptor, row: Bytes) -> Bytes {
        let length = match self.policy_of(table) {
            SplitPolicy::KeyPrefix => {
                let length = table.parsed("KeyPrefixRegionSplitPolicy.prefix_length");
                // As in HBase, no length at all is not meant: every border would be empty, and no region ever split.
                length
                    .or_else(|| table.parsed("prefix_split_key_policy.prefix_length"))
                    .filter(|&length: &usize| length > 0)
            }
            SplitPolicy::DelimitedKeyPrefix => table
                .attribute("DelimitedKeyPrefixRegionSplitPolicy.delimiter")
                .filter(|delimiter| !delimiter.is_empty())
                .and_then(|delimiter| {
                    row.windows(delimiter.len()).position(|part| part == delimiter.as_bytes())
                }),
            _ => None,
        };
        self.restriction.border(table, row.slice(..length.unwrap_or(row.len()).min(row.len())))
    }
}

impl Region {
    /// Whether it has grown so large that it should be split, as one of so many regions of its table on this server.
    pub fn wants_split(&self, regions_of_table: usize) -> bool {
        let is_forbidden =
            self.table.attribute("SPLIT_ENABLED").is_some_and(|flag| flag.eq_ignore_ascii_case("false"));
        let is_system = self.info.table.namespace() == finback_cell::TableName::SYSTEM_NAMESPACE;
        if is_forbidden || is_system || !self.is_splittable() {
            return false;
        }
        let config: &RegionConfig = &self.environment.config;
        let chance = first_double(hash_code(&self.encoded_name));
        let limit = config.split.limit(&self.table, regions_of_table as u64, chance);
        let Some(limit) = limit else { return false };
        let sizes = self.stores.iter().map(|store| store.files().iter().map(|file| file.size_bytes()).sum());
        let largest: u64 = if config.split.counts_all_stores {
            sizes.fold(0, u64::saturating_add)
        } else {
            sizes.max().unwrap_or(0)
        };
        largest > limit || self.is_too_busy()
    }

    /// Whether its policy splits it for the writes that it refuses.
    fn is_too_busy(&self) -> bool {
        let config = &self.environment.config.split;
        let (writes, now) = (self.counters.writes.load(Ordering::Relaxed), self.environment.host.uptime());
        config.policy_of(&self.table) == SplitPolicy::Busy
            && self.refused_writes.are_too_many(&config.busy, writes, now)
    }

    /// Whether its policy is DisabledRegionSplitPolicy.
    pub(crate) fn never_splits(&self) -> bool {
        self.environment.config.split.policy_of(&self.table) == SplitPolicy::Disabled
    }

    /// The border that a split at this row gets.
    pub(crate) fn border(&self, row: Bytes) -> Bytes {
        self.environment.config.split.border(&self.table, row)
    }
}

#[cfg(test)]
mod tests;
