//! Which regions may still have references to the files of the regions they come of, and whether they have.

use finback_cell::TableName;
use finback_layout::{LayoutError, RootDir};

use crate::state::{ClusterState, Region};

/// Regions that may have references to the files of others.
#[derive(Debug, Clone)]
pub(crate) struct Kinship {
    pub(crate) table: TableName,
    /// The region that was split, or that was merged.
    pub(crate) region: String,
    /// Which of the two it was.
    pub(crate) is_split: bool,
    parents: Vec<String>,
    offspring: Vec<String>,
}

/// All regions of which parents' files may have become useless.
pub(crate) fn kinships(state: &ClusterState) -> Vec<Kinship> {
    let kinship = |(encoded, region): (&String, &Region)| {
        let is_split = region.is_split();
        let (parents, offspring) = if is_split && !region.split_into.is_empty() {
            (vec![encoded.clone()], region.split_into.clone())
        } else if !is_split && !region.merged_from.is_empty() {
            (region.merged_from.clone(), vec![encoded.clone()])
        } else {
            return None;
        };
        let table = region.info.table.clone();
        Some(Kinship { table, region: encoded.clone(), is_split, parents, offspring })
    };
    state.regions.iter().filter_map(kinship).collect()
}

impl Kinship {
    /// Whether no file of the offspring refers to a file of the parents.
    pub(crate) fn is_over(&self, root: &RootDir) -> Result<bool, LayoutError> {
        for offspring in &self.offspring {
            let others = root.refers_to(&self.table, offspring)?;
            if self.parents.iter().any(|parent| others.contains(parent)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
