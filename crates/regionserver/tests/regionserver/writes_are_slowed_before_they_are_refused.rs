//! Writers that are faster than flushes are slowed, and hardly ever refused, as long as flushes go on.

use crate::world::{LONG, Table, World, row_name};
use finback_regionserver::ThroughputBounds;
use std::time::Duration;

static VALUE: [u8; 40_000] = [b'v'; 40_000];
const WRITERS: usize = 8;
const PUTS_EACH: usize = 250;

/// Flushes write so many bytes a second.
fn flush_rate(bytes: u64) -> Option<ThroughputBounds> {
    Some(ThroughputBounds { lower: bytes, higher: bytes, off_peak: Some(bytes), tune_period: LONG })
}

/// Puts some rows as fast as it goes; how many of the puts were refused, each however often.
async fn write(table: &Table<'_>, writer: usize) -> usize {
    let mut refused = 0;
    for put in 0..PUTS_EACH {
        let mut is_refused = false;
        while let Err(exception) = table.put(&row_name(writer * 1_000_000 + put), &VALUE).await {
            assert_eq!(exception.simple_class(), "RegionTooBusyException", "{exception}");
            is_refused = true;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        refused += usize::from(is_refused);
    }
    refused
}

#[tokio::test(flavor = "multi_thread")]
async fn writers_faster_than_flushes_are_slowed_and_not_sent_away() {
    let world = World::with(|options| {
        options.region.flush_size_bytes = 4 << 20;
        options.background.flush_throughput = flush_rate(20_000_000);
        // No flush is to wait for one.
        options.background.compactions_enabled = false;
    });
    let table = world.table("t").await;
    // 80 MB, of which memory takes 16 MB, and flushes 20 MB a second.
    let write = |writer| write(&table, writer);
    let refused =
        tokio::join!(write(0), write(1), write(2), write(3), write(4), write(5), write(6), write(7));
    let refused: usize = <[usize; WRITERS]>::from(refused).iter().sum();
    // A flush that comes late on a busy machine may cost each of them one; were nobody slowed, five flushes and more would.
    assert!(refused < WRITERS * 3, "{refused} puts were refused");
    for writer in 0..WRITERS {
        assert_eq!(table.get(&row_name(writer * 1_000_000 + PUTS_EACH - 1)).await.unwrap()[0].1, VALUE);
    }
}
