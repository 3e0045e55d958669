//! What is true when an operation's turn comes counts, not what was when it was asked for.

use super::*;
use crate::operation::Held;

#[test]
fn a_region_is_not_opened_whose_table_was_disabled_before_its_turn_came() {
    let mut core = initialized();
    create(&mut core, "t", &[]);
    play(&mut core, START);
    let table = TableName::parse(b"t").unwrap();
    let region = core.state.regions_of(&table)[0].clone();
    let mut submit = |operation| core.submit(operation, Origin::default(), START).unwrap();
    let unassign = Operation::UnassignRegion { table: table.clone(), region: region.clone() };
    submit(unassign);
    let held = Held::Table(table.clone());
    let lock = submit(Operation::HoldLock { held, exclusive: true, description: String::new() });
    submit(Operation::DisableTable(table.clone()));
    let assign = submit(Operation::AssignRegion { table: table.clone(), region: region.clone() });
    let moved = submit(Operation::MoveRegion { table, region: region.clone() });
    core.lock_heartbeat(lock, false, START);
    let done = play(&mut core, START);
    assert!(!kinds(&done).contains(&"open"));
    assert_eq!(core.state.regions[&region].state, RegionState::Closed);
    for id in [assign, moved] {
        let Some(Err(error)) = core.admission(id) else { panic!("it was let in") };
        assert!(error.message.starts_with("t is disabled for state=CLOSED"), "{}", error.message);
    }
}
