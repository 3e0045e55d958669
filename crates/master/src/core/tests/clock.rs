//! A clock that was ahead is set back.

use super::*;
use crate::operation::Held;

const HOUR_MS: u64 = 3_600_000;

#[test]
fn a_table_that_is_made_again_has_other_regions_though_the_clock_was_set_back() {
    let mut core = initialized();
    core.tick(START + HOUR_MS);
    create(&mut core, "t", &["m"]);
    play(&mut core, START);
    let name = TableName::parse(b"t").unwrap();
    let first = core.state.regions_of(&name);
    for operation in [Operation::DisableTable(name.clone()), Operation::DeleteTable(name.clone())] {
        core.submit(operation, Origin::default(), START).unwrap();
        play(&mut core, START);
    }
    create(&mut core, "t", &["m"]);
    play(&mut core, START);
    let second = core.state.regions_of(&name);
    assert_eq!((first.len(), second.len()), (2, 2));
    assert!(second.iter().all(|region| !first.contains(region)));
}

#[test]
fn a_client_that_says_that_it_is_there_keeps_its_lock_though_the_clock_was_set_back() {
    let mut core = initialized();
    let held = Held::Namespace("n".to_owned());
    let lock = Operation::HoldLock { held, exclusive: true, description: String::new() };
    let id = core.submit(lock, Origin::default(), START + HOUR_MS).unwrap();
    let is_there = play_until_it_waits(&mut core, START);
    assert!(core.lock_heartbeat(id, true, START));
    core.completed(is_there.unwrap(), Ok(Output::Done), START);
    assert!(core.lock_heartbeat(id, true, START));
}
