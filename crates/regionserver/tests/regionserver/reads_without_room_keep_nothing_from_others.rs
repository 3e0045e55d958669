//! Reads that find no more memory for their replies give their clients what they have, instead of waiting with it: it
//! would be missing to all others, who may wait for the same reason.

use crate::gated_device::{Device, Gate};
use crate::world::{FAMILY, Table, World, action, put, region_info, row_name};
use finback_cell::{Bytes, CellBlock, ColumnFamilyDescriptor};
use finback_layout::RootDir;
use finback_proto::{convert, pb};
use finback_regionserver::ClientService;
use finback_rpc::{Call, ChannelExt, ConnectionInfo, Loopback, Outcome, ReplyMemory, ReplyShare, Service};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const LIMIT: usize = 8 << 20;
const ROWS: usize = 10;
const VALUE_BYTES: usize = 200 << 10;

struct Setting {
    gate: Arc<Gate>,
    memory: Arc<ReplyMemory>,
    world: World,
}

impl Setting {
    fn new() -> Self {
        let (gate, memory) = (Arc::new(Gate::default()), ReplyMemory::new(LIMIT));
        let world = World::with(|options| {
            let device = Device::new(options.root.fs(), &gate);
            options.root = RootDir::new(Arc::new(device), options.root.path());
            options.reply_memory = Arc::clone(&memory);
        });
        Self { gate, memory, world }
    }

    /// A table with a block for each of these columns of each row, in one file.
    async fn table(&self, columns: &[&str]) -> Table<'_> {
        self.table_of(columns, VALUE_BYTES).await
    }

    async fn table_of(&self, columns: &[&str], value_bytes: usize) -> Table<'_> {
        let family = ColumnFamilyDescriptor::with_defaults(FAMILY).with("BLOOMFILTER", "NONE");
        self.world.create_table(&region_info("t", "", ""), vec![family]);
        let table = self.world.table("t").await;
        let value = &vec![b'v'; value_bytes][..];
        let columns: Vec<_> = columns.iter().map(|&column| (column, value)).collect();
        let puts = (0..ROWS).map(|row| action(put(&row_name(row), &columns))).collect();
        assert!(table.multi(puts).await.iter().all(|result| result.exception.is_none()));
        table.flush().await.unwrap();
        table
    }

    /// Reads that the only region has counted.
    async fn read_requests(&self) -> u64 {
        let request = pb::GetRegionLoadRequest::default();
        let loads: pb::GetRegionLoadResponse = self.world.ask_admin("GetRegionLoad", &request).await.unwrap();
        loads.region_loads.iter().map(pb::RegionLoad::read_requests_count).sum()
    }

    /// Waits until a read stands at the device, takes all memory but so many bytes, and lets the read go on.
    async fn take_memory_from_a_read(&self, rest: usize) -> ReplyShare {
        while self.gate.reads().now == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert!(self.memory.bytes() > 0, "it has its block");
        let mut taken = self.memory.share();
        taken.hold(LIMIT - rest - self.memory.bytes(), None).await.unwrap();
        self.gate.gather(0);
        taken
    }
}

#[tokio::test]
async fn a_scan_gives_its_client_what_it_has() {
    let setting = Setting::new();
    let table = setting.table(&["q"]).await;
    // Nor is there a heartbeat that could end the wait.
    let first = pb::ScanRequest { client_handles_heartbeats: Some(false), ..table.open_scan(u32::MAX) };
    setting.gate.gather(2);
    let (answer, taken) = tokio::join!(
        setting.world.ask::<_, pb::ScanResponse>("Scan", &first),
        // There is room for the row whose block it waits for.
        setting.take_memory_from_a_read(VALUE_BYTES * 3 / 2)
    );
    let (response, block) = answer.unwrap();
    assert_eq!(setting.memory.waiting(), 0);
    let found = CellBlock::parse(block).unwrap().iter().count();
    assert!((1..ROWS).contains(&found), "{found}");
    assert!(response.more_results_in_region());
    drop(taken);
    let next = pb::ScanRequest { region: None, scan: None, scanner_id: response.scanner_id, ..first };
    let (response, block) = setting.world.ask::<_, pb::ScanResponse>("Scan", &next).await.unwrap();
    let rows: Vec<_> = CellBlock::parse(block)
        .unwrap()
        .iter()
        .map(|cell| String::from_utf8(cell.row().to_vec()).unwrap())
        .collect();
    assert_eq!(rows, (found..ROWS).map(row_name).collect::<Vec<_>>());
    assert!(!response.more_results_in_region());
    assert_eq!(setting.memory.bytes(), 0);
}

fn gets(rows: Range<usize>) -> Vec<pb::Action> {
    let get = |row: usize| {
        let get = pb::Get { row: row_name(row).into(), ..Default::default() };
        pb::Action { index: Some(row as u32), get: Some(Box::new(get)), ..Default::default() }
    };
    rows.map(get).collect()
}

