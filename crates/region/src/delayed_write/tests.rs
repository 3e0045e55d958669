use super::*;

const MB: u64 = 1 << 20;

/// A region with HBase's defaults.
fn region(used: u64) -> WriteRoom {
    WriteRoom { used, slow_from: 320 * MB, limit: 512 * MB }
}

/// MiB a second that are let in.
fn rate(room: WriteRoom) -> f64 {
    1.0 / room.slowness() / MB as f64
}

#[test]
fn the_curve_is_smooth_and_ends_at_the_limit() {
    assert_eq!(region(0).slowness(), 0.0);
    assert_eq!(region(320 * MB).slowness(), 0.0);
    let table = [(1, 19008.0), (10, 1728.0), (25, 576.0), (50, 192.0), (75, 64.0), (90, 21.33), (99, 6.06)];
    for (percent, wanted) in table {
        let rate = rate(region(320 * MB + 192 * MB * percent / 100));
        assert!((rate / wanted - 1.0).abs() < 0.01, "{percent} %: {rate} MiB/s");
    }
    // No step anywhere: one more of a thousand parts makes a write no more than twice as slow, but for the very ends.
    let slowness: Vec<f64> =
        (5..995).map(|part| region(320 * MB + 192 * MB * part / 1000).slowness()).collect();
    assert!(slowness.windows(2).all(|pair| pair[0] < pair[1] && pair[1] < pair[0] * 2.0));
    // Beyond the limit, where writes are refused, those that wait already are as slow as at it.
    for used in [512 * MB, 600 * MB, u64::MAX] {
        assert_eq!(rate(region(used)), 6.0);
    }
}

#[test]
fn a_chunk_that_fills_up_where_there_is_hardly_room_takes_a_second() {
    let room = WriteRoom { used: 8 * MB - 1, slow_from: 7 * MB, limit: 8 * MB };
    assert!((1.9..2.1).contains(&rate(room)), "{}", rate(room));
    assert_eq!(WriteRoom { used: 5, slow_from: 4, limit: 4 }.slowness(), 1.0 / CHUNK_BYTES);
    assert!(!WriteRoom::UNBOUNDED.is_short());
}

#[test]
fn many_writers_share_one_rate_and_tiny_waits_are_saved_up() {
    let writes = DelayedWrites::default();
    // 64 MiB/s.
    let slowness = region(464 * MB).slowness();
    let (mut now, mut waits) = (Duration::from_secs(5), 0);
    for _ in 0..64 << 10 {
        let wait = writes.delay(now, 1 << 10, slowness);
        if wait > Duration::ZERO {
            assert!(wait < SHORTEST_DELAY * 2, "{wait:?}");
            (now, waits) = (now + wait, waits + 1);
        }
    }
    let took = now - Duration::from_secs(5);
    assert!((0.99..1.01).contains(&took.as_secs_f64()), "{took:?}");
    assert!(waits <= 1000, "{waits}");
    // Writers at one moment queue up.
    let each: Vec<Duration> = (0..4).map(|_| writes.delay(now, 6 * MB, slowness)).collect();
    assert!(each.windows(2).all(|pair| pair[1] > pair[0] + Duration::from_millis(90)), "{each:?}");
}

#[test]
fn no_write_waits_longer_than_a_second() {
    let writes = DelayedWrites::default();
    let slowness = region(511 * MB).slowness();
    for _ in 0..1000 {
        assert!(writes.delay(Duration::from_secs(1), 10 * MB, slowness) <= LONGEST_DELAY);
    }
    assert_eq!(writes.delay(Duration::from_secs(1), u64::MAX, 0.0), Duration::ZERO);
    assert!(writes.delay(Duration::MAX, u64::MAX, f64::MAX) <= LONGEST_DELAY);
}

#[test]
fn what_is_written_comes_to_what_is_flushed_without_a_refusal() {
    // Writers that would fill 300 MiB/s, and flushes of 100 MiB/s.
    let writes = DelayedWrites::default();
    let (mut now, mut used) = (Duration::ZERO, 300.0 * MB as f64);
    let mut written = 0;
    while now < Duration::from_secs(60) {
        let room = region(used as u64);
        assert!(room.used < room.limit, "{room:?} at {now:?}");
        let took = Duration::from_secs_f64(0.1 / 300.0) + writes.delay(now, MB / 10, room.slowness());
        used = (used + (MB / 10) as f64 - 100.0 * MB as f64 * took.as_secs_f64()).max(0.0);
        now += took;
        written += MB / 10;
    }
    let rate = written / 60 / MB;
    assert!((95..=110).contains(&rate), "{rate} MiB/s");
}
