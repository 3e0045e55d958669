use super::*;
use crate::{
    action::{ActionId, Output},
    operation::Operation,
    snapshots::TableOfSnapshot,
    state::{Goal, Stage},
    storage_work::StorageWork,
};
use finback_cell::{Bytes, ColumnFamilyDescriptor, RegionInfo, RegionState, TableDescriptor, TableName};
use finback_rpc::{RpcException, exceptions};
use std::time::Duration;

mod aborts;
mod clock;
mod division;
mod failed_regions;
mod held_locks;
mod left_undone;
mod meta_writes;
mod namespaces;
mod starts;
mod turns;

const START: u64 = 1_700_000_000_000;
const EXPIRY_MS: u64 = 90_000;

fn server(port: u16, start_code: u64) -> ServerName {
    ServerName { host: "h".into(), port, start_code }
}

fn core() -> Core {
    let config = MasterConfig { server_expiry: Some(Duration::from_millis(EXPIRY_MS)), ..Default::default() };
    Core::new("id".into(), config, Startup::new(Vec::new()), START)
}

/// Plays the rest of the world until there is nothing to do: everything works, regions open and close as asked.
fn play(core: &mut Core, now: u64) -> Vec<Action> {
    play_where(core, now, |_| None)
}

/// As `play`, where some actions fail.
fn play_where(
    core: &mut Core,
    now: u64,
    mut failure: impl FnMut(&Action) -> Option<RpcException>,
) -> Vec<Action> {
    let mut done = Vec::new();
    for _ in 0..1000 {
        let actions = core.take_actions();
        if actions.is_empty() {
            return done;
        }
        for (id, action) in actions {
            if let Some(exception) = failure(&action) {
                core.completed(id, Err(exception), now);
                done.push(action);
                continue;
            }
            core.completed(id, Ok(output(&action)), now);
            report(core, &action, now);
            done.push(action);
        }
    }
    panic!("it does not come to an end");
}

/// What an action gives in a world with nothing in it.
fn output(action: &Action) -> Output {
    match action {
        Action::ScanMeta { .. } => Output::Meta(Default::default()),
        Action::ScanNamespaces { .. } => Output::Namespaces(Default::default()),
        Action::Storage(StorageWork::LoadTables { .. }) => Output::Descriptors(Default::default()),
        _ => Output::Done,
    }
}

fn report(core: &mut Core, action: &Action, now: u64) {
    let (server, regions, transition) = match action {
        Action::OpenRegions { server, regions } => {
            (server, regions, ReportedTransition::Opened { open_seq_num: 2 })
        }
        Action::CloseRegions { server, regions, .. } => (server, regions, ReportedTransition::Closed),
        _ => return,
    };
    let reports: Vec<_> =
        regions.iter().map(|(region, _)| RegionReport { region: region.clone(), transition }).collect();
    if core.state.servers.contains_key(server) {
        assert_eq!(core.regions_reported(server, &reports, now).unwrap(), None);
    }
}

fn initialized() -> Core {
    let mut core = core();
    core.server_started(server(1, 5), START, START).unwrap();
    play(&mut core, START);
    assert!(core.state.initialized);
    core
}

