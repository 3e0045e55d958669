//! Reads that find everything in memory are answered at once; the blocks that others need are read side by side.

use crate::gated_device::{Device, Gate};
use crate::world::{FAMILY, Table, World, action, put, region_info, row_name, text};
use finback_cell::{Bytes, ColumnFamilyDescriptor};
use finback_layout::RootDir;
use finback_proto::{convert, pb};
use finback_regionserver::ClientService;
use finback_rpc::{Call, ChannelExt, Loopback, Outcome, Service};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A client service that counts the calls that were answered without a hand-over.
struct Watched {
    service: ClientService,
    at_once: Arc<AtomicUsize>,
}

impl Service for Watched {
    fn name(&self) -> &'static str {
        self.service.name()
    }

    fn call(&self, call: Call) -> Outcome {
        let outcome = self.service.call(call);
        self.at_once.fetch_add(usize::from(matches!(outcome, Outcome::Ready(_))), Ordering::Relaxed);
        outcome
    }
}

const ROWS: usize = 100;

struct Setting {
    gate: Arc<Gate>,
    world: World,
    client: Loopback,
    at_once: Arc<AtomicUsize>,
}

impl Setting {
    fn new() -> Self {
        let gate = Arc::new(Gate::default());
        let world = World::with(|options| {
            let device = Device::new(options.root.fs(), &gate);
            options.root = RootDir::new(Arc::new(device), options.root.path());
        });
        let at_once = Arc::new(AtomicUsize::new(0));
        let service = ClientService::new(Arc::clone(&world.server));
        let client = Loopback::new(Arc::new(Watched { service, at_once: Arc::clone(&at_once) }));
        Self { gate, world, client, at_once }
    }

    /// A table with a block for each row, in one file.
    async fn table(&self) -> Table<'_> {
        self.table_named("t").await
    }

    async fn table_named(&self, name: &str) -> Table<'_> {
        let family = ColumnFamilyDescriptor::with_defaults(FAMILY);
        let family = family.with("BLOCKSIZE", "64").with("BLOOMFILTER", "NONE");
        self.world.create_table(&region_info(name, "", ""), vec![family]);
        let table = self.world.table(name).await;
        table.fill(0..ROWS, &[b'v'; 100]).await;
        table.flush().await.unwrap();
        table
    }

    async fn get_all(&self, table: &Table<'_>) -> (pb::MultiResponse, Bytes) {
        self.get_rows(vec![gets_of(table, 0..ROWS)]).await
    }

    async fn get_rows(&self, region_action: Vec<pb::RegionAction>) -> (pb::MultiResponse, Bytes) {
        let request = pb::MultiRequest { region_action, ..Default::default() };
        self.client.call("Multi", &request, Bytes::new()).await.unwrap()
    }
}

fn gets_of(table: &Table<'_>, rows: std::ops::Range<usize>) -> pb::RegionAction {
    let get = |row: usize| {
        let get = pb::Get { row: row_name(row).into(), ..Default::default() };
        pb::Action { index: Some(row as u32), get: Some(Box::new(get)), ..Default::default() }
    };
    pb::RegionAction { region: table.region.clone(), action: rows.map(get).collect(), ..Default::default() }
}

fn assert_all((response, mut cells): (pb::MultiResponse, Bytes)) {
    let results = &response.region_action_result[0].result_or_exception;
    assert_eq!(results.len(), ROWS);
    for (row, result) in results.iter().enumerate() {
        let found = convert::decode_result(result.result.as_ref().unwrap(), &mut cells).unwrap();
        let found: Vec<String> = found.iter().map(|cell| text(cell.row())).collect();
        assert_eq!(found, [row_name(row)], "answers stand in their places");
    }
    assert!(cells.is_empty());
}

#[tokio::test]
async fn cold_rows_are_read_side_by_side_and_then_answered_from_memory_at_once() {
    let setting = Setting::new();
    let table = setting.table().await;
    setting.gate.gather(ROWS);
    assert_all(setting.get_all(&table).await);
    {
        let reads = setting.gate.reads();
        assert_eq!((reads.most, reads.all, reads.now), (ROWS, ROWS, 0), "each block once, and all together");
    }
    assert_eq!(setting.at_once.load(Ordering::Relaxed), 0);
    assert_all(setting.get_all(&table).await);
    // A turn also ends by the clock, which a busy machine may reach: a few rows are enough.
    for tries in 1.. {
        setting.get_rows(vec![gets_of(&table, 0..5)]).await;
        if setting.at_once.load(Ordering::Relaxed) > 0 {
            break;
        }
        assert!(tries < 50, "never without a hand-over");
    }
    assert_eq!(setting.gate.reads().all, ROWS);
}

