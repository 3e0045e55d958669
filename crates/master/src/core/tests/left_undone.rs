//! What could not be put away when the disk was full.

use super::*;

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