fn create(core: &mut Core, name: &str, splits: &[&'static str]) {
    let mut table = TableDescriptor::new(TableName::parse(name.as_bytes()).unwrap());
    table.families.push(ColumnFamilyDescriptor::with_defaults(b"f"));
    let split_keys = splits.iter().map(|key| (*key).into()).collect();
    core.submit(Operation::CreateTable { table, split_keys }, Origin::default(), START).unwrap();
}

/// Plays until there is nothing to do but to wait for a time to be over; that wait.
fn play_until_it_waits(core: &mut Core, now: u64) -> Option<ActionId> {
    let mut waits = None;
    loop {
        let actions = core.take_actions();
        if actions.is_empty() {
            return waits;
        }
        for (id, action) in actions {
            match action {
                Action::Wait { .. } => assert_eq!(waits.replace(id), None, "one is enough"),
                _ => core.completed(id, Ok(output(&action)), now),
            }
            report(core, &action, now);
        }
    }
}

/// The only thing to do is to write a procedure down.
fn complete_record(core: &mut Core) {
    let actions = core.take_actions();
    let [(id, Action::StoreProcedures(_))] = &actions[..] else { panic!("{actions:?}") };
    core.completed(*id, Ok(Output::Done), START);
}

fn open_on(core: &Core, server: &ServerName) -> usize {
    core.state.regions.values().filter(|region| region.location() == Some(server)).count()
}

#[test]
fn regions_are_spread_over_the_servers() {
    let mut core = initialized();
    core.server_started(server(2, 5), START, START).unwrap();
    create(&mut core, "t", &["a", "b", "c", "d", "e", "f"]);
    play(&mut core, START);
    // hbase:meta and hbase:namespace were there before.
    assert_eq!((open_on(&core, &server(1, 5)), open_on(&core, &server(2, 5))), (5, 4));
}

#[test]
fn a_silent_server_is_dead_and_its_regions_go_elsewhere_when_its_logs_are_split() {
    let mut core = initialized();
    core.server_started(server(2, 5), START, START).unwrap();
    create(&mut core, "t", &["a", "b", "c"]);
    play(&mut core, START);
    let mut now = START;
    for _ in 0..4 {
        now += EXPIRY_MS / 3;
        core.server_reported(&server(2, 5), None, now).unwrap();
        core.tick(now);
    }
    assert!(core.state.dead_servers.contains(&server(1, 5)));
    assert_eq!(core.state.meta_location(), Some(&server(1, 5)), "still there, as far as hbase:meta can say");
    let actions = core.take_actions();
    let [(id, Action::Storage(StorageWork::RecoverServerLogs(dead)))] = &actions[..] else {
        panic!("{actions:?}")
    };
    assert_eq!(dead, &server(1, 5));
    // As long as the logs are not split nothing is opened, however often it fails.
    core.completed(*id, Err(exceptions::io("disk full")), now);
    let actions = core.take_actions();
    let [(id, Action::Wait { .. })] = &actions[..] else { panic!("{actions:?}") };
    core.completed(*id, Ok(Output::Done), now);
    play(&mut core, now);
    assert_eq!(core.state.meta_location(), Some(&server(2, 5)));
    assert_eq!(open_on(&core, &server(2, 5)), core.state.regions.len());
    let error = core.server_reported(&server(1, 5), None, now).unwrap_err();
    assert_eq!(error.simple_class(), "YouAreDeadException");
    assert_eq!(
        core.server_started(server(1, 5), now, now).unwrap_err().simple_class(),
        "YouAreDeadException"
    );
}

#[test]
fn a_master_that_slept_itself_declares_nobody_dead() {
    let mut core = initialized();
    core.tick(START + 10 * EXPIRY_MS);
    assert!(core.state.dead_servers.is_empty());
    core.tick(START + 10 * EXPIRY_MS + 1000);
    assert!(core.state.dead_servers.is_empty());
}

#[test]
fn a_restarted_server_replaces_its_former_self() {
    let mut core = initialized();
    core.server_started(server(1, 9), START, START).unwrap();
    assert!(core.state.dead_servers.contains(&server(1, 5)));
    play(&mut core, START);
    assert_eq!(core.state.meta_location(), Some(&server(1, 9)));
    let error = core.server_started(server(1, 7), START, START).unwrap_err();
    assert_eq!(error.simple_class(), "YouAreDeadException");
}

#[test]
fn clocks_must_agree() {
    let error = core().server_started(server(1, 5), START - 30_001, START).unwrap_err();
    assert_eq!(error.simple_class(), "ClockOutOfSyncException");
    assert!(core().server_started(server(1, 5), START + 30_000, START).is_ok());
}

#[test]
fn unknown_servers_are_told_to_die() {
    let mut core = initialized();
    let error = core.server_reported(&server(3, 3), None, START).unwrap_err();
    assert_eq!(error.simple_class(), "YouAreDeadException");
    assert!(core.regions_reported(&server(3, 3), &[], START).is_err());
}

#[test]
fn a_report_that_nobody_asked_for_is_refused() {
    let mut core = initialized();
    let region = RegionInfo::new(TableName::parse(b"t").unwrap(), "".into(), "".into(), 5);
    for transition in [ReportedTransition::Opened { open_seq_num: 1 }, ReportedTransition::Closed] {
        let report = RegionReport { region: region.clone(), transition };
        assert!(core.regions_reported(&server(1, 5), &[report], START).unwrap().is_some());
    }
    // Said twice is not said wrong.
    let transition = ReportedTransition::Opened { open_seq_num: 2 };
    let again = RegionReport { region: RegionInfo::meta(), transition };
    assert_eq!(core.regions_reported(&server(1, 5), &[again], START).unwrap(), None);
}

#[test]
fn a_failed_write_of_meta_is_repeated_whole_and_in_order() {
    let mut core = initialized();
    create(&mut core, "t", &["m"]);
    complete_record(&mut core);
    let (id, _) = core.take_actions().remove(0); // The directory.
    core.completed(id, Ok(Output::Done), START);
    complete_record(&mut core);
    let (id, first) = core.take_actions().remove(0);
    let Action::WriteMeta { mutations: first, .. } = first else { panic!("{first:?}") };
    core.completed(id, Err(exceptions::io("lost")), START);
    assert!(!core.state.tables.contains_key(&TableName::parse(b"t").unwrap()), "not before it is written");
    let (id, pause) = core.take_actions().remove(0);
    assert!(matches!(pause, Action::Wait { .. }));
    core.completed(id, Ok(Output::Done), START);
    let (id, again) = core.take_actions().remove(0);
    let Action::WriteMeta { mutations: again, .. } = again else { panic!("{again:?}") };
    let rows = |mutations: &[finback_proto::pb::MutationProto]| -> Vec<_> {
        mutations.iter().map(|mutation| mutation.row.clone()).collect()
    };
    assert_eq!(rows(&first), rows(&again));
    assert_eq!(first.len(), 3, "the state and two regions, together");
    assert!(again[0].timestamp > first[0].timestamp);
    core.completed(id, Ok(Output::Done), START);
    play(&mut core, START);
    assert!(core.state.regions.values().all(|region| region.state == RegionState::Open));
}

#[test]
fn a_write_that_hbase_meta_refuses_fails_its_procedure_and_no_other() {
    let mut core = initialized();
    for table in ["good", "refused", "last"] {
        create(&mut core, table, &["m"]);
    }
    let refuse = |action: &Action| {
        let Action::WriteMeta { mutations, .. } = action else { return None };
        let refused = mutations.iter().any(|mutation| mutation.row().starts_with(b"refused"));
        refused.then(|| exceptions::do_not_retry("a row that is too long"))
    };
    let done = play_where(&mut core, START, refuse);
    let writes = done.iter().filter_map(|action| match action {
        Action::WriteMeta { mutations, .. } => Some(mutations.len()),
        _ => None,
    });
    assert!(writes.max() > Some(3), "they went together first");
    let ended = |table: &str| {
        let (_, procedure) = core
            .procedures
            .all()
            .find(|(_, p)| p.operation.table().is_some_and(|name| name.to_string() == table))
            .unwrap();
        procedure.status.clone()
    };
    assert_eq!((ended("good"), ended("last")), (Status::Finished(Ok(())), Status::Finished(Ok(()))));
    assert!(matches!(ended("refused"), Status::Finished(Err(_))));
    assert!(!core.state.tables.contains_key(&TableName::parse(b"refused").unwrap()));
    let put_away = done.iter().filter_map(|action| match action {
        Action::Storage(StorageWork::ArchiveTable(table)) => Some(table.to_string()),
        _ => None,
    });
    assert_eq!(put_away.collect::<Vec<_>>(), ["refused"], "its directory was there before");
}

#[test]
fn a_region_waits_for_a_server() {
    let mut core = initialized();
    let other = server(2, 5);
    core.server_started(other.clone(), START, START).unwrap();
    create(&mut core, "t", &[]);
    play(&mut core, START);
    for dead in [server(1, 5), other] {
        core.expire(dead);
    }
    play(&mut core, START);
    let waiting = core.state.meta_region().unwrap().transition.clone().unwrap();
    assert_eq!((waiting.goal, waiting.stage, waiting.server), (Goal::Open, Stage::Waiting, None));
    core.server_started(server(3, 5), START, START).unwrap();
    play(&mut core, START);
    assert_eq!(open_on(&core, &server(3, 5)), core.state.regions.len());
}

#[test]
fn corrupt_logs_end_the_start_and_a_full_disk_does_not() {
    let dir = finback_layout::WalDir { server: server(1, 4), splitting: false, path: "/WALs/h,1,4".into() };
    let mut core = Core::new("id".into(), MasterConfig::default(), Startup::new(vec![dir]), START);
    core.server_started(server(1, 5), START, START).unwrap();
    let (id, _) = core.take_actions().remove(0);
    core.completed(id, Err(exceptions::io("no space left")), START);
    assert_eq!(core.state.failure, None);
    let (id, _) = core.take_actions().remove(0);
    core.completed(id, Ok(Output::Done), START);
    let (id, action) = core.take_actions().remove(0);
    assert!(matches!(action, Action::Storage(StorageWork::RecoverLogs(_))));
    core.completed(id, Err(exceptions::do_not_retry("corrupt at offset 77")), START);
    assert_eq!(core.state.failure.as_deref(), Some("corrupt at offset 77"));
    assert!(core.take_actions().is_empty());
    assert_eq!(core.check_initialized().unwrap_err().simple_class(), "PleaseHoldException");
}

#[test]
fn results_are_kept_for_a_while_and_their_number_is_limited() {
    let mut core = initialized();
    let flush = |core: &mut Core, now| {
        let table = TableName::namespace_table();
        let origin = Origin { nonce: Some((1, now)), user: None };
        core.submit(Operation::FlushTable { table, families: Vec::new() }, origin, now).unwrap()
    };
    let first = flush(&mut core, START + 1);
    play(&mut core, START + 1);
    flush(&mut core, START + 14 * 60_000);
    assert!(core.procedures.get(first).is_some());
    play(&mut core, START + 14 * 60_000);
    flush(&mut core, START + 16 * 60_000);
    assert!(core.procedures.get(first).is_none());
    assert_eq!(core.procedures.by_nonce((1, START + 1)), None);
}

#[test]
fn what_an_earlier_master_did_not_finish_is_not_forgotten_however_old_it_is() {
    let mut core = core();
    let old = START - 20 * 60_000;
    let record = |proc_id, finished| finback_proto::pb::StoredProcedure {
        proc_id,
        submitted_time: old,
        last_update: old,
        operation: crate::procedure_record::encode_operation(&Operation::FlushTable {
            table: TableName::namespace_table(),
            families: Vec::new(),
        })
        .unwrap(),
        finished: Some(finished),
        ..Default::default()
    };
    core.take_over(vec![record(1, true), record(2, false)]);
    core.evict(START);
    assert!(core.procedures.get(1).is_none() && core.procedures.get(2).is_some());
    core.server_started(server(1, 5), START, START).unwrap();
    play(&mut core, START);
    assert_eq!(core.procedures.get(2).unwrap().status, Status::Finished(Ok(())));
}

#[test]
fn a_flush_passes_over_regions_that_are_closed_meanwhile() {
    let mut core = initialized();
    for (exception, fails) in
        [(exceptions::not_serving_region("closed"), false), (exceptions::region_too_busy("busy"), true)]
    {
        let flush = Operation::FlushTable { table: TableName::namespace_table(), families: Vec::new() };
        let id = core.submit(flush, Origin::default(), START).unwrap();
        complete_record(&mut core);
        let (action, flush) = core.take_actions().remove(0);
        assert!(matches!(flush, Action::FlushRegion { .. }), "{flush:?}");
        core.completed(action, Err(exception), START);
        play(&mut core, START);
        let Status::Finished(result) = &core.procedures.get(id).unwrap().status else {
            panic!("not finished")
        };
        assert_eq!(result.is_err(), fails);
    }
}

#[test]
fn too_many_waiting_operations_are_refused() {
    let mut core = initialized();
    let refused = (0..2000).find_map(|i| {
        let operation = Operation::FlushTable { table: TableName::namespace_table(), families: Vec::new() };
        core.submit(operation, Origin::default(), START + i).err()
    });
    assert_eq!(refused.unwrap().simple_class(), "CallQueueTooBigException");
    play(&mut core, START);
    create(&mut core, "t", &[]);
}

#[test]
fn pauses_grow_up_to_a_limit() {
    assert_eq!([1, 2, 3].map(pause_ms), [50, 100, 200]);
    assert_eq!(pause_ms(u32::MAX), LONGEST_PAUSE_MS);
}

/// What is done, apart from writing down how procedures stand.
fn kinds(actions: &[Action]) -> Vec<&'static str> {
    let stores = |action: &&Action| matches!(action, Action::StoreProcedures(_));
    let kind = |action: &Action| match action {
        Action::OpenRegions { .. } => "open",
        Action::CloseRegions { .. } => "close",
        Action::Storage(StorageWork::CreateOffspring { .. }) => "create",
        Action::Storage(StorageWork::ArchiveRegions { .. }) => "archive",
        Action::WriteMeta { .. } => "meta",
        _ => "other",
    };
    actions.iter().filter(|action| !stores(action)).map(kind).collect()
}