#[tokio::test]
async fn cold_rows_of_several_regions_are_read_side_by_side() {
    let setting = Setting::new();
    let tables = [setting.table_named("t").await, setting.table_named("u").await];
    setting.gate.gather(ROWS);
    let halves = tables.iter().map(|table| gets_of(table, 0..ROWS / 2)).collect();
    let (response, _) = setting.get_rows(halves).await;
    let answers = response.region_action_result.iter().flat_map(|region| &region.result_or_exception);
    assert_eq!(answers.filter(|answer| answer.result.is_some()).count(), ROWS);
    let reads = setting.gate.reads();
    assert_eq!((reads.most, reads.all), (ROWS, ROWS));
}

#[tokio::test]
async fn gets_that_need_the_same_block_share_one_read() {
    let setting = Setting::new();
    let table = setting.table().await;
    let get = pb::Get { row: row_name(7).into(), ..Default::default() };
    let action = pb::Action { get: Some(Box::new(get)), ..Default::default() };
    setting.gate.gather(1);
    let results = table.multi(vec![action; 50]).await;
    assert!(results.iter().all(|result| result.exception.is_none()));
    // The seek of a row's first cell may have to look into the block before it.
    let all = setting.gate.reads().all;
    assert!((1..=2).contains(&all), "{all}");
}

#[tokio::test]
async fn answers_of_rows_that_are_in_memory_and_of_others_stand_in_their_places() {
    let setting = Setting::new();
    let table = setting.table().await;
    setting.gate.gather(1);
    let known = [0, 1, 2, 50, 51, ROWS - 1];
    for row in known {
        let get = pb::Get { row: row_name(row).into(), ..Default::default() };
        let action = pb::Action { get: Some(Box::new(get)), ..Default::default() };
        assert!(table.multi(vec![action]).await[0].exception.is_none());
    }
    let before = setting.gate.reads().all;
    assert_all(setting.get_all(&table).await);
    assert!(setting.gate.reads().all > before, "the others were not in memory");
}

#[tokio::test]
async fn a_row_of_more_cells_than_a_turn_looks_at_stands_between_others() {
    /// More than a turn's.
    const CELLS: usize = 25_000;
    let world = World::new();
    let table = world.table("t").await;
    let columns: Vec<String> = (0..CELLS).map(|column| format!("q{column:05}")).collect();
    for (row, columns) in [("a", &columns[..1]), ("b", &columns[..]), ("c", &columns[..2])] {
        for columns in columns.chunks(5_000) {
            let columns: Vec<(&str, &[u8])> = columns.iter().map(|column| (&column[..], &b"v"[..])).collect();
            assert!(table.multi(vec![action(put(row, &columns))]).await[0].exception.is_none());
        }
    }
    let get = |row: &str| {
        let get = pb::Get { row: Bytes::copy_from_slice(row.as_bytes()), ..Default::default() };
        pb::Action { get: Some(Box::new(get)), ..Default::default() }
    };
    let rows = ["a", "b", "nothing", "c", "a"];
    let region_action = vec![pb::RegionAction {
        region: table.region.clone(),
        action: rows.iter().map(|row| get(row)).collect(),
        ..Default::default()
    }];
    let request = pb::MultiRequest { region_action, ..Default::default() };
    let (response, mut cells): (pb::MultiResponse, Bytes) = world.ask("Multi", &request).await.unwrap();
    let found = response.region_action_result[0].result_or_exception.iter().map(|result| {
        let found = convert::decode_result(result.result.as_ref().unwrap(), &mut cells).unwrap();
        found.iter().map(|cell| text(cell.row())).collect::<Vec<_>>()
    });
    let wanted = rows.map(|row| match row {
        "a" => vec!["a"; 1],
        "b" => vec!["b"; CELLS],
        "c" => vec!["c"; 2],
        _ => Vec::new(),
    });
    assert_eq!(found.collect::<Vec<_>>(), wanted);
    assert!(cells.is_empty());
}
