//! Writes of hbase:meta that are refused.

use super::*;
use finback_proto::pb::table_state::State as TableState;

#[test]
fn what_has_begun_comes_to_its_end_when_the_clock_is_right_again() {
    let mut core = initialized();
    create(&mut core, "t", &[]);
    play(&mut core, START);
    let table = TableName::parse(b"t").unwrap();
    let id = core.submit(Operation::DisableTable(table.clone()), Origin::default(), START).unwrap();
    let mut states = 0;
    play_where(&mut core, START, |action| {
        let Action::WriteMeta { mutations, .. } = action else { return None };
        states += usize::from(mutations.iter().any(|mutation| mutation.row() == b"t"));
        let is_second = states == 2;
        is_second.then(|| exceptions::failed_sanity_check("timestamp is too much in future"))
    });
    assert_eq!(core.procedures.get(id).unwrap().status, Status::Finished(Ok(())));
    assert_eq!(core.state.tables[&table].state, TableState::Disabled);
    assert_eq!(states, 3);
}
