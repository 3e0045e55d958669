//! What a start waits for.

use super::*;
use crate::meta_row::{MetaContents, MetaRow, RegionRow};
use finback_layout::WalDir;
use finback_proto::pb::table_state::State as TableState;
use finback_wal::SplitReport;

/// What hbase:meta has of a table of one region, which nobody closed.
fn one_region(table: &TableName, state: TableState) -> MetaContents {
    let region = RegionRow {
        info: RegionInfo::new(table.clone(), "".into(), "".into(), 5),
        state: RegionState::Open,
        server: Some(server(1, 4)),
        open_seq_num: 2,
        merged_from: Vec::new(),
        split_into: Vec::new(),
    };
    let rows = vec![MetaRow::Table { table: table.clone(), state }, MetaRow::Region(region)];
    MetaContents { rows, ..Default::default() }
}

#[test]
fn a_region_that_cannot_be_closed_does_not_hold_it_up() {
    let mut core = core();
    core.server_started(server(1, 5), START, START).unwrap();
    let table = TableName::parse(b"t").unwrap();
    let mut closes = Vec::new();
    loop {
        let actions = core.take_actions();
        if actions.is_empty() {
            break;
        }
        for (id, action) in actions {
            let output = match &action {
                Action::ScanMeta { .. } => Output::Meta(one_region(&table, TableState::Disabling)),
                action => output(action),
            };
            core.completed(id, Ok(output), START);
            match action {
                Action::CloseRegions { .. } => closes.push(action),
                action => report(&mut core, &action, START),
            }
        }
    }
    assert!(core.state.initialized);
    let [close] = &closes[..] else { panic!("{closes:?}") };
    assert_eq!(core.state.tables[&table].state, TableState::Disabling);
    report(&mut core, close, START);
    play(&mut core, START);
    assert_eq!(core.state.tables[&table].state, TableState::Disabled);
}

#[test]
fn split_logs_are_put_away_when_the_disk_has_room_again() {
    let full = [exceptions::io("no space left"), exceptions::io("no space left")];
    assert_eq!(tries_to_put_logs_away(&full), 3);
    assert_eq!(tries_to_put_logs_away(&[exceptions::do_not_retry("a sync failed")]), 1);
}

/// How often a start tries it, where it fails so at first.
fn tries_to_put_logs_away(failures: &[RpcException]) -> usize {
    let dir = WalDir { server: server(1, 4), splitting: false, path: "/WALs/h,1,4".into() };
    let split = vec![SplitReport { wal: dir.path.join("log"), ..SplitReport::default() }];
    let mut core = Core::new("id".into(), MasterConfig::default(), Startup::new(vec![dir]), START);
    core.server_started(server(1, 5), START, START).unwrap();
    let mut tries = 0;
    loop {
        let actions = core.take_actions();
        if actions.is_empty() {
            assert!(core.state.initialized);
            return tries;
        }
        for (id, action) in actions {
            let outcome = match &action {
                Action::Storage(StorageWork::RecoverLogs(_)) => Ok(Output::LogsSplit(split.clone())),
                Action::Storage(StorageWork::PutLogsAway(logs)) => {
                    assert_eq!(*logs, split);
                    tries += 1;
                    failures.get(tries - 1).cloned().map_or(Ok(Output::Done), Err)
                }
                action => Ok(output(action)),
            };
            core.completed(id, outcome, START);
            report(&mut core, &action, START);
        }
    }
}
