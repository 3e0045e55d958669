//! How much clients can lock, and for how long.

use super::*;
use crate::{
    core::held_locks::{MAX_LOCKED_REGIONS, MAX_LOCKS},
    operation::Held,
};

const TIMEOUT_MS: u64 = 30_000;

fn table(name: &str) -> TableName {
    TableName::parse(name.as_bytes()).unwrap()
}

fn request(core: &mut Core, held: Held) -> Result<u64, RpcException> {
    let lock = Operation::HoldLock { held, exclusive: true, description: String::new() };
    core.submit(lock, Origin::default(), START)
}

fn regions(keys: impl IntoIterator<Item = usize>) -> Held {
    let region = |key: usize| RegionInfo::new(table("t"), key.to_string().into(), Bytes::new(), 1);
    Held::regions(table("t"), keys.into_iter().map(region))
}

#[test]
fn clients_that_wait_for_locks_leave_room_for_other_operations() {
    let mut core = initialized();
    for _ in 0..MAX_LOCKS {
        request(&mut core, Held::Table(table("t"))).unwrap();
    }
    let refused = request(&mut core, Held::Table(table("t"))).unwrap_err();
    assert_eq!(refused.simple_class(), "CallQueueTooBigException");
    create(&mut core, "u", &[]);
    play_until_it_waits(&mut core, START);
    assert_eq!(core.state.regions_of(&table("u")).len(), 1);
}

#[test]
fn so_many_regions_are_locked_and_no_more() {
    let mut core = initialized();
    let refused = request(&mut core, regions(0..MAX_LOCKED_REGIONS + 1)).unwrap_err();
    assert_eq!(refused.simple_class(), "DoNotRetryIOException");
    let held = request(&mut core, regions(1..MAX_LOCKED_REGIONS)).unwrap();
    // Named twice, it is locked once.
    let waiting = request(&mut core, regions([1, 1])).unwrap();
    let refused = request(&mut core, regions(0..1)).unwrap_err();
    assert_eq!(refused.simple_class(), "CallQueueTooBigException");
    play_until_it_waits(&mut core, START);
    assert!(core.lock_heartbeat(held, true, START));
    assert!(!core.lock_heartbeat(waiting, true, START));
    core.lock_heartbeat(held, false, START);
    play_until_it_waits(&mut core, START);
    assert!(core.lock_heartbeat(waiting, true, START));
    request(&mut core, regions(2..MAX_LOCKED_REGIONS)).unwrap();
}

#[test]
fn who_waits_for_a_lock_in_silence_goes_when_the_time_is_over() {
    let mut core = initialized();
    let [held, gone, waiting] = [(); 3].map(|()| request(&mut core, Held::Table(table("t"))).unwrap());
    let waits = play_until_it_waits(&mut core, START).unwrap();
    assert!(core.lock_heartbeat(held, true, START + 1));
    assert!(!core.lock_heartbeat(waiting, true, START + 1));
    core.completed(waits, Ok(Output::Done), START + TIMEOUT_MS);
    let is_over = |id| matches!(core.procedures.get(id).unwrap().status, Status::Finished(Ok(())));
    assert_eq!([held, gone, waiting].map(is_over), [false, true, false]);
    // The one that is gone takes no turn.
    core.lock_heartbeat(held, false, START + TIMEOUT_MS);
    play_until_it_waits(&mut core, START + TIMEOUT_MS);
    assert!(core.lock_heartbeat(waiting, true, START + TIMEOUT_MS));
}