/// Which of the gets of these rows were answered: the first ones, and the others are to be asked again.
fn answered(results: &[pb::ResultOrException]) -> usize {
    let found = results.iter().take_while(|result| result.result.is_some()).count();
    for result in &results[found..] {
        let name = &result.exception.as_ref().unwrap().name;
        assert!(name.ends_with("MultiActionResultTooLarge"), "{name}");
    }
    found
}

#[tokio::test]
async fn a_batch_leaves_its_last_gets_to_be_asked_again() {
    let setting = Setting::new();
    // Each get asks for its second block when it has the first: only then does it need more than it had at the device, however
    // many of the first blocks come at once.
    let table = setting.table(&["p", "q"]).await;
    setting.gate.gather(ROWS + 1);
    let (results, taken) = tokio::join!(table.multi(gets(0..ROWS)), setting.take_memory_from_a_read(0));
    let mut found = answered(&results);
    assert!((1..ROWS).contains(&found), "{found}");
    drop(taken);
    while found < ROWS {
        let more = answered(&table.multi(gets(found..ROWS)).await);
        assert!(more > 0, "none was answered though there is room");
        found += more;
    }
    assert_eq!(setting.memory.bytes(), 0);
}

/// Tells what replies hold when one is done.
struct Watched {
    service: ClientService,
    memory: Arc<ReplyMemory>,
    seen: Arc<AtomicUsize>,
}

impl Service for Watched {
    fn name(&self) -> &'static str {
        self.service.name()
    }

    fn call(&self, call: Call) -> Outcome {
        let reply = match self.service.call(call) {
            Outcome::Ready(reply) => Box::pin(std::future::ready(reply)),
            Outcome::Pending(reply) | Outcome::Waiting(reply) => reply,
        };
        let (memory, seen) = (Arc::clone(&self.memory), Arc::clone(&self.seen));
        Outcome::pending(async move {
            let reply = reply.await;
            seen.store(memory.bytes(), Ordering::Relaxed);
            reply
        })
    }
}

#[tokio::test]
async fn exceptions_of_a_batch_take_memory_and_none_is_kept_back_for_want_of_it() {
    let setting = Setting::new();
    let table = setting.table(&["q"]).await;
    let seen = Arc::new(AtomicUsize::new(0));
    let client = Loopback::new(Arc::new(Watched {
        service: ClientService::new(Arc::clone(&setting.world.server)),
        memory: Arc::clone(&setting.memory),
        seen: Arc::clone(&seen),
    }));
    let mut unknown_family = put("a", &[("q", b"1")]);
    unknown_family.column_value[0].family = "nope".into();
    let times = LIMIT / 160;
    for (failing, region) in [
        (pb::Action::default(), table.region.clone()),
        (action(unknown_family), table.region.clone()),
        (gets(0..1).remove(0), convert::specifier_by_encoded_name(&region_info("none", "", ""))),
    ] {
        let whole_regions = region != table.region;
        let part = |actions: usize| pb::RegionAction {
            region: region.clone(),
            action: vec![failing.clone(); actions],
            ..Default::default()
        };
        let region_action = if whole_regions { vec![part(1); times] } else { vec![part(times)] };
        let request = pb::MultiRequest { region_action, ..Default::default() };
        let (response, _): (pb::MultiResponse, _) =
            client.call("Multi", &request, Bytes::new()).await.unwrap();
        let parts = &response.region_action_result;
        let failed: Vec<_> = if whole_regions {
            parts.iter().filter_map(|part| part.exception.as_deref()).collect()
        } else {
            parts[0].result_or_exception.iter().filter_map(|result| result.exception.as_deref()).collect()
        };
        assert_eq!(failed.len(), times);
        // When they take as much as all replies may, they become short.
        let has_text = |exception: &&pb::NameBytesPair| !exception.value().is_empty();
        let texts = failed.iter().take_while(|exception| has_text(exception)).count();
        assert!(failed[texts..].iter().all(|short| !has_text(short)));
        assert!((LIMIT / 600..LIMIT / 200).contains(&texts), "{texts} of {times}");
        let seen = seen.load(Ordering::Relaxed);
        assert!(seen > times * 60, "{seen} bytes of a reply with {times} exceptions");
        assert_eq!(setting.memory.bytes(), 0);
    }
}

