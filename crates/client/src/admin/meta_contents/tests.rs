use super::*;
use bytes::Bytes;
use finback_cell::block::CellBlockBuilder;
use finback_cell::cell::CellParts;
use finback_cell::{CellType, RegionInfo};
use finback_proto::pbuf;

fn row(key: &[u8], family: &str, qualifier: &str, value: &[u8]) -> Row {
    let mut cells = CellBlockBuilder::default();
    cells.push_parts(&CellParts {
        row: key,
        family: family.as_bytes(),
        qualifier: qualifier.as_bytes(),
        timestamp: 1,
        type_code: CellType::Put.code(),
        value,
        tags: &[],
    });
    Row::new(cells.finish(), false, false)
}

fn contents(rows: &[Row]) -> MetaContents {
    let mut contents = MetaContents::default();
    rows.iter().for_each(|row| contents.take(row));
    contents
}

#[test]
fn regions_and_states_of_tables_are_told() {
    let table = TableName::parse(b"t").unwrap();
    let region = RegionInfo::new(table.clone(), Bytes::new(), Bytes::new(), 1_700_000_000_000);
    let value = pbuf::encode(&pb::RegionInfo::from(&region));
    let told =
        contents(&[row(b"t", "table", "state", &[8, 1]), row(&region.name(), "info", "regioninfo", &value)]);
    assert_eq!(told.tables, [(table, TableState::Disabled)]);
    assert_eq!(told.regions.len(), 1);
    assert_eq!(told.regions[0].region, region);
    assert!(told.malformed.is_empty());
}

#[test]
fn rows_that_say_nothing_sensible_are_named() {
    let table = TableName::parse(b"t").unwrap();
    let region = RegionInfo::new(table, Bytes::new(), Bytes::new(), 1_700_000_000_000);
    let value = pbuf::encode(&pb::RegionInfo::from(&region));
    let told = contents(&[
        // Cut off, of another region, no description, a state that does not exist, a name that is none.
        row(b"a,,1.x.", "info", "regioninfo", &value[..value.len() - 4]),
        row(b"b,,1.x.", "info", "regioninfo", &value),
        row(b"c,,1.x.", "info", "server", b"h:1"),
        row(b"t", "table", "state", &[8, 99]),
        row(b"no name!", "table", "state", &[8, 1]),
    ]);
    assert!(told.regions.is_empty() && told.tables.is_empty());
    let keys: [&[u8]; 5] = [b"a,,1.x.", b"b,,1.x.", b"c,,1.x.", b"t", b"no name!"];
    assert_eq!(told.malformed, keys);
}
