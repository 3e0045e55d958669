//! Two bytes are an empty action, and some hundred bytes of memory once decoded.

mod echo;

use bytes::Bytes;
use echo::{Raw, Running, echo_of, header, key_values, request};
use finback_proto::{Message, delimited, pb};
use finback_rpc::Limits;

const REQUEST_BYTES: usize = 64 << 20;
/// The request itself, read into a buffer that doubles, and room for everything else in this process.
const MEMORY_BYTES: usize = 4 * REQUEST_BYTES;

/// A Multi of one region, whose actions are `actions`, encoded.
fn multi(actions: &[u8]) -> Vec<u8> {
    let mut region_action = pb::RegionAction::default().encode_to_vec();
    region_action.extend_from_slice(actions);
    let mut multi = vec![0x0a];
    delimited::write_length(region_action.len(), &mut multi);
    multi.append(&mut region_action);
    multi
}

/// Sends a Multi of empty actions, without ever holding all of it.
async fn flood(client: &mut Raw, call_id: u32) {
    let mut region_action = pb::RegionAction::default().encode_to_vec();
    let mut start = vec![0x0a];
    delimited::write_length(region_action.len() + REQUEST_BYTES, &mut start);
    start.append(&mut region_action);
    let mut body = header(call_id, "Multi").encode_length_delimited_to_vec();
    delimited::write_length(start.len() + REQUEST_BYTES, &mut body);
    body.append(&mut start);
    let frame_bytes = u32::try_from(body.len() + REQUEST_BYTES).unwrap();
    client.send(&frame_bytes.to_be_bytes()).await;
    client.send(&body).await;
    let actions = b"\x1a\x00".repeat(1 << 19);
    for _ in 0..REQUEST_BYTES / actions.len() {
        client.send(&actions).await;
    }
}

/// A Put of one cell in the cell block.
fn put(index: u32) -> pb::Action {
    let mutation = pb::MutationProto {
        row: Some(Bytes::from(format!("user{index:010}"))),
        mutate_type: Some(pb::mutation_proto::MutationType::Put as i32),
        associated_cell_count: Some(1),
        ..Default::default()
    };
    pb::Action { index: Some(index), mutation: Some(mutation), ..Default::default() }
}

/// The most memory that this process ever had.
fn peak_memory_bytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix("kB").unwrap().trim().parse::<usize>().unwrap() * 1024
}

#[tokio::test]
async fn millions_of_empty_actions_are_refused_and_the_connection_goes_on() {
    let running = Running::start(Limits::default());
    let mut client = running.client().await;
    flood(&mut client, 1).await;
    let (call_id, exception) = client.exception().await;
    assert_eq!(call_id, 1);
    assert_eq!(exception.class, "org.apache.hadoop.hbase.exceptions.RequestTooBigException");
    assert!(exception.do_not_retry && exception.message.contains("MultiRequest"), "{exception}");
    client.send(&request(header(2, "Echo"), b"still here", b"")).await;
    assert_eq!(client.response().await, echo_of(2, b"still here"));
    let peak = peak_memory_bytes();
    assert!(peak < MEMORY_BYTES, "{peak} bytes");
}

#[tokio::test]
async fn a_hundred_thousand_puts_are_no_attack() {
    let running = Running::start(Limits::default());
    let mut client = running.client().await;
    let region_action = pb::RegionAction { action: (0..100_000).map(put).collect(), ..Default::default() };
    let param = pb::MultiRequest { region_action: vec![region_action], ..Default::default() }.encode_to_vec();
    client.send(&request(header(1, "Multi"), &param, &key_values(1000))).await;
    assert_eq!(client.response().await, echo_of(1, b"100000"));
    echo::until("what was decoded is no longer counted", || running.server.in_flight_bytes() == 0).await;
}

#[tokio::test]
async fn what_a_request_takes_when_decoded_counts_as_in_flight() {
    let limits = Limits { max_in_flight_bytes: 4 << 20, ..Limits::default() };
    let running = Running::start(limits);
    let mut client = running.client().await;
    let actions = multi(&b"\x1a\x00".repeat(32 << 10));
    client.send(&request(header(1, "Multi"), &actions, b"")).await;
    let (_, exception) = client.exception().await;
    assert_eq!(exception.class, "org.apache.hadoop.hbase.CallQueueTooBigException");
    client.send(&request(header(2, "Multi"), &multi(&b"\x1a\x00".repeat(10 << 10)), b"")).await;
    assert_eq!(client.response().await, echo_of(2, b"10240"));
}
