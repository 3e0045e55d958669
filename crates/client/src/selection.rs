//! Which cells of a row are wanted: what gets and scans have in common.

use crate::filter::Filter;
use bytes::Bytes;
use finback_cell::TimeRange;
use finback_proto::pb;

/// From which replicas a read may be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Consistency {
    /// From the primary, which has everything.
    #[default]
    Strong,
    /// From any, which may be behind.
    Timeline,
}

/// What a get or a scan wants of a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Selection {
    families: Vec<(Bytes, Vec<Bytes>)>,
    time_range: TimeRange,
    family_time_ranges: Vec<(Bytes, TimeRange)>,
    pub(crate) max_versions: u32,
    pub(crate) store_limit: Option<u32>,
    pub(crate) store_offset: Option<u32>,
    pub(crate) filter: Option<Filter>,
    pub(crate) cache_blocks: bool,
    pub(crate) load_on_demand: Option<bool>,
    pub(crate) consistency: Consistency,
    pub(crate) replica: Option<u32>,
    pub(crate) attributes: Vec<(String, Bytes)>,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            families: Vec::new(),
            time_range: TimeRange::ALL,
            family_time_ranges: Vec::new(),
            max_versions: 1,
            store_limit: None,
            store_offset: None,
            filter: None,
            cache_blocks: true,
            load_on_demand: None,
            consistency: Consistency::Strong,
            replica: None,
            attributes: Vec::new(),
        }
    }
}

impl Selection {
    /// All of a family, whatever was wanted of it before.
    pub(crate) fn family(&mut self, family: &[u8]) {
        self.qualifiers(family).clear();
    }

    pub(crate) fn column(&mut self, family: &[u8], qualifier: &[u8]) {
        let qualifiers = self.qualifiers(family);
        if let Err(place) = qualifiers.binary_search_by(|known| known[..].cmp(qualifier)) {
            qualifiers.insert(place, Bytes::copy_from_slice(qualifier));
        }
    }

    fn qualifiers(&mut self, family: &[u8]) -> &mut Vec<Bytes> {
        let place = match self.families.binary_search_by(|(known, _)| known[..].cmp(family)) {
            Ok(place) => place,
            Err(place) => {
                self.families.insert(place, (Bytes::copy_from_slice(family), Vec::new()));
                place
            }
        };
        &mut self.families[place].1
    }

    pub(crate) fn time_range(&mut self, min: i64, max: i64) {
        self.time_range = TimeRange { min, max };
    }

    pub(crate) fn family_time_range(&mut self, family: &[u8], min: i64, max: i64) {
        self.family_time_ranges.push((Bytes::copy_from_slice(family), TimeRange { min, max }));
    }

    pub(crate) fn attribute(&mut self, name: &str, value: Bytes) {
        self.attributes.retain(|(known, _)| known != name);
        self.attributes.push((name.to_owned(), value));
    }

    /// Whether families and qualifiers were named.
    pub(crate) fn has_columns(&self) -> bool {
        !self.families.is_empty()
    }

    /// What cannot be.
    pub(crate) fn check(&self) -> Result<(), String> {
        let ranges = self.family_time_ranges.iter().map(|(_, range)| range).chain([&self.time_range]);
        match ranges.into_iter().find(|range| range.min < 0 || range.max < range.min) {
            Some(range) => Err(format!("no range of time: from {} to {}", range.min, range.max)),
            None if self.max_versions == 0 => Err("at least one version must be wanted".to_owned()),
            None => Ok(()),
        }
    }

    pub(crate) fn columns(&self) -> Vec<pb::Column> {
        let column = |(family, qualifiers): &(Bytes, Vec<Bytes>)| pb::Column {
            family: family.clone(),
            qualifier: qualifiers.clone(),
        };
        self.families.iter().map(column).collect()
    }

    pub(crate) fn time_range_message(&self) -> Option<pb::TimeRange> {
        Some(self.time_range.into())
    }

    pub(crate) fn family_time_range_messages(&self) -> Vec<pb::ColumnFamilyTimeRange> {
        let message = |(family, range): &(Bytes, TimeRange)| pb::ColumnFamilyTimeRange {
            column_family: family.clone(),
            time_range: (*range).into(),
        };
        self.family_time_ranges.iter().map(message).collect()
    }

    pub(crate) fn attribute_messages(&self) -> Vec<pb::NameBytesPair> {
        attribute_messages(&self.attributes)
    }

    /// Bytes of all that has no bound, roughly.
    pub(crate) fn size(&self) -> usize {
        let columns =
            self.families.iter().flat_map(|(family, qualifiers)| [family].into_iter().chain(qualifiers));
        let families = self.family_time_ranges.iter().map(|(family, _)| family);
        let names: usize = columns.chain(families).map(Bytes::len).sum();
        names + self.filter.as_ref().map_or(0, Filter::size) + attributes_size(&self.attributes)
    }

