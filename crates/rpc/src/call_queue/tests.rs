use super::*;

#[test]
fn each_kind_has_a_queue_of_its_own() {
    let queues = CallQueues::new(CallQueueLimits { priority: 1, general: 2 }, "here,1,2".into());
    let scans: Vec<_> = (0..2)
        .map(|_| {
            queues.check(CallKind::Scan).unwrap();
            queues.place(CallKind::Scan)
        })
        .collect();
    let refused = queues.check(CallKind::Scan).unwrap_err();
    assert_eq!(refused.simple_class(), "CallQueueTooBigException");
    assert!(refused.server_overloaded && !refused.do_not_retry);
    assert_eq!(refused.message, "Call queue is full on here,1,2, too many items queued ?");
    for other in [CallKind::Priority, CallKind::Read, CallKind::Write] {
        queues.check(other).unwrap();
    }
    let _own = queues.place(CallKind::Priority);
    queues.check(CallKind::Priority).unwrap_err();
    drop(scans);
    assert_eq!(queues.waiting(CallKind::Scan), 0);
    queues.check(CallKind::Scan).unwrap();
}