/// An alter whose new schema may be on disk, though it could not be written to the end.
#[test]
fn an_alter_that_fails_leaves_the_old_schema() {
    let mut core = initialized();
    create(&mut core, "t", &[]);
    play(&mut core, START);
    let name = TableName::parse(b"t").unwrap();
    let old = core.state.tables[&name].descriptor.clone().unwrap();
    let mut new = TableDescriptor::clone(&old);
    new.families.push(ColumnFamilyDescriptor::with_defaults(b"g"));
    let alter = |core: &mut Core| {
        let operation = Operation::ModifyTable { table: new.clone(), reopen: true };
        core.submit(operation, Origin::default(), START).unwrap()
    };
    let mut on_disk = Vec::new();
    let id = alter(&mut core);
    play_where(&mut core, START, |action| {
        let Action::Storage(StorageWork::WriteDescriptor(table)) = action else { return None };
        on_disk.push(table.clone());
        (**table == new).then(|| exceptions::io("disk full"))
    });
    assert_eq!(on_disk, [std::sync::Arc::new(new.clone()), old.clone()]);
    assert!(matches!(core.procedures.get(id).unwrap().status, Status::Finished(Err(_))));
    assert_eq!(core.state.tables[&name].descriptor.as_ref(), Some(&old));

    // Regions that do not open are no reason to go back.
    let id = alter(&mut core);
    let mut opened = 0;
    let done = play_where(&mut core, START, |action| {
        opened += u32::from(matches!(action, Action::OpenRegions { .. }));
        None
    });
    let written = |action: &&Action| matches!(action, Action::Storage(StorageWork::WriteDescriptor(_)));
    assert_eq!((done.iter().filter(written).count(), opened), (1, 1));
    assert_eq!(core.procedures.get(id).unwrap().status, Status::Finished(Ok(())));
    assert_eq!(core.state.tables[&name].descriptor.as_deref(), Some(&new));
}

