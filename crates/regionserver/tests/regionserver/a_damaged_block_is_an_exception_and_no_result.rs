//! Who needs a block that is damaged is told so with an exception that names it, and is given no result; others are answered.

use crate::world::{FAMILY, Table, World, failure_of, region_info, row_name};
use finback_cell::ColumnFamilyDescriptor;
use finback_hfile::{FileId, HFileReader};
use finback_proto::pb;

const ROWS: usize = 6;
/// The row whose block is damaged.
const DAMAGED: usize = 2;
const VALUE: [u8; 100] = [b'v'; 100];

/// A table with a block for each row, one of which is damaged; and how messages name that.
async fn damaged(world: &World) -> (Table<'_>, String) {
    let family = ColumnFamilyDescriptor::with_defaults(FAMILY).with("BLOCKSIZE", "64");
    world.create_table(&region_info("t", "", ""), vec![family]);
    let table = world.table("t").await;
    table.fill(0..ROWS, &VALUE).await;
    table.flush().await.unwrap();
    let fs = world.root.fs();
    let dir = world.root.family_dir(&table.info.table, &table.info.encoded_name(), FAMILY);
    let name = fs.list(&dir).unwrap().remove(0).name;
    let path = dir.join(&name);
    let reader = HFileReader::open(fs.open(&path).unwrap(), &path, FileId::next()).unwrap();
    assert_eq!(reader.data_blocks(), ROWS as u64);
    let mut offset = 0;
    for _ in 0..DAMAGED {
        offset += u64::from(reader.stored_block(offset).unwrap().place.size);
    }
    world.faults.damage(&name, 0, offset + 40, 0x10);
    (table, format!("{}: corrupt data block at {offset}: expected ", path.display()))
}

#[tokio::test]
async fn of_a_get() {
    let world = World::new();
    let (table, named) = damaged(&world).await;
    for _ in ["at first", "and again"] {
        for row in 0..ROWS {
            let answer = table.get(&row_name(row)).await;
            if row == DAMAGED {
                let refused = answer.unwrap_err();
                assert_eq!((&refused.class[..], refused.do_not_retry), ("java.io.IOException", false));
                assert!(refused.message.contains(&named), "{}", refused.message);
            } else {
                assert_eq!(answer.unwrap(), [("q".to_owned(), VALUE.to_vec())]);
            }
        }
    }
    world.faults.set_second_copy(true);
    assert_eq!(table.get(&row_name(DAMAGED)).await.unwrap(), [("q".to_owned(), VALUE.to_vec())]);
}

#[tokio::test]
async fn of_one_get_among_several() {
    let world = World::new();
    let (table, _) = damaged(&world).await;
    let get = |row: usize| {
        let get = pb::Get { row: row_name(row).into(), ..Default::default() };
        pb::Action { index: Some(row as u32), get: Some(Box::new(get)), ..Default::default() }
    };
    let results = table.multi((0..ROWS).map(get).collect()).await;
    assert_eq!(results.len(), ROWS);
    for (row, result) in results.iter().enumerate() {
        assert_eq!(result.index, Some(row as u32));
        assert_eq!(result.result.is_some(), row != DAMAGED, "row {row}");
        assert_eq!(result.exception.is_some(), row == DAMAGED, "row {row}");
    }
    assert_eq!(failure_of(&results[DAMAGED].exception), "IOException");
}

#[tokio::test]
async fn of_a_scan_which_begins_anew() {
    let world = World::new();
    let (table, named) = damaged(&world).await;
    let answer = world.ask_as_version::<_, pb::ScanResponse>((2, 6), "Scan", &table.open_scan(100)).await;
    let refused = answer.unwrap_err();
    assert_eq!(refused.simple_class(), "ScannerResetException");
    assert!(refused.message.contains(&named), "{}", refused.message);
    world.faults.set_second_copy(true);
    let (response, cells) =
        world.ask_as_version::<_, pb::ScanResponse>((2, 6), "Scan", &table.open_scan(100)).await.unwrap();
    assert_eq!(response.cells_per_result, [1; ROWS]);
    assert!(!cells.is_empty());
}
