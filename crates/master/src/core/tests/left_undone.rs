//! What could not be put away when the disk was full.

use super::*;
use crate::snapshots::SnapshotWork;

/// A table that is dropped, and whose files stay.
fn dropped_on_a_full_disk() -> (Core, TableName) {
    let mut core = initialized();
    create(&mut core, "t", &[]);
    play(&mut core, START);
    let name = TableName::parse(b"t").unwrap();
    core.submit(Operation::DisableTable(name.clone()), Origin::default(), START).unwrap();
    play(&mut core, START);
    let id = core.submit(Operation::DeleteTable(name.clone()), Origin::default(), START).unwrap();
    play_where(&mut core, START, |action| archives(action).then(|| exceptions::io("disk full")));
    assert_eq!(core.procedures.get(id).unwrap().status, Status::Finished(Ok(())));
    (core, name)
}

fn archives(action: &Action) -> bool {
    matches!(action, Action::Storage(StorageWork::ArchiveTable(_)))
}

fn tried_again(core: &mut Core, failure: Option<RpcException>) -> bool {
    core.finish_undone(START);
    let done = play_where(core, START, |action| failure.clone().filter(|_| archives(action)));
    done.iter().any(archives)
}

#[test]
fn is_put_away_later() {
    let (mut core, _) = dropped_on_a_full_disk();
    assert!(tried_again(&mut core, Some(exceptions::io("disk full"))));
    assert!(tried_again(&mut core, None));
    assert!(!tried_again(&mut core, None));
}

#[test]
fn is_not_taken_from_a_new_table_of_that_name() {
    let (mut core, name) = dropped_on_a_full_disk();
    create(&mut core, "t", &[]);
    core.finish_undone(START);
    let done = play(&mut core, START);
    assert!(core.state.tables.contains_key(&name) && !done.iter().any(archives));
    assert!(!tried_again(&mut core, None));
}

fn archives_region(action: &Action, region: &str) -> bool {
    let Action::Storage(StorageWork::ArchiveRegions { regions, .. }) = action else { return false };
    regions.iter().any(|archived| archived == region)
}

#[test]
fn of_a_table_is_put_away_all_at_once() {
    let mut core = initialized();
    create(&mut core, "t", &["m"]);
    play(&mut core, START);
    let table = TableName::parse(b"t").unwrap();
    let parents = core.state.assignable_regions_of(&table);
    for (region, row) in parents.iter().cloned().zip(["f", "r"]) {
        let split = Operation::SplitRegion { table: table.clone(), region, split_row: row.into() };
        core.submit(split, Origin::default(), START).unwrap();
        play(&mut core, START);
    }
    for region in parents.iter().cloned() {
        let collect = Operation::CollectRegion { table: table.clone(), region, is_split: true };
        core.submit(collect, Origin::default(), START).unwrap();
    }
    let is_any = |action: &Action| parents.iter().any(|parent| archives_region(action, parent));
    play_where(&mut core, START, |action| is_any(action).then(|| exceptions::io("disk full")));
    assert!(!parents.iter().any(|parent| core.state.regions.contains_key(parent)));
    core.finish_undone(START);
    let done = play(&mut core, START);
    for parent in &parents {
        assert!(done.iter().any(|action| archives_region(action, parent)));
    }
}

/// Work for a snapshot, if it is this.
fn is_of_snapshot(action: &Action, is_it: impl Fn(&SnapshotWork) -> bool) -> bool {
    matches!(action, Action::Storage(StorageWork::Snapshot(work)) if is_it(work))
}

#[test]
fn of_a_table_that_was_restored_is_put_away_by_its_name() {
    let (mut core, name, _, restore) = to_restore();
    let old = core.state.regions_of(&name).remove(0);
    let id = core.submit(restore, Origin::default(), START).unwrap();
    let keeps =
        |action: &Action| is_of_snapshot(action, |work| matches!(work, SnapshotWork::KeepRegions { .. }));
    play_where(&mut core, START, |action| keeps(action).then(|| exceptions::io("disk full")));
    assert_eq!(core.procedures.get(id).unwrap().status, Status::Finished(Ok(())));
    core.finish_undone(START);
    let done = play(&mut core, START);
    assert!(done.iter().any(|action| archives_region(action, &old)), "{done:?}");
}

#[test]
fn of_a_snapshot_that_came_to_no_end_is_discarded() {
    let mut core = initialized();
    create(&mut core, "t", &[]);
    play(&mut core, START);
    let table = TableName::parse(b"t").unwrap();
    let snapshot = finback_proto::pb::SnapshotDescription {
        name: "s".into(),
        table: Some("t".into()),
        ..Default::default()
    };
    let take = Operation::TakeSnapshot { table, snapshot: Box::new(snapshot) };
    let id = core.submit(take, Origin::default(), START).unwrap();
    let of_any = |action: &Action| is_of_snapshot(action, |_| true);
    play_where(&mut core, START, |action| of_any(action).then(|| exceptions::io("disk full")));
    assert!(matches!(core.procedures.get(id).unwrap().status, Status::Finished(Err(_))));
    let discards = |action: &Action| is_of_snapshot(action, |work| matches!(work, SnapshotWork::Discard(_)));
    let discarded = |core: &mut Core, fails: bool| {
        core.finish_undone(START);
        let failure = |action: &Action| (fails && of_any(action)).then(|| exceptions::io("disk full"));
        play_where(core, START, failure).iter().any(discards)
    };
    assert!(discarded(&mut core, true));
    assert!(discarded(&mut core, false));
    assert!(!discarded(&mut core, false));
}