#[test]
fn an_alter_leaves_regions_closed_that_an_administrator_has_closed() {
    let mut core = initialized();
    create(&mut core, "t", &["m"]);
    play(&mut core, START);
    let table = TableName::parse(b"t").unwrap();
    let regions = core.state.regions_of(&table);
    let unassign = Operation::UnassignRegion { table: table.clone(), region: regions[0].clone() };
    core.submit(unassign, Origin::default(), START).unwrap();
    play(&mut core, START);
    let family = ColumnFamilyDescriptor::with_defaults(b"g");
    let add = Operation::AddFamily { table: table.clone(), family };
    let id = core.submit(add, Origin::default(), START).unwrap();
    assert_eq!(core.procedures.regions_to_reopen(&table), 1);
    let mut opened = 0;
    let done = play_where(&mut core, START, |action| {
        opened += u32::from(matches!(action, Action::OpenRegions { .. }));
        None
    });
    assert_eq!(core.procedures.get(id).unwrap().status, Status::Finished(Ok(())));
    assert_eq!(opened, 1);
    let states = [0, 1].map(|number| core.state.regions[&regions[number]].state);
    assert_eq!(states, [RegionState::Closed, RegionState::Open]);
    // What a family of that name left behind would come back when it is opened.
    let cleaned = done.iter().find_map(|action| match action {
        Action::Storage(StorageWork::ArchiveFamilies { regions, .. }) => Some(regions),
        _ => None,
    });
    assert_eq!(cleaned, Some(&regions));
}

