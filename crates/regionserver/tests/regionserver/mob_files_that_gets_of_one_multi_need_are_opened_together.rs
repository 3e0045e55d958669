//! MOB files that reads need are opened side by side, and no thread that serves others waits for them.

use crate::gated_device::{Device, Gate};
use crate::world::{FAMILY, Table, World, put, region_info, row_name, text};
use finback_cell::{Bytes, ColumnFamilyDescriptor};
use finback_layout::RootDir;
use finback_proto::{convert, pb};
use std::sync::Arc;

const ROWS: usize = 8;
const LARGE: &[u8] = &[b'v'; 1000];
const SMALL: &[u8] = b"small";

struct Setting {
    gate: Arc<Gate>,
    world: World,
}

impl Setting {
    fn new() -> Self {
        let gate = Arc::new(Gate::default());
        let world = World::with(|options| {
            let device = Device::new(options.root.fs(), &gate);
            options.root = RootDir::new(Arc::new(device), options.root.path());
            // What is flushed stays as it is.
            options.background.compactions_enabled = false;
        });
        Self { gate, world }
    }

    /// A table of rows with a small value and a large one, in one file or each in one of its own, whose blocks of store files are in
    /// memory.
    async fn table(&self, flushes_each: bool) -> Table<'_> {
        let family = ColumnFamilyDescriptor::with_defaults(FAMILY).with("BLOOMFILTER", "NONE");
        let family = family.with("IS_MOB", "true").with("MOB_THRESHOLD", "100");
        self.world.create_table(&region_info("t", "", ""), vec![family]);
        let table = self.world.table("t").await;
        for row in 0..ROWS {
            table.mutate(put(&row_name(row), &[("l", LARGE), ("s", SMALL)])).await.unwrap();
            if flushes_each {
                table.flush().await.unwrap();
            }
        }
        table.flush().await.unwrap();
        let small = pb::Column { family: FAMILY.into(), qualifier: vec![Bytes::from_static(b"s")] };
        let found = self.get_all(&table, &[small]).await;
        assert!(found.iter().all(|row| *row == [("s".to_owned(), SMALL.to_vec())]), "{found:?}");
        table
    }

    async fn get_all(&self, table: &Table<'_>, column: &[pb::Column]) -> Vec<Vec<(String, Vec<u8>)>> {
        let get = |row: usize| {
            let row = Bytes::from(row_name(row));
            let get = pb::Get { row, column: column.to_vec(), ..Default::default() };
            pb::Action { get: Some(Box::new(get)), ..Default::default() }
        };
        let region_action = vec![pb::RegionAction {
            region: table.region.clone(),
            action: (0..ROWS).map(get).collect(),
            ..Default::default()
        }];
        let request = pb::MultiRequest { region_action, ..Default::default() };
        let (response, mut cells): (pb::MultiResponse, Bytes) =
            self.world.ask("Multi", &request).await.unwrap();
        let results = &response.region_action_result[0].result_or_exception;
        let found = results.iter().map(|result| {
            let found = convert::decode_result(result.result.as_ref().unwrap(), &mut cells).unwrap();
            found.iter().map(|cell| (text(cell.qualifier()), cell.value().to_vec())).collect::<Vec<_>>()
        });
        found.collect()
    }
}

fn assert_all(found: &[Vec<(String, Vec<u8>)>]) {
    let row = [("l".to_owned(), LARGE.to_vec()), ("s".to_owned(), SMALL.to_vec())];
    assert_eq!(found.len(), ROWS);
    assert!(found.iter().all(|found| *found == row));
}

#[tokio::test]
async fn files_of_several_gets_are_opened_side_by_side() {
    let setting = Setting::new();
    let table = setting.table(true).await;
    setting.gate.gather(ROWS);
    assert_all(&setting.get_all(&table, &[]).await);
    assert_eq!(setting.gate.reads().most, ROWS, "nothing is read but of MOB files, each by one get");
}

#[tokio::test]
async fn gets_of_values_in_the_same_file_all_have_them() {
    let setting = Setting::new();
    let table = setting.table(false).await;
    let files = setting.world.root.list_mob_files(&table.info.table, FAMILY).unwrap();
    assert_eq!(files.len(), 1);
    setting.gate.gather(0);
    assert_all(&setting.get_all(&table, &[]).await);
    assert_eq!(setting.gate.reads().opened, 1, "for the first of them");
    let figures = setting.world.server.figures().0.mob;
    assert_eq!(figures.open_files, 1);
    assert_eq!(figures.scanned_cells, ROWS as u64);
}
