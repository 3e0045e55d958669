use super::*;

#[test]
fn what_is_refused_last_is_refused_too() {
    let all = InFlight::new(100, "here".into());
    let (usual, urgent) = (all.share(), all.share());
    assert!(usual.try_grow(60) && !usual.try_grow(41));
    assert!(urgent.try_grow_beyond(140) && !urgent.try_grow_beyond(1));
    drop(urgent);
    assert!(usual.try_grow(40));
}
