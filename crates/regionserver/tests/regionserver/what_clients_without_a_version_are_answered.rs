//! Clients that take cell blocks, and say no version of HBase, or an old one: HBase puts the cells of a get into the message for them.

use crate::world::World;
use finback_proto::pb;

const VERSIONS: [((u32, u32), bool); 4] = [((0, 0), true), ((1, 2), true), ((1, 3), false), ((2, 5), false)];

#[tokio::test]
async fn a_get_has_its_cells_inside_the_message() {
    let world = World::new();
    let table = world.table("t").await;
    table.put("a", b"1").await.unwrap();
    let get = pb::Get { row: "a".into(), ..Default::default() };
    let request = pb::GetRequest { region: table.region.clone(), get };
    for (version, is_inside) in VERSIONS {
        let (response, block): (pb::GetResponse, _) =
            world.ask_as_version(version, "Get", &request).await.unwrap();
        let inside = response.result.unwrap().cell.len();
        assert_eq!((inside == 1, block.is_empty()), (is_inside, is_inside), "{version:?}");
    }
}

#[tokio::test]
async fn scans_have_them_in_the_block_all_the_same() {
    let world = World::new();
    let table = world.table("t").await;
    table.put("a", b"1").await.unwrap();
    for (version, _) in VERSIONS {
        let (response, block): (pb::ScanResponse, _) =
            world.ask_as_version(version, "Scan", &table.open_scan(10)).await.unwrap();
        assert_eq!((response.results.len(), &response.cells_per_result[..]), (0, &[1][..]), "{version:?}");
        assert!(!block.is_empty(), "{version:?}");
    }
}
