//! What NEW_VERSION_BEHAVIOR means: one write after the other is carried out, and each leaves behind what can be seen.
//! A put takes its place, and the version that is one too many goes for good; a marker takes away what it hides of what
//! is there.

use crate::model::{hides, is_marker};
use crate::world::Plain;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What stands of one row and family, sorted, after all cells were written. Each comes with the number of its write.
pub(crate) fn standing(mut written: Vec<(usize, &Plain)>, versions: usize) -> Vec<Plain> {
    // The cells of one write count as if they had come in the opposite of the store's order: old before new, and puts
    // before the markers that hide them.
    written.sort_by_key(|(write, cell)| {
        (*write, Reverse(cell.qualifier.clone()), cell.timestamp, cell.type_code)
    });
    let mut columns: BTreeMap<&[u8], BTreeMap<Reverse<i64>, &Plain>> = BTreeMap::new();
    for (_, cell) in written {
        if is_marker(cell) {
            columns.values_mut().for_each(|column| column.retain(|_, put| !hides(cell, put)));
        } else {
            let column = columns.entry(&cell.qualifier).or_default();
            column.insert(Reverse(cell.timestamp), cell);
            if column.len() > versions {
                column.pop_last();
            }
        }
    }
    columns.into_values().flat_map(BTreeMap::into_values).cloned().collect()
}
