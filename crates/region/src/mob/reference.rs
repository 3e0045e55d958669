//! The cell that stands in a store file for one in a MOB file.

use finback_cell::cell::CellParts;
use finback_cell::tag::{MOB_REFERENCE_TAG, MOB_TABLE_TAG, tags, write_tag};
use finback_cell::{Cell, TableName};
use finback_layout::MobFileName;

/// What a reference leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reference<'a> {
    /// The table whose MOB file it is, as `[namespace:]name`.
    pub(crate) table: &'a [u8],
    /// The name of the file.
    pub(crate) file: &'a str,
}

/// Whether a cell is a reference, be it one that makes no sense.
#[inline]
pub(crate) fn is_reference(cell: &Cell<'_>) -> bool {
    tags(cell.tags()).any(|tag| tag.tag_type == MOB_REFERENCE_TAG)
}

/// What a cell leads to; `None` if it is no reference, or leads nowhere.
pub(crate) fn reference_of<'a>(cell: &Cell<'a>) -> Option<Reference<'a>> {
    if cell.tags().is_empty() || !is_reference(cell) {
        return None;
    }
    let table = tags(cell.tags()).find(|tag| tag.tag_type == MOB_TABLE_TAG)?.value;
    let file = std::str::from_utf8(cell.value().get(size_of::<i32>()..)?).ok()?;
    // It becomes a path.
    (TableName::parse(table).is_ok() && MobFileName::parse(file).is_some())
        .then_some(Reference { table, file })
}

/// The tags of all references to MOB files of a table, before those of the cell itself.
pub(crate) fn reference_tags(table: &TableName) -> Vec<u8> {
    let mut tags = Vec::new();
    write_tag(&mut tags, MOB_REFERENCE_TAG, b"");
    write_tag(&mut tags, MOB_TABLE_TAG, &table.to_bytes());
    tags
}

/// The tags of a reference that its cell has.
pub(crate) fn own_tags(reference: &Cell<'_>) -> Vec<u8> {
    let mut own = Vec::new();
    for tag in
        tags(reference.tags()).filter(|tag| ![MOB_REFERENCE_TAG, MOB_TABLE_TAG].contains(&tag.tag_type))
    {
        write_tag(&mut own, tag.tag_type, tag.value);
    }
    own
}

/// The length in bytes of the value that a reference leads to, as it says.
pub(crate) fn length_of_value(reference: &Cell<'_>) -> Option<u64> {
    let (length, _) = reference.value().split_first_chunk()?;
    u64::try_from(i32::from_be_bytes(*length)).ok()
}

/// Makes the reference to a cell that is in a MOB file; whether there is room for its tags.
pub(crate) fn write_reference(out: &mut Vec<u8>, cell: &Cell<'_>, reference_tags: &[u8], file: &str) -> bool {
    let mut value = Vec::with_capacity(size_of::<i32>() + file.len());
    value.extend_from_slice(&(cell.value_length() as i32).to_be_bytes());
    value.extend_from_slice(file.as_bytes());
    let tags = [reference_tags, cell.tags()].concat();
    let parts = CellParts { value: &value, tags: &tags, ..CellParts::from(*cell) };
    out.clear();
    let fits = parts.check().is_ok();
    if fits {
        parts.write(out);
    }
    fits
}

#[cfg(test)]
mod tests {
    use super::*;
    use finback_cell::{CellType, tag};

    const FILE: &str = "d41d8cd98f00b204e9800998ecf8427e1970010192e5c125ae884bc68d9955e11bdd9611_f7638a2682b13d19ae8314e04fbc5f33";

    fn cell(value: &[u8], tags: &[u8]) -> Vec<u8> {
        let parts = CellParts {
            row: b"row",
            family: b"f",
            qualifier: b"q",
            timestamp: 7,
            type_code: CellType::Put.code(),
            value,
            tags,
        };
        parts.to_vec()
    }

    #[test]
    fn a_reference_has_the_key_and_the_tags_of_its_cell_and_leads_to_its_file() {
        let mut tags = Vec::new();
        tag::write_tag(&mut tags, tag::TTL_TAG, &5_i64.to_be_bytes());
        let bytes = cell(&[1; 300], &tags);
        let cell = Cell::from_checked(&bytes);
        assert!(!is_reference(&cell) && reference_of(&cell).is_none());
        let table = TableName::parse(b"ns1:t1").unwrap();
        let mut written = Vec::new();
        assert!(write_reference(&mut written, &cell, &reference_tags(&table), FILE));
        let reference = Cell::parse(&written).unwrap();
        assert_eq!(reference.key(), cell.key());
        assert_eq!(reference_of(&reference), Some(Reference { table: b"ns1:t1", file: FILE }));
        assert_eq!(&reference.value()[..4], 300_i32.to_be_bytes());
        assert_eq!(tag::ttl_ms(reference.tags()), Some(5));
    }

    #[test]
    fn what_leads_nowhere_is_a_reference_all_the_same() {
        let table = TableName::parse(b"t").unwrap();
        for (value, leads) in
            [(&b""[..], false), (b"\0\0\0\x05", false), (b"\0\0\0\x05../../etc/passwd", false)]
        {
            let bytes = cell(value, &reference_tags(&table));
            let reference = Cell::from_checked(&bytes);
            assert!(is_reference(&reference));
            assert_eq!(reference_of(&reference).is_some(), leads);
        }
    }

    #[test]
    fn tags_without_room_for_two_more_stay_with_their_cell() {
        let mut tags = Vec::new();
        tag::write_tag(&mut tags, 70, &vec![0; 65_500]);
        let bytes = cell(b"value", &tags);
        let table = TableName::parse(b"a_table_with_a_name_of_some_length").unwrap();
        let mut written = Vec::new();
        assert!(!write_reference(&mut written, &Cell::from_checked(&bytes), &reference_tags(&table), FILE));
        assert!(written.is_empty());
    }
}
