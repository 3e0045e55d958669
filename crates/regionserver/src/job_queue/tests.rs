use super::*;
use crate::job::priority;
use finback_cell::Bytes;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn flush(region: &str) -> Job {
    Job::Flush { region: region.into() }
}

fn compaction(region: &str, major: bool) -> Job {
    Job::Compaction { region: region.into(), family: Bytes::from_static(b"f"), major }
}

fn take(queue: &mut JobQueue, pool: Pool, now: Duration) -> Option<Taken> {
    match queue.next(pool, now) {
        Next::Job(taken) => Some(taken),
        Next::NotBefore(_) | Next::Nothing => None,
    }
}

/// Takes all jobs of a pool, in their order.
fn order(queue: &mut JobQueue, pool: Pool) -> Vec<Job> {
    let mut jobs = Vec::new();
    while let Some(taken) = take(queue, pool, ms(0)) {
        queue.over(&taken);
        jobs.push(taken.job);
    }
    jobs
}

#[test]
fn stores_near_too_many_files_go_first_and_requests_of_users_before_those_that_are_not() {
    let mut queue = JobQueue::default();
    for (region, left) in [("calm", 12), ("near", 1), ("stuck", -2), ("also calm", 12)] {
        assert!(queue.ask(
            compaction(region, false),
            Pool::SmallCompactions,
            priority::of_store(left),
            ms(0)
        ));
    }
    assert!(queue.ask(compaction("asked", true), Pool::SmallCompactions, priority::USER, ms(0)));
    let wanted = [("stuck", false), ("asked", true), ("near", false), ("calm", false), ("also calm", false)];
    assert_eq!(
        order(&mut queue, Pool::SmallCompactions),
        wanted.map(|(name, major)| compaction(name, major))
    );
}

#[test]
fn a_job_waits_once_and_with_its_best_priority() {
    let mut queue = JobQueue::default();
    let ask = |queue: &mut JobQueue, region, priority| {
        assert!(queue.ask(compaction(region, false), Pool::SmallCompactions, priority, ms(0)));
    };
    ask(&mut queue, "one", 5);
    ask(&mut queue, "two", 5);
    ask(&mut queue, "two", 9);
    ask(&mut queue, "two", 4);
    ask(&mut queue, "two", 5);
    assert_eq!(
        order(&mut queue, Pool::SmallCompactions),
        [compaction("two", false), compaction("one", false)]
    );
    assert_eq!(queue.jobs().count(), 0);
}

#[test]
fn a_store_is_compacted_by_one_at_a_time_and_others_need_not_wait() {
    let mut queue = JobQueue::default();
    for job in [compaction("one", false), compaction("one", true), compaction("two", false)] {
        queue.ask(job, Pool::SmallCompactions, 5, ms(0));
    }
    let first = take(&mut queue, Pool::SmallCompactions, ms(0)).unwrap();
    assert_eq!(first.job, compaction("one", false));
    // The pool for large ones helps.
    let second = take(&mut queue, Pool::LargeCompactions, ms(0)).unwrap();
    assert_eq!(second.job, compaction("two", false));
    assert!(take(&mut queue, Pool::SmallCompactions, ms(0)).is_none());
    queue.over(&first);
    assert_eq!(take(&mut queue, Pool::SmallCompactions, ms(0)).unwrap().job, compaction("one", true));
}

#[test]
fn the_pool_for_small_ones_leaves_large_ones_alone() {
    let mut queue = JobQueue::default();
    queue.ask(compaction("large", false), Pool::LargeCompactions, 5, ms(0));
    queue.ask(flush("flush"), Pool::Flushes, priority::FLUSH, ms(0));
    assert!(take(&mut queue, Pool::SmallCompactions, ms(0)).is_none());
    assert_eq!(take(&mut queue, Pool::LargeCompactions, ms(0)).unwrap().job, compaction("large", false));
    assert_eq!(take(&mut queue, Pool::Flushes, ms(0)).unwrap().job, flush("flush"));
}

#[test]
fn what_failed_comes_again_at_its_time_and_not_when_it_was_cancelled() {
    let mut queue = JobQueue::default();
    queue.ask(flush("one"), Pool::Flushes, priority::FLUSH, ms(5));
    let taken = take(&mut queue, Pool::Flushes, ms(10)).unwrap();
    queue.again(taken, 1, ms(200));
    // Asking does not shorten the wait.
    queue.ask(flush("one"), Pool::Flushes, priority::FLUSH, ms(20));
    queue.no_longer_put_off("one");
    assert!(matches!(queue.next(Pool::Flushes, ms(199)), Next::NotBefore(time) if time == ms(200)));
    let taken = take(&mut queue, Pool::Flushes, ms(200)).unwrap();
    assert_eq!((taken.failures, taken.begun_before, taken.asked), (1, 1, ms(5)));
    queue.cancel(|job| job.region() == Some("one"));
    assert!(taken.cancelled.load(Ordering::Acquire));
    queue.again(taken, 2, ms(300));
    assert!(matches!(queue.next(Pool::Flushes, ms(1000)), Next::Nothing));
}

