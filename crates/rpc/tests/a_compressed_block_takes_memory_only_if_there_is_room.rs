//! Compressed, a block of zeros takes a thousandth of what it has inside.

mod echo;

use echo::{Running, echo_of, header, opening_compressed, request, until};
use finback_compression::StreamCodec;
use finback_rpc::Limits;
use std::sync::atomic::Ordering;

const BLOCK_BYTES: usize = 128 << 20;
/// Of the memory for requests this is taken, and as much is left.
const TAKEN_BYTES: usize = 8 << 20;

/// The most memory that this process ever had.
fn peak_memory_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix("kB").unwrap().trim().parse::<usize>().unwrap() * 1024
}

#[tokio::test]
async fn a_block_that_there_is_no_room_for_is_not_decompressed() {
    let limits = Limits { max_in_flight_bytes: 2 * TAKEN_BYTES, ..Limits::default() };
    let running = Running::start(limits);
    for codec in ["KeyValueCodec", "MessageCodec"].map(|name| format!("org.apache.hadoop.hbase.codec.{name}"))
    {
        let begun = running.echo.begun.load(Ordering::SeqCst);
        let mut client = running.raw().await;
        client
            .send(&opening_compressed("EchoService", &codec, "org.apache.hadoop.io.compress.GzipCodec"))
            .await;
        let param = vec![1; TAKEN_BYTES];
        client.send(&request(header(1, "Later"), &param, b"")).await;
        until("begun", || running.echo.begun.load(Ordering::SeqCst) > begun).await;
        // Of many members: so this process never has it whole.
        let block = StreamCodec::Gzip.compress(&[0; 1 << 20]).unwrap().repeat(BLOCK_BYTES >> 20);
        let before = peak_memory_bytes();
        client.send(&request(header(2, "Cells"), b"x", &block)).await;
        let (call_id, exception) = client.exception().await;
        assert_eq!((call_id, exception.simple_class()), (2, "CallQueueTooBigException"));
        let taken = peak_memory_bytes() - before;
        assert!(taken < 4 * TAKEN_BYTES, "{taken} bytes");
        // What there is room for is decompressed, and given back with its call.
        let fits = StreamCodec::Gzip.compress(&vec![0; TAKEN_BYTES / 64]).unwrap();
        client.send(&request(header(3, "Cells"), b"x", &fits)).await;
        assert!(client.response().await.result.is_ok());
        running.echo.release.notify_one();
        assert_eq!(client.response().await, echo_of(1, &param));
        until("nothing is counted any more", || running.server.in_flight_bytes() == 0).await;
    }
}

#[tokio::test]
async fn a_block_that_is_broken_is_refused_as_such_where_there_is_little_room() {
    let running = Running::start(Limits { max_in_flight_bytes: 1 << 20, ..Limits::default() });
    let mut client = running.raw().await;
    let codec = "org.apache.hadoop.hbase.codec.KeyValueCodec";
    client.send(&opening_compressed("EchoService", codec, "org.apache.hadoop.io.compress.GzipCodec")).await;
    let param = vec![1; 700 << 10];
    client.send(&request(header(1, "Later"), &param, b"")).await;
    // There is room for it, and not for what is expected to be in it.
    client.send(&request(header(2, "Cells"), b"x", &[7; 100 << 10])).await;
    let (call_id, exception) = client.exception().await;
    assert_eq!((call_id, exception.simple_class()), (2, "DoNotRetryIOException"));
}
