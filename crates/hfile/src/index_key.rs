//! The keys of index entries of data blocks.

use finback_cell::CellOrder;
use finback_cell::key::Key;

/// Writes to `out` the flat key of the index entry of a block that starts with `right`, after a block that ended with
/// `left`: some short key that is greater than `left` and not greater than `right`. HBase's rule, step by step, so that
/// index blocks are the same bytes.
pub(crate) fn write_index_key(out: &mut Vec<u8>, order: CellOrder, left: Option<Key<'_>>, right: Key<'_>) {
    let Some(left) = left.filter(|_| order == CellOrder::User) else {
        return right.write(out);
    };
    if left.row < right.row {
        let row = midpoint(left.row, right.row);
        Key::first_on_row(&row).write(out);
    } else if left.row == right.row && left.family < right.family {
        let family = midpoint(left.family, right.family);
        Key::first_on_column(right.row, &family, &[]).write(out);
    } else if left.row == right.row && left.family == right.family && left.qualifier < right.qualifier {
        let qualifier = midpoint(left.qualifier, right.qualifier);
        Key::first_on_column(right.row, right.family, &qualifier).write(out);
    } else {
        right.write(out);
    }
}

/// Short bytes `m` with `left < m ≤ right`, given `left < right`.
fn midpoint(left: &[u8], right: &[u8]) -> Vec<u8> {
    let common = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    match left.get(common) {
        // `left` is a proper prefix of `right`.
        None => [left, &[0]].concat(),
        Some(&differing) => {
            let mut middle = left[..=common].to_vec();
            // It is smaller than the byte of `right` there, so that this cannot overflow.
            middle[common] = differing + 1;
            middle
        }
    }
}

#[cfg(test)]
mod tests;