    pub(crate) fn consistency_message(&self) -> Option<i32> {
        let timeline = self.consistency == Consistency::Timeline;
        timeline.then(|| pb::Consistency::Timeline.into())
    }
}

pub(crate) fn attribute_messages(attributes: &[(String, Bytes)]) -> Vec<pb::NameBytesPair> {
    let message = |(name, value): &(String, Bytes)| pb::NameBytesPair {
        name: name.clone(),
        value: Some(value.clone()),
    };
    attributes.iter().map(message).collect()
}

/// Bytes of the names and values.
pub(crate) fn attributes_size(attributes: &[(String, Bytes)]) -> usize {
    attributes.iter().map(|(name, value)| name.len() + value.len()).sum()
}

/// The methods that [`crate::Get`] and [`crate::Scan`] share.
macro_rules! selection_methods {
    () => {
        /// Wants all columns of a family.
        #[must_use]
        pub fn family(mut self, family: impl AsRef<[u8]>) -> Self {
            self.selection.family(family.as_ref());
            self
        }

        /// Wants a column.
        #[must_use]
        pub fn column(mut self, family: impl AsRef<[u8]>, qualifier: impl AsRef<[u8]>) -> Self {
            self.selection.column(family.as_ref(), qualifier.as_ref());
            self
        }

        /// Wants cells with `min <= timestamp < max`, in milliseconds.
        #[must_use]
        pub fn time_range(mut self, min: i64, max: i64) -> Self {
            self.selection.time_range(min, max);
            self
        }

        /// Wants cells with this timestamp.
        #[must_use]
        pub fn timestamp(self, timestamp: i64) -> Self {
            self.time_range(timestamp, timestamp.saturating_add(1))
        }

        /// Wants cells of a family with `min <= timestamp < max`, whatever holds for the others.
        #[must_use]
        pub fn family_time_range(mut self, family: impl AsRef<[u8]>, min: i64, max: i64) -> Self {
            self.selection.family_time_range(family.as_ref(), min, max);
            self
        }

        /// Wants as many versions of each column. Default: the newest.
        #[must_use]
        pub fn max_versions(mut self, versions: u32) -> Self {
            self.selection.max_versions = versions.min(i32::MAX as u32);
            self
        }

        /// Wants all versions of each column.
        #[must_use]
        pub fn all_versions(self) -> Self {
            self.max_versions(u32::MAX)
        }

        /// Wants at most as many cells of each row and family.
        #[must_use]
        pub fn cells_per_family(mut self, limit: u32) -> Self {
            self.selection.store_limit = Some(limit);
            self
        }

        /// Passes over as many cells of each row and family.
        #[must_use]
        pub fn family_offset(mut self, offset: u32) -> Self {
            self.selection.store_offset = Some(offset);
            self
        }

        /// Has the server leave out what the filter does.
        #[must_use]
        pub fn filter(mut self, filter: crate::Filter) -> Self {
            self.selection.filter = Some(filter);
            self
        }

        /// Whether blocks that are read stay in the server's cache. Default: yes.
        #[must_use]
        pub fn cache_blocks(mut self, cache: bool) -> Self {
            self.selection.cache_blocks = cache;
            self
        }

        /// Whether families that the filter does not need are read only for rows that it keeps.
        #[must_use]
        pub fn load_column_families_on_demand(mut self, on_demand: bool) -> Self {
            self.selection.load_on_demand = Some(on_demand);
            self
        }

        /// From which replicas the answer may come. Default: from the primary; of batches always.
        #[must_use]
        pub fn consistency(mut self, consistency: crate::Consistency) -> Self {
            self.selection.consistency = consistency;
            self
        }

        /// Of a [timeline-consistent](crate::Consistency::Timeline) read: the only replica that is asked; 0 is the primary.
        #[must_use]
        pub fn replica(mut self, id: u32) -> Self {
            self.selection.replica = Some(id);
            self
        }

        /// The only replica that is to be asked, if there is one.
        pub(crate) fn asked_replica(&self) -> Option<u32> {
            self.selection.replica
        }

        pub(crate) fn is_timeline(&self) -> bool {
            self.selection.consistency == crate::Consistency::Timeline
        }

        /// What is told to the server besides: coprocessors read such attributes.
        #[must_use]
        pub fn attribute(mut self, name: &str, value: impl Into<bytes::Bytes>) -> Self {
            self.selection.attribute(name, value.into());
            self
        }

        /// Whether writes that are under way may be seen. Default: no.
        #[must_use]
        pub fn read_uncommitted(self, uncommitted: bool) -> Self {
            self.attribute("_isolationlevel_", if uncommitted { &b"\x01"[..] } else { &b"\x00"[..] })
        }
    };
}
pub(crate) use selection_methods;