/// A disabled table, its schema, and a snapshot of it with another one.
fn to_restore() -> (Core, TableName, std::sync::Arc<TableDescriptor>, Operation) {
    let mut core = initialized();
    create(&mut core, "t", &[]);
    play(&mut core, START);
    let name = TableName::parse(b"t").unwrap();
    core.submit(Operation::DisableTable(name.clone()), Origin::default(), START).unwrap();
    play(&mut core, START);
    let old = core.state.tables[&name].descriptor.clone().unwrap();
    let mut table = TableDescriptor::clone(&old);
    table.families[0].name = "g".into();
    let regions = vec![RegionInfo::new(name.clone(), "".into(), "".into(), 5)];
    let snapshot = finback_proto::pb::SnapshotDescription { name: "s".into(), ..Default::default() };
    let of = TableOfSnapshot { snapshot, table, regions, splits: Default::default() };
    (core, name, old, Operation::RestoreSnapshot(Box::new(of)))
}

#[test]
fn a_restore_is_not_over_before_the_old_schema_is_back() {
    let (mut core, name, old, restore) = to_restore();
    let id = core.submit(restore, Origin::default(), START).unwrap();
    let mut failures = 20;
    play_where(&mut core, START, |action| {
        let fails = match action {
            Action::Storage(StorageWork::Snapshot(_)) => true,
            Action::Storage(StorageWork::WriteDescriptor(table)) if *table == old && failures > 0 => {
                failures -= 1;
                true
            }
            _ => false,
        };
        fails.then(|| exceptions::io("disk full"))
    });
    assert_eq!(failures, 0);
    assert!(matches!(core.procedures.get(id).unwrap().status, Status::Finished(Err(_))));
    assert_eq!(core.state.tables[&name].descriptor.as_ref(), Some(&old));
}