#[tokio::test]
async fn what_gets_have_found_is_counted_while_others_of_their_batch_fail() {
    let setting = Setting::new();
    let table = setting.table(&["p", "q"]).await;
    // More that fail than are counted at a time stand before gets that are read together.
    let mut actions = vec![pb::Action::default(); 1000];
    actions.extend(gets(0..4));
    setting.gate.gather(5);
    let look = async {
        while setting.gate.reads().now < 4 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let bytes = setting.memory.bytes();
        setting.gate.gather(0);
        bytes
    };
    let (results, bytes) = tokio::join!(table.multi(actions), look);
    assert_eq!(results.iter().filter(|result| result.exception.is_some()).count(), 1000);
    assert_eq!(results.iter().filter(|result| result.result.is_some()).count(), 4);
    assert!(bytes > 1000 * 200 + VALUE_BYTES, "{bytes}");
    assert_eq!(setting.memory.bytes(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_batch_waits_for_room_once() {
    const VALUE_BYTES: usize = 100 << 10;
    let setting = Setting::new();
    let table = setting.table_of(&["q"], VALUE_BYTES).await;
    // From now on they are in memory.
    assert_eq!(answered(&table.multi(gets(0..ROWS)).await), ROWS);
    let mut taken = setting.memory.share();
    taken.hold(LIMIT, None).await.unwrap();
    let mut other = setting.memory.share();
    other.hold(LIMIT / 8, None).await.unwrap();
    let before = setting.read_requests().await;
    let results = table.multi(gets(0..ROWS)).await;
    // Only the first one was read, and has waited.
    assert_eq!(setting.read_requests().await - before, 1);
    for result in &results {
        let name = &result.exception.as_ref().unwrap().name;
        assert!(name.ends_with("CallQueueTooBigException"), "{name}");
    }
    drop((taken, other));
    assert_eq!(answered(&table.multi(gets(0..ROWS)).await), ROWS);
    assert_eq!(setting.memory.bytes(), 0);
}

#[tokio::test]
async fn a_batch_reads_no_blocks_that_there_is_no_room_for() {
    const VALUE_BYTES: usize = 1 << 20;
    // What a batch may have is half of what all have, for its answers, and as much again for what it reads.
    const BLOCKS: usize = LIMIT / 2 / VALUE_BYTES;
    let setting = Setting::new();
    let table = setting.table_of(&["q"], VALUE_BYTES).await;
    let mut found = 0;
    while found < ROWS {
        setting.gate.gather(0);
        let more = answered(&table.multi(gets(found..ROWS)).await);
        let reads = setting.gate.reads().all;
        assert!(more > 0 && reads <= BLOCKS, "{reads} blocks were read, {BLOCKS} fit");
        found += more;
    }
    assert_eq!(setting.memory.bytes(), 0);
}

#[tokio::test]
async fn a_batch_whose_reply_is_full_reads_no_more() {
    let setting = Setting::new();
    let table = setting.world.table("t").await;
    let value = &vec![b'v'; 1 << 20][..];
    for row in 0..ROWS {
        let put = action(put(&row_name(row), &[("q", value)]));
        assert!(table.multi(vec![put]).await[0].exception.is_none());
    }
    let before = setting.read_requests().await;
    let found = answered(&table.multi(gets(0..ROWS)).await);
    assert!((1..ROWS - 1).contains(&found), "{found}");
    assert_eq!(setting.read_requests().await - before, found as u64 + 1, "one was too much");
    assert_eq!(setting.memory.bytes(), 0);
}

#[tokio::test]
async fn gets_whose_filters_take_much_are_not_all_opened_before_they_are_read() {
    let setting = Setting::new();
    let table = setting.table(&["q"]).await;
    let mut actions = gets(0..ROWS);
    for get in actions.iter_mut().filter_map(|action| action.get.as_mut()) {
        get.filter = Some(Box::new(crate::world::large_filter()));
        get.existence_only = Some(true);
    }
    setting.gate.gather(ROWS + 1);
    let look = async {
        while setting.gate.reads().now == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        let (reads, bytes) = (setting.gate.reads().now, setting.memory.bytes());
        setting.gate.gather(0);
        (reads, bytes)
    };
    let (results, (reads, bytes)) = tokio::join!(table.multi(actions), look);
    assert_eq!(answered(&results), ROWS);
    assert!(reads < ROWS / 2, "{reads} at once");
    assert!(bytes > 1 << 20, "the filters are counted: {bytes}");
    assert_eq!(setting.memory.bytes(), 0);
}

/// Calls of a client that takes no cell blocks.
struct WithoutCodec(ClientService);

impl Service for WithoutCodec {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn call(&self, mut call: Call) -> Outcome {
        let remote = call.connection.remote;
        call.connection =
            Arc::new(ConnectionInfo::new(self.name(), "user".to_owned(), None, (2, 5), remote, false));
        self.0.call(call)
    }
}

#[tokio::test]
async fn many_short_cells_inside_a_message_count_as_what_they_take_there() {
    // By their bytes alone all of them would have room.
    const GETS: usize = 1500;
    let world = World::with(|options| options.reply_memory = ReplyMemory::new(GETS * 40 * 3 * 2));
    let table = world.table("t").await;
    table.put(&row_name(0), b"").await.unwrap();
    let action = (0..GETS).flat_map(|_| gets(0..1)).collect();
    let region_action = pb::RegionAction { region: table.region.clone(), action, ..Default::default() };
    let request = pb::MultiRequest { region_action: vec![region_action], ..Default::default() };
    let client = Loopback::new(Arc::new(WithoutCodec(ClientService::new(Arc::clone(&world.server)))));
    let (response, _): (pb::MultiResponse, _) = client.call("Multi", &request, Bytes::new()).await.unwrap();
    let results = &response.region_action_result[0].result_or_exception;
    let answered = results.iter().filter(|result| result.exception.is_none()).count();
    assert!((GETS / 4..GETS / 2).contains(&answered), "{answered}");
}