#[test]
fn what_failed_and_was_asked_for_meanwhile_waits_as_long() {
    let mut queue = JobQueue::default();
    queue.ask(flush("one"), Pool::Flushes, priority::FLUSH, ms(0));
    let taken = take(&mut queue, Pool::Flushes, ms(0)).unwrap();
    assert_eq!(queue.failed_flushes().count(), 0);
    queue.ask(flush("one"), Pool::Flushes, priority::FLUSH, ms(1));
    queue.again(taken, 1, ms(200));
    assert_eq!(queue.failed_flushes().collect::<Vec<_>>(), ["one"]);
    assert!(take(&mut queue, Pool::Flushes, ms(199)).is_none());
    assert_eq!(take(&mut queue, Pool::Flushes, ms(200)).unwrap().failures, 1);
}

#[test]
fn what_was_put_off_begins_when_the_reason_is_gone() {
    let mut queue = JobQueue::default();
    queue.ask(flush("one"), Pool::Flushes, priority::FLUSH, ms(0));
    let taken = take(&mut queue, Pool::Flushes, ms(0)).unwrap();
    queue.again(taken, 0, ms(900));
    assert!(take(&mut queue, Pool::Flushes, ms(1)).is_none());
    queue.no_longer_put_off("other");
    assert!(take(&mut queue, Pool::Flushes, ms(1)).is_none());
    queue.no_longer_put_off("one");
    assert!(take(&mut queue, Pool::Flushes, ms(1)).is_some());
}

#[test]
fn a_flush_for_memory_takes_no_region_that_is_being_flushed() {
    let mut queue = JobQueue::default();
    queue.ask(flush("one"), Pool::Flushes, priority::FLUSH, ms(0));
    let _running = take(&mut queue, Pool::Flushes, ms(0)).unwrap();
    queue.ask(Job::FlushForMemory, Pool::Flushes, priority::MEMORY, ms(0));
    let mut taken = take(&mut queue, Pool::Flushes, ms(0)).unwrap();
    assert!(!queue.becomes(&mut taken, flush("one")));
    assert_eq!(taken.job, Job::FlushForMemory);
    assert!(queue.becomes(&mut taken, flush("two")));
    queue.ask(flush("two"), Pool::Flushes, priority::FLUSH, ms(0));
    assert!(take(&mut queue, Pool::Flushes, ms(0)).is_none());
}

#[test]
fn a_full_queue_turns_away_what_is_least_urgent_and_never_a_flush() {
    let mut queue = JobQueue::default();
    for number in 0..MAX_WAITING {
        assert!(queue.ask(compaction(&number.to_string(), false), Pool::SmallCompactions, 10, ms(0)));
    }
    assert!(!queue.ask(compaction("late", false), Pool::SmallCompactions, 10, ms(0)));
    assert!(queue.ask(flush("one"), Pool::Flushes, priority::FLUSH, ms(0)));
    assert!(queue.ask(compaction("stuck", false), Pool::SmallCompactions, -1, ms(0)));
    assert!(queue.jobs().all(|job| *job != compaction(&(MAX_WAITING - 1).to_string(), false)));
    assert_eq!(take(&mut queue, Pool::SmallCompactions, ms(0)).unwrap().job, compaction("stuck", false));
    queue.forget(|pool, job| pool == Pool::SmallCompactions && job.is_compaction());
    assert_eq!(queue.jobs().filter(|job| job.is_compaction()).count(), 1, "the one under way");
}

#[test]
fn a_region_is_flushed_by_one_at_a_time_whichever_families_are_asked_for() {
    let mut queue = JobQueue::default();
    let some =
        |family: &'static str| Job::FlushFamilies { region: "a".into(), families: vec![family.into()] };
    for job in [flush("a"), some("f"), some("g"), some("f")] {
        assert!(queue.ask(job, Pool::Flushes, priority::FLUSH, ms(0)));
    }
    assert_eq!(queue.jobs().count(), 3);
    let Next::Job(first) = queue.next(Pool::Flushes, ms(0)) else { panic!("a flush") };
    assert!(matches!(queue.next(Pool::Flushes, ms(0)), Next::Nothing));
    queue.over(&first);
    let Next::Job(second) = queue.next(Pool::Flushes, ms(0)) else { panic!("another") };
    assert_eq!((second.job.clone(), second.job.flushed_region()), (some("f"), Some("a")));
    // Put off until a compaction is over.
    queue.again(second, 0, ms(50));
    let Next::Job(third) = queue.next(Pool::Flushes, ms(1)) else { panic!("the last") };
    queue.over(&third);
    assert!(matches!(queue.next(Pool::Flushes, ms(1)), Next::NotBefore(time) if time == ms(50)));
    queue.no_longer_put_off("b");
    assert!(matches!(queue.next(Pool::Flushes, ms(1)), Next::NotBefore(_)));
    queue.no_longer_put_off("a");
    assert!(matches!(queue.next(Pool::Flushes, ms(1)), Next::Job(_)));
}
