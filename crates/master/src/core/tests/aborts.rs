//! What somebody wants undone.

use super::*;
use crate::snapshots::SnapshotWork;

#[test]
fn a_snapshot_that_is_aborted_before_its_regions_are_added_is_none() {
    let mut core = initialized();
    create(&mut core, "t", &[]);
    play(&mut core, START);
    let table = TableName::parse(b"t").unwrap();
    let snapshot = finback_proto::pb::SnapshotDescription { name: "s".into(), ..Default::default() };
    let take = Operation::TakeSnapshot { table, snapshot: Box::new(snapshot) };
    let id = core.submit(take, Origin::default(), START).unwrap();
    complete_record(&mut core);
    let begin = loop {
        let (action, begin) = core.take_actions().remove(0);
        if matches!(begin, Action::Storage(_)) {
            break action;
        }
        core.completed(action, Ok(Output::Done), START);
    };
    assert!(core.abort_procedure(id, true, START));
    core.completed(begin, Ok(Output::Done), START);
    let done = play(&mut core, START);
    let works: Vec<&SnapshotWork> = done
        .iter()
        .filter_map(|action| match action {
            Action::Storage(StorageWork::Snapshot(work)) => Some(&**work),
            _ => None,
        })
        .collect();
    assert!(matches!(works[..], [SnapshotWork::Discard(_)]), "{works:?}");
    let Status::Finished(Err(error)) = &core.procedures.get(id).unwrap().status else { panic!("it went on") };
    assert_eq!(error.simple_class(), "ProcedureAbortedException");
}
